// Lets the n-th call to the file system fail, or takes its time with each, for the files below one folder.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Call = (...args: unknown[]) => unknown;
type Calls = Record<string, Call>;

const PATHS = [
  ...['access', 'appendFile', 'copyFile', 'link', 'lstat', 'mkdir', 'open', 'readFile', 'readdir', 'realpath'],
  ...['rename', 'rm', 'rmdir', 'stat', 'truncate', 'unlink', 'writeFile'],
];
const HANDLES = [
  'appendFile',
  'close',
  'datasync',
  'read',
  'readFile',
  'stat',
  'sync',
  'truncate',
  'write',
  'writeFile',
];
const DESCRIPTORS = ['closeSync', 'fstatSync', 'fsyncSync', 'ftruncateSync', 'readSync', 'writeSync'];

/** What a file system may say. */
export const CODES = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE'] as const;
export type Code = (typeof CODES)[number];

/**
 * Replaces the functions of `node:fs` and `node:fs/promises` in this process, also for modules that imported them by
 * name. What the engine of SQL writes does not go through them. A write that fails has written half before, a file that
 * fails to close is closed.
 */
export class FailingFiles {
  /** What was called since `begin`. */
  calls: string[] = [];
  /** Waited for before each call that can wait. */
  delay: (() => Promise<void>) | undefined;
  private readonly root: string;
  private readonly before: (() => void)[] = [];
  private readonly handles: WeakSet<object> = new WeakSet();
  private readonly descriptors: Set<number> = new Set();
  private isCounting = false;
  private failing = 0;
  private code: Code = 'EIO';

  private constructor(root: string) {
    this.root = root;
  }

  static async below(root: string): Promise<FailingFiles> {
    const files = new FailingFiles(root);
    const path = join(tmpdir(), `skein-probe-${process.pid}`);
    const probe = await fs.promises.open(path, 'w');
    const prototype = Object.getPrototypeOf(probe) as Calls;
    await probe.close();
    fs.unlinkSync(path);
    files.replace(prototype, HANDLES, (self) => files.handles.has(self as object), true);
    files.replace(fs.promises as unknown as Calls, PATHS, (_, [path]) => files.isBelow(path), true);
    const sync = fs as unknown as Calls;
    files.replace(sync, [...PATHS.map((name) => `${name}Sync`)], (_, [path]) => files.isBelow(path), false);
    files.replace(sync, DESCRIPTORS, (_, [descriptor]) => files.descriptors.has(descriptor as number), false);
    syncBuiltinESMExports();
    return files;
  }

  restore(): void {
    for (const back of this.before) back();
    syncBuiltinESMExports();
  }

  /** Counts calls from now on; the one of this number fails, and none for 0. */
  begin(failing = 0, code: Code = 'EIO'): void {
    this.calls = [];
    this.isCounting = true;
    this.failing = failing;
    this.code = code;
  }

  end(): void {
    this.isCounting = false;
  }

  /** Whether the call that should fail was reached. */
  get hasFailed(): boolean {
    return this.failing > 0 && this.calls.length >= this.failing;
  }

  private isBelow(path: unknown): boolean {
    return typeof path === 'string' && path.startsWith(this.root);
  }

  private replace(
    on: Calls,
    names: readonly string[],
    isOurs: (self: unknown, args: unknown[]) => boolean,
    isAsync: boolean,
  ): void {
    for (const name of names) {
      const original = on[name];
      const files = this;
      const made = isAsync
        ? async function (this: unknown, ...args: unknown[]): Promise<unknown> {
            if (!isOurs(this, args)) return original.apply(this, args);
            if (files.isCounting) await files.delay?.();
            const error = files.next(name, args);
            if (!error) return files.note(await original.apply(this, args), args);
            await files.half(original, this, name, args);
            throw error;
          }
        : function (this: unknown, ...args: unknown[]): unknown {
            if (!isOurs(this, args)) return original.apply(this, args);
            const error = files.next(name, args);
            if (!error) return files.note(original.apply(this, args), args);
            files.half(original, this, name, args);
            throw error;
          };
      on[name] = made;
      this.before.push(() => {
        on[name] = original;
      });
    }
  }

  private next(name: string, args: readonly unknown[]): Error | undefined {
    if (!this.isCounting) return undefined;
    this.calls.push(`${name} ${typeof args[0] === 'string' ? args[0].slice(this.root.length) : ''}`);
    if (this.calls.length !== this.failing) return undefined;
    return Object.assign(new Error(`${this.code}: made to fail, ${name}`), { code: this.code, path: args[0] });
  }

  /** Remembers what was opened. */
  private note(result: unknown, [path]: readonly unknown[]): unknown {
    if (!this.isBelow(path)) return result;
    if (typeof result === 'number') this.descriptors.add(result);
    else if (result instanceof Object && 'datasync' in result) this.handles.add(result);
    return result;
  }

  private half(original: Call, self: unknown, name: string, args: readonly unknown[]): unknown {
    if (name.startsWith('close')) return original.apply(self, [...args]);
    const at = args.findIndex((each, i) => each instanceof Uint8Array || (i === 1 && typeof each === 'string'));
    if (!/^(write|append)/.test(name) || at < 0) return undefined;
    const bytes = Buffer.from(args[at] as Uint8Array);
    const [from, length] = typeof args[at + 1] === 'number' ? (args.slice(at + 1) as number[]) : [0, bytes.length];
    const some = bytes.subarray(from, from + (length >> 1));
    const rest = typeof args[at + 1] === 'number' ? [0, some.length, ...args.slice(at + 3)] : args.slice(at + 1);
    return original.apply(self, [...args.slice(0, at), some, ...rest]);
  }
}
