import { Worker } from 'node:worker_threads';
import { FLEET_LIMITS } from '../core/fleet-limits.ts';
import { failedResult } from './failed-result.ts';
import type { IngestOptions, IngestResult } from './ingest.ts';

/** What one who works on a lake is told before the first job. */
export interface WorkerSettings {
  readonly lake: string;
  readonly options: IngestOptions;
}

/** A log to ingest. */
export interface IngestJob {
  readonly path: string;
  readonly bytes: number;
  /** What holds for this log in place of what holds for all. */
  readonly rule?: IngestOptions | undefined;
}

/** What a thread is sent; null ends it. */
export interface ThreadJob {
  readonly path: string;
  readonly rule: IngestOptions | undefined;
}

/** Hands out logs to those who ingest them, and gives their results as they come. */
export interface JobQueue {
  run(jobs: readonly IngestJob[]): AsyncGenerator<IngestResult>;
}

/** Who works on the jobs in this process: threads, each with one log at a time. */
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
      let thread: IngestThread | undefined;
      try {
        while (next < jobs.length && !isStopped) {
          const job = jobs[next++];
          thread ??= new IngestThread(this.settings);
          const result = await thread.ingest(job);
          // one that broke down is not asked again
          if (thread.isBroken) thread = undefined;
          results.push(result);
          wake();
        }
      } finally {
        await thread?.end();
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

/** One thread that ingests. */
export class IngestThread {
  private readonly worker: Worker;
  private answer: ((result: IngestResult) => void) | undefined;
  private job: IngestJob | undefined;
  isBroken = false;

  constructor(settings: WorkerSettings) {
    this.worker = new Worker(new URL('./ingest-thread.js', import.meta.url), {
      workerData: settings,
      resourceLimits: { maxOldGenerationSizeMb: FLEET_LIMITS.workerMebibytes },
    });
    this.worker.on('message', (result: IngestResult) => this.settle(result));
    this.worker.on('error', (error) => this.fail(error.message));
    this.worker.on('exit', () => this.fail('the thread that read it ended'));
  }

  ingest(job: IngestJob): Promise<IngestResult> {
    this.job = job;
    return new Promise((resolve) => {
      this.answer = resolve;
      this.worker.postMessage({ path: job.path, rule: job.rule } satisfies ThreadJob);
    });
  }

  async end(): Promise<void> {
    if (this.isBroken) return;
    const ended = new Promise((resolve) => this.worker.once('exit', resolve));
    this.worker.postMessage(null);
    await ended;
  }

  /** Ends it in the middle of its work, which has then failed. */
  async stop(reason: string): Promise<void> {
    this.fail(reason);
    await this.worker.terminate();
  }

  private settle(result: IngestResult): void {
    this.answer?.(result);
    this.answer = undefined;
  }

  private fail(reason: string): void {
    this.isBroken = true;
    const { path = '', bytes = 0 } = this.job ?? {};
    this.settle(failedResult(path, bytes, reason));
  }
}
