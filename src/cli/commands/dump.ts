import type { Command } from 'commander';
import type { Log } from '../../core/log.ts';
import { type RecordOptions, readBlocks } from '../../core/records.ts';
import type { Table } from '../../core/table.ts';
import { type LineOptions, LineWriter } from '../../export/json-line.ts';
import { followLog } from '../../node/follow.ts';
import { derivedTables } from '../../sensors/derived.ts';
import { chooseAll } from '../choose.ts';
import { EXIT, UsageError } from '../failure.ts';
import { linesOf } from '../lines.ts';
import { addReadingOptions, codeOf, load, openOptions, type ReadingOptions } from '../load.ts';
import { Output } from '../output.ts';
import { addFlightOption, type RangeOptions, rangeOf, TIMES_HELP } from '../range.ts';

interface DumpOptions extends ReadingOptions {
  readonly type?: string;
  readonly from?: string;
  readonly to?: string;
  readonly flight?: string;
  readonly limit?: string;
  readonly si?: boolean;
  readonly names?: boolean;
  readonly follow?: boolean;
}

const EXAMPLES = `
${TIMES_HELP}

Examples:
  skein dump flight.BIN | head
  skein dump --type GPS,ATT --from +60s --to +70s flight.BIN
  skein dump --type 'IMU[0]' --si --limit 5 flight.BIN
  skein dump --type GPS --flight 2 flight.BIN
  skein dump --type IMUData sensor.bin
  skein dump --follow --type MSG growing.BIN`;

export function buildDump(command: Command, done: (code: number) => void): void {
  command
    .argument('<file>', 'a log of any format')
    .option('--type <names>', 'only these, such as GPS,IMU[0]')
    .option('--from <time>', 'only records from this time on')
    .option('--to <time>', 'only records before this time')
    .option('--limit <n>', 'at most N records')
    .option('--si', "values in SI units, by the log's own multipliers")
    .option('--names', 'the names of values and bits beside the numbers')
    .option('--follow', 'go on as the file grows, until interrupted')
    .option('--json', 'JSON lines, as without it');
  addFlightOption(addReadingOptions(command))
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, options: DumpOptions) => {
      const printer = new Printer(options);
      done(await (options.follow ? follow(file, options, printer) : dump(file, options, printer)));
    });
}

async function dump(file: string, options: DumpOptions, printer: Printer): Promise<number> {
  const log = await load(file, options);
  const { tables, derived } = await chooseAll(log, options.type);
  const range = await rangeOf(log, until(options));
  if (derived.length === 0) await printer.print(log, { tables, ...range });
  else await printer.printLines(linesOf(log, { tables, ...range }, derived, options));
  return codeOf(log, options);
}

/** Other commands say `--until`, because their `--to` is a format. */
function until({ from, to, flight }: DumpOptions): RangeOptions {
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { until: to }),
    ...(flight === undefined ? {} : { flight }),
  };
}

async function follow(file: string, options: DumpOptions, printer: Printer): Promise<number> {
  if (options.flight !== undefined) throw new UsageError('--flight does not go with --follow: a flight may go on');
  const interrupted = new AbortController();
  const stop = (): void => interrupted.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const names = options.type?.split(',').map((name) => name.trim());
  let code: number = EXIT.well;
  const growth = followLog(file, { ...(await openOptions(options)), signal: interrupted.signal });
  for await (const { log, after } of growth) {
    // a table that is asked for may come later: an unknown name is no mistake here
    const wanted = (table: Table): boolean =>
      !names || names.includes(table.name) || names.includes(`${table.name}[${table.stream}]`);
    await refuseDerived(log, options.type);
    const tables = log.tables.filter((table) => wanted(table) && table.rows > (after.get(table) ?? 0));
    await printer.print(log, { tables, after, ...(log.records > 0 ? await rangeOf(log, until(options)) : {}) });
    code = codeOf(log, options);
    if (printer.isDone) stop();
  }
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return code;
}

/** What is made from several records has no end that can be waited for. */
async function refuseDerived(log: Log, list: string | undefined): Promise<void> {
  const [first] = (await derivedTables(log)).filter(({ name }) =>
    list?.split(',').some((word) => word.trim() === name),
  );
  if (first) throw new UsageError(`${first.name} is made from other records: it cannot be had with --follow`);
}

/** Prints records until there were enough of them or nobody reads them any more. */
class Printer {
  private readonly output = new Output();
  private readonly options: LineOptions;
  private left: number;

  constructor({ limit, si, names }: DumpOptions) {
    if (limit !== undefined && !/^\d+$/.test(limit)) throw new UsageError(`--limit ${limit}: expected a whole number`);
    this.left = limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
    this.options = { si, names };
  }

  get isDone(): boolean {
    return this.left <= 0 || this.output.closed;
  }

  /** Prints lines that are made already. */
  async printLines(lines: AsyncIterable<string>): Promise<void> {
    if (this.isDone) return;
    for await (const line of lines) {
      this.left--;
      if (this.output.data(line)) await this.output.flush();
      if (this.isDone) break;
    }
    await this.output.flush();
  }

  async print(log: Log, options: RecordOptions): Promise<void> {
    const writers = new Map<Table, LineWriter>();
    const marked = { ...this.options, guessed: log.clock.guessed };
    for await (const block of readBlocks(log, options)) {
      if (this.isDone) break;
      const makers = block.tables.map((table) => {
        const writer = writers.get(table) ?? new LineWriter(table, marked);
        writers.set(table, writer);
        return writer;
      });
      block.walk((index, row, time, offset) => {
        this.output.data(makers[index].line(block.columns[index], row, time, offset));
        return --this.left > 0;
      });
      await this.output.flush();
    }
  }
}
