import type { Format } from '../../src/core/format.ts';
import { type Field, type Schema, TYPE_BYTES } from '../../src/core/schema.ts';
import { dataflash } from '../../src/formats/dataflash/index.ts';
import { dataflashText } from '../../src/formats/dataflash/text.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { mavlink } from '../../src/formats/mavlink/index.ts';
import { mixed } from '../../src/formats/mixed/index.ts';
import { nmea } from '../../src/formats/nmea/index.ts';
import { pcap } from '../../src/formats/pcap/index.ts';
import { tlog } from '../../src/formats/tlog/index.ts';
import { ubx } from '../../src/formats/ubx/index.ts';
import { xbus } from '../../src/formats/xbus/index.ts';
import { asText } from '../formats/dataflash/pieces.ts';
import { plainSum } from '../formats/mavlink/message.ts';
import { ubxBytes } from '../formats/mixed/random.ts';
import { line } from '../formats/nmea/random.ts';
import { PlainPackets } from '../formats/pcap/packets.ts';
import { ubxSums } from '../formats/ubx/reference.ts';
import { byFrames } from '../formats/xbus/frames.ts';
import { frameBytes } from '../formats/xbus/random.ts';
import { xbusSamples } from '../formats/xbus/sample.ts';
import { decode } from '../suite/found.ts';
import { join, type Random } from '../suite/random.ts';
import { type Sample, sampleFile } from '../suite/sample.ts';

/** The records of a real log, and how one is changed so that a decoder still takes it. */
export interface HostileLogs {
  readonly format: Format;
  /** Begins every log: definitions. */
  readonly head: Uint8Array;
  readonly records: readonly Uint8Array[];
  /** Changes a value; the record is a copy of its own. */
  readonly spoil: (random: Random, record: Uint8Array) => Uint8Array;
}

/** Of a table, this many records, from all over the log: a short log has all of the flight. */
const ROWS = 12;

/** A log whose structure holds: records with hostile values, in any order, some twice and some missing. */
export function hostileLog(random: Random, { head, records, spoil }: HostileLogs): Uint8Array {
  const share = random.pick([0, 0.01, 0.1, 0.5]);
  const kept = random.pick([0.05, 0.3, 0.9, 1]);
  let list = records
    .filter(() => random.chance(kept))
    .map((record) => (random.chance(share) ? spoil(random, record.slice()) : record));
  for (let n = random.below(3); n > 0; n--) list = random.pick(ORDERS)(random, list);
  return join([head, ...list]);
}

type Order = (random: Random, list: Uint8Array[]) => Uint8Array[];

const ORDERS: readonly Order[] = [
  // shuffled
  (random, list) =>
    list
      .map((record) => ({ record, at: random.bits() }))
      .sort((a, b) => a.at - b.at)
      .map(({ record }) => record),
  // neighbours swapped, as a bad network does
  (random, list) =>
    list
      .map((record, i) => ({ record, at: i + random.below(8) }))
      .sort((a, b) => a.at - b.at)
      .map(({ record }) => record),
  (_, list) => list.slice().reverse(),
  // a part again: time goes back
  (random, list) => [...list, ...list.slice(random.below(list.length + 1))],
  // two parts change places
  (random, list) => {
    const at = random.below(list.length + 1);
    return [...list.slice(at), ...list.slice(0, at)];
  },
  (random, list) => list.slice(0, random.below(list.length + 1)),
];

/** What fields of 1, 2, 4 and 8 bytes are overwritten with, the low byte first. */
const INTEGERS = [0n, 1n, 255n, 0x7fn, 0x80n, 0x7fffn, 0x8000n, 0xffffn, 0x7fff_ffffn, 0x8000_0000n, 0xffff_ffffn];
const WIDE = [2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n - 1n, 1_700_000_000_000_000n];
const REALS = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -0,
  1e-45,
  3.4e38,
  1.7e308,
  -1e9,
  2 ** 53 + 2,
  91,
  181,
];
const TEXTS = [
  '<b>&"\'',
  '\x1b]52;c;aa\x07',
  '=1+1',
  '\u202eabc',
  '__proto__',
  '',
  '\xff\xfe',
  '../../a',
  'ArduPlane V4.5.7',
  'PX4 1.14',
];

