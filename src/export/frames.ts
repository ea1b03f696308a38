import { joined } from '../core/bytes.ts';
import type { Log } from '../core/log.ts';
import type { RecordTable } from '../core/table.ts';
import { Header } from '../formats/mavlink/header.ts';
import { recordWindows, type TrimOptions } from './records.ts';

/** The message that carries a signing key: it is never written down again. */
export const SECRET = 'SETUP_SIGNING';
const STAMP_BYTES = 8;

/** Which frames of a log to write. */
export type FrameOptions = TrimOptions;

/** A MAVLink frame in bytes that are borrowed. */
export interface Frame {
  readonly bytes: Uint8Array;
  /** The bytes before it in a telemetry log: its time stamp. */
  readonly stamp: Uint8Array | undefined;
  /** Microseconds; the previous frame's if it has none. */
  readonly time: number;
  readonly system: number;
  readonly component: number;
}

/** The frames of a log in order, in lots borrowed until the next one; without frames that carry a signing key. */
export async function* framesOf(log: Log, options: FrameOptions = {}): AsyncGenerator<Frame[]> {
  if (!log.kind?.writes.includes('raw')) throw new TypeError(`a ${log.format} log has no MAVLink frames to write`);
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, tables: chosen } = options;
  const isWanted = (table: RecordTable): boolean =>
    table.rows > 0 && table.name !== SECRET && (chosen === undefined || chosen.has(table));
  const tables = log.tables.filter(isWanted);
  const header = new Header();
  let last = 0;
  for await (const { bytes, records } of recordWindows(log, tables, () => true)) {
    const frames: Frame[] = [];
    for (const { table, time = Number.NaN, start } of records()) {
      const isBare = header.read(bytes, start);
      // a capture may hold records of other protocols too
      if (!isBare && !(table.schema.stamp && header.read(bytes, start + STAMP_BYTES))) continue;
      if (Number.isFinite(time)) last = time;
      if (!(last >= from && last < to)) continue;
      frames.push({
        bytes: bytes.subarray(header.start, header.end),
        stamp: isBare ? undefined : bytes.subarray(start, header.start),
        time: last,
        system: header.system,
        component: header.component,
      });
    }
    if (frames.length > 0) yield frames;
  }
}

/** The frames of a log one after the other, as a link sends them. */
export async function* writeRaw(log: Log, options: FrameOptions = {}): AsyncGenerator<Uint8Array> {
  for await (const frames of framesOf(log, options)) yield joined(frames.map(({ bytes }) => bytes));
}

export type TlogOptions = FrameOptions;

/**
 * A telemetry log of the frames of a log of messages. Frames of a telemetry log keep their bytes and their time stamps;
 * those of a bare stream or a capture get the time that the log's clock gives them. A frame that carries a signing key
 * is left out.
 */
export async function* writeTlog(log: Log, options: TlogOptions = {}): AsyncGenerator<Uint8Array> {
  for await (const frames of framesOf(log, options)) {
    yield joined(frames.flatMap(({ bytes, stamp, time }) => [stamp ?? stampOf(time), bytes]));
  }
}

/** Microseconds since 1970 in eight bytes, the highest first. */
function stampOf(micros: number): Uint8Array {
  const bytes = new Uint8Array(STAMP_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.max(0, Math.round(micros))));
  return bytes;
}
