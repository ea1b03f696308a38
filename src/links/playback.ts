import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { joined } from '../core/bytes.ts';
import type { RecordBatch, Sink } from '../core/decoder.ts';
import { LIMITS } from '../core/limits.ts';
import type { Log } from '../core/log.ts';
import type { Schema } from '../core/schema.ts';
import { Header, isMagic } from '../formats/mavlink/header.ts';
import type { MavlinkOptions } from '../formats/mavlink/options.ts';
import { SETUP_SIGNING } from '../live/frame-splitter.ts';
import { systemMicros } from '../node/wall-clock.ts';
import { REPLAY_LIMITS } from './limits.ts';

/** The bytes of a record as they went over the link, and when: microseconds, NaN if unknown. */
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
interface FoundRecord {
  readonly table: number;
  readonly row: number;
  bytes: Uint8Array;
}

/** Copies what the decoder finds, until it is taken. */
class Gathering implements Sink {
  found: FoundRecord[] = [];
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

/** The records of a log in order, in lots. Decodes again with the log's options: the first pass gave the times. */
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

export interface PlayOptions extends MavlinkOptions {
  /** How much faster than it was recorded; 1 by default, infinite for as fast as it can be taken. */
  readonly speed?: number | undefined;
  /** Records a second where they have no times. */
  readonly rate?: number | undefined;
  /** Microseconds: longer pauses are shortened to this. */
  readonly longestPause?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Played {
  records: number;
  bytes: number;
  /** Frames with signing keys: they are not sent. */
  secrets: number;
  /** Pauses that were shortened, and times that stepped back. */
  shortened: number;
  steps: number;
}

/** Milliseconds to wait for a receiver that is full. */
const PATIENCE = 5;

/** Plays the records of a log at their pace. @param take gets one record; if it refuses, the same again later */
export async function play(log: Log, take: (bytes: Uint8Array) => boolean, options: PlayOptions = {}): Promise<Played> {
  const { speed = 1, rate = REPLAY_LIMITS.rate, longestPause = REPLAY_LIMITS.longestPause, signal } = options;
  const pacer = new Pacer({ speed, rate, longestPause, isOneClock: log.clock.kind !== 'boot' });
  const played: Played = { records: 0, bytes: 0, secrets: 0, shortened: 0, steps: 0 };
  const header = new Header();
  // times that are infinitely fast are due at once, also where a record has none
  const isPaced = Number.isFinite(speed);
  let start = Number.NaN;
  for await (const records of playback(log, options)) {
    for (const { bytes, time } of records) {
      if (header.read(bytes, 0) && header.id === SETUP_SIGNING) {
        played.secrets++;
        continue;
      }
      const due = isPaced ? pacer.due(time) : 0;
      if (Number.isNaN(start)) start = systemMicros() - due;
      if (isPaced) await waitUntil(start + due, signal);
      while (!signal?.aborted && !take(bytes)) await sleep(PATIENCE);
      if (signal?.aborted) return played;
      played.records++;
      played.bytes += bytes.length;
      played.shortened = pacer.shortened;
      played.steps = pacer.steps;
      if (played.records % REPLAY_LIMITS.burst === 0) await turn();
    }
  }
  return played;
}

/** Timers are not finer than a millisecond: what is due within one is sent now. */
async function waitUntil(time: number, signal: AbortSignal | undefined): Promise<void> {
  for (let left = time - systemMicros(); left > 1000 && !signal?.aborted; left = time - systemMicros()) {
    // also when it takes a minute to the next record, an end is heeded at once
    await sleep(Math.min(left / 1000, 100));
  }
}

/** How the times of a recording become times to send. */
export interface PacerOptions {
  /** How much faster than it was recorded; infinite for as fast as possible. */
  readonly speed: number;
  /** Records a second where they have no times. */
  readonly rate: number;
  readonly longestPause: number;
  /** Whether all times are of one clock; else, for times since several boots, the furthest one counts. */
  readonly isOneClock: boolean;
}

/** Finds when each record of a recording is due, from its time and those before it. */
export class Pacer {
  /** Pauses that were shortened, and times that stepped back. */
  shortened = 0;
  steps = 0;
  private readonly options: PacerOptions;
  private last = Number.NaN;
  private elapsed = 0;

  constructor(options: PacerOptions) {
    this.options = options;
  }

  /** Microseconds after the first record at which this one is due. */
  due(time: number): number {
    const { speed, rate, longestPause, isOneClock } = this.options;
    if (Number.isNaN(time)) {
      // beside records that have times, one without is sent with the one before it
      if (Number.isNaN(this.last)) this.elapsed += 1e6 / rate;
      return this.elapsed / speed;
    }
    const pause = time - this.last;
    if (pause < 0) {
      if (!isOneClock) return this.elapsed / speed;
      this.steps++;
    }
    this.last = time;
    if (pause > longestPause) this.shortened++;
    if (pause > 0) this.elapsed += Math.min(pause, longestPause);
    return this.elapsed / speed;
  }
}
