import type { Value } from '../../../src/core/column.ts';

/*
 * The fields of items and messages in a notation of their own: `name:code`, where code is a letter of Python's struct
 * module (big-endian), `*n` for so many elements, `/d` for a divisor, `!v` for the number that means "missing". R stands
 * for a real in the format of the item, `-n` for reserved bytes, S for text and D for bytes.
 */
const ITEMS = `
0810 Temperature value:R
1010 UtcTime ns:I!4294967295 year:H!65535 month:B!255 day:B!255 hour:B!255 minute:B!255 second:B!255 flags:B
1020 PacketCounter value:H
1030 Itow value:I
1040 GnssAge value:B
1050 PressureAge value:B
1060 SampleTimeFine value:I
1070 SampleTimeCoarse value:I
1080 FrameRange first:H last:H
1090 PacketCounter8 value:B
10a0 SampleTime64 value:Q
10b0 PacketCounter32 value:I
2010 Quaternion w:R x:R y:R z:R
2020 RotationMatrix a:R b:R c:R d:R e:R f:R g:R h:R i:R
2030 EulerAngles roll:R pitch:R yaw:R
3010 BaroPressure value:I
4010 DeltaV x:R y:R z:R
4020 Acceleration x:R y:R z:R
4030 FreeAcceleration x:R y:R z:R
4040 AccelerationHR x:R y:R z:R
4810 TriggerIn1 line:B polarity:B timestamp:I frame:H
4820 TriggerIn2 line:B polarity:B timestamp:I frame:H
4830 TriggerIn3 line:B polarity:B timestamp:I frame:H
5010 AltitudeMsl value:R
5020 AltitudeEllipsoid value:R
5030 PositionEcef x:R y:R z:R
5040 LatLon lat:R lon:R
7010 GnssPvtData itow:I year:H!65535 month:B!255 day:B!255 hour:B!255 min:B!255 sec:B!255 valid:B tAcc:I!4294967295 nano:i!-2147483648 fixType:B flags:B numSV:B -1 lon:i/1e7!-2147483648 lat:i/1e7!-2147483648 height:i!-2147483648 hMSL:i!-2147483648 hAcc:I!4294967295 vAcc:I!4294967295 velN:i!-2147483648 velE:i!-2147483648 velD:i!-2147483648 gSpeed:i!-2147483648 headMot:i/1e5!-2147483648 sAcc:I!4294967295 headAcc:I/1e5!4294967295 headVeh:i/1e5!-2147483648 gdop:H/100!9999 pdop:H/100!9999 tdop:H/100!9999 vdop:H/100!9999 hdop:H/100!9999 ndop:H/100!9999 edop:H/100!9999
7030 GnssPvtPulse value:I
8020 RateOfTurn x:R y:R z:R
8030 DeltaQ w:R x:R y:R z:R
8040 RateOfTurnHR x:R y:R z:R
8830 GpsDop itow:I gdop:H/100 pdop:H/100 tdop:H/100 vdop:H/100 hdop:H/100 ndop:H/100 edop:H/100
8880 GpsTimeUtc itow:I tAcc:I nano:i year:H month:B day:B hour:B min:B sec:B valid:B
a010 RawAccGyrMagTemp acc_x:H acc_y:H acc_z:H gyr_x:H gyr_y:H gyr_z:H mag_x:H mag_y:H mag_z:H temperature:h/256
a020 RawGyroTemp x:h/256 y:h/256 z:h/256
a030 RawAcc x:H y:H z:H
a040 RawGyr x:H y:H z:H
a050 RawMag x:H y:H z:H
b010 AnalogIn1 value:H
b020 AnalogIn2 value:H
c020 MagneticField x:R y:R z:R
c030 MagneticFieldCorrected x:R y:R z:R
d010 VelocityXYZ x:R y:R z:R
e040 Rssi value:b
e080 DeviceId value:I
e080 DeviceId value:Q
e090 LocationId value:H`;

const NAMES = `a060 RawDeltaQ a070 RawDeltaV a080 RawBlob a090 RawFloat c810 AwindaSnapshot c820 FullSnapshot
c830 GloveSnapshotLeft c840 GloveSnapshotRight ca30 GloveDataLeft ca40 GloveDataRight 7020 GnssSatInfo 88a0 GpsSvInfo
8840 GpsSol e010 StatusByte e020 StatusWord`;

