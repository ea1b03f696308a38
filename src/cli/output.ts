import { inspect } from 'node:util';
import type { Command } from 'commander';
import { terminalText } from '../core/names.ts';
import { writeFile } from '../node/atomic.ts';
import { UsageError } from './failure.ts';

/** Characters gathered before they are written. */
const CHUNK = 64 << 10;

/** Streams whose errors do not end the program. */
const guarded = new WeakSet<NodeJS.WriteStream>();

/** Keeps a reader that went away from ending the program with a stack trace. The writer finds out itself. */
export function guardStream(stream: NodeJS.WriteStream): void {
  if (guarded.has(stream)) return;
  guarded.add(stream);
  stream.on('error', () => undefined);
}

/** Prints a message on standard error. It may hold names from a file, so it is made safe for a terminal. */
export function notice(text: string): void {
  process.stderr.write(`skein: ${terminalText(text)}\n`);
}

/** Colours text for standard output: only on a terminal that can, and not with NO_COLOR. */
export function colored(color: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', text: string): string {
  if (process.stdout.isTTY !== true || process.env.NO_COLOR || process.env.TERM === 'dumb') return text;
  // the table of node:util styleText, which Node has since 20.12 only
  const [on, off] = inspect.colors[color] as [number, number];
  return `\x1b[${on}m${text}\x1b[${off}m`;
}

/** `JSON.stringify(value, null, 2)` in pieces, for large answers. @param depth nesting that is taken apart */
export function* jsonPieces(value: unknown, depth = 3, indent = ''): Generator<string> {
  const isList = Array.isArray(value);
  if (depth === 0 || typeof value !== 'object' || value === null) {
    yield (JSON.stringify(value, null, 2) ?? 'null').replaceAll('\n', `\n${indent}`);
    return;
  }
  const entries = Object.entries(value).filter(([, each]) => isList || each !== undefined);
  const [open, close] = isList ? '[]' : '{}';
  yield open;
  for (const [i, [key, each]] of entries.entries()) {
    yield `${i === 0 ? '' : ','}\n${indent}  ${isList ? '' : `${JSON.stringify(key)}: `}`;
    yield* jsonPieces(each, depth - 1, `${indent}  `);
  }
  yield entries.length === 0 ? close : `\n${indent}${close}`;
}

/** Standard output: data only, in large pieces, as fast as it is read, and safe for a terminal. */
export class Output {
  private readonly stream: NodeJS.WriteStream;
  private readonly isTerminal: boolean;
  private pending = '';
  /** Whether the reader went away. */
  closed = false;

  constructor(stream: NodeJS.WriteStream = process.stdout) {
    this.stream = stream;
    this.isTerminal = stream.isTTY === true;
    guardStream(stream);
  }

  /** Adds text for people; true if `flush` should be awaited. */
  write(text: string): boolean {
    return this.writeSafe(terminalText(text));
  }

  /** Adds lines for programs: unchanged, except on a terminal. */
  data(text: string): boolean {
    return this.isTerminal ? this.write(text) : this.writeSafe(text);
  }

  json(value: unknown, indent?: number): boolean {
    return this.data(`${JSON.stringify(value, null, indent)}\n`);
  }

  /** Adds text that is safe already and may have our colours. */
  writeSafe(text: string): boolean {
    this.pending += text;
    return this.pending.length >= CHUNK;
  }

  async flush(): Promise<void> {
    if (this.closed || this.pending === '') return;
    const text = this.pending;
    this.pending = '';
    await this.send(text);
  }

  async bytes(bytes: Uint8Array): Promise<void> {
    if (!this.closed) await this.send(bytes);
  }

  /** Waits until the piece is written. A full disk is an error; a reader that went away is not. */
  private async send(piece: string | Uint8Array): Promise<void> {
    const failure = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => {
      this.stream.write(piece, resolve);
    });
    if (!failure) return;
    this.closed = true;
    if (failure.code !== 'EPIPE' && failure.code !== 'ERR_STREAM_DESTROYED') throw failure;
  }
}

/** Options of every command that writes a file. */
export interface WritingOptions {
  readonly output?: string;
  readonly force?: boolean;
}

export function addWritingOptions(command: Command): Command {
  return command
    .option('-o, --output <file>', 'write to this file instead of standard output')
    .option('--force', 'overwrite an existing file');
}

/** Writes text or bytes to the output file, whole or not at all, else to standard output. */
export async function writeOut(
  pieces: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  { output, force }: WritingOptions,
  input: string,
): Promise<void> {
  if (output !== undefined && output !== '-') {
    await writeFile(output, pieces, { force, inputs: [input] });
    return;
  }
  const out = new Output();
  for await (const piece of pieces) {
    if (out.closed) return;
    if (typeof piece !== 'string') await out.bytes(piece);
    else if (out.data(piece)) await out.flush();
  }
  await out.flush();
}

/** Bytes make no sense on a terminal. */
export function refuseTerminal({ output }: WritingOptions): void {
  if (output === undefined && process.stdout.isTTY)
    throw new UsageError('output is binary: give a file with -o, or redirect it');
}
