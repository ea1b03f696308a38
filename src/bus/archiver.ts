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
export class Archiver {
  private readonly options: ArchiverOptions;
  private reader: BusReader | undefined;
  private ingesting: Promise<void> | undefined;
  private readonly worker: IngestProcess;
  private isEnding = false;
  private recordings = 0;
  private failed = 0;
  private readonly failedAt: Map<string, number> = new Map();
  private reason = '';

  constructor(options: ArchiverOptions) {
    this.options = options;
    const { lake, open } = options;
    this.worker = new IngestProcess({ lake: lake.root, options: { open } });
  }

  /** Until it is stopped, or all is done. */
  async run(): Promise<ArchiveCounts> {
    const { lake, address, bus, warn } = this.options;
    const archive = await Archive.open(lake, warn);
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
      opened: () => this.say(''),
      lost: (error) => this.say(ofBus(address, error)),
    });
    this.reader = reader;
    if (this.isEnding) reader.close();
    try {
      await this.read(archive, reader);
      if (this.options.drain && !this.isEnding) await this.finish(archive);
      await this.ingesting;
      await archive.commit();
    } finally {
      await this.ingesting;
      this.worker.stop();
      await archive.close();
    }
    const { recordings, failed } = this;
    return { ...archive.counts, recordings, failed, drained: this.options.drain === true && !this.isEnding };
  }

  /** Ends soon; what is committed stays, and the next one goes on from there. */
  stop(): void {
    this.isEnding = true;
    this.reader?.close();
  }

  private async read(archive: Archive, reader: BusReader): Promise<void> {
    const { drain } = this.options;
    let bytes = 0;
    let due = Date.now() + BUS_LIVE_LIMITS.commitMilliseconds;
    for await (const message of reader.messages()) {
      if (message) archive.add(message);
      bytes += message?.data.length ?? 0;
      const isDone = drain && reader.pending === 0;
      if (isDone || Date.now() >= due || bytes >= BUS_LIVE_LIMITS.commitBytes) {
        archive.endSilent();
        await this.commit(archive);
        bytes = 0;
        due = Date.now() + BUS_LIVE_LIMITS.commitMilliseconds;
      }
      if (isDone) reader.close();
    }
    await this.commit(archive);
  }

  /** A disk that is full or away is tried again; meanwhile nothing more is taken from the bus, which keeps it. */
  private async commit(archive: Archive): Promise<void> {
    for (;;) {
      try {
        await archive.commit();
        this.ingestNext(archive);
        return;
      } catch (error) {
        if (error instanceof ArchiveTakenError || this.isEnding) throw error;
        this.say(errorText(error));
        await sleep(BUS_LIVE_LIMITS.retryMilliseconds);
      }
    }
  }

  private async finish(archive: Archive): Promise<void> {
    archive.endSilent(true);
    await this.commit(archive);
    while (!this.isEnding) {
      await this.ingesting;
      this.ingestNext(archive);
      if (!this.ingesting) return;
    }
  }

  /** One recording at a time goes into the tables, in a separate process. */
  private ingestNext(archive: Archive): void {
    if (this.ingesting || this.isEnding) return;
    const before = Date.now() - AGAIN;
    const next = archive.complete.find(({ path }) => (this.failedAt.get(path) ?? 0) < before);
    if (!next) return;
    this.ingesting = this.ingest(archive, next).finally(() => {
      this.ingesting = undefined;
      this.ingestNext(archive);
    });
  }

  private async ingest(
    archive: Archive,
    { path, file, bytes, vehicle }: { path: string; file: string; bytes: number; vehicle: string },
  ): Promise<void> {
    const result = await this.worker.ingest({ path: file, bytes, rule: { vehicle } });
    if (result.status === 'failed') {
      this.failedAt.set(path, Date.now());
      this.failed++;
      this.options.warn(`${file}: ${result.reason}`);
      return;
    }
    // one that is there already is the same: the last archive was interrupted before it could note that
    archive.done(path);
    this.recordings++;
    this.options.ingested(result);
  }

  private say(sentence: string): void {
    if (sentence !== '' && sentence !== this.reason) this.options.warn(sentence);
    this.reason = sentence;
  }
}
