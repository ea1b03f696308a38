import { FLEET_LIMITS } from '../core/fleet-limits.ts';
import type { IngestOptions, IngestResult } from './ingest.ts';
import { IngestProcess, type WorkerSettings } from './ingest-process.ts';

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
  private readonly settings: WorkerSettings;
  private readonly workers: number;

  constructor(settings: WorkerSettings, workers: number) {
    this.settings = settings;
    this.workers = Math.max(1, Math.min(workers, FLEET_LIMITS.workers));
  }

  async *run(jobs: readonly IngestJob[]): AsyncGenerator<IngestResult> {
    const results: IngestResult[] = [];
    let wake = (): void => undefined;
    let next = 0;
    let isStopped = false;
    const work = async (): Promise<void> => {
      let worker: IngestProcess | undefined;
      try {
        while (next < jobs.length && !isStopped) {
          const job = jobs[next++];
          worker ??= new IngestProcess(this.settings);
          const result = await worker.ingest(job);
          // one that broke down is not asked again
          if (worker.isBroken) worker = undefined;
          results.push(result);
          wake();
        }
      } finally {
        await worker?.end();
      }
    };
    const count = Math.min(this.workers, jobs.length);
    let working = count;
    const workers = Array.from({ length: count }, () =>
      work().finally(() => {
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
