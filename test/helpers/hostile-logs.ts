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
import { ulog } from '../../src/formats/ulog/index.ts';
import { xbus } from '../../src/formats/xbus/index.ts';
import { asText } from '../formats/dataflash/pieces.ts';
import { plainSum } from '../formats/mavlink/message.ts';
import { ubxBytes } from '../formats/mixed/random.ts';
import { line } from '../formats/nmea/random.ts';
import { PlainPackets } from '../formats/pcap/packets.ts';
import { ubxSums } from '../formats/ubx/reference.ts';
import { f32, i32, smallHead, u8, u16, u64 } from '../formats/ulog/writer.ts';
import { byFrames } from '../formats/xbus/frames.ts';
import { frameBytes } from '../formats/xbus/random.ts';
import { xbusSamples } from '../formats/xbus/sample.ts';
import { decode } from '../suite/found.ts';
import { join, type Random } from '../suite/random.ts';
import { type Sample, sampleFile } from '../suite/sample.ts';

/** A record, or a definition that it needs, with the name of its table; '' belongs to all. */
interface Row {
  readonly record: Uint8Array;
  readonly table: string;
}

/** The records of a real log, and how one is changed so that a decoder still takes it. */
export interface HostileLogs {
  readonly format: Format;
  /** Begins every log: definitions. */
  readonly head: readonly Row[];
  readonly records: readonly Row[];
  /** Changes a value; the record is a copy of its own. */
  readonly spoil: (random: Random, record: Uint8Array) => Uint8Array;
}

/** Of a table, this many records, from all over the log: a short log has all of the flight. */
const ROWS = 12;
/** Tables that say where and how a vehicle flew: most small logs have those, for without them there is little to answer. */
const FLIGHT =
  /^(?:MODE|ARM|EV|GPS|POS|STAT|HEARTBEAT|GLOBAL_POSITION_INT|GPS_RAW_INT|..GGA|..RMC|vehicle_status|vehicle_gps_position)$/;

/** A log whose structure holds: records with hostile values, in any order, some twice and some missing. */
export function hostileLog(random: Random, logs: HostileLogs, isWhole: boolean): Uint8Array {
  const { head, records, spoil } = isWhole ? thinned(random, logs) : fewTables(random, logs);
  const share = random.pick([0, 0.01, 0.1, 0.5]);
  let list = records.map(({ record }) => (random.chance(share) ? spoil(random, record.slice()) : record));
  for (let n = random.below(3); n > 0; n--) list = random.pick(ORDERS)(random, list);
  return join([...head.map(({ record }) => record), ...list]);
}

/** Some records of all tables. */
function thinned(random: Random, logs: HostileLogs): HostileLogs {
  // mostly few, for such a log is answered several times as fast
  const kept = random.pick([0.02, 0.05, 0.1, 0.2, 0.3, 1]);
  return { ...logs, records: logs.records.filter(() => random.chance(kept)) };
}