const SOL = `itow:I ftow:i week:h gpsFix:B flags:B ecefX:i ecefY:i ecefZ:i pAcc:I ecefVX:i ecefVY:i ecefVZ:i sAcc:I
pdop:H/100 -1 numSV:B`;

const WIDTHS: Readonly<Record<string, number>> = { B: 1, b: 1, H: 2, h: 2, I: 4, i: 4, Q: 8, f: 4, d: 8, F: 6, x: 4 };

/** A field at its place in the data. */
interface Spot {
  readonly name: string;
  readonly code: string;
  readonly count: number;
  readonly divisor: number;
  readonly invalid: number | undefined;
  readonly at: number;
}

type Values = [name: string, value: Value][];

/** Reads a layout; R becomes the code of the number format. */
export function layout(text: string, real = 'f'): { spots: Spot[]; size: number } {
  const spots: Spot[] = [];
  let at = 0;
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const [, name, letter, count = '1', divisor = '1', invalid] =
      /^([^:]*):(\w)(?:\*(\d+))?(?:\/([\de]+))?(?:!(-?\d+))?$/.exec(word) ?? [];
    if (letter === undefined) {
      at += Number(word.slice(1));
      continue;
    }
    const code = letter === 'R' ? real : letter;
    spots.push({
      name,
      code,
      count: Number(count),
      divisor: Number(divisor),
      invalid: invalid === undefined ? undefined : Number(invalid),
      at,
    });
    at += (WIDTHS[code] ?? 1) * Number(count);
  }
  return { spots, size: at };
}

function number(view: DataView, at: number, code: string): number | bigint {
  switch (code) {
    case 'B':
      return view.getUint8(at);
    case 'b':
      return view.getInt8(at);
    case 'H':
      return view.getUint16(at);
    case 'h':
      return view.getInt16(at);
    case 'I':
      return view.getUint32(at);
    case 'i':
      return view.getInt32(at);
    case 'Q':
      return view.getBigUint64(at);
    case 'f':
      return view.getFloat32(at);
    case 'd':
      return view.getFloat64(at);
    case 'x':
      return view.getInt32(at) / 2 ** 20;
    default:
      return view.getInt16(at + 4) + view.getUint32(at) / 2 ** 32;
  }
}

/** Values of a layout at a place. */
export function read(bytes: Uint8Array, from: number, spots: readonly Spot[]): Values {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return spots.map(({ name, code, count, divisor, invalid, at }) => {
    const start = from + at;
    if (code === 'S') return [name, text(bytes.subarray(start, start + count))];
    if (code === 'D') return [name, bytes.slice(start, start + count)];
    const all = Array.from({ length: count }, (_, k): number | bigint | null => {
      const stored = number(view, start + k * WIDTHS[code], code);
      if (stored === invalid) return null;
      const value = typeof stored === 'bigint' && stored <= Number.MAX_SAFE_INTEGER ? Number(stored) : stored;
      return divisor === 1 ? value : Number(value) / divisor;
    });
    return [name, count === 1 ? all[0] : (all as (number | null)[])];
  });
}

/** UTF-8 up to the first NUL, else Latin-1. */
function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  const used = Buffer.from(end < 0 ? bytes : bytes.subarray(0, end));
  const decoded = used.toString('utf8');
  return decoded.includes('\ufffd') && !Buffer.from(decoded).equals(used) ? used.toString('latin1') : decoded;
}

interface ItemLine {
  readonly name: string;
  readonly fields: string;
}

const LINES = new Map<number, ItemLine[]>();
for (const line of ITEMS.trim().split('\n')) {
  const [code, name, ...fields] = line.split(' ');
  const id = Number.parseInt(code, 16);
  LINES.set(id, [...(LINES.get(id) ?? []), { name, fields: fields.join(' ') }]);
}
const PLAIN_NAMES = new Map<number, string>();
for (const [, code, name] of NAMES.matchAll(/(\w+) (\w+)/g)) PLAIN_NAMES.set(Number.parseInt(code, 16), name);

/** Every XDI that has a name, without its format and local frame. */
export const ITEM_CODES: readonly number[] = [...LINES.keys(), ...PLAIN_NAMES.keys()];

/** What an item is: its name, its stream behind the bus, its values; undefined fields where it is kept as it is. */
export interface PlainItem {
  readonly name: string;
  readonly frame: string;
  readonly isKnown: boolean;
  values(bytes: Uint8Array, data: number): Values;
}

const REAL_CODES = ['f', 'x', 'F', 'd'];

