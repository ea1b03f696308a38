import type { Command } from 'commander';
import type { Log } from '../../core/log.ts';
import type { RecordTable } from '../../core/table.ts';
import { followLog } from '../../node/follow.ts';
import { derivedTables } from '../../sensors/derived.ts';
import { chooseAll } from '../choose.ts';
import { EXIT, stopSignal, UsageError } from '../failure.ts';
import { linesOf } from '../lines.ts';
import { addReadingOptions, codeOf, load, openOptions, type ReadingOptions } from '../load.ts';
import { addFormer } from '../options.ts';
import { Output } from '../output.ts';
import { addRangeOptions, type RangeOptions, rangeOf } from '../range.ts';

interface DumpOptions extends ReadingOptions, RangeOptions {
  readonly type?: string;
  readonly limit?: number;
  readonly si?: boolean;
  readonly names?: boolean;
  readonly follow?: boolean;
}

export const EXAMPLES = `
Examples:
  skein dump flight.BIN | head
  skein dump --type GPS,ATT --from +60s --until +70s flight.BIN
  skein dump --type 'IMU[0]' --si --limit 5 flight.BIN
  skein dump --type GPS --flight 2 flight.BIN
  skein dump --type IMUData sensor.bin
  skein dump --follow --type MSG growing.BIN`;

export function build(command: Command): void {
  command
    .argument('<file>', 'a log of any format')
    .option('--type <names>', 'only these tables, such as GPS,IMU[0]')
    .option('--limit <n>', 'stop after N records', limitOf)
    .option('--si', "values in SI units, by the log's own multipliers")
    .option('--names', 'names of enum values and bits beside the numbers')
    .option('--follow', 'continue as the file grows, until Ctrl-C')
    .option('--json', 'JSON lines (the default)');
  addRangeOptions(addReadingOptions(addFormer(command, '--to <time>', 'until', 'dump --to TIME is now --until TIME')));
}

function limitOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`--limit ${text}: expected a whole number`);
}

export async function run(file: string, options: DumpOptions): Promise<number> {
  const printer = new Printer(options.limit);
  if (options.follow) return follow(file, options, printer);
  const log = await load(file, options);
  const { tables, derived } = await chooseAll(log, options.type);
  const range = await rangeOf(log, options);
  await printer.print(linesOf(log, { tables, ...range }, derived, options, options.limit));
  return codeOf(log, options);
}

async function follow(file: string, options: DumpOptions, printer: Printer): Promise<number> {
  if (options.flight !== undefined) throw new UsageError('--flight cannot be combined with --follow');
  const { signal, stop, release } = stopSignal();
  const names = options.type?.split(',').map((name) => name.trim());
  let code: number = EXIT.well;
  const growth = followLog(file, { ...(await openOptions(options)), signal });
  for await (const { log, after } of growth) {
    // the table may come later: an unknown name is not a mistake here
    const wanted = (table: RecordTable): boolean =>
      !names || names.includes(table.name) || names.includes(`${table.name}[${table.stream}]`);
    await refuseDerived(log, options.type);
    const tables = log.tables.filter((table) => wanted(table) && table.rows > (after.get(table) ?? 0));
    const range = log.records > 0 ? await rangeOf(log, options) : {};
    await printer.print(linesOf(log, { tables, after, ...range }, [], options, printer.left));
    code = codeOf(log, options);
    if (printer.isDone) stop();
  }
  release();
  return code;
}

async function refuseDerived(log: Log, list: string | undefined): Promise<void> {
  const [first] = (await derivedTables(log)).filter(({ name }) =>
    list?.split(',').some((word) => word.trim() === name),
  );
  if (first) throw new UsageError(`${first.name} is made from other records and cannot be followed`);
}

/** Prints lines until the limit is reached or the reader is gone. */
class Printer {
  private readonly output = new Output();
  left: number;

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.left = limit;
  }

  get isDone(): boolean {
    return this.left <= 0 || this.output.closed;
  }

  async print(lists: AsyncIterable<readonly string[]>): Promise<void> {
    if (this.isDone) return;
    for await (const lines of lists) {
      const shown = lines.length > this.left ? lines.slice(0, this.left) : lines;
      this.left -= shown.length;
      if (this.output.data(shown.join(''))) await this.output.flush();
      if (this.isDone) break;
    }
    await this.output.flush();
  }
}
