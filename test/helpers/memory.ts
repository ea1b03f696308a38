// Commands over logs that are as dense as logs can be, in processes that tell how much memory each of them took.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DENSE, denseLog } from './dense-logs.ts';

const MEBIBYTE = 2 ** 20;
/** What docs/memory.md promises: so many bytes, and so many for each byte of the log. */
const BASE = 120 * MEBIBYTE;
const FACTOR = 8;
/** Megabytes of heap that every command must do with. */
const HEAP = 256;
const PROGRAM = fileURLToPath(new URL('../fixtures/peak.mjs', import.meta.url));

export function bound(bytes: number): number {
  return BASE + FACTOR * bytes;
}

/** What may be done with a log; `out` is a place for files. */
type Words = (log: string, out: string) => string[];

/** Commands that know what happened: all kinds of logs go through these. */
export const ANSWERS: Readonly<Record<string, Words>> = {
  'info --json': (log) => ['info', '--json', log],
  events: (log) => ['events', log],
  'report --json': (log) => ['report', '--json', log],
};

export const OTHERS: Readonly<Record<string, Words>> = {
  'info --faults': (log) => ['info', '--faults', log],
  'events --json': (log) => ['events', '--json', log],
  'params --json': (log) => ['params', '--json', log],
  'params --diff': (log) => ['params', log, '--diff', log],
  dump: (log) => ['dump', log],
  track: (log) => ['track', log],
  'track --to kml': (log) => ['track', '--to', 'kml', log],
  'report --to html': (log) => ['report', '--to', 'html', log],
  compare: (log) => ['compare', log, log],
  check: (log) => ['check', log],
  'check --all': (log) => ['check', '--all', log],
  repair: (log, out) => ['repair', log, '-o', `${out}.repaired`, '--force'],
  'export --to csv': (log, out) => ['export', '--to', 'csv', '--zip', log, '-o', `${out}.zip`, '--force'],
  'export --to jsonl': (log, out) => ['export', '--to', 'jsonl', log, '-o', `${out}.jsonl`, '--force'],
  'export --to mcap': (log, out) => ['export', '--to', 'mcap', log, '-o', `${out}.mcap`, '--force'],
  'export --to arrow': (log, out) => ['export', '--to', 'arrow', '--zip', log, '-o', `${out}.zip`, '--force'],
};

export interface Peak {
  readonly name: string;
  /** Bytes of the logs, and of memory: of the largest process of the command. */
  readonly size: number;
  readonly peak: number;
  readonly code: number | null;
  readonly error: string;
}

/** Every kind of dense log of every format. */
export function denseKinds(): { readonly format: string; readonly kind: string }[] {
  return Object.entries(DENSE).flatMap(([format, kinds]) => Object.keys(kinds).map((kind) => ({ format, kind })));
}

/**
 * Runs commands over one kind of log of so many bytes. They share a process, which is quicker; one that takes too much
 * beside the garbage of others runs once more in a process of its own, and that counts.
 */
export async function measure(
  folder: string,
  { format, kind }: { readonly format: string; readonly kind: string },
  size: number,
  commands: readonly string[],
): Promise<Peak[]> {
  const path = join(folder, `${format}.${kind}`);
  const out = join(folder, 'out', `${format}.${kind}`);
  mkdirSync(join(folder, 'out'), { recursive: true });
  const bytes = denseLog(format, kind, size);
  writeFileSync(path, bytes);
  const all = commands.map((command) => (ANSWERS[command] ?? OTHERS[command])(path, out));
  const together = await runAll(all, `${path}.peaks`);
  const peaks: Peak[] = [];
  for (const [i, words] of all.entries()) {
    // a log that is compared with itself is read as two
    const size = bytes.length * words.filter((word) => word === path).length;
    const name = `${format} ${kind}: ${commands[i]}`;
    const first = { name, size, ...together[i] };
    peaks.push(broken([first]).length === 0 ? first : { name, size, ...(await run(words, `${path}.peaks`)) });
  }
  rmSync(path);
  return peaks;
}

type Run = Pick<Peak, 'peak' | 'code' | 'error'>;

/** Runs a command in a small heap; what it prints is thrown away. */
export async function run(words: readonly string[], peaks: string): Promise<Run> {
  return (await runAll([words], peaks))[0];
}

/** Runs commands one after the other in one process; those after one that ends it have no exit code. */
async function runAll(commands: readonly (readonly string[])[], peaks: string): Promise<Run[]> {
  writeFileSync(peaks, '');
  writeFileSync(`${peaks}.json`, JSON.stringify(commands));
  const child = spawn(process.execPath, [`--max-old-space-size=${HEAP}`, '--expose-gc', PROGRAM, peaks], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let error = '';
  child.stderr.on('data', (piece: Buffer) => {
    error = (error + piece.toString()).slice(-500);
  });
  await new Promise((done) => child.once('close', done));
  const lines = readFileSync(peaks, 'utf8').trim().split('\n');
  for (const file of [peaks, `${peaks}.json`]) rmSync(file);
  return commands.map((_, i) => {
    const [code, peak] = (lines[i] ?? '').split(' ').map(Number);
    return peak === undefined ? { peak: Number.NaN, code: null, error } : { peak, code, error };
  });
}

/** A line of a table for people. */
export function line({ name, size, peak, code }: Peak): string {
  const k = (peak - BASE) / size;
  const mebibytes = (value: number): string => `${Math.round(value / MEBIBYTE)} MiB`.padStart(8);
  return `${name.padEnd(44)}${mebibytes(size)}${mebibytes(peak)}  k ${Math.max(0, k).toFixed(1)}  exit ${code}`;
}

/** What went beyond the bound, or ended as no command may. @param margin the same run takes up to a fifth more or less */
export function broken(peaks: readonly Peak[], margin = 1): string[] {
  return peaks
    .filter(({ size, peak, code }) => !(peak <= margin * bound(size)) || ![0, 1, 2, 3].includes(code ?? -1))
    .map((each) => `${line(each)} ${each.code === null ? each.error : ''}`);
}