export function itemOf(xdi: number, length: number): PlainItem {
  const code = xdi & 0xfff0;
  const lines = LINES.get(code) ?? [];
  const name = lines[0]?.name ?? PLAIN_NAMES.get(code) ?? `Item_${xdi.toString(16).toUpperCase().padStart(4, '0')}`;
  const isReal = lines.some(({ fields }) => fields.includes(':R'));
  const bits = (xdi >> 2) & 3;
  const always = ['Quaternion', 'RotationMatrix', 'EulerAngles', 'VelocityXYZ'].includes(name);
  const frame = isReal && (always || bits > 0) ? ['ENU', 'NED', 'NWU', 'reserved'][bits] : '';
  const tries = isReal ? [REAL_CODES[xdi & 3], 'f', 'F', 'd'] : ['f'];
  const found = lines.flatMap(({ fields }) => tries.map((real) => layout(fields, real))).find((l) => l.size === length);
  const special = found ? undefined : specialOf(code, length);
  return {
    name,
    frame,
    isKnown: found !== undefined || special !== undefined,
    values(bytes, data) {
      if (found) return gate(code, read(bytes, data, found.spots), bytes, data);
      if (special) return special(bytes, data);
      return length === 0 ? [] : [['data', bytes.slice(data, data + length)]];
    },
  };
}

function specialOf(code: number, length: number): ((bytes: Uint8Array, data: number) => Values) | undefined {
  if (code === 0xe010 && length === 1) return (bytes, data) => status(bytes[data], 1);
  if (code === 0xe020 && length === 2) return (bytes, data) => status((bytes[data] << 8) | bytes[data + 1], 2);
  if (code === 0xe020 && length === 4)
    return (bytes, data) => status(Buffer.from(bytes.subarray(data, data + 4)).readUInt32BE(), 4);
  if (code === 0x8840 && [48, 49, 52].includes(length)) return (bytes, data) => read(bytes, data, layout(SOL).spots);
  if (code === 0x7020 && length >= 8 && length % 4 === 0) return (bytes, data) => satellites(bytes, data, length);
  if (code === 0x88a0 && length >= 8 && (length - 8) % 12 === 0)
    return (bytes, data) => [
      ...read(bytes, data, layout('itow:I numCh:B').spots),
      ...list(bytes, data + 8, (length - 8) / 12, 'chn:B svid:B flags:B quality:B cno:B elev:b azim:h prRes:i'),
    ];
  return undefined;
}

function status(word: number, size: number): Values {
  const values: Values = [
    ['value', word],
    ['no_rotation', (word >>> 3) & 3],
  ];
  if (size === 4) values.push(['filter_mode', (word >>> 23) & 7], ['rtk', (word >>> 27) & 3]);
  return values;
}

/** What a record itself calls invalid is missing. */
function gate(code: number, values: Values, bytes: Uint8Array, data: number): Values {
  const closed = new Set<string>();
  const close = (isOpen: boolean, names: string): void => {
    if (!isOpen) for (const name of names.split(' ')) closed.add(name);
  };
  if (code === 0x1010) close((bytes[data + 11] & 4) !== 0, 'ns year month day hour minute second');
  if (code === 0x7010) {
    close((bytes[data + 11] & 1) !== 0, 'year month day');
    close((bytes[data + 11] & 2) !== 0, 'hour min sec nano');
    close((bytes[data + 21] & 1) !== 0, 'lon lat height hMSL velN velE velD gSpeed headMot');
    close((bytes[data + 21] & 32) !== 0, 'headVeh');
  }
  return values.map(([name, value]) => [name, closed.has(name) ? null : value]);
}

function satellites(bytes: Uint8Array, data: number, length: number): Values {
  const count = Math.min(bytes[data + 4], (length - 8) / 4);
  const column = (k: number): (number | null)[] =>
    Array.from({ length: Math.floor(count) }, (_, n) => bytes[data + 8 + 4 * n + k]);
  return [
    ...read(bytes, data, layout('itow:I numSVs:B').spots),
    ['gnssId', column(0)],
    ['svId', column(1)],
    ['cno', column(2)],
    ['flags', column(3)],
  ];
}

/** Entries one after the other, as one array for each field. */
export function list(bytes: Uint8Array, at: number, count: number, entry: string): Values {
  const { spots, size } = layout(entry);
  const rows = Array.from({ length: count }, (_, k) => read(bytes, at + k * size, spots).map(([, value]) => value));
  if (count === 0) return [];
  return spots.map(({ name }, k) => [name, rows.map((row) => row[k]) as number[]]);
}
