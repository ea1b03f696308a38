import type { Codec } from '../../core/codec.ts';
import type { Column } from '../../core/column.ts';
import { bigEndian } from './codec.ts';
import { bits, choices, type FieldSpec, part, parts, skip } from './layout.ts';

const FIX_TYPE = choices('XBUS_FIX_TYPE', 'none dead_reckoning 2d 3d gnss_and_dead_reckoning time_only');

const FIX_FLAGS = bits('XBUS_FIX_FLAGS', 'fix_ok differential - - - heading_valid');

const TIME_VALID = bits('XBUS_PVT_VALID', 'date time resolved');

const UTC_FLAGS = bits('XBUS_UTC_FLAGS', 'time_of_week_valid week_valid utc_valid');

/** Constellations, as GnssSatInfo and u-blox number them. */
const CONSTELLATIONS = choices('XBUS_GNSS', 'GPS SBAS Galileo BeiDou IMES QZSS GLONASS');

/** Stored numbers that no record has, for values that another field of the record calls invalid. */
const NO_INT32 = -(2 ** 31);
const NO_UINT32 = 2 ** 32 - 1;
const NO_UINT16 = 2 ** 16 - 1;
const NO_UINT8 = 255;

const MILLI = { multiplier: 0.001, invalid: NO_INT32 };
const ACCURACY = { unit: 'mm', multiplier: 0.001, siUnit: 'm', invalid: NO_UINT32 };
const DOP = { divisor: 100, invalid: 9999 };

/*
 * GnssPvtData, 94 bytes, https://mtidocs.movella.com/gnsspvtdata: the layout of u-blox's NAV-PVT in big-endian order.
 *
 *     0      4      6       11      12     16     20        21      22      23
 *     itow   year   m d h m s   valid   tAcc   nano   fixType   flags   numSV   -
 *
 *     24    28    32       36     40     44     48 ... 64                    68        72     76        80
 *     lon   lat   height   hMSL   hAcc   vAcc   velN velE velD gSpeed        headMot   sAcc   headAcc   headVeh
 *
 *     84 ... 96: g p t v h n e DOP
 */
export const PVT_PARTS: readonly FieldSpec[] = [
  part('itow', 'uint32', { unit: 'ms', multiplier: 0.001, siUnit: 's' }),
  part('year', 'uint16', { invalid: NO_UINT16 }),
  ...parts('month day hour min sec', 'uint8', { invalid: NO_UINT8 }),
  part('valid', 'uint8', { enumeration: TIME_VALID }),
  part('tAcc', 'uint32', { unit: 'ns', multiplier: 1e-9, siUnit: 's', invalid: NO_UINT32 }),
  part('nano', 'int32', { unit: 'ns', multiplier: 1e-9, siUnit: 's', invalid: NO_INT32 }),
  part('fixType', 'uint8', { enumeration: FIX_TYPE }),
  part('flags', 'uint8', { enumeration: FIX_FLAGS }),
  part('numSV', 'uint8'),
  skip(1),
  part('lon', 'int32', { unit: 'deg', divisor: 1e7, invalid: NO_INT32 }),
  part('lat', 'int32', { unit: 'deg', divisor: 1e7, invalid: NO_INT32 }),
  part('height', 'int32', { unit: 'mm', ...MILLI, siUnit: 'm' }),
  part('hMSL', 'int32', { unit: 'mm', ...MILLI, siUnit: 'm' }),
  part('hAcc', 'uint32', ACCURACY),
  part('vAcc', 'uint32', ACCURACY),
  ...parts('velN velE velD gSpeed', 'int32', { unit: 'mm/s', ...MILLI, siUnit: 'm/s' }),
  part('headMot', 'int32', { unit: 'deg', divisor: 1e5, invalid: NO_INT32 }),
  part('sAcc', 'uint32', { unit: 'mm/s', multiplier: 0.001, siUnit: 'm/s', invalid: NO_UINT32 }),
  part('headAcc', 'uint32', { unit: 'deg', divisor: 1e5, invalid: NO_UINT32 }),
  part('headVeh', 'int32', { unit: 'deg', divisor: 1e5, invalid: NO_INT32 }),
  ...parts('gdop pdop tdop vdop hdop ndop edop', 'uint16', DOP),
];

/** Bits of a byte of the record that must all be set for a field to mean anything. */
interface FixGate {
  readonly at: number;
  readonly bits: number;
}

function gates(at: number, bits: number, names: string): [string, FixGate][] {
  return names.split(' ').map((name) => [name, { at, bits }]);
}