/** A few dozen records of a few tables, with the definitions of these. */
function fewTables(random: Random, logs: HostileLogs): HostileLogs {
  const share = random.pick([0.03, 0.1, 0.2]);
  const hasFlight = random.chance(0.7);
  const tables = new Set(
    [...new Set([...logs.head, ...logs.records].map(({ table }) => table))].filter(
      (table) => table === '' || (hasFlight && FLIGHT.test(table)) || random.chance(share),
    ),
  );
  const isThere = ({ table }: Row): boolean => tables.has(table);
  const records = logs.records.filter(isThere);
  const kept = random.between(4, 60) / records.length;
  return { ...logs, head: logs.head.filter(isThere), records: records.filter(() => random.chance(kept)) };
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

interface Kept extends Row {
  readonly schema: Schema;
}

/** At most some records of each table, spread over the log, and all definitions. */
function spread(format: Format, { bytes }: Sample): Kept[] {
  const found = decode(format, bytes);
  const counts = found.schemas.map((_, id) => found.ids.filter((each) => each === id).length);
  const seen = counts.map(() => 0);
  return found.ids.flatMap((id, i) => {
    const schema = found.schemas[id];
    const step = /^(FMT|FORMAT|SUBSCRIPTION)$/.test(schema.name) ? 1 : Math.ceil(counts[id] / ROWS);
    if (seen[id]++ % step !== 0) return [];
    const record = bytes.slice(found.offsets[i], found.offsets[i] + found.sizes[i]);
    return [{ record, table: schema.name, schema }];
  });
}

/** Records of a format whose tables are not told apart. */
const ofAll = (records: readonly Uint8Array[]): Row[] => records.map((record) => ({ record, table: '' }));

const square = sampleFile('copter-square.BIN');
const DEFINING: readonly string[] = ['FMT', 'FMTU', 'UNIT', 'MULT'];
const isDefining = ({ table }: Row): boolean => DEFINING.includes(table);

function dataflashLogs(): HostileLogs {
  const all = spread(dataflash, square);
  const names = new Map(
    all
      .filter(({ table }) => table === 'FMT')
      .map(({ record }) => [record[3], Buffer.from(record.subarray(5, 9)).toString('latin1').replace(/\0/g, '')]),
  );
  /** The table that a definition is for: FMT begins with its number, FMTU has it after its time. */
  const defined = (record: Uint8Array, table: string): string => {
    const name = table === 'FMT' ? names.get(record[3]) : table === 'FMTU' ? names.get(record[11]) : table;
    return name === undefined || (table === 'FMT' && DEFINING.includes(name)) ? '' : name;
  };
  const fields = new Map(all.map(({ record, schema }) => [record[2], schema.fields]));
  return {
    format: dataflash,
    head: all.filter(isDefining).map(({ record, table }) => ({ record, table: defined(record, table) })),
    records: all.filter((each) => !isDefining(each)),
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
  const cellsOf = (each: string): string[] => each.split(',').map((cell) => cell.trim());
  const names = new Map(lines.map(cellsOf).flatMap(([table, type, , name]) => (table === 'FMT' ? [[type, name]] : [])));
  /** The table that a definition is for. */
  const defined = (each: string): string => {
    const [table, first, second, name] = cellsOf(each);
    if (table === 'FMT') return DEFINING.includes(name) ? '' : name;
    return (table === 'FMTU' && names.get(second)) || (each.includes(',') && first !== undefined ? table : '');
  };
  return {
    format: dataflashText,
    head: lines.filter(isHead).map((each) => ({ record: bytes(each), table: defined(each) })),
    records: lines
      .filter((each) => !isHead(each))
      .map((each) => ({ record: bytes(each), table: each.slice(0, each.indexOf(',')) })),
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
  head: [],
  records: spread(tlog, telemetry),
  spoil: (random, record) => {
    if (random.chance(0.2)) new DataView(record.buffer).setBigUint64(0, random.pick(TIMES));
    else spoilFrame(random, record.subarray(8));
    return record;
  },
});

const mavlinkLogs = (): HostileLogs => ({
  format: mavlink,
  head: [],
  records: spread(tlog, telemetry).map(({ record, table }) => ({ record: record.slice(8), table })),
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
    head: ofAll([bytes.slice(0, 24)]),
    records: ofAll(packets.filter((_, i) => i % step === 0).map(({ record, end }) => bytes.slice(record, end))),
    spoil: (random, record) => {
      if (random.chance(0.2)) overwrite(random, record, random.pick([0, 4]), 4);
      else if (record[payload] >= 0xfd) spoilFrame(random, record.subarray(payload));
      return record;
    },
  };
}

const nmeaLogs = (): HostileLogs => ({
  format: nmea,
  head: [],
  records: spread(nmea, sampleFile('copter-square.nmea')),
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
  head: [],
  records: ofAll(
    xbusSamples()
      .slice(0, 2)
      .flatMap(({ bytes }) => {
        const found = decode(byFrames(xbus), bytes);
        return found.offsets.map((offset, i) => bytes.slice(offset, offset + found.sizes[i]));
      }),
  ),
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
  head: [],
  records: ofAll(Array.from({ length: 60 }, (_, i) => ubxBytes(new Uint8Array(i).fill(i)))),
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
    head: [],
    // in turn
    records: Array.from({ length: 150 }, (_, i) => parts.flatMap(({ records }) => records.slice(i, i + 1))).flat(),
    spoil: (random, record) =>
      (parts.find((_, i) => firsts[i].includes(record[0])) as HostileLogs).spoil(random, record),
  };
}

/** The topics that answers ask for, with the fields of PX4 1.14. */
const TOPICS: readonly string[] = [
  'vehicle_status:uint64_t timestamp;uint64_t takeoff_time;uint8_t arming_state;uint8_t nav_state;uint8_t failsafe;',
  'vehicle_land_detected:uint64_t timestamp;bool landed;bool maybe_landed;bool ground_contact;',
  'vehicle_gps_position:uint64_t timestamp;uint64_t time_utc_usec;int32_t lat;int32_t lon;int32_t alt;float eph;float hdop;float vel_m_s;uint8_t fix_type;uint8_t satellites_used;',
  'vehicle_global_position:uint64_t timestamp;double lat;double lon;float alt;float eph;',
  'vehicle_local_position:uint64_t timestamp;float x;float y;float z;float vx;float vy;float vz;bool xy_valid;bool z_valid;',
  'vehicle_attitude:uint64_t timestamp;float[4] q;',
  'vehicle_attitude_setpoint:uint64_t timestamp;float roll_body;float pitch_body;float[4] q_d;',
  'battery_status:uint64_t timestamp;float voltage_v;float current_a;float discharged_mah;float remaining;uint8_t warning;',
  'sensor_combined:uint64_t timestamp;float[3] gyro_rad;float[3] accelerometer_m_s2;',
  'actuator_outputs:uint64_t timestamp;uint32_t noutputs;float[16] output;',
  'cpuload:uint64_t timestamp;float load;float ram_usage;',
  'failsafe_flags:uint64_t timestamp;uint32_t mode_req_angular_velocity;bool manual_control_signal_lost;bool battery_low_remaining_time;',
  'event:uint64_t timestamp;uint32_t id;uint16_t event_sequence;uint8_t[25] arguments;uint8_t log_levels;',
];

/** What a field holds in the middle of a flight, and a little more with each row. */
const USUAL: Readonly<Record<string, number>> = {
  ...{ arming_state: 2, nav_state: 3, fix_type: 3, satellites_used: 14, voltage_v: 15.6, remaining: 0.7, alt: 480 },
  ...{ lat: 473_977_418, lon: 85_455_938, eph: 0.9, hdop: 0.8, load: 0.4, noutputs: 4, output: 1500, q: 0.5 },
};

/** The bytes of a field of a topic in a row: one value for each of its elements. */
function ulogField(words: string, row: number): Uint8Array {
  const [, type, count = '1', name] = /^(\w+?)(?:_t)?(?:\[(\d+)\])? (\w+)$/.exec(words) as RegExpExecArray;
  const value = (USUAL[name] ?? 0) + (/^(lat|lon|alt|output|[xyz])$/.test(name) ? row : 0);
  const makers: Readonly<Record<string, () => Uint8Array>> = {
    uint64: () => u64((name === 'timestamp' ? 1e6 : 1_700_000_000_000_000) + row * 500_000),
    double: () => new Uint8Array(Float64Array.of(value / 1e7).buffer),
    float: () => f32(value),
    int32: () => i32(value),
    uint32: () => i32(value),
    uint16: () => u16(row),
  };
  return join(Array.from({ length: Number(count) }, makers[type] ?? (() => u8(value))));
}

function ulogLogs(): HostileLogs {
  const writer = smallHead(undefined, TOPICS.length);
  for (const [id, topic] of TOPICS.entries()) writer.format(topic).subscribe(id, topic.split(':')[0]);
  for (let row = 0; row < 2 * ROWS; row++) {
    for (const [id, topic] of TOPICS.entries())
      writer.data(
        id,
        ...topic
          .split(/[:;]/)
          .slice(1, -1)
          .map((words) => ulogField(words, row)),
      );
    if (row % 4 === 0) writer.text(row % 8, 1e6 + row * 500_000, 'Takeoff detected').dropout(row);
    if (row % 8 === 0) writer.parameter('float MC_ROLL_P', row);
  }
  const all = spread(ulog, { name: '', bytes: writer.bytes() });
  const isData = ({ record }: Kept): boolean => 'DLOP'.includes(String.fromCharCode(record[2]));
  const idOf = (record: Uint8Array): string => record.subarray(2, 5).join();
  const fields = new Map(all.map(({ record, schema }) => [idOf(record), schema.fields]));
  return {
    format: ulog,
    // a log begins with those, whatever it has
    head: ofAll(all.filter((each) => !isData(each)).map(({ record }) => record)),
    records: all.filter(isData),
    spoil: (random, record) => {
      if (record[2] !== 'D'.charCodeAt(0)) {
        overwrite(random, record, 3 + random.below(record.length - 3), 1);
        return record;
      }
      const { offset, type, count } = random.pick(fields.get(idOf(record)) as readonly Field[]);
      overwrite(random, record, offset + TYPE_BYTES[type] * random.below(count), TYPE_BYTES[type]);
      return record;
    },
  };
}

/** Logs of every format. */
export const HOSTILE_LOGS: readonly HostileLogs[] = [
  dataflashLogs(),
  textLogs(),
  ulogLogs(),
  mavlinkLogs(),
  tlogLogs(),
  nmeaLogs(),
  pcapLogs(),
  xbusLogs(),
  ubxLogs(),
  mixedLogs(),
];
