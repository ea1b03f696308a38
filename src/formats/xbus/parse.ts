import { Column } from '../../core/column.ts';
import type { Schema } from '../../core/schema.ts';
import { type Row, rowOf } from '../../core/table.ts';
import { hex } from '../../core/text.ts';
import type { OutputSetup } from './configuration.ts';
import { EXTENDED_HEADER, Header, INVERTED_SUM, MOST_DATA, PREAMBLE, PROTOCOL_SUM, sumOf } from './header.ts';
import { type ImuData, type ImuInput, type ImuOptions, imuOf, isValidImu } from './imu.ts';
import { ITEM_HEADER } from './items.ts';
import { type Legacy, legacyOf } from './legacy.ts';
import { messageSchema } from './message-schema.ts';
import { MT_DATA, MT_DATA_2, messageName } from './messages.ts';
import { frameRank, itemOf, type LocalFrame } from './schema.ts';

export interface XbusItem {
  /** Its number; undefined in MTData, where it has none. */
  readonly xdi: number | undefined;
  readonly name: string;
  readonly frame: LocalFrame | undefined;
  readonly data: Row;
}

export interface XbusFrame {
  readonly bus: number;
  readonly message: number;
  readonly name: string;
  /** By which rule its checksum is made: that of the protocol, or 0xff minus the sum. */
  readonly checksum: 'protocol' | 'inverted';
  /** Bytes of the frame. */
  readonly length: number;
  /** Items of a data message; none for other messages. */
  readonly items: readonly XbusItem[];
  /** Fields of other messages. */
  readonly data: Row;
}

/** A frame and, for a data message, its row of IMU data, or why there is none. `valid`: whether any of it is valid. */
export type ParsedXbus =
  | { readonly ok: true; readonly frame: XbusFrame; readonly imu: ImuData | undefined; readonly valid: boolean }
  | { readonly ok: false; readonly reason: string };

export interface XbusParseOptions extends ImuOptions {
  /** The checksum rule: the protocol's (default), or 0xff minus the sum. The other is refused: one wrong bit apart. */
  readonly checksum?: XbusFrame['checksum'] | undefined;
  /** Keep numbers that the frame itself marks as invalid, instead of calling them missing. */
  readonly keepInvalid?: boolean | undefined;
  /** What the device was configured to put into MTData, which does not say it itself. */
  readonly setup?: OutputSetup | undefined;
}

/** Reads one frame that begins with the first byte. What follows it is ignored. */
export function parseXbusFrame(bytes: Uint8Array, options: XbusParseOptions = {}): ParsedXbus {
  const { checksum = 'protocol' } = options;
  const header = new Header();
  const reason = refusal(bytes, header, checksum === 'protocol' ? PROTOCOL_SUM : INVERTED_SUM);
  if (reason !== undefined) return { ok: false, reason };
  const { bus, message, end } = header;
  const items = itemsOf(bytes, header, options);
  if (typeof items === 'string') return { ok: false, reason: items };
  const rest = items ? Object.create(null) : rowIn(bytes, 0, wholeSchema(header));
  const frame: XbusFrame = {
    bus,
    message,
    name: messageName(message),
    checksum,
    length: end,
    items: items ?? [],
    data: rest,
  };
  const imu = items && imuOf(inputOf(items), options);
  return { ok: true, frame, imu, valid: imu !== undefined && isValidImu(imu) };
}

function refusal(bytes: Uint8Array, header: Header, expected: number): string | undefined {
  if (bytes.length === 0) return 'frame is empty';
  if (bytes[0] !== PREAMBLE) return `frame begins with ${hex(bytes[0])}, not with ${hex(PREAMBLE)}`;
  if (!header.read(bytes, 0)) return `frame has ${bytes.length} bytes, its header alone has more`;
  if (header.length > MOST_DATA) return `frame states ${header.length} bytes of data: must be at most ${MOST_DATA}`;
  if (header.end > bytes.length) return `frame states ${header.end} bytes, there are ${bytes.length}`;
  const sum = sumOf(bytes, 1, header.end);
  if (sum === expected) return undefined;
  const stated = bytes[header.end - 1];
  return `frame ${messageName(header.message)} has the checksum ${hex(stated)}, expected ${hex((stated - sum + expected) & 0xff)}`;
}

