import type { VehicleWire } from '../../src/server/wire.ts';
import { clockText, shortName } from '../shared/format.ts';

/** How long ago, in few letters: now, 4 s, 3:07. */
export function ageText(seconds: number): string {
  if (!Number.isFinite(seconds)) return '–';
  if (seconds < 2) return 'now';
  return seconds < 60 ? `${Math.floor(seconds)} s` : clockText(Math.floor(seconds), 0);
}

/** How old a value is that is no longer current: 12 s old, 3:07 old. */
export function oldText(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'old';
  return `${seconds < 2 ? `${Math.max(0, Math.floor(seconds))} s` : ageText(seconds)} old`;
}

export function vehicleName({ id, class: kind }: VehicleWire): string {
  return `${kind === '' ? 'Vehicle' : kind} ${id}`;
}

/** How good a link is, from 0 to 4, by loss. */
export function linkQuality({ lost, loss }: VehicleWire): number {
  if (lost) return 0;
  if (loss === null || loss < 0.01) return 4;
  return loss < 0.05 ? 3 : loss < 0.15 ? 2 : 1;
}

/*
 * EKF_STATUS_FLAGS of ArduPilot and ESTIMATOR_STATUS_FLAGS of PX4, https://mavlink.io/en/messages/common.html: up to bit 9
 * they are the same. Bits of what the filter knows are shown if they are not set.
 */
const KNOWN: readonly (readonly [bit: number, missing: string])[] = [
  [0, 'no attitude'],
  [1, 'no horizontal velocity'],
  [2, 'no vertical velocity'],
  [4, 'no position'],
  [5, 'no height'],
];
const DOUBTS: Readonly<Record<string, readonly (readonly [bit: number, doubt: string])[]>> = {
  EKF_STATUS_REPORT: [
    [7, 'dead reckoning'],
    [10, 'not started'],
    [15, 'GPS glitch'],
  ],
  ESTIMATOR_STATUS: [
    [7, 'dead reckoning'],
    [10, 'GPS glitch'],
    [11, 'bad accelerometer'],
  ],
};

/** What the filter says is wrong, by its flags. */
export function ekfDoubts({ flags, source }: { readonly flags: number; readonly source: string }): string[] {
  const isSet = (bit: number): boolean => ((flags >>> bit) & 1) === 1;
  const missing = KNOWN.filter(([bit]) => !isSet(bit)).map(([, text]) => text);
  const doubts = (DOUBTS[source] ?? []).filter(([bit]) => isSet(bit)).map(([, text]) => text);
  return [...missing, ...doubts];
}

/** Names of a value, or of its bits, without what all names of their enumeration begin with. */
export function valueNames(
  value: number,
  {
    name,
    bitmask,
    names,
  }: { readonly name: string; readonly bitmask: boolean; readonly names: Readonly<Record<string, string>> },
): string {
  const short = (key: number): string => (Object.hasOwn(names, key) ? shortName(names[key], name) : '');
  if (!bitmask) return short(value);
  const bits = Array.from({ length: 53 }, (_, i) => 2 ** i).filter((bit) => Math.floor(value / bit) % 2 === 1);
  return bits
    .map(short)
    .filter((text) => text !== '')
    .join(' ');
}

const RESULTS: readonly string[] = [
  ...['accepted', 'temporarily rejected', 'denied', 'unsupported', 'failed', 'in progress', 'cancelled'],
];

export function resultText(result: number | null): string {
  return result === null ? 'no answer yet' : (RESULTS[result] ?? `answer ${result}`);
}
