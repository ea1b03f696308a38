import type { Codec } from '../../core/codec.ts';
import type { Field, Schema } from '../../core/schema.ts';
import { hexDigits } from '../../core/text.ts';
import { bigEndian, fixedPoint48, listCodec } from './codec.ts';
import {
  isSatelliteLength,
  PVT_PARTS,
  pvtCodec,
  SATELLITE_PARTS,
  satelliteCodec,
  satelliteFields,
  UTC_PARTS,
  utcCodec,
} from './gnss.ts';
import { FIXED_ITEMS, ITEM_HEADER, REAL_ITEMS, type RealItem } from './items.ts';
import { type FieldSpec, fieldOf, part, parts, place, sizeOf } from './layout.ts';
import { statusCodec, statusParts } from './status.ts';

/** How reals are written, by the two lowest bits of an XDI, and how many bytes each has. */
export const NUMBER_FORMATS = ['float32', 'fp12.20', 'fp16.32', 'float64'] as const;
export type NumberFormat = (typeof NUMBER_FORMATS)[number];
const NUMBER_BYTES = [4, 4, 6, 8] as const;
const FLOAT32 = 0;
const FIXED_1220 = 1;
const FIXED_1632 = 2;
const FLOAT64 = 3;

/** The local frame, by the two bits above them. */
export const LOCAL_FRAMES = ['ENU', 'NED', 'NWU', 'reserved'] as const;
export type LocalFrame = (typeof LOCAL_FRAMES)[number];

/** Rank of items of one kind in a packet: in the sensor frame, then NED, then any other. */
export function frameRank(frame: LocalFrame | undefined): number {
  return frame === undefined ? 2 : frame === 'NED' ? 1 : 0;
}

/** What an item is, by its XDI and length. */
export interface Item {
  readonly schema: Schema;
  readonly frame: LocalFrame | undefined;
  /** Whether its fields are known; otherwise its data are kept as they are. */
  readonly isKnown: boolean;
  /** Whether its schema is that of any length: it is a list. */
  readonly anyLength: boolean;
}

const UTC_TIME = 0x1010;
const GNSS_PVT = 0x7010;
const GNSS_SATELLITES = 0x7020;
const GPS_SATELLITES = 0x88a0;
const STATUS_BYTE = 0xe010;
const STATUS_WORD = 0xe020;

export function itemName(xdi: number): string {
  const code = xdi & 0xfff0;
  const known = REAL_ITEMS.get(code) ?? FIXED_ITEMS.get(code);
  return known?.name ?? SPECIAL_NAMES.get(code) ?? `Item_${hexDigits(xdi, 4)}`;
}

const SPECIAL_NAMES: ReadonlyMap<number, string> = new Map([
  [UTC_TIME, 'UtcTime'],
  [GNSS_PVT, 'GnssPvtData'],
  [GNSS_SATELLITES, 'GnssSatInfo'],
  [GPS_SATELLITES, 'GpsSvInfo'],
  [STATUS_BYTE, 'StatusByte'],
  [STATUS_WORD, 'StatusWord'],
]);

/** The local frame of an item; undefined if it has none, or leaves open which. */
function frameOf(xdi: number): LocalFrame | undefined {
  const item = REAL_ITEMS.get(xdi & 0xfff0);
  const bits = (xdi >> 2) & 3;
  return item && (item.hasFrame || bits !== 0) ? LOCAL_FRAMES[bits] : undefined;
}

/** The number format of an item of reals by XDI, or by length if they disagree; -1 if no format fits. */
function formatOf(xdi: number, length: number, reals: number): number {
  const stated = xdi & 3;
  if (NUMBER_BYTES[stated] * reals === length) return stated;
  return [FLOAT32, FIXED_1632, FLOAT64].find((format) => NUMBER_BYTES[format] * reals === length) ?? -1;
}

const LENGTHS: readonly number[] = Array.from({ length: 256 }, (_, length) => length);
/** Which lengths each kind of item may have. Garbage makes this be asked very often. */
const FITS: ReadonlyMap<number, ReadonlySet<number>> = new Map(
  [
    ...[...REAL_ITEMS].map(([code, { fields }]) => [code, NUMBER_BYTES.map((bytes) => bytes * fields.length)] as const),
    ...[...FIXED_ITEMS].map(([code, { layouts }]) => [code, layouts.map(sizeOf)] as const),
    ...[...SPECIAL_NAMES.keys()].map(
      (code) => [code, LENGTHS.filter((length) => specialItem(code, length, ITEM_HEADER, false))] as const,
    ),
  ].map(([code, lengths]) => [code, new Set(lengths)]),
);

export function isKnownItem(xdi: number, length: number): boolean {
  return FITS.get(xdi & 0xfff0)?.has(length) === true;
}

/** What an item is. `keepInvalid` keeps numbers that the item itself calls invalid. */
export function itemOf(xdi: number, length: number, keepInvalid: boolean): Item {
  const code = xdi & 0xfff0;
  const real = REAL_ITEMS.get(code);
  const format = real ? formatOf(xdi, length, real.fields.length) : -1;
  const layout = FIXED_ITEMS.get(code)?.layouts.find((each) => sizeOf(each) === length);
  let schema: Schema | undefined;
  if (real && format >= 0) schema = realSchema(real, format, ITEM_HEADER);
  else if (layout) schema = schemaOf(itemName(xdi), place(layout, ITEM_HEADER), ITEM_HEADER + length);
  else schema = specialItem(code, length, ITEM_HEADER, keepInvalid);
  const isKnown = schema !== undefined;
  const anyLength = isKnown && code === GNSS_SATELLITES;
  return { schema: schema ?? rawItem(xdi, length), frame: frameOf(xdi), isKnown, anyLength };
}

