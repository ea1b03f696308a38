import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../core/text.ts';
import type { IngestOptions, IngestResult } from '../lake/ingest.ts';
import { IngestProcess } from '../lake/ingest-process.ts';
import type { Lake } from '../lake/lake.ts';
import { Archive, type ArchivedCounts, ArchiveTakenError } from './archive.ts';
import { type BusOptions, ofBus } from './connection.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';
import { BusReader } from './reader.ts';

export interface ArchiverOptions {
  readonly lake: Lake;
  readonly address: string;
  readonly bus: BusOptions;
  /** End when all that is in the stream is archived, and put all of it into tables. */
  readonly drain?: boolean | undefined;
  readonly open?: IngestOptions['open'];
  /** Ends it soon; what is committed stays, and the next one goes on from there. */
  readonly signal: AbortSignal;
  /** Hears what goes wrong and is tried again, or is left out. */
  readonly warn: (sentence: string) => void;
  /** A recording went into the tables of the lake. */
  readonly ingested: (result: IngestResult) => void;
}

export interface ArchiveCounts extends ArchivedCounts {
  /** Recordings that went into the tables of the lake, and that could not. */
  readonly recordings: number;
  readonly failed: number;
  /** With `drain`: whether it came to the end, and was not stopped before. */
  readonly drained: boolean;
}

/** Milliseconds before a recording that could not be ingested is tried again. */
const AGAIN = 30_000;

/** Reads the stream of a bus into the recordings of a lake, and complete recordings into its tables. */
export async function runArchive(options: ArchiverOptions): Promise<ArchiveCounts> {
  const { lake, address, bus, drain = false, signal, warn } = options;
  const archive = await Archive.open(lake, warn);
  const worker = new IngestProcess({ lake: lake.root, options: { open: options.open } });
  const failedAt = new Map<string, number>();
  let [recordings, failed, reason] = [0, 0, ''];
  let ingesting: Promise<void> | undefined;

  const say = (sentence: string): void => {
    if (sentence !== '' && sentence !== reason) warn(sentence);
    reason = sentence;
  };
  const ingest = async ({ path, file, bytes, vehicle }: (typeof archive.complete)[number]): Promise<void> => {
    const result = await worker.ingest({ path: file, bytes, rule: { vehicle } });
    if (result.status === 'failed') {
      failedAt.set(path, Date.now());
      failed++;
      warn(`${file}: ${result.reason}`);
      return;
    }
    // one that is there already is the same: the last archive was interrupted before it could note that
    archive.done(path);
    recordings++;
    options.ingested(result);
  };
  /** One recording at a time goes into the tables, in a separate process. */
  const ingestNext = (): void => {
    if (ingesting || signal.aborted) return;
    const before = Date.now() - AGAIN;
    const next = archive.complete.find(({ path }) => (failedAt.get(path) ?? 0) < before);
    if (!next) return;
    ingesting = ingest(next).finally(() => {
      ingesting = undefined;
      ingestNext();
    });
  };
  /** A disk that is full or away is tried again; meanwhile nothing more is taken from the bus, which keeps it. */
  const commit = async (): Promise<void> => {
    for (;;) {
      try {
        await archive.commit();
        ingestNext();
        return;
      } catch (error) {
        if (error instanceof ArchiveTakenError || signal.aborted) throw error;
        say(errorText(error));
        await sleep(BUS_LIVE_LIMITS.retryMilliseconds);
      }
    }
  };
  const reader = new BusReader({
    ...{ address, bus },
    begin: ({ created, state }) => {
      const after = archive.position(created, state.last_seq);
      const { latest } = archive;
      if (state.first_seq > latest + 1 && latest > 0)
        warn(
          `messages ${latest + 1} to ${state.first_seq - 1} are lost: the stream deleted them before they were archived`,
        );
      return { after };
    },
    opened: () => say(''),
    lost: (error) => say(ofBus(address, error)),
  });
  const close = (): void => reader.close();
  signal.addEventListener('abort', close);
  if (signal.aborted) close();
  try {
    let bytes = 0;
    let due = Date.now() + BUS_LIVE_LIMITS.commitMilliseconds;
    for await (const message of reader.messages()) {
      if (message) archive.add(message);
      bytes += message?.data.length ?? 0;
      const isDone = drain && reader.pending === 0;
      if (isDone || Date.now() >= due || bytes >= BUS_LIVE_LIMITS.commitBytes) {
        archive.endSilent();
        await commit();
        bytes = 0;
        due = Date.now() + BUS_LIVE_LIMITS.commitMilliseconds;
      }
      if (isDone) reader.close();
    }
    await commit();
    if (drain && !signal.aborted) {
      archive.endSilent(true);
      await commit();
      while (ingesting && !signal.aborted) await ingesting;
    }
    await ingesting;
    await archive.commit();
  } finally {
    signal.removeEventListener('abort', close);
    await ingesting;
    worker.stop();
    await archive.close();
  }
  return { ...archive.counts, recordings, failed, drained: drain && !signal.aborted };
}
