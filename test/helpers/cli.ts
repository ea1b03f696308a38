import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { main } from '../../src/cli/main.ts';

/** The program as it is installed. It must be built. */
export const SKEIN: string = fileURLToPath(new URL('../../bin/skein.js', import.meta.url));
export const SAMPLE: string = fileURLToPath(new URL('../../sample/copter-square.BIN', import.meta.url));

/** What a run of the command gave. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One record as `dump` prints it. */
export interface DumpedRecord {
  readonly type: string;
  readonly stream: string;
  readonly time: number | null;
  readonly at: number;
  readonly data: Record<string, unknown>;
}

export function recordsOf(stdout: string): DumpedRecord[] {
  if (stdout === '') return [];
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as DumpedRecord);
}

/** Runs the command as a user does: a process of its own. */
export function skein(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  return runOf(
    spawnSync(process.execPath, [SKEIN, ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
      maxBuffer: 1 << 30,
    }),
  );
}

/** Runs a line of shell, with the command as `$SKEIN` and the sample as `$SAMPLE`. */
export function shell(line: string, env: Readonly<Record<string, string>> = {}): Run {
  const program = `${process.execPath} ${SKEIN}`;
  return runOf(
    spawnSync('bash', ['-c', line], {
      encoding: 'utf8',
      env: { ...process.env, SKEIN: program, SAMPLE, ...env },
      maxBuffer: 1 << 30,
    }),
  );
}

function runOf({ status, stdout, stderr, error }: SpawnSyncReturns<string>): Run {
  if (error) throw error;
  return { code: status, stdout, stderr };
}

/** Runs the command inside this process: no time to start, and what it covers is counted. */
export async function skeinHere(...args: string[]): Promise<Run> {
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  try {
    const code = await main(['node', 'skein', ...args]);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    stdout.restore();
    stderr.restore();
  }
}

interface Capture {
  text(): string;
  restore(): void;
}

function capture(stream: NodeJS.WriteStream): Capture {
  const pieces: Buffer[] = [];
  const { write } = stream;
  type Done = (error?: Error | null) => void;
  stream.write = ((piece: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean => {
    pieces.push(Buffer.from(piece as Uint8Array));
    (typeof encoding === 'function' ? encoding : done)?.();
    return true;
  }) as typeof stream.write;
  return {
    text: () => Buffer.concat(pieces).toString(),
    restore: () => {
      stream.write = write;
    },
  };
}
