/** A field of a message as charts name it. */
export interface PlottedField {
  readonly message: string;
  readonly instance: number | undefined;
  /** With the number of the element for arrays: voltages[0]. */
  readonly field: string;
}

/*
 *   ATTITUDE.roll      BATTERY_STATUS[1].current_battery      BATTERY_STATUS[0].voltages[2]
 */
const PATTERN = /^(\w{1,64})(?:\[(\d{1,3})\])?\.(\w{1,64}(?:\[\d{1,3}\])?)$/;

export function parsePlotted(text: string): PlottedField | undefined {
  const match = PATTERN.exec(text);
  if (!match) return undefined;
  const [, message, instance, field] = match;
  return { message, instance: instance === undefined ? undefined : Number(instance), field };
}

export function plottedText({ message, instance, field }: PlottedField): string {
  return `${message}${instance === undefined ? '' : `[${instance}]`}.${field}`;
}

/** How a chart shows a field that is sent in an unhandy unit. */
export interface ShownUnit {
  readonly factor: number;
  readonly unit: string;
}

const DEGREES = 180 / Math.PI;
const AS_SENT: ShownUnit = { factor: 1, unit: '' };

/** The usual fields, by the units of https://mavlink.io/en/messages/common.html */
const UNITS: readonly (readonly [pattern: RegExp, factor: number, unit: string])[] = [
  [/^ATTITUDE\.(roll|pitch|yaw)$/, DEGREES, '°'],
  [/^ATTITUDE\.(roll|pitch|yaw)speed$/, DEGREES, '°/s'],
  [/^(GLOBAL_POSITION_INT|GPS_RAW_INT|GPS2_RAW)\.(lat|lon)$/, 1e-7, '°'],
  [/^(GLOBAL_POSITION_INT|GPS_RAW_INT|GPS2_RAW)\.(alt|relative_alt)$/, 1e-3, 'm'],
  [/^GLOBAL_POSITION_INT\.v[xyz]$/, 0.01, 'm/s'],
  [/^GLOBAL_POSITION_INT\.hdg$/, 0.01, '°'],
  [/^(GPS_RAW_INT|GPS2_RAW)\.vel$/, 0.01, 'm/s'],
  [/^(GPS_RAW_INT|GPS2_RAW)\.cog$/, 0.01, '°'],
  [/^(GPS_RAW_INT|GPS2_RAW)\.e[pv]h$/, 0.01, ''],
  [/^VFR_HUD\.(airspeed|groundspeed|climb)$/, 1, 'm/s'],
  [/^VFR_HUD\.alt$/, 1, 'm'],
  [/^VFR_HUD\.heading$/, 1, '°'],
  [/^VFR_HUD\.throttle$/, 1, '%'],
  [/^LOCAL_POSITION_NED\.[xyz]$/, 1, 'm'],
  [/^LOCAL_POSITION_NED\.v[xyz]$/, 1, 'm/s'],
  [/^SYS_STATUS\.voltage_battery$/, 1e-3, 'V'],
  [/^SYS_STATUS\.load$/, 0.1, '%'],
  [/^(SYS_STATUS|BATTERY_STATUS)\.current_battery$/, 0.01, 'A'],
  [/^(SYS_STATUS|BATTERY_STATUS)\.battery_remaining$/, 1, '%'],
  [/^BATTERY_STATUS\.voltages(_ext)?\[\d+\]$/, 1e-3, 'V'],
  [/^BATTERY_STATUS\.current_consumed$/, 1, 'mAh'],
  [/^VIBRATION\.vibration_[xyz]$/, 1, 'm/s²'],
  [/^(RAW|SCALED)_PRESSURE\d?\.press_abs$/, 1, 'hPa'],
];

export function shownUnit({ message, field }: PlottedField): ShownUnit {
  const name = `${message}.${field}`;
  const found = UNITS.find(([pattern]) => pattern.test(name));
  return found ? { factor: found[1], unit: found[2] } : AS_SENT;
}
