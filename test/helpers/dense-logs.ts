import { definitionFor, encodeDefinition, encodeRecord } from '../../src/formats/dataflash/encode.ts';
import { FMT_DEFINITION } from '../../src/formats/dataflash/schema.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { encodeBytes, encodeMessage } from '../../src/formats/mavlink/encode.ts';
import type { FieldValue } from '../../src/formats/mavlink/payload.ts';
import { withChecksum } from '../../src/formats/nmea/encode.ts';
import { crc24 } from '../../src/formats/ubx/frame.ts';
import { encodeXbusFrame, encodeXbusPacket } from '../../src/formats/xbus/encode.ts';
import { UlogWriter, u8, u16, i32 as u32, u64 } from '../formats/ulog/writer.ts';

/** The n-th piece of a log, or what all of it begins with. */
type Piece = (n: number) => Uint8Array;

/** Logs of one format that consist of one thing only, as often as it fits: what costs most memory for each byte. */
type Dense = Readonly<Record<string, { readonly head?: Uint8Array; readonly piece: Piece }>>;

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);
const START = 1_700_000_000_000_000;
const MILLISECOND = 1000;

/** A name of 3 to 15 letters that no smaller number has. */
const nameOf = (n: number): string => `P_${n.toString(36).toUpperCase()}`;

const FMT = encodeDefinition(FMT_DEFINITION);
const TYPES = {
  EV: definitionFor(1, 'EV', 'QB', 'TimeUS,Id'),
  ERR: definitionFor(2, 'ERR', 'QBB', 'TimeUS,Subsys,ECode'),
  MODE: definitionFor(3, 'MODE', 'QMBB', 'TimeUS,Mode,ModeNum,Rsn'),
  PARM: definitionFor(4, 'PARM', 'QNff', 'TimeUS,Name,Value,Default'),
  MSG: definitionFor(5, 'MSG', 'QZ', 'TimeUS,Message'),
  ARM: definitionFor(6, 'ARM', 'QBIBB', 'TimeUS,ArmState,ArmChecks,Forced,Method'),
} as const;

/** What a vehicle logs: records of one type with values that never repeat the ones before. */
const RECORDS: Readonly<Record<string, readonly [keyof typeof TYPES, (n: number) => (number | string)[]]>> = {
  events: ['EV', (n) => [n % 100]],
  errors: ['ERR', (n) => [n % 30, n % 7]],
  modes: ['MODE', (n) => [n % 20, n % 20, n % 50]],
  parameters: ['PARM', (n) => [nameOf(n), n, 0]],
  changes: ['PARM', (n) => [nameOf(n % 50), n, 0]],
  texts: ['MSG', (n) => [`text ${n}`]],
  armings: ['ARM', (n) => [n % 2, 0, 0, 0]],
};

const dataflash: Dense = {
  ...Object.fromEntries(
    Object.entries(RECORDS).map(([kind, [type, values]]) => [
      kind,
      {
        head: Buffer.concat([FMT, encodeDefinition(TYPES[type])]),
        piece: (n: number) => encodeRecord(TYPES[type], [1e6 + n * MILLISECOND, ...values(n)]),
      },
    ]),
  ),
  schemas: {
    head: FMT,
    piece: (n) => encodeDefinition(definitionFor(1 + (n % 120), `T${(n % 1000).toString(36)}`, 'QB', `TimeUS,C${n}`)),
  },
  faults: { head: Buffer.concat([FMT, FMT, FMT]), piece: (n) => Uint8Array.of(0xa3, 0x95, 200 + (n % 50), n, n >> 8) },
};

