import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { writeDraft } from '../../node/atomic.ts';
import { QueryError } from '../../sql/query-error.ts';
import { UsageError } from '../failure.ts';
import { addReadingOptions, type ReadingOptions } from '../load.ts';
import { FORMAT_NAMES } from '../result-formats.ts';
import { prompt } from '../sql-prompt.ts';
import { addLimitOptions, type LimitOptions, limitsOf, type SqlInput, sqlSandbox } from '../sql-sandbox.ts';
import { addWritingOptions, refuseTerminal, type WritingOptions, writeOut } from '../write.ts';

interface SqlOptions extends ReadingOptions, WritingOptions, LimitOptions {
  readonly to?: string;
  readonly json?: boolean;
  readonly si?: boolean;
  readonly lake?: string;
}

const EXAMPLES = `
Every table of the logs has its name; "GPS[0]" is one stream of it. The column time is UTC. With several files there is a
column file, and a schema for each file. Parquet and CSV files are tables too. Without a query: a prompt.

Examples:
  skein sql 'SELECT max(Alt) FROM GPS' flight.BIN
  skein sql 'SELECT file, count(*), max(Spd) FROM GPS GROUP BY file' *.BIN
  skein sql 'SELECT a.time, a.Roll, g.Spd FROM ATT a ASOF JOIN GPS g USING (time)' flight.BIN --to csv -o roll.csv
  skein sql 'FROM MSG' flight.BIN --json
  skein sql 'SELECT vehicle, date, max(Alt) FROM GPS GROUP BY ALL' --lake lake
  skein sql flight.BIN`;

export function buildSql(command: Command, done: (code: number) => void): void {
  command
    .argument('[query-and-files...]', 'a query, and logs of any format; or logs only; with --lake a query or nothing')
    .usage("[options] ['SELECT ...'] FILE...")
    .option(
      '--lake <folder>',
      'ask a lake that `skein ingest` made: its tables, and its catalogue of logs, flights ...',
    )
    .addOption(new Option('--to <format>', 'how to write the result').choices([...FORMAT_NAMES, 'parquet']))
    .option('--json', 'JSON lines')
    .option('--si', "values in SI units, by the log's own multipliers");
  addLimitOptions(addWritingOptions(addReadingOptions(command)))
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], options: SqlOptions) => done(await sql(words, options)));
}

/** What is written to a file or a pipe may be larger than what a page shows. */
const ANSWER_BYTES = 1 << 30;

async function sql(words: readonly string[], options: SqlOptions): Promise<number> {
  const format = options.to ?? (options.json ? 'jsonl' : 'table');
  const { output, force } = options;
  if (format === 'parquet') {
    refuseTerminal(options);
    if (output === undefined || output === '-') throw new UsageError('--to parquet: name a file with -o');
  }
  const { query, ...input } = inputOf(words, options);
  const sandbox = sqlSandbox({ ...input, query }, limitsOf(options, ANSWER_BYTES));
  const inputs = input.paths;
  const run = async (text: string): Promise<void> => {
    if (format !== 'parquet') return writeOut(sandbox.query({ sql: text, format }), options, inputs[0] ?? '');
    const write = async (path: string): Promise<void> => {
      for await (const _ of sandbox.query({ sql: text, format, path }));
    };
    await writeDraft(output as string, write, { force, inputs });
  };
  try {
    const { tables, code } = await sandbox.open();
    if (query === undefined) await prompt({ tables, run, interrupt: () => sandbox.interrupt() });
    else await run(query);
    return Math.max(code, sandbox.code);
  } catch (error) {
    throw error instanceof QueryError ? new UsageError(error.message) : error;
  } finally {
    await sandbox.close();
  }
}

/** The words: a query and files, files only, or with a lake a query or nothing. */
function inputOf(words: readonly string[], options: SqlOptions): SqlInput {
  const { lake } = options;
  if (lake !== undefined) {
    if (words.length > 1) throw new UsageError(`--lake ${lake}: one query and no files, not ${words.length} words`);
    return { paths: [], lake, query: words[0], options };
  }
  const [first, ...others] = words;
  const query = first === undefined || existsSync(first) ? undefined : first;
  const paths = query === undefined ? words : others;
  if (paths.length === 0) throw new UsageError(`no file: skein sql 'SELECT ...' FILE...`);
  return { paths, query, options };
}
