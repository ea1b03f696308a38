import { joined } from '../core/bytes.ts';
import type { RecordBatch, Sink } from '../core/decoder.ts';
import { LIMITS } from '../core/limits.ts';
import type { Log } from '../core/log.ts';
import type { Schema } from '../core/schema.ts';
import { isMagic } from '../formats/mavlink/header.ts';
import type { MavlinkOptions } from '../formats/mavlink/options.ts';

/** The bytes of a record as they went over the link, and when: microseconds, NaN where nothing tells. */
export interface PlayedRecord {
  readonly bytes: Uint8Array;
  readonly time: number;
}

const STAMP_BYTES = 8;
/** What a message begins with: MAVLink, NMEA, XBUS. Items within a message are records too, but are sent with it. */
const STARTS: ReadonlySet<number> = new Set([0xfe, 0xfd, 0x24, 0x21, 0xfa]);

/** The log is none that could be sent over a link. */
export class NoStreamError extends Error {
  override readonly name = 'NoStreamError';
}

/** A record that was found, before its time is known. */
interface Found {
  readonly table: number;
  readonly row: number;
  bytes: Uint8Array;
}

/** Copies what the decoder finds, until it is taken. */
class Gathering implements Sink {
  found: Found[] = [];
  /** Of each table of the decoder: the number that it has in the log, and rows so far. */
  readonly index: number[] = [];
  private readonly rows: number[] = [];
  private tables = 0;
  /** Where the last record begins and ends. */
  private last = -1;
  private end = -1;
  /** Whether a time is before each record. */
  private isStamped = false;

  table(id: number, schema: Schema): void {
    this.isStamped ||= schema.stamp !== undefined;
    this.index[id] = this.tables++;
    this.rows[id] = 0;
  }

  records({ bytes, base, count, table, start, size }: RecordBatch): void {
    for (let i = 0; i < count; i++) {
      const id = table[i];
      const row = this.rows[id]++;
      const offset = base + start[i];
      // several records may be read from the same bytes: these were sent once
      if (offset === this.last) continue;
      const isNext = offset === this.end;
      this.last = offset;
      this.end = offset + size[i];
      const from = this.isStamped && !isMagic(bytes[start[i]]) ? start[i] + STAMP_BYTES : start[i];
      const piece = bytes.subarray(from, start[i] + size[i]);
      const before = this.found.at(-1);
      if (isNext && before && !STARTS.has(piece[0])) before.bytes = joined([before.bytes, piece]);
      else this.found.push({ table: this.index[id], row, bytes: new Uint8Array(piece) });
    }
  }

  fault(): void {}
}

/**
 * The records of a log in the order in which they came, some at a time. The log is decoded a second time for it, with
 * the options that it was opened with: what was indexed the first time tells the times, what is found now the bytes.
 */
export async function* playback(log: Log, options: MavlinkOptions = {}): AsyncGenerator<PlayedRecord[]> {
  if (!log.kind || log.isOnboard)
    throw new NoStreamError(`a log of format ${log.format} is not a recording of a link: nothing to send`);
  const gathering = new Gathering();
  const decoder = log.kind.decoder(gathering, options);
  for (let at = 0; at < log.source.size; at += LIMITS.chunkBytes) {
    decoder.push(await log.source.read(at, LIMITS.chunkBytes));
    yield* timed(log, gathering);
  }
  decoder.end();
  yield* timed(log, gathering);
}

async function* timed(log: Log, gathering: Gathering): AsyncGenerator<PlayedRecord[]> {
  const { found } = gathering;
  if (found.length === 0) return;
  gathering.found = [];
  const ranges = new Map<number, { from: number; to: number }>();
  for (const { table, row } of found) {
    const range = ranges.get(table);
    if (range) range.to = row + 1;
    else ranges.set(table, { from: row, to: row + 1 });
  }
  const times = new Map<number, Float64Array>();
  for (const [table, range] of ranges) times.set(table, (await log.tables[table]?.times(range)) ?? new Float64Array(0));
  yield found.map(({ table, row, bytes }) => ({
    bytes,
    time: times.get(table)?.[row - (ranges.get(table)?.from ?? 0)] ?? Number.NaN,
  }));
}
