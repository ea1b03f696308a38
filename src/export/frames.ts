import { joined } from '../core/bytes.ts';
import type { Log } from '../core/log.ts';
import { windows } from '../core/read.ts';
import { inOrder } from '../core/records.ts';
import type { RecordTable } from '../core/table.ts';
import { Header } from '../formats/mavlink/header.ts';
import type { TrimOptions } from './dataflash.ts';

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
  const requests = tables.map(({ schema, offsets, rows }) => ({ schema, offsets, fields: [], from: 0, to: rows }));
  const header = new Header();
  let last = 0;
  for await (const window of windows(log.data, requests)) {
    const times = await Promise.all(tables.map((table, k) => table.times({ from: window.from[k], to: window.to[k] })));
    const frames: Frame[] = [];
    for (const { index, row, offset } of inOrder(tables, window.from, window.to)) {
      const start = offset - window.base;
      const isBare = header.read(window.bytes, start);
      // a capture may hold records of other protocols too
      if (!isBare && !(tables[index].schema.stamp && header.read(window.bytes, start + STAMP_BYTES))) continue;
      const time = times[index][row - window.from[index]];
      if (Number.isFinite(time)) last = time;
      if (!(last >= from && last < to)) continue;
      frames.push({
        bytes: window.bytes.subarray(header.start, header.end),
        stamp: isBare ? undefined : window.bytes.subarray(start, header.start),
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
