import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { errorText } from '../core/text.ts';
import { plainDialect } from '../formats/mavlink/dialect/definition.ts';
import { bytesOfKey, SigningKey } from '../formats/mavlink/key.ts';
import type { IngestOptions, IngestResult } from './ingest.ts';
import { LAKE_LIMITS } from './limits.ts';

/** What an ingest process receives before the first job. */
export interface WorkerSettings {
  readonly lake: string;
  readonly options: IngestOptions;
}

/** Settings as they can be sent: what has methods loses them on the way. */
interface SentSettings extends WorkerSettings {
  readonly keys: readonly Uint8Array[];
}

export type ChildMessage = { readonly settings: SentSettings } | { readonly job: IngestJob };

/**
 * A process that ingests, a log at a time. A process and not a thread: threads share one address space, and two that
 * come by much memory and give it back wait for each other most of the time and are hardly faster than one.
 *
 * It is started with the first log, and again with the next one where it broke down.
 */
export class IngestProcess {
  private readonly settings: SentSettings;
  private child: ChildProcess | undefined;
  private job: IngestJob | undefined;
  private answer: ((result: IngestResult) => void) | undefined;

  constructor(settings: WorkerSettings) {
    this.settings = sent(settings);
  }

  ingest(job: IngestJob): Promise<IngestResult> {
    return new Promise((resolve) => {
      this.job = job;
      this.answer = resolve;
      try {
        if (!this.child) this.start();
        this.send({ job: { path: job.path, bytes: job.bytes, rule: job.rule } });
      } catch (error) {
        // the system has no room for another process
        this.stop(errorText(error));
      }
    });
  }

  /** Ends it, be it in the middle of its work, which has then failed. */
  stop(reason = 'interrupted'): void {
    this.child?.kill('SIGKILL');
    this.child = undefined;
    this.fail(reason);
  }

  private start(): void {
    const child = fork(fileURLToPath(new URL('../lake/ingest-child.js', import.meta.url)), [], {
      execArgv: [`--max-old-space-size=${LAKE_LIMITS.workerMebibytes}`],
      // options hold the bytes of keys and maps of definitions, which JSON does not keep
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // Ctrl-C in a terminal is for us alone, also while the process starts; elsewhere this would open a window
      detached: process.platform !== 'win32',
    });
    const end = (reason: string): void => {
      if (child !== this.child) return;
      this.child = undefined;
      this.fail(reason);
    };
    child.on('message', (result) => {
      if (child === this.child) this.settle(result as IngestResult);
    });
    child.on('error', (error) => end(error.message));
    child.on('exit', (code, signal) => end(`the reading process ended with ${endingOf(code, signal)}`));
    this.child = child;
    this.send({ settings: this.settings });
  }

  /** A message that does not arrive does no harm: the end of the process is reported in any case. */
  private send(message: ChildMessage): void {
    if (this.child?.connected) this.child.send(message, () => undefined);
  }

  private settle(result: IngestResult): void {
    this.answer?.(result);
    this.answer = undefined;
  }

  private fail(reason: string): void {
    const { path = '', bytes = 0 } = this.job ?? {};
    this.settle(failedResult(path, bytes, reason));
  }
}

function sent({ lake, options }: WorkerSettings): SentSettings {
  const { dialect, keys = [], ...open } = options.open ?? {};
  return {
    lake,
    options: { ...options, open: dialect ? { ...open, dialect: plainDialect(dialect) } : open },
    keys: keys.map(bytesOfKey),
  };
}

/** The settings as they were before they were sent. */
export function received({ lake, options, keys }: SentSettings): WorkerSettings {
  if (keys.length === 0) return { lake, options };
  return { lake, options: { ...options, open: { ...options.open, keys: keys.map((bytes) => new SigningKey(bytes)) } } };
}

/** How a process ended unexpectedly, with the most frequent cause. */
function endingOf(code: number | null, signal: NodeJS.Signals | null): string {
  const isOutOfMemory = signal === 'SIGABRT' || signal === 'SIGKILL' || code === ABORTED;
  return `${signal ?? `exit code ${code}`}${isOutOfMemory ? ', likely out of memory' : ''}`;
}

/** The exit code of SIGABRT where there are no signals. */
const ABORTED = 134;

export interface IngestJob {
  readonly path: string;
  readonly bytes: number;
  /** What holds for this log in place of what holds for all. */
  readonly rule?: IngestOptions | undefined;
}

/** Hands out logs to processes on this machine, each with one log at a time, and gives their results as they come. */
export class LocalQueue {
  private readonly hands: readonly IngestProcess[];

  constructor(settings: WorkerSettings, workers: number) {
    const count = Math.max(1, Math.min(workers, LAKE_LIMITS.workers));
    this.hands = Array.from({ length: count }, () => new IngestProcess(settings));
  }

  async *run(jobs: readonly IngestJob[]): AsyncGenerator<IngestResult> {
    const results: IngestResult[] = [];
    let wake = (): void => undefined;
    let next = 0;
    let isStopped = false;
    const work = async (hand: IngestProcess): Promise<void> => {
      try {
        while (next < jobs.length && !isStopped) {
          results.push(await hand.ingest(jobs[next++]));
          wake();
        }
      } finally {
        hand.stop();
      }
    };
    const hands = this.hands.slice(0, jobs.length);
    let working = hands.length;
    const workers = hands.map((hand) =>
      work(hand).finally(() => {
        working--;
        wake();
      }),
    );
    try {
      while (working > 0 || results.length > 0) {
        const result = results.shift();
        if (result) yield result;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
      await Promise.all(workers);
    } finally {
      isStopped = true;
      await Promise.allSettled(workers);
    }
  }
}

/** The result of a job that came to nothing. */
export function failedResult(path: string, bytes: number, reason: string | null): IngestResult {
  return {
    path,
    bytes,
    status: 'failed',
    log: null,
    vehicle: null,
    date: null,
    rows: 0,
    flights: 0,
    lost: false,
    cut: false,
    replaced: [],
    reason,
  };
}
