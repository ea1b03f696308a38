import type { Command } from 'commander';
import type { Log } from '../../core/log.ts';
import { addReadingOptions, eachLog, type ReadingOptions } from '../load.ts';
import { jsonPieces, Output } from '../output.ts';

interface InfoOptions extends ReadingOptions {
  readonly json?: boolean;
  readonly faults?: boolean;
  readonly tables?: boolean;
}

export const EXAMPLES = `
Examples:
  skein flight.BIN                     what is in it
  skein info *.BIN                     several logs
  skein info imu.xbus gnss.nmea flight.BIN   one flight by several devices, and how far their clocks are apart
  skein info --json flight.BIN | jq .tables
  skein info --tables flight.BIN       all tables with their fields and units
  skein info --faults damaged.BIN      every fault with its offset`;

export function build(command: Command): void {
  command
    .argument('<files...>', 'logs of any format')
    .option('--json', 'as JSON')
    .option('--tables', 'list every table with its fields and units')
    .option('--faults', 'list every fault');
  addReadingOptions(command);
}

/** What is needed once a log is open. */
const later = () => Promise.all([import('../summary.ts'), import('../info-page.ts')]);

export async function run(files: readonly string[], options: InfoOptions): Promise<number> {
  const output = new Output();
  const all: Record<string, unknown>[] = [];
  const together = files.length > 1 ? new (await import('../together.ts')).Together() : undefined;
  const use = async (file: string, log: Log): Promise<void> => {
    const [{ summarize, summaryData }, { infoPage }] = await later();
    const summary = await summarize(log, options.leapSeconds);
    await together?.add(file, summary);
    if (options.json) all.push({ ...summaryData(file, summary), ...together?.data() });
    else output.writeSafe(await infoPage(file, summary, options));
    await output.flush();
  };
  const code = await eachLog(files, options, use, later);
  if (!options.json && together && together.files > 1) output.writeSafe(`${together.lines().join('\n')}\n`);
  if (options.json) {
    for (const piece of jsonPieces(files.length === 1 ? all[0] : all)) if (output.data(piece)) await output.flush();
    output.data('\n');
  }
  await output.flush();
  return code;
}
