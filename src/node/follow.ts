import { setTimeout as sleep } from 'node:timers/promises';
import { NO_CLOCK } from '../core/clock.ts';
import type { Decoder } from '../core/decoder.ts';
import type { Format } from '../core/format.ts';
import { Indexer } from '../core/indexer.ts';
import { LIMITS } from '../core/limits.ts';
import { Log } from '../core/log.ts';
import type { RecordTable } from '../core/table.ts';
import { detectFormat, UnknownFormatError } from '../formats/index.ts';
import type { OpenOptions } from '../formats/open.ts';
import { FileSource } from './file.ts';

export interface FollowOptions extends Omit<OpenOptions, 'signal'> {
  /** Milliseconds between two looks at the file. */
  readonly every?: number | undefined;
  /** Stops the following when it is aborted; what is undecided then is decided. */
  readonly signal: AbortSignal;
}

/** The log as far as it goes, and how many rows of each table were handed out before. */
export interface Growth {
  readonly log: Log;
  readonly after: ReadonlyMap<RecordTable, number>;
}

/** Reads a growing file: after each look, the log so far. The last record comes when something follows it. */
export async function* followLog(path: string, options: FollowOptions): AsyncGenerator<Growth> {
  const source = await FileSource.open(path);
  const indexer = new Indexer(source);
  const after = new Map<RecordTable, number>();
  let decoder: Decoder | undefined;
  let format: Format | undefined;
  let done = 0;
  let clock = NO_CLOCK;
  for (let stopped = false; ; stopped = options.signal.aborted) {
    const size = await source.refresh();
    if (size < done)
      throw new Error(`${path} has ${size} bytes, fewer than the ${done} that were read: truncated or replaced`);
    if (!decoder && size > 0) {
      format = await detectFormat(source).catch(ignoreUnknown);
      decoder = format?.decoder(indexer, options);
      indexer.readFrom(decoder?.source?.() ?? source);
    }
    const before = done;
    for (; decoder && done < size; ) {
      const chunk = await source.read(done, LIMITS.chunkBytes);
      if (chunk.length === 0) break;
      decoder.push(chunk);
      done += chunk.length;
    }
    if (stopped) decoder?.end();
    // also if it is known: a clock times the tables and rows that there were when it was made
    const tables = [...indexer.tables];
    if (format && (stopped || done > before)) clock = await format.clock({ tables, options, decoder });
    const log = new Log(format ?? 'empty', source, tables, indexer.faults, clock, decoder);
    yield { log, after: new Map(after) };
    for (const table of log.tables) after.set(table, table.rows);
    if (stopped) return;
    await sleep(options.every ?? 200, undefined, { signal: options.signal }).catch(() => undefined);
  }
}

/** Too few bytes to detect a format; more may come. */
function ignoreUnknown(error: unknown): undefined {
  if (!(error instanceof UnknownFormatError)) throw error;
}