export function realSchema({ name, fields, unit }: RealItem, format: number, lead: number): Schema {
  const width = NUMBER_BYTES[format];
  const type = format === FLOAT32 ? 'float32' : format === FIXED_1220 ? 'int32' : 'float64';
  const divisor = format === FIXED_1220 ? 2 ** 20 : 1;
  const placed = fields.map((each, k) => fieldOf(part(each, type, { unit, divisor }), lead + k * width) as Field);
  return schemaOf(name, placed, lead + fields.length * width, format === FIXED_1632 ? fixedPoint48 : bigEndian);
}

/** UtcTime, or what has its layout, at `lead` in the record. */
export function utcSchema(lead: number, keepInvalid: boolean): Schema {
  return gatedSchema('UtcTime', UTC_PARTS, lead, keepInvalid, utcCodec(lead));
}

export function statusSchema(name: string, bytes: 1 | 2 | 4, lead: number): Schema {
  const fields = statusParts(bytes).map((each) => fieldOf(each, lead) as Field);
  return schemaOf(name, fields, lead + bytes, statusCodec(bytes, lead));
}

function specialItem(code: number, length: number, lead: number, keepInvalid: boolean): Schema | undefined {
  switch (code) {
    case UTC_TIME:
      return length === sizeOf(UTC_PARTS) ? utcSchema(lead, keepInvalid) : undefined;
    case GNSS_PVT: {
      if (length !== sizeOf(PVT_PARTS)) return undefined;
      return gatedSchema('GnssPvtData', PVT_PARTS, lead, keepInvalid, pvtCodec(lead));
    }
    case GNSS_SATELLITES:
      return isSatelliteLength(length) ? satelliteSchema(lead) : undefined;
    case GPS_SATELLITES:
      return gpsSatelliteSchema(length, lead);
    case STATUS_BYTE:
      return length === 1 ? statusSchema('StatusByte', 1, lead) : undefined;
    case STATUS_WORD:
      return length === 2 || length === 4 ? statusSchema('StatusWord', length, lead) : undefined;
    default:
      return undefined;
  }
}

function gatedSchema(
  name: string,
  all: readonly FieldSpec[],
  lead: number,
  keepInvalid: boolean,
  gated: Codec,
): Schema {
  const kept = keepInvalid ? all.map((each) => ({ ...each, invalid: undefined })) : all;
  return schemaOf(name, place(kept, lead), lead + sizeOf(all), keepInvalid ? bigEndian : gated);
}

function satelliteSchema(lead: number): Schema {
  const lists = satelliteFields(lead).map(({ part: each, offset }) => fieldOf(each, offset) as Field);
  return schemaOf('GnssSatInfo', [...place(SATELLITE_PARTS, lead), ...lists], lead + 255, satelliteCodec(lead));
}

/** Satellites of old receivers: eight bytes, and twelve for each channel. */
function gpsSatelliteSchema(length: number, lead: number): Schema | undefined {
  const channels = (length - 8) / 12;
  if (!Number.isInteger(channels) || channels < 0) return undefined;
  const head = [part('itow', 'uint32', { unit: 'ms' }), part('numCh', 'uint8')];
  const each = [...parts('chn svid flags quality cno', 'uint8'), part('elev', 'int8'), part('azim', 'int16')];
  each.push(part('prRes', 'int32', { unit: 'cm' }));
  const lists =
    channels === 0 ? [] : place(each, lead + 8).map((field) => ({ ...field, count: channels, isList: true }));
  return schemaOf('GpsSvInfo', [...place(head, lead), ...lists], lead + length, listCodec(12));
}

function rawItem(xdi: number, length: number): Schema {
  const data = length > 0 ? [part('data', 'bytes', { count: length })] : [];
  return schemaOf(itemName(xdi), place(data, ITEM_HEADER), ITEM_HEADER + length);
}

/** Any item, for streams with more kinds of them than the limit. */
export function anyItemSchema(): Schema {
  return schemaOf('Item', place([part('xdi', 'uint16'), part('length', 'uint8')], 0), ITEM_HEADER);
}

/** Any piece of MTData, for streams whose set-up changes all the time. */
export function anyPieceSchema(): Schema {
  return schemaOf('Piece', [], 0);
}

/** What records of some fields are; `bytes` is where the last field ends. */
export function schemaOf(name: string, fields: readonly Field[], bytes: number, codec: Codec = bigEndian): Schema {
  // the last item of a frame has its checksum too, so records of one schema differ in length
  return { name, fields, size: 0, maxSize: bytes, instance: -1, codec };
}

/** Items by their names, and as some programs write them: ROTATION_MATRIX; with the local frame ACCELERATION_NED. */
const CODES: ReadonlyMap<string, number> = new Map([
  ...[...REAL_ITEMS].map(([code, { name }]): [string, number] => [`${capitals(name)}_NED`, code | 4]),
  ...[...FIXED_ITEMS, ...REAL_ITEMS]
    .map(([code, { name }]): [number, string] => [code, name])
    .concat([...SPECIAL_NAMES])
    .flatMap(([code, name]): [string, number][] => [
      [capitals(name), code],
      [name, code],
    ]),
]);

function capitals(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

export function xdiOf(name: string, format: NumberFormat = 'float32', frame: LocalFrame = 'ENU'): number {
  const code = CODES.get(name);
  if (code === undefined) throw new RangeError(`unknown item ${name}`);
  if (!REAL_ITEMS.has(code & 0xfff0)) return code;
  return code | NUMBER_FORMATS.indexOf(format) | (LOCAL_FRAMES.indexOf(frame) << 2);
}
