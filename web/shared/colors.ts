/** Colours that can be told apart by the colour-blind (Okabe and Ito), lightened where dark grounds swallow them. */
const PALETTE: readonly string[] = [
  '#56b4e9',
  '#e69f00',
  '#2fb98a',
  '#d98ab8',
  '#f0e442',
  '#d55e00',
  '#7f9cff',
  '#9aa7b8',
];

const BY_NAME: readonly (readonly [pattern: RegExp, color: string])[] = [
  // before those by their last letter, which is y in battery
  [/^(volt|voltage|voltr|voltage_battery|vcc)$/i, '#ffb224'],
  [/^(curr|current|current_battery)$/i, '#d6409f'],
  [/^(des|nav_|target)?_?(roll|r|rll|x|rollspeed|\w+x)$/i, '#e5484d'],
  [/^(des|nav_|target)?_?(pitch|p|pit|y|pitchspeed|\w+y)$/i, '#30a46c'],
  [/^(des|nav_|target)?_?(yaw|z|yawspeed|heading|hdg|\w+z)$/i, '#5b7cfa'],
];

const DESIRED = /^(des|nav_|target|t_)|(_?des|_target|sp)$/i;

/** The colour of a trace: that of its axis or quantity where it has a usual one and it is free, else the next. */
export function traceColor(field: string, taken: readonly string[]): string {
  const usual = BY_NAME.find(([pattern]) => pattern.test(field))?.[1];
  if (usual && (!taken.includes(usual) || DESIRED.test(field))) return usual;
  return PALETTE.find((color) => !taken.includes(color)) ?? PALETTE[taken.length % PALETTE.length];
}

/** Wanted values are dashed, actual ones are solid. */
export function isDesired(field: string): boolean {
  return DESIRED.test(field);
}

/** One colour for each class of modes, so that all autopilots look alike. */
const MODE_CLASSES: readonly (readonly [pattern: RegExp, color: string])[] = [
  [/rtl|land|return|qrtl|qland|failsafe/i, '#8e4ec6'],
  [/auto|mission|takeoff|smart|avoid|follow|zigzag/i, '#a46cf0'],
  [/guid|offboard|external|steering/i, '#00b3b3'],
  [/loiter|pos|hold_?pos|circle|brake|orbit|hover|throw|drift/i, '#2fb463'],
  [/alt|fbw|cruise|depth|surface|flow|sport|simple|thermal/i, '#d9b400'],
  [/stab|level|hold|train|ready|standby/i, '#4f74ff'],
  [/manual|acro|rattitude|flip|init/i, '#e0484d'],
];

export function modeColor(mode: string): string {
  return MODE_CLASSES.find(([pattern]) => pattern.test(mode))?.[1] ?? '#8a94a3';
}