/** Overwrites `width` bytes with what no sender means. */
function overwrite(random: Random, record: Uint8Array, offset: number, width: number, little = true): void {
  const view = new DataView(record.buffer, record.byteOffset + offset, width);
  if (width > 8) {
    record.set(new TextEncoder().encode(random.pick(TEXTS)).subarray(0, width), offset);
  } else if (random.chance(0.2) || ![1, 2, 4, 8].includes(width)) {
    record.set(random.bytes(width), offset);
  } else if (width >= 4 && random.chance(0.5)) {
    if (width === 4) view.setFloat32(0, random.pick(REALS), little);
    else view.setFloat64(0, random.pick(REALS), little);
  } else {
    const value = random.pick(width === 8 ? [...INTEGERS, ...WIDE] : INTEGERS);
    const digits = Array.from({ length: width }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));
    record.set(little ? digits : digits.reverse(), offset);
  }
}

interface Kept {
  readonly record: Uint8Array;
  readonly schema: Schema;
}

/** At most some records of each table, spread over the log, and all definitions. */
function spread(format: Format, { bytes }: Sample): Kept[] {
  const found = decode(format, bytes);
  const counts = found.schemas.map((_, id) => found.ids.filter((each) => each === id).length);
  const seen = counts.map(() => 0);
  return found.ids.flatMap((id, i) => {
    const schema = found.schemas[id];
    const step = schema.name === 'FMT' ? 1 : Math.ceil(counts[id] / ROWS);
    if (seen[id]++ % step !== 0) return [];
    return [{ record: bytes.slice(found.offsets[i], found.offsets[i] + found.sizes[i]), schema }];
  });
}

const recordsOf = (format: Format, sample: Sample): Uint8Array[] => spread(format, sample).map(({ record }) => record);

const square = sampleFile('copter-square.BIN');
const isDefining = ({ schema }: Kept): boolean => ['FMT', 'FMTU', 'UNIT', 'MULT'].includes(schema.name);

function dataflashLogs(): HostileLogs {
  const all = spread(dataflash, square);
  const fields = new Map(all.map(({ record, schema }) => [record[2], schema.fields]));
  return {
    format: dataflash,
    head: join(all.filter(isDefining).map(({ record }) => record)),
    records: all.filter((each) => !isDefining(each)).map(({ record }) => record),
    spoil: (random, record) => {
      const { offset, type, count } = random.pick(fields.get(record[2]) as readonly Field[]);
      overwrite(random, record, offset, TYPE_BYTES[type] * count);
      return record;
    },
  };
}

/** Replaces a cell of a line. */
function spoiledLine(random: Random, text: string): string {
  const cells = text.split(',');
  cells[1 + random.below(cells.length - 1)] = random.pick(CELLS);
  return cells.join(',');
}

const CELLS = [
  '',
  '0',
  '-1',
  'nan',
  '-inf',
  '9007199254740993',
  '18446744073709551615',
  '1e308',
  '9999.99999',
  '000000',
  '235960',
  '312399',
  ...TEXTS,
];

function textLogs(): HostileLogs {
  const all = spread(dataflash, square);
  const small = { name: '', bytes: join(all.map(({ record }) => record)) };
  const lines = Buffer.from(asText(small).bytes)
    .toString('latin1')
    .split(/(?<=\n)/);
  const isHead = (each: string): boolean => !each.includes(',') || /^(FMT|FMTU|UNIT|MULT),/.test(each);
  const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
  return {
    format: dataflashText,
    head: bytes(lines.filter(isHead).join('')),
    records: lines.filter((each) => !isHead(each)).map(bytes),
    spoil: (random, record) => bytes(`${spoiledLine(random, Buffer.from(record).toString('latin1').trimEnd())}\r\n`),
  };
}

const DEFINITIONS = new Map([...builtinDialect().messages.values()].flat().map((each) => [each.id, each]));

/** Overwrites a field of a frame in place, and makes its checksum right again. */
function spoilFrame(random: Random, frame: Uint8Array): void {
  const isSecond = frame[0] === 0xfd;
  const head = isSecond ? 10 : 6;
  const id = isSecond ? frame[7] + (frame[8] << 8) + (frame[9] << 16) : frame[5];
  const definition = DEFINITIONS.get(id);
  const sum = head + frame[1];
  if (!definition || frame[1] === 0) return;
  const { offset, type, count } = random.pick(definition.fields);
  const width = TYPE_BYTES[type] * (type === 'text' ? count : 1);
  if (offset + width > frame[1]) overwrite(random, frame, head + random.below(frame[1]), 1);
  else overwrite(random, frame, head + offset, width);
  new DataView(frame.buffer, frame.byteOffset).setUint16(
    sum,
    plainSum([...frame.subarray(1, sum), definition.crcExtra]),
    true,
  );
}

