import { FIXED_ITEMS, REAL_ITEMS } from './items.ts';
import { LOCAL_FRAMES, type LocalFrame, NUMBER_FORMATS, type NumberFormat, SPECIAL_NAMES } from './schema.ts';

/** Other names of items, by which some programs know them; those of a local frame name the frame too. */
const ALIASES: ReadonlyMap<string, number> = new Map([
  ['PACKET_COUNTER', 0x1020],
  ['SAMPLE_TIME_FINE', 0x1060],
  ['ACCELERATION', 0x4020],
  ['ACCELERATION_NED', 0x4024],
  ['RATE_OF_TURN', 0x8020],
  ['RATE_OF_TURN_NED', 0x8024],
  ['MAGNETIC_FIELD', 0xc020],
  ['MAGNETIC_FIELD_NED', 0xc024],
  ['TEMPERATURE', 0x0810],
  ['QUATERNION', 0x2010],
  ['QUATERNION_NED', 0x2014],
  ['ROTATION_MATRIX', 0x2020],
  ['EULER_ANGLES', 0x2030],
  ['STATUS_BYTE', 0xe010],
  ['STATUS_WORD', 0xe020],
]);

const CODES: ReadonlyMap<string, number> = new Map([
  ...ALIASES,
  ...[...REAL_ITEMS, ...FIXED_ITEMS].map(([code, { name }]): [string, number] => [name, code]),
  ...[...SPECIAL_NAMES].map(([code, name]): [string, number] => [name, code]),
]);

/** The XDI of an item by its name, its number format and its local frame. */
export function xdiOf(name: string, format: NumberFormat = 'float32', frame: LocalFrame = 'ENU'): number {
  const code = CODES.get(name);
  if (code === undefined) throw new RangeError(`item ${name} is not known`);
  if (!REAL_ITEMS.has(code & 0xfff0)) return code;
  return code | NUMBER_FORMATS.indexOf(format) | (LOCAL_FRAMES.indexOf(frame) << 2);
}
