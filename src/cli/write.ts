import type { Command } from 'commander';
import { writeFile } from '../node/atomic.ts';
import { UsageError } from './failure.ts';
import { Output } from './output.ts';

/** Options of every command that writes a file. */
export interface WritingOptions {
  readonly output?: string;
  readonly force?: boolean;
}

export function addWritingOptions(command: Command): Command {
  return command
    .option('-o, --output <file>', 'write to a file instead of standard output')
    .option('--force', 'replace a file that is there already');
}

/** Writes text or bytes to the file that was asked for, as a whole or not at all, else to standard output. */
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
    throw new UsageError('this is not text: name a file with -o, or redirect the output');
}
