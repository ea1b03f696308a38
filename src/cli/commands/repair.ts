import type { Command } from 'commander';
import { damageOf } from '../../core/fault.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Log } from '../../core/log.ts';
import { type Repaired, repaired, survey } from '../../export/repair.ts';
import type { OpenOptions } from '../../formats/open.ts';
import { writeDraft } from '../../node/atomic.ts';
import { openLog } from '../../node/open.ts';
import { EXIT, UsageError } from '../failure.ts';
import { addReadingOptions, codeOf, load, openOptions, type ReadingOptions } from '../load.ts';
import { addWritingOptions, notice, Output, type WritingOptions } from '../output.ts';
import { counted } from '../words.ts';

interface RepairOptions extends ReadingOptions, WritingOptions {
  readonly json?: boolean;
}

export const EXAMPLES = `
The new file has every record of the old one, byte for byte, and nothing else; packed logs are unpacked. It is verified
before it gets its name. A capture keeps all complete packets.

Exit codes: 0 nothing lost but a cut last record (with --strict that is 3 too), 3 data was lost; the file has the rest,
1 no file was written, 2 wrong usage.

Examples:
  skein repair torn.tlog -o whole.tlog
  skein repair 00000012.BIN -o repaired.BIN --json`;

export function build(command: Command): void {
  command.argument('<file>', 'a damaged log').option('--json', 'summary as JSON');
  addWritingOptions(addReadingOptions(command));
}

export async function run(file: string, options: RepairOptions): Promise<number> {
  const { output, force } = options;
  if (output === undefined || output === '-') throw new UsageError('give the new file: -o FILE');
  const log = await load(file, options);
  if (!log.kind) throw new Error(`${file} is ${log.format}: nothing can be saved`);
  const opening = await openOptions(options);
  const saved = await repaired(log.source, log.kind, opening);
  if (!saved) throw new Error(`nothing of ${file} can be saved as a log without damage`);
  await writeDraft(
    output,
    async (draft, handle) => {
      for (let at = 0; at < saved.source.size; at += LIMITS.chunkBytes)
        await handle.writeFile(await saved.source.read(at, LIMITS.chunkBytes));
      await verify(draft, log, saved, opening);
    },
    { force, inputs: [file] },
  );
  await report(file, log, saved, options);
  return saved.lost > 0 ? EXIT.damage : codeOf(log, options);
}

/** The new file must be a log of the same format with all that was saved, and no damage. */
async function verify(path: string, { format, kind }: Log, { records }: Repaired, options: OpenOptions): Promise<void> {
  const { source, kind: read } = await openLog(path, options);
  const found = read && read === kind ? await survey(source, read, options) : undefined;
  if (found?.records !== records || found.damaged.length > 0)
    throw new Error(`the repaired ${format} log failed verification: nothing was written`);
}

async function report(
  file: string,
  log: Log,
  { source, records, lost, secrets }: Repaired,
  { output, json }: RepairOptions,
): Promise<void> {
  const leftOut = log.source.size - source.size;
  const what = log.capture ? 'packet' : 'record';
  if (json) {
    const out = new Output();
    const { lostBytes } = log.faults;
    out.json({ file, output, format: log.format, records, lost, leftOut, lostBytes, damage: damageOf(log), secrets });
    await out.flush();
  }
  notice(`${output}: ${counted(records, what)}; ${counted(leftOut, 'byte')} left out`);
  if (lost > 0) notice(`${counted(lost, what)} lost: damaged beyond recognition`);
  if (secrets > 0) notice(`${counted(secrets, 'frame')} with a signing key left out`);
}
