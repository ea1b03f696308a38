import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { FOLDER_PREFIX, makeFolder } from './engine.ts';
import type { QueryLimits } from './limits.ts';
import { QueryError, QueryLimitError, type TableNames } from './query-error.ts';

/*
 * SQL is code, so it runs in a process that is watched from outside: its memory, its time and the size of its answer. What
 * takes too much is ended, and costs only itself. The limits of the engine are the first wall only.
 */

/** The first message to a process. */
export interface SandboxSetting<Input> {
  readonly input: Input;
  readonly limits: QueryLimits;
}

/** A query, how its answer is written, and the file where the answer is not text. */
export interface SandboxQuery {
  readonly sql: string;
  readonly format: string;
  readonly path?: string | undefined;
}

export type SandboxMessage<Input> =
  | { readonly open: SandboxSetting<Input> }
  | { readonly query: SandboxQuery }
  | { readonly interrupt: true };

/** What was opened: the tables, and the exit code if nothing is queried. */
export interface Opened {
  readonly tables: readonly TableNames[];
  readonly code: number;
}

export interface SandboxFailure {
  readonly message: string;
  readonly kind: 'mistake' | 'limit' | 'other';
}

/** What a process says: what it opened, and that an answer has ended, with how many bytes of it were written. */
export type SandboxAnswer =
  | { readonly opened: Opened }
  | { readonly failed: SandboxFailure }
  | { readonly ended: number; readonly code?: number; readonly failure?: SandboxFailure };

interface Running {
  readonly child: ChildProcess;
  readonly opened: Promise<Opened>;
  readonly gone: Promise<string>;
  /** Bytes that it had before the first query. */
  base: number;
  wake: () => void;
  ended: Extract<SandboxAnswer, { ended: number }> | undefined;
  exit: string | undefined;
}

/** How often a query is looked at, and how long it may take to end, in milliseconds. */
const LOOK = 20;
const GRACE = 1500;
/** What a process has beside its inputs and its queries. */
const PROCESS_BYTES = 256 << 20;
/** What an opened log takes at most for each of its bytes. */
const INPUT_FACTOR = 4;

/** A process that answers queries, one at a time. It is started with the first, and again where it had to be ended. */
export class Sandbox<Input> {
  private readonly program: URL;
  private readonly input: Input;
  private readonly inputBytes: number;
  private readonly limits: QueryLimits;
  private running: Running | undefined;
  /** The exit code for all answers so far. */
  code = 0;
  /** Why the query that runs must end. */
  private stopped: { readonly error: Error; readonly at: number } | undefined;

  constructor(program: URL, input: Input, inputBytes: number, limits: QueryLimits) {
    this.program = program;
    this.input = input;
    this.inputBytes = inputBytes;
    this.limits = limits;
  }

