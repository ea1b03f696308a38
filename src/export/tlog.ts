import { joined } from '../core/bytes.ts';
import type { Log } from '../core/log.ts';
import { inOrder } from '../core/merge.ts';
import { windows } from '../core/read.ts';
import type { Table } from '../core/table.ts';
import { Header } from '../formats/mavlink/header.ts';

/** The message that carries a signing key: it is never written down again. */
const SECRET = 'SETUP_SIGNING';
const STAMP_BYTES = 8;

export interface TlogOptions {
  /** The tables to keep; all by default. */
  readonly tables?: ReadonlySet<Table> | undefined;
  /** Times in microseconds: records at or after the first and before the second are kept. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/**
 * A telemetry log of the frames of a log of messages. Frames of a telemetry log keep their bytes and their time stamps;
 * those of a bare stream get the time that the log's clock gives them. A frame that carries a signing key is left out.
 */
export async function* writeTlog(log: Log, options: TlogOptions = {}): AsyncGenerator<Uint8Array> {
  if (log.format !== 'tlog' && log.format !== 'mavlink') {
    throw new TypeError(`a ${log.format} log has no frames to write as a telemetry log`);
  }
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, tables: chosen } = options;
  const isWanted = (table: Table): boolean =>
    table.rows > 0 && table.name !== SECRET && (chosen === undefined || chosen.has(table));
  const tables = log.tables.filter(isWanted);
  const requests = tables.map(({ schema, offsets, rows }) => ({ schema, offsets, fields: [], from: 0, to: rows }));
  const header = new Header();
  let last = 0;
  for await (const window of windows(log.data, requests)) {
    const times = await Promise.all(tables.map((table, k) => table.times({ from: window.from[k], to: window.to[k] })));
    const pieces: Uint8Array[] = [];
    for (const { index, row, offset } of inOrder(tables, window.from, window.to)) {
      const time = times[index][row - window.from[index]];
      const start = offset - window.base;
      const isStamped = !header.read(window.bytes, start);
      if (isStamped) header.read(window.bytes, start + STAMP_BYTES);
      if (Number.isFinite(time)) last = time;
      if (!(last >= from && last < to)) continue;
      if (!isStamped) pieces.push(stamp(last));
      pieces.push(window.bytes.subarray(start, header.end));
    }
    if (pieces.length > 0) yield joined(pieces);
  }
}

/** Microseconds since 1970 in eight bytes, the highest first. */
function stamp(micros: number): Uint8Array {
  const bytes = new Uint8Array(STAMP_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.max(0, Math.round(micros))));
  return bytes;
}
