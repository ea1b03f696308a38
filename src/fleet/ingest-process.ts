import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { FLEET_LIMITS } from '../core/fleet-limits.ts';
import { failedResult } from './failed-result.ts';
import type { IngestOptions, IngestResult } from './ingest.ts';
import type { IngestJob } from './job-queue.ts';

/** What one who works on a lake is told before the first job. */
export interface WorkerSettings {
  readonly lake: string;
  readonly options: IngestOptions;
}

/** What a process is sent. */
export type ChildMessage =
  | { readonly settings: WorkerSettings }
  | { readonly job: { readonly path: string; readonly rule: IngestOptions | undefined } };

/**
 * One process that ingests, a log at a time. A process and not a thread: threads share one address space, and two that
 * come by much memory and give it back wait for each other so often that they are hardly faster than one.
 */
export class IngestProcess {
  private readonly child: ChildProcess;
  private readonly ended: Promise<void>;
  private answer: ((result: IngestResult) => void) | undefined;
  private job: IngestJob | undefined;
  isBroken = false;

  constructor(settings: WorkerSettings) {
    this.child = fork(fileURLToPath(new URL('./ingest-child.js', import.meta.url)), [], {
      execArgv: [`--max-old-space-size=${FLEET_LIMITS.workerMebibytes}`],
      // options hold keys and definitions, which JSON does not keep
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.child.on('message', (result) => this.settle(result as IngestResult));
    this.ended = new Promise((resolve) => {
      this.child.on('error', (error) => {
        this.fail(error.message);
        resolve();
      });
      this.child.on('exit', (code, signal) => {
        this.fail(`the process that read it ended with ${signal ?? `exit code ${code}`}`);
        resolve();
      });
    });
    this.send({ settings });
  }

  ingest(job: IngestJob): Promise<IngestResult> {
    this.job = job;
    return new Promise((resolve) => {
      this.answer = resolve;
      this.send({ job: { path: job.path, rule: job.rule } });
    });
  }

  async end(): Promise<void> {
    if (this.isBroken) return;
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Ends it in the middle of its work, which has then failed. */
  async stop(reason: string): Promise<void> {
    this.fail(reason);
    this.child.kill('SIGKILL');
    await this.ended;
  }

  private send(message: ChildMessage): void {
    if (this.child.connected) this.child.send(message, () => undefined);
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
