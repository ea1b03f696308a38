import type { Value } from '../../../src/core/column.ts';
import { itemOf, layout, read } from './values.ts';

/** One value of MTData. */
export interface Piece {
  readonly name: string;
  readonly frame: string;
  readonly size: number;
  values(bytes: Uint8Array, at: number): [name: string, value: Value][];
}

const RAW = 'acc_x:H acc_y:H acc_z:H gyr_x:H gyr_y:H gyr_z:H mag_x:H mag_y:H mag_z:H temperature:H';
const RAW_GPS =
  'pressure:H pressure_age:B itow:I lat:i/1e7 lon:i/1e7 alt:i velN:i velE:i velD:i hAcc:I vAcc:I sAcc:I gps_age:B';

/** What MTData holds by its output mode and settings. */
export function piecesOf(mode: number, settings: number): Piece[] {
  const pieces: Piece[] = [];
  const format = Math.floor(settings / 256) % 4;
  const width = [4, 4, 6, 8][format];
  const local = settings >= 2 ** 31 ? 'NED' : 'NWU';
  const has = (bits: number, bit: number): boolean => Math.floor(bits / bit) % 2 === 1;
  const reals = (code: number, count: number): void => {
    const { name, frame, values } = itemOf(code + format, count * width);
    pieces.push({ name, frame: frame === '' ? '' : local, size: count * width, values });
  };
  const fixed = (name: string, text: string): void => {
    const { spots, size } = layout(text);
    pieces.push({ name, frame: '', size, values: (bytes, at) => read(bytes, at, spots) });
  };
  if (has(mode, 0x4000)) fixed('RawAccGyrMagTemp', RAW);
  if (has(mode, 0x1000)) fixed('RawGps', RAW_GPS);
  if (has(mode, 1)) reals(0x0810, 1);
  if (has(mode, 2) && !has(settings, 0x10)) reals(0x4020, 3);
  if (has(mode, 2) && !has(settings, 0x20)) reals(0x8020, 3);
  if (has(mode, 2) && !has(settings, 0x40)) reals(0xc020, 3);
  if (has(mode, 4)) {
    if (has(settings, 4)) reals(0x2030, 3);
    else if (has(settings, 8)) reals(0x2020, 9);
    else reals(0x2010, 4);
  }
  if (has(mode, 8) && !has(settings, 0x400)) fixed('AnalogIn1', 'value:H');
  if (has(mode, 8) && !has(settings, 0x800)) fixed('AnalogIn2', 'value:H');
  if (has(mode, 0x10)) reals(0x5040, 2);
  if (has(mode, 0x10)) reals(0x5020, 1);
  if (has(mode, 0x20)) reals(0xd010, 3);
  if (has(mode, 0x800)) {
    const { values } = itemOf(0xe010, 1);
    pieces.push({ name: 'StatusByte', frame: '', size: 1, values });
  }
  if (has(settings, 1)) fixed('PacketCounter', 'value:H');
  if (has(settings, 2)) {
    const { values } = itemOf(0x1010, 12);
    pieces.push({ name: 'UtcTime', frame: '', size: 12, values });
  }
  return pieces;
}

const MODES = [0x6, 0x2, 0x4, 0x7, 0x3, 0x806, 0x837, 0x4000];

/** What data of this length mostly are. */
export function guessOf(length: number): Piece[] | undefined {
  for (const stamp of [1, 0]) {
    for (const mode of MODES) {
      for (const orientation of [0, 4, 8]) {
        const pieces = piecesOf(mode, stamp + orientation);
        if (pieces.reduce((sum, { size }) => sum + size, 0) === length) return pieces;
      }
    }
  }
  return undefined;
}
