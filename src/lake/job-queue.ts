import type { IngestOptions, IngestResult } from './ingest.ts';
import { IngestProcess, type WorkerSettings } from './ingest-process.ts';
import { FLEET_LIMITS } from './limits.ts';

/** A log to ingest. */
export interface IngestJob {
  readonly path: string;
  readonly bytes: number;
  /** What holds for this log in place of what holds for all. */
  readonly rule?: IngestOptions | undefined;
}

/** Hands out logs to those who ingest them, and gives their results as they come. */
export interface JobQueue {
  run(jobs: readonly IngestJob[]): AsyncGenerator<IngestResult>;
}

/** Who works on the jobs on this machine: processes, each with one log at a time. */
export class LocalQueue implements JobQueue {
  private readonly hands: readonly IngestProcess[];

  constructor(settings: WorkerSettings, workers: number) {
    const count = Math.max(1, Math.min(workers, FLEET_LIMITS.workers));
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