function wholeSchema({ message, length, data }: Header): Schema {
  return messageSchema(message, length, data === EXTENDED_HEADER);
}

function rowIn(bytes: Uint8Array, at: number, { fields, codec }: Schema): Row {
  const columns = fields.map((field) => new Column(field, 1));
  codec.read(bytes, Int32Array.of(at), 1, columns, 0);
  return rowOf(columns, 0);
}

/** The items of a data message, or why there are none; undefined for other messages. */
function itemsOf(bytes: Uint8Array, header: Header, options: XbusParseOptions): XbusItem[] | string | undefined {
  const { keepInvalid = false, setup } = options;
  if (header.message === MT_DATA_2) return itemsIn(bytes, header, keepInvalid);
  return header.message === MT_DATA && setup ? piecesIn(bytes, header, legacyOf(setup, keepInvalid)) : undefined;
}

function piecesIn(bytes: Uint8Array, { data, length }: Header, legacy: Legacy): XbusItem[] | string {
  if (legacy.bytes !== length) return `frame MTData has ${length} bytes of data, its set-up gives ${legacy.bytes}`;
  let at = data;
  return legacy.pieces.map(({ schema, frame, bytes: size }) => {
    const item = { xdi: undefined, name: schema.name, frame, data: rowIn(bytes, at, schema) };
    at += size;
    return item;
  });
}

function itemsIn(bytes: Uint8Array, { data, length }: Header, keepInvalid: boolean): XbusItem[] | string {
  const items: XbusItem[] = [];
  const stop = data + length;
  for (let at = data; at < stop; at += ITEM_HEADER + bytes[at + 2]) {
    if (at + ITEM_HEADER > stop)
      return `item at byte ${at} has ${stop - at} bytes left, its header alone has ${ITEM_HEADER}`;
    const size = bytes[at + 2];
    const left = stop - at - ITEM_HEADER;
    if (size > left) return `item at byte ${at} states ${size} bytes of data, ${left} are left`;
    const xdi = (bytes[at] << 8) | bytes[at + 1];
    const { schema, frame } = itemOf(xdi, size, keepInvalid);
    items.push({ xdi, name: schema.name, frame, data: rowIn(bytes, at, schema) });
  }
  return items;
}

/** What the items of a packet say about the motion of the device. */
function inputOf(items: readonly XbusItem[]): ImuInput {
  const best = (name: string): XbusItem | undefined =>
    items.filter((item) => item.name === name).sort((a, b) => frameRank(b.frame) - frameRank(a.frame))[0];
  const numbers = (name: string, fields: string): number[] => {
    const data = best(name)?.data;
    return fields.split(' ').map((field) => (typeof data?.[field] === 'number' ? data[field] : Number.NaN));
  };
  const [status] = numbers('StatusWord', 'value');
  const frameOf = (name: string): LocalFrame => best(name)?.frame ?? 'ENU';
  return {
    ticks: numbers('SampleTimeFine', 'value')[0],
    counter: numbers('PacketCounter', 'value')[0],
    status: Number.isNaN(status) ? numbers('StatusByte', 'value')[0] : status,
    acceleration: numbers('Acceleration', 'x y z'),
    rateOfTurn: numbers('RateOfTurn', 'x y z'),
    magneticField: numbers('MagneticField', 'x y z'),
    temperature: numbers('Temperature', 'value')[0],
    quaternion: numbers('Quaternion', 'w x y z'),
    quaternionFrame: frameOf('Quaternion'),
    euler: numbers('EulerAngles', 'roll pitch yaw'),
    eulerFrame: frameOf('EulerAngles'),
    matrix: numbers('RotationMatrix', 'a b c d e f g h i'),
    matrixFrame: frameOf('RotationMatrix'),
    isFresh: true,
  };
}