const telemetry = sampleFile('copter-square.tlog');
const TIMES = [
  0n,
  1n,
  47_000_000n,
  1_700_000_000_000_000n,
  1_400_000_000_000_000n,
  4_294_967_295_000_000n,
  2n ** 53n + 1n,
  2n ** 64n - 1n,
];

const tlogLogs = (): HostileLogs => ({
  format: tlog,
  head: new Uint8Array(0),
  records: recordsOf(tlog, telemetry),
  spoil: (random, record) => {
    if (random.chance(0.2)) new DataView(record.buffer).setBigUint64(0, random.pick(TIMES));
    else spoilFrame(random, record.subarray(8));
    return record;
  },
});

const mavlinkLogs = (): HostileLogs => ({
  format: mavlink,
  head: new Uint8Array(0),
  records: recordsOf(tlog, telemetry).map((record) => record.slice(8)),
  spoil: (random, record) => {
    spoilFrame(random, record);
    return record;
  },
});

function pcapLogs(): HostileLogs {
  const { bytes } = sampleFile('copter-square.pcap');
  const { packets } = new PlainPackets(bytes);
  const step = Math.ceil(packets.length / 600);
  const payload = 16 + 42;
  return {
    format: pcap,
    head: bytes.slice(0, 24),
    records: packets.filter((_, i) => i % step === 0).map(({ record, end }) => bytes.slice(record, end)),
    spoil: (random, record) => {
      if (random.chance(0.2)) overwrite(random, record, random.pick([0, 4]), 4);
      else if (record[payload] >= 0xfd) spoilFrame(random, record.subarray(payload));
      return record;
    },
  };
}

const nmeaLogs = (): HostileLogs => ({
  format: nmea,
  head: new Uint8Array(0),
  records: recordsOf(nmea, sampleFile('copter-square.nmea')),
  spoil: (random, record) => {
    const text = Buffer.from(record)
      .toString('latin1')
      .replace(/^\$|\*.*$/gs, '');
    return new Uint8Array(Buffer.from(line(spoiledLine(random, text)), 'latin1'));
  },
});

/** Every frame of a stream of XBUS, as it comes. */
const xbusLogs = (): HostileLogs => ({
  format: xbus,
  head: new Uint8Array(0),
  records: xbusSamples()
    .slice(0, 2)
    .flatMap(({ bytes }) => {
      const found = decode(byFrames(xbus), bytes);
      return found.offsets.map((offset, i) => bytes.slice(offset, offset + found.sizes[i]));
    }),
  spoil: (random, record) => {
    const head = record[3] === 0xff ? 6 : 4;
    const data = record.slice(head, -1);
    if (data.length < 8) return record;
    const width = random.pick([1, 2, 4, 8]);
    overwrite(random, data, random.below(data.length - width), width, false);
    return frameBytes(record[1], record[2], data, 0, head === 6);
  },
});

const ubxLogs = (): HostileLogs => ({
  format: ubx,
  head: new Uint8Array(0),
  records: Array.from({ length: 60 }, (_, i) => ubxBytes(new Uint8Array(i).fill(i))),
  spoil: (random, record) => {
    record[random.pick([2, 3])] = random.bits();
    record.set(ubxSums(record.subarray(2, -2)), record.length - 2);
    return record;
  },
});

function mixedLogs(): HostileLogs {
  const parts = [nmeaLogs(), mavlinkLogs(), xbusLogs(), ubxLogs()];
  const firsts = [[0x24], [0xfd, 0xfe], [0xfa], [0xb5]];
  return {
    format: mixed,
    head: new Uint8Array(0),
    // in turn
    records: Array.from({ length: 150 }, (_, i) => parts.flatMap(({ records }) => records.slice(i, i + 1))).flat(),
    spoil: (random, record) =>
      (parts.find((_, i) => firsts[i].includes(record[0])) as HostileLogs).spoil(random, record),
  };
}

/** Logs of every format. */
export const HOSTILE_LOGS: readonly HostileLogs[] = [
  dataflashLogs(),
  textLogs(),
  mavlinkLogs(),
  tlogLogs(),
  nmeaLogs(),
  pcapLogs(),
  xbusLogs(),
  ubxLogs(),
  mixedLogs(),
];
