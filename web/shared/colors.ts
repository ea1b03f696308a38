import { mixed, seenOn } from './contrast.ts';
import type { ColorSet } from './theme.ts';

/** What colours are chosen for: the set, and the background. */
interface Look {
  readonly colors: ColorSet;
  readonly ground: string;
}

const DARK: Look = { colors: 'usual', ground: '#141a22' };

/** Colours for the colour-blind (Okabe and Ito), lightened for dark backgrounds. */
export const PALETTE: readonly string[] = [
  '#56b4e9',
  '#e69f00',
  '#2fb98a',
  '#d98ab8',
  '#f0e442',
  '#d55e00',
  '#7f9cff',
  '#9aa7b8',
];

/** The colours of Okabe and Ito themselves, "Color Universal Design" (2008), but black. */
const SAFE: readonly string[] = ['#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#f0e442', '#d55e00', '#0072b2'];

/** The usual colour of a quantity, and a colour-blind safe one. */
const BY_NAME: readonly (readonly [pattern: RegExp, usual: string, safe: string])[] = [
  // before those by their last letter, which is y in battery
  [/^(volt|voltage|voltr|voltage_battery|vcc)$/i, '#ffb224', '#f0e442'],
  [/^(curr|current|current_battery)$/i, '#d6409f', '#cc79a7'],
  [/^(des|nav_|target)?_?(roll|r|rll|x|rollspeed|\w+x)(des)?$/i, '#e5484d', '#d55e00'],
  [/^(des|nav_|target)?_?(pitch|p|pit|y|pitchspeed|\w+y)(des)?$/i, '#30a46c', '#009e73'],
  [/^(des|nav_|target)?_?(yaw|z|yawspeed|heading|hdg|\w+z)(des)?$/i, '#5b7cfa', '#56b4e9'],
];

const DESIRED = /^(des|nav_|target|t_)|(_?des|_target|sp)$/i;

/** The colour of a trace: the usual one of its axis or quantity if free, else the next; visible on the ground. */
export function traceColor(field: string, taken: readonly string[], { colors, ground }: Look = DARK): string {
  const named = BY_NAME.find(([pattern]) => pattern.test(field));
  const usual = named && seenOn(ground, colors === 'safe' ? named[2] : named[1]);
  if (usual && (!taken.includes(usual) || DESIRED.test(field))) return usual;
  const palette = (colors === 'safe' ? SAFE : PALETTE).map((color) => seenOn(ground, color));
  return palette.find((color) => !taken.includes(color)) ?? palette[taken.length % palette.length];
}

/** The colour of one of several logs, or of vehicles. */
export function placeColor(place: number, { colors, ground }: Look): string {
  const palette = colors === 'safe' ? SAFE : PALETTE;
  return seenOn(ground, palette[Math.max(0, place) % palette.length]);
}

/** The colour of the n-th quantity of a log in one plot: its own, one that is paler, one that is darker. */
export function shade(color: string, place: number, { ground }: Look): string {
  const [towards, part] = [['#000', 0] as const, ['#fff', 0.45] as const, ['#000', 0.4] as const][place % 3];
  return seenOn(ground, mixed(color, towards, part));
}

/** Wanted values are dashed, actual ones are solid. */
export function isDesired(field: string): boolean {
  return DESIRED.test(field);
}

/** One colour for each class of modes, so that all autopilots look alike. */
const MODE_CLASSES: readonly (readonly [pattern: RegExp, usual: string, safe: string])[] = [
  [/rtl|land|return|qrtl|qland|failsafe/i, '#8e4ec6', '#e69f00'],
  [/auto|mission|takeoff|smart|avoid|follow|zigzag/i, '#a46cf0', '#cc79a7'],
  [/guid|offboard|external|steering/i, '#00b3b3', '#56b4e9'],
  [/loiter|pos|hold_?pos|circle|brake|orbit|hover|throw|drift/i, '#2fb463', '#009e73'],
  [/alt|fbw|cruise|depth|surface|flow|sport|simple|thermal/i, '#d9b400', '#f0e442'],
  [/stab|level|hold|train|ready|standby/i, '#4f74ff', '#0072b2'],
  [/manual|acro|rattitude|flip|init/i, '#e0484d', '#d55e00'],
];

export function modeColor(mode: string, colors: ColorSet = 'usual'): string {
  const found = MODE_CLASSES.find(([pattern]) => pattern.test(mode));
  return found?.[colors === 'safe' ? 2 : 1] ?? '#8a94a3';
}