/** Fields of GnssPvtData that others of it can make invalid. */
const PVT_GATES: ReadonlyMap<string, FixGate> = new Map([
  ...gates(11, 1, 'year month day'),
  ...gates(11, 2, 'hour min sec nano'),
  ...gates(21, 1, 'lon lat height hMSL velN velE velD gSpeed headMot'),
  ...gates(21, 32, 'headVeh'),
]);

/** UtcTime: nanoseconds, year, month, day, hour, minute, second, flags. */
export const UTC_PARTS: readonly FieldSpec[] = [
  part('ns', 'uint32', { unit: 'ns', multiplier: 1e-9, siUnit: 's', invalid: NO_UINT32 }),
  part('year', 'uint16', { invalid: NO_UINT16 }),
  ...parts('month day hour minute second', 'uint8', { invalid: NO_UINT8 }),
  part('flags', 'uint8', { enumeration: UTC_FLAGS }),
];

const UTC_GATES: ReadonlyMap<string, FixGate> = new Map(gates(11, 4, 'ns year month day hour minute second'));

/** Reads fields, and puts the number that means "missing" where the record itself calls them invalid. */
function gatedCodec(byName: ReadonlyMap<string, FixGate>, lead: number): Codec {
  return {
    read(bytes, starts, count, columns, row) {
      bigEndian.read(bytes, starts, count, columns, row);
      for (const column of columns) {
        const gate = byName.get(column.field.name);
        if (gate) close(bytes, starts, count, column, row, gate, lead);
      }
    },
  };
}

function close(
  bytes: Uint8Array,
  starts: Int32Array,
  count: number,
  { data, field }: Column,
  row: number,
  { at, bits }: FixGate,
  lead: number,
): void {
  for (let i = 0; i < count; i++) {
    if ((bytes[starts[i] + lead + at] & bits) !== bits) data[row + i] = field.invalid as number;
  }
}

export function pvtCodec(lead: number): Codec {
  return gatedCodec(PVT_GATES, lead);
}

export function utcCodec(lead: number): Codec {
  return gatedCodec(UTC_GATES, lead);
}

/*
 * GnssSatInfo, 8 + 4 n bytes:
 *
 *     0      4    5       8 + 4 k   9 + 4 k   10 + 4 k   11 + 4 k
 *     itow   n    - - -   gnssId    svId      cno        flags
 */
const SATELLITE_HEAD = 8;
const SATELLITE_BYTES = 4;
const MOST_SATELLITES = 61;
const NO_SATELLITE = -1;

export const SATELLITE_PARTS: readonly FieldSpec[] = [
  part('itow', 'uint32', { unit: 'ms', multiplier: 0.001, siUnit: 's' }),
  part('numSVs', 'uint8'),
  skip(3),
];

const PER_SATELLITE: readonly FieldSpec[] = [
  part('gnssId', 'int16', { enumeration: CONSTELLATIONS }),
  part('svId', 'int16'),
  part('cno', 'int16', { unit: 'dBHz' }),
  part('flags', 'int16'),
].map((each) => ({ ...each, count: MOST_SATELLITES, isList: true, invalid: NO_SATELLITE }));

/** Names of the fields of a satellite, one byte each, in their order. */
export const SATELLITE_FIELDS: readonly string[] = PER_SATELLITE.map(({ name }) => name);

/** The fields of each satellite with their places; elements after the last satellite are missing. */
export function satelliteFields(lead: number): { readonly part: FieldSpec; readonly offset: number }[] {
  return PER_SATELLITE.map((each, k) => ({ part: each, offset: lead + SATELLITE_HEAD + k }));
}

/** Whether an item can be GnssSatInfo by its length. */
export function isSatelliteLength(length: number): boolean {
  return length >= SATELLITE_HEAD && (length - SATELLITE_HEAD) % SATELLITE_BYTES === 0;
}

/** The byte before the data of an item is their length, which bounds how many satellites there can be. */
export function satelliteCodec(lead: number): Codec {
  return {
    read(bytes, starts, count, columns, row) {
      for (const column of columns) {
        const { count: elements, offset } = column.field;
        if (elements === 1) {
          bigEndian.read(bytes, starts, count, [column], row);
          continue;
        }
        const out = column.data as Int16Array;
        for (let i = 0; i < count; i++) {
          const data = starts[i] + lead;
          const room = (bytes[data - 1] - SATELLITE_HEAD) / SATELLITE_BYTES;
          const here = Math.min(bytes[data + 4], room);
          const to = (row + i) * elements;
          for (let n = 0; n < elements; n++) {
            out[to + n] = n < here ? bytes[starts[i] + offset + n * SATELLITE_BYTES] : NO_SATELLITE;
          }
        }
      }
    },
  };
}