  /** Opens what is asked; throws where that cannot be done. */
  async open(): Promise<Opened> {
    this.running ??= this.start();
    const { running } = this;
    try {
      const opened = await running.opened;
      running.base ||= residentBytes(running.child);
      return opened;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** The text of an answer, as it comes. To stop reading ends the query. */
  async *query(query: SandboxQuery): AsyncGenerator<string> {
    await this.open();
    const running = this.running as Running;
    const { child } = running;
    const { answerBytes, milliseconds } = this.limits;
    const stdout = child.stdout as Readable;
    const decoder = new TextDecoder();
    let received = 0;
    let spent = 0;
    let isWaiting = true;
    let last = performance.now();
    this.stopped = undefined;
    running.ended = undefined as Running['ended'];
    const look = setInterval(() => {
      const now = performance.now();
      if (isWaiting) spent += now - last;
      last = now;
      if (spent > milliseconds) this.interrupt(`the query took longer than ${milliseconds / 1000} s (--max-time)`);
      if (residentBytes(child) - running.base > this.limits.memoryBytes)
        this.kill(`the query took more than ${mebibytes(this.limits.memoryBytes)} of memory (--max-memory)`);
      if (this.stopped && now - this.stopped.at > GRACE) this.kill('');
    }, LOOK);
    send(child, { query });
    try {
      for (;;) {
        const changed = new Promise<void>((resolve) => {
          running.wake = resolve;
        });
        const piece = stdout.read() as Buffer | null;
        if (piece) {
          received += piece.length;
          if (received > answerBytes) throw tooLarge(answerBytes);
          isWaiting = false;
          yield decoder.decode(piece, { stream: true });
          isWaiting = true;
          continue;
        }
        const { ended } = running;
        if (ended?.failure) throw this.reason ?? errorOf(ended.failure);
        if (ended && received >= ended.ended) return;
        if (running.exit !== undefined)
          throw this.reason ?? new QueryLimitError(`the query ended its process: ${running.exit}`);
        await changed;
      }
    } finally {
      clearInterval(look);
      // what is left of an answer is not mixed with the next
      if (!running.ended || received < running.ended.ended) await this.close();
    }
  }

  /** Asks the query that runs to end; a moment later it is ended in any case. */
  interrupt(reason = 'the query was interrupted'): void {
    if (this.stopped || !this.running) return;
    this.stopped = { error: new QueryLimitError(reason), at: performance.now() };
    send(this.running.child, { interrupt: true });
  }

  private get reason(): Error | undefined {
    return this.stopped?.error;
  }

  private kill(reason: string): void {
    this.stopped ??= { error: new QueryLimitError(reason), at: performance.now() };
    this.running?.child.kill('SIGKILL');
  }

  /** Whether its last queries left much memory behind. */
  get isLarge(): boolean {
    const { running } = this;
    return running !== undefined && residentBytes(running.child) - running.base > this.limits.memoryBytes / 2;
  }

  /** Ends the process; its folder is gone then. */
  async close(): Promise<void> {
    const { running } = this;
    this.running = undefined;
    running?.child.kill('SIGKILL');
    await running?.gone;
  }

  private start(): Running {
    sweep();
    const folder = makeFolder();
    const most = this.limits.memoryBytes + PROCESS_BYTES + INPUT_FACTOR * this.inputBytes;
    // it removes its folder itself if its parent is gone
    const words = [process.execPath, fileURLToPath(this.program), folder];
    // the kernel refuses what is beyond: the engine says so at once, where looking now and then might come too late
    const limited = `ulimit -c 0; ulimit -d ${Math.ceil(most / 1024)} 2>/dev/null; exec "$@"`;
    const [command, ...rest] = process.platform === 'linux' ? ['/bin/sh', '-c', limited, 'sh', ...words] : words;
    const child = spawn(command, rest, {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, TMPDIR: folder, TMP: folder, TEMP: folder },
    });
    let isOpen: (opened: Opened) => void;
    let failed: (error: Error) => void;
    const opened = new Promise<Opened>((resolve, reject) => {
      isOpen = resolve;
      failed = reject;
    });
    opened.catch(() => undefined);
    let left: (how: string) => void;
    const gone = new Promise<string>((resolve) => {
      left = resolve;
    });
    const running: Running = { child, opened, gone, base: 0, wake: () => undefined, ended: undefined, exit: undefined };
    const end = (how: string): void => {
      rmSync(folder, { recursive: true, force: true });
      running.exit = how;
      if (this.running === running) this.running = undefined;
      failed(new Error(`the process for queries ended: ${how}`));
      left(how);
      running.wake();
    };
    child.on('message', (message: SandboxAnswer) => {
      if ('opened' in message) isOpen(message.opened);
      else if ('failed' in message) failed(errorOf(message.failed));
      else {
        running.ended = message;
        this.code = Math.max(this.code, message.code ?? 0);
      }
      running.wake();
    });
    child.stdout?.on('readable', () => running.wake());
    child.on('error', (error) => end(error.message));
    child.on('exit', (code, signal) => end(signal ?? `exit code ${code}`));
    send(child, { open: { input: this.input, limits: this.limits } });
    return running;
  }
}

function send(child: ChildProcess, message: SandboxMessage<unknown>): void {
  // the end of the process is reported in any case
  if (child.connected) child.send(message, () => undefined);
}

export function tooLarge(answerBytes: number): QueryLimitError {
  return new QueryLimitError(
    `the answer is larger than ${mebibytes(answerBytes)}: ask for fewer rows or columns (--max-answer)`,
  );
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / (1 << 20))} MiB`;
}

function errorOf({ message, kind }: SandboxFailure): Error {
  if (kind === 'mistake') return new QueryError(message);
  return kind === 'limit' ? new QueryLimitError(message) : new Error(message);
}

/** Bytes of memory that a process has; 0 where only the engine limits itself. */
function residentBytes({ pid }: ChildProcess): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Removes folders of processes of this machine that are gone: those that were killed together with their parent. */
function sweep(): void {
  const own = process.getuid?.();
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(FOLDER_PREFIX)
      ? Number(/^\d+/.exec(name.slice(FOLDER_PREFIX.length))?.[0])
      : Number.NaN;
    if (!(pid > 0) || isThere(pid)) continue;
    const path = join(tmpdir(), name);
    if (statSync(path, { throwIfNoEntry: false })?.uid === own) rmSync(path, { recursive: true, force: true });
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