const dataflashText: Dense = {
  ...Object.fromEntries(
    Object.entries(RECORDS).map(([kind, [type, values]]) => {
      const { type: number, length, name, format, columns } = TYPES[type];
      return [
        kind,
        {
          head: ascii(
            `FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format,Columns\nFMT, ${number}, ${length}, ${name}, ${format}, ${columns}\n`,
          ),
          piece: (n: number) => ascii(`${name}, ${[1e6 + n * MILLISECOND, ...values(n)].join(', ')}\n`),
        },
      ];
    }),
  ),
  schemas: {
    head: ascii('FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format,Columns\n'),
    piece: (n) => ascii(`FMT, ${1 + (n % 120)}, 12, T${(n % 1000).toString(36)}, QB, TimeUS,C${n}\n`),
  },
  faults: {
    head: ascii('FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format,Columns\n'.repeat(3)),
    piece: (n) => ascii(`X${n % 1000}, 1\n`),
  },
};

const DEFINITIONS = [...builtinDialect().messages.values()].map(([first]) => first);

function message(name: string, values: Readonly<Record<string, FieldValue>>, n: number, system = 1): Uint8Array {
  const definition = DEFINITIONS.find((each) => each.name === name);
  if (!definition) throw new Error(`no message ${name}`);
  return encodeMessage(definition, values, { sequence: n & 0xff, system, component: 1 });
}

const heartbeat = (n: number, system: number, mode: number, armed = 0): Uint8Array =>
  message(
    'HEARTBEAT',
    { type: 2, autopilot: 3, base_mode: 1 | (armed << 7), custom_mode: mode, system_status: 4, mavlink_version: 3 },
    n,
    system,
  );

const MESSAGES: Readonly<Record<string, Piece>> = {
  events: (n) => message('EVENT', { destination_component: 0, id: n, event_time_boot_ms: n, sequence: n & 0xffff }, n),
  reboots: (n) => message('SYSTEM_TIME', { time_unix_usec: 0, time_boot_ms: n % 2 === 0 ? 60_000 : 1 }, n),
  modes: (n) => heartbeat(n, 1 + (n % 250), Math.floor(n / 250) % 20),
  armings: (n) => heartbeat(n, 1 + (n % 250), 0, Math.floor(n / 250) % 2),
  parameters: (n) => message('PARAM_VALUE', { param_id: nameOf(n), param_value: n, param_type: 9 }, n),
  changes: (n) => message('PARAM_VALUE', { param_id: nameOf(n % 50), param_value: n, param_type: 9 }, n),
  texts: (n) => message('STATUSTEXT', { severity: n % 8, text: `text ${n}` }, n),
  schemas: (n) => {
    const definition = DEFINITIONS[n % DEFINITIONS.length];
    const system = 1 + (Math.floor(n / DEFINITIONS.length) % 250);
    return encodeBytes(definition, Uint8Array.of(1), { sequence: n & 0xff, system, component: 1 });
  },
  faults: (n) => {
    const frame = heartbeat(n, 1, 0);
    if (n > 3) frame[frame.length - 1] ^= 0x55;
    return frame;
  },
};

/** All of these messages, a heartbeat before them and now and then, each put into what carries it. */
function carried(head: Uint8Array, wrap: (frame: Uint8Array, n: number) => Uint8Array): Dense {
  return Object.fromEntries(
    Object.entries(MESSAGES).map(([kind, piece]) => [
      kind,
      { head, piece: (n: number) => wrap(n % 1000 < 3 ? heartbeat(n, 1, 0) : piece(n), n) },
    ]),
  );
}

function stamped(frame: Uint8Array, n: number): Uint8Array {
  const record = Buffer.alloc(8 + frame.length);
  record.writeBigUInt64BE(BigInt(START + n * MILLISECOND));
  record.set(frame, 8);
  return record;
}

/** A UDP packet of a capture, without Ethernet around it. */
function packet(frame: Uint8Array, n: number, port = 14550): Uint8Array {
  const bytes = Buffer.alloc(16 + 28 + frame.length);
  const micros = START + n * MILLISECOND;
  bytes.writeUInt32LE(Math.floor(micros / 1e6), 0);
  bytes.writeUInt32LE(micros % 1e6, 4);
  bytes.writeUInt32LE(28 + frame.length, 8);
  bytes.writeUInt32LE(28 + frame.length, 12);
  bytes.set([0x45, 0, 0, 28 + frame.length, 0, 0, 0, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1], 16);
  bytes.writeUInt16BE(port, 36);
  bytes.writeUInt16BE(14551, 38);
  bytes.writeUInt16BE(8 + frame.length, 40);
  bytes.set(frame, 44);
  return bytes;
}

const CAPTURE = Buffer.alloc(24);
CAPTURE.writeUInt32LE(0xa1b2c3d4, 0);
CAPTURE.writeUInt16LE(2, 4);
CAPTURE.writeUInt16LE(4, 6);
CAPTURE.writeUInt32LE(262_144, 16);
CAPTURE.writeUInt32LE(101, 20);

const letters = (n: number): string =>
  String.fromCharCode(...[676, 26, 1].map((each) => 65 + (Math.floor(n / each) % 26)));
const clock = (n: number): string => {
  const seconds = Math.floor(n / 10) % 86_400;
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(seconds / 3600))}${two(Math.floor(seconds / 60) % 60)}${two(seconds % 60)}.${n % 10}0`;
};
const GGA = (n: number): string => `GPGGA,${clock(n)},4717.1,N,00833.9,E,1,08,1.0,499.6,M,48.0,M,,`;

const nmea: Dense = {
  positions: { piece: (n) => ascii(withChecksum(GGA(n))) },
  texts: { piece: (n) => ascii(withChecksum(`GPTXT,01,01,02,t${n}`)) },
  schemas: { piece: (n) => ascii(withChecksum(`P${letters(n % 17_576)},${n}${',1'.repeat(1 + (n % 40))}`)) },
  satellites: { piece: (n) => ascii(withChecksum(`GPGSV,1,1,${n % 99},${n % 90},10,100,${n % 99}`)) },
  faults: { piece: (n) => ascii(n < 5 ? withChecksum(GGA(n)) : `$GPGLL,${n}*00\r\n`) },
};

function ubxFrame(messageClass: number, id: number, payload: readonly number[], wrong = 0): Uint8Array {
  const body = [messageClass, id, payload.length & 0xff, payload.length >> 8, ...payload];
  let [a, b] = [0, 0];
  for (const byte of body) {
    a = (a + byte) & 0xff;
    b = (b + a) & 0xff;
  }
  return Uint8Array.of(0xb5, 0x62, ...body, a, b ^ wrong);
}

const ubx: Dense = {
  records: { piece: () => ubxFrame(1, 7, []) },
  schemas: { piece: (n) => ubxFrame(n & 0xff, (n >> 8) & 0xff, []) },
  faults: { piece: (n) => ubxFrame(1, 7, [n & 0xff], n < 50 ? 0 : 1) },
};

function rtcmFrame(type: number, wrong = 0): Uint8Array {
  const frame = Uint8Array.of(0xd3, 0, 2, type >> 4, (type & 15) << 4, 0, 0, 0);
  const sum = crc24(frame, 0, 5);
  frame.set([sum >> 16, sum >> 8, sum ^ wrong], 5);
  return frame;
}

const rtcm: Dense = {
  records: { piece: () => rtcmFrame(1005) },
  schemas: { piece: (n) => rtcmFrame(n & 0xfff) },
  faults: { piece: (n) => rtcmFrame(1005, n < 50 ? 0 : 1) },
};

const xbus: Dense = {
  records: { piece: () => encodeXbusFrame(0x30, []) },
  items: {
    piece: (n) =>
      encodeXbusPacket([
        { item: 0x1020, data: Uint8Array.of(n >> 8, n) },
        { item: 0x2010, data: new Uint8Array(16) },
      ]),
  },
  schemas: {
    piece: (n) => encodeXbusPacket([{ item: (n * 16) & 0xfff0, data: new Uint8Array(n % 16) }], { bus: 1 + (n % 31) }),
  },
  faults: {
    piece: (n) => {
      const frame = encodeXbusFrame(0x36, [0x10, 0x20, 2, n >> 8, n]);
      if (n > 50) frame[frame.length - 1] ^= 1;
      return frame;
    },
  },
};

const mixed: Dense = {
  records: { piece: (n) => (n % 2 === 0 ? ascii(withChecksum(`GPTXT,01,01,02,t${n}`)) : ubxFrame(1, 7, [])) },
  schemas: {
    piece: (n) =>
      n % 2 === 0 ? ascii(withChecksum(`P${letters(n % 17_576)},${n}`)) : ubxFrame(n & 0xff, (n >> 8) & 0xff, []),
  },
  faults: {
    piece: (n) => (n % 50 === 0 ? ascii(withChecksum(GGA(n))) : ubxFrame(1, 7, [], n < 50 || n % 2 === 0 ? 0 : 1)),
  },
};

/** Part of a ULog, message by message. */
const ulogPart = (write: (writer: UlogWriter) => UlogWriter): Uint8Array => write(new UlogWriter()).bytes();
const microseconds = (n: number): Uint8Array => u64(1e6 + n * MILLISECOND);
const ULOG_HEAD = ulogPart((writer) =>
  writer
    .header()
    .flags()
    .format('vehicle_status:uint64_t timestamp;uint8_t nav_state;uint8_t arming_state;')
    .subscribe(0, 'vehicle_status')
    .format('event:uint64_t timestamp;uint32_t id;uint16_t event_sequence;uint8_t[25] arguments;uint8_t log_levels;')
    .subscribe(65_000, 'event')
    .format('cell:uint8_t a;')
    .format('wide:uint64_t timestamp;cell[30000] x;')
    .subscribe(65_001, 'wide'),
);
const ULOG_PIECES: Readonly<Record<string, (writer: UlogWriter, n: number) => UlogWriter>> = {
  modes: (writer, n) => writer.data(0, microseconds(n), u8(n % 20, 2)),
  armings: (writer, n) => writer.data(0, microseconds(n), u8(0, 1 + (n % 2))),
  parameters: (writer, n) => writer.parameter(`float ${nameOf(n)}`, n),
  changes: (writer, n) => writer.parameter(`float ${nameOf(n % 50)}`, n),
  texts: (writer, n) => writer.text(n % 8, 1e6 + n * MILLISECOND, `text ${n}`),
  schemas: (writer, n) => writer.format(`t${n}:uint64_t timestamp;uint8_t c${n};`).subscribe(1 + (n % 60_000), `t${n}`),
  wide: (writer, n) => writer.data(65_001, microseconds(n), new Uint8Array(30_000)),
  events: (writer, n) => writer.data(65_000, microseconds(n), u32(n), u16(n), new Uint8Array(25), u8(0x66)),
  faults: (writer, n) => writer.data(1 + (n % 60_000), u8(n)),
};
const ulog: Dense = Object.fromEntries(
  Object.entries(ULOG_PIECES).map(([kind, write]) => [
    kind,
    { head: ULOG_HEAD, piece: (n: number) => ulogPart((writer) => write(writer, n)) },
  ]),
);

export const DENSE: Readonly<Record<string, Dense>> = {
  dataflash,
  'dataflash-text': dataflashText,
  tlog: carried(new Uint8Array(0), stamped),
  mavlink: carried(new Uint8Array(0), (frame) => frame),
  pcap: {
    ...carried(CAPTURE, packet),
    flows: { head: CAPTURE, piece: (n) => packet(heartbeat(n, 1, 0), n, 1024 + (n % 60_000)) },
  },
  nmea,
  ubx,
  rtcm,
  xbus,
  mixed,
  ulog,
};

/** A log of about so many bytes of one kind. */
export function denseLog(format: string, kind: string, size: number): Uint8Array {
  const { head = new Uint8Array(0), piece } = DENSE[format][kind];
  const bytes = new Uint8Array(size);
  bytes.set(head);
  let at = head.length;
  for (let n = 0; ; n++) {
    const next = piece(n);
    if (at + next.length > size) return bytes.subarray(0, at);
    bytes.set(next, at);
    at += next.length;
  }
}
