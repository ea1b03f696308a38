import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Command, Option } from 'commander';
import { writeDraft } from '../../node/atomic.ts';
import { QueryError, type TableNames } from '../../sql/query-error.ts';
import { sentence, UsageError } from '../failure.ts';
import { addReadingOptions, type ReadingOptions } from '../load.ts';
import { addWritingOptions, notice, refuseTerminal, type WritingOptions, writeOut } from '../output.ts';
import { FORMAT_NAMES } from '../result-formats.ts';
import { addLimitOptions, type LimitOptions, limitsOf, type SqlInput, sqlSandbox } from '../sql-sandbox.ts';

interface SqlOptions extends ReadingOptions, WritingOptions, LimitOptions {
  readonly to?: string;
  readonly json?: boolean;
  readonly si?: boolean;
  readonly lake?: string;
}

export const EXAMPLES = `
Each table has its name in the log; "GPS[0]" is one stream of it. The column time is UTC. Several files add a column
file, and a schema per file. Parquet and CSV files are tables too. Without a query: a prompt.

Examples:
  skein sql 'SELECT max(Alt) FROM GPS' flight.BIN
  skein sql 'SELECT file, count(*), max(Spd) FROM GPS GROUP BY file' *.BIN
  skein sql 'SELECT a.time, a.Roll, g.Spd FROM ATT a ASOF JOIN GPS g USING (time)' flight.BIN --to csv -o roll.csv
  skein sql 'FROM MSG' flight.BIN --json
  skein sql 'SELECT vehicle, date, max(Alt) FROM GPS GROUP BY ALL' --lake lake
  skein sql flight.BIN`;

export function build(command: Command): void {
  command
    .argument(
      '[query-and-files...]',
      'a query and logs of any format; only logs for a prompt; with --lake a query or nothing',
    )
    .usage("[options] ['SELECT ...'] FILE...")
    .option('--lake <folder>', 'query a lake: its tables, and its catalogue of logs, flights ...')
    .addOption(new Option('--to <format>', 'output format').choices([...FORMAT_NAMES, 'parquet']))
    .option('--json', 'JSON lines')
    .option('--si', "values in SI units, by the log's own multipliers");
  addLimitOptions(addWritingOptions(addReadingOptions(command)));
}

/** Limit of an answer to a file or a pipe. */
const ANSWER_BYTES = 1 << 30;

export async function run(words: readonly string[], options: SqlOptions): Promise<number> {
  const format = options.to ?? (options.json ? 'jsonl' : 'table');
  const { output, force } = options;
  if (format === 'parquet') {
    refuseTerminal(options);
    if (output === undefined || output === '-') throw new UsageError('--to parquet needs a file: -o FILE');
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

/** The arguments: a query and files, files only, or with a lake a query or nothing. */
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

/** Logs or a lake behind a prompt. */
interface Askable {
  readonly tables: readonly TableNames[];
  /** Runs a query and writes its answer. */
  run(sql: string): Promise<void>;
  interrupt(): void;
}

const HELP = `a query ends with a semicolon; .tables lists tables, .fields TABLE its fields, .quit or Ctrl-D ends`;

const KEYWORDS =
  'SELECT FROM WHERE GROUP BY ORDER LIMIT JOIN ASOF USING HAVING DESCRIBE SUMMARIZE count avg min max sum median'.split(
    ' ',
  );

/** Runs queries from standard input until it ends. Tab completes names. */
export async function prompt(database: Askable): Promise<void> {
  const isTerminal = process.stdin.isTTY === true;
  const lines = createInterface({
    input: process.stdin,
    output: isTerminal ? process.stderr : undefined,
    prompt: 'skein> ',
    completer: (line: string) => complete(database, line),
  });
  if (isTerminal) notice(HELP);
  let text = '';
  const show = (): void => {
    if (!isTerminal) return;
    lines.setPrompt(text === '' ? 'skein> ' : '  ...> ');
    lines.prompt();
  };
  lines.on('SIGINT', () => {
    // stops the query and clears the input
    database.interrupt();
    text = '';
    show();
  });
  show();
  for await (const line of lines) {
    if (text === '' && line.trim().startsWith('.')) {
      if (!(await command(database, line.trim()))) break;
    } else {
      text += `${line}\n`;
      if (text.trim() === '') text = '';
      if (text.trimEnd().endsWith(';')) {
        await answer(database, text);
        text = '';
      }
    }
    show();
  }
  if (text.trim() !== '') await answer(database, text);
}

async function answer(database: Askable, text: string): Promise<void> {
  try {
    await database.run(text);
  } catch (error) {
    // a mistake in one query does not end the prompt
    notice(sentence(error));
  }
}

/** Commands of the prompt itself; false for the one that ends it. */
async function command(database: Askable, line: string): Promise<boolean> {
  const [word, name = ''] = line.split(/\s+/);
  if (word === '.quit' || word === '.exit') return false;
  const titles = (schema: string): string => (schema === '' ? '' : `${schema}.`);
  if (word === '.tables') notice(database.tables.map((table) => `${titles(table.schema)}${table.name}`).join(', '));
  else if (word === '.fields') {
    const found = database.tables.find((table) => table.name.toLowerCase() === name.toLowerCase());
    notice(found ? found.columns.join(', ') : `no table ${name}`);
  } else notice(HELP);
  return true;
}

/** Names that begin as the last word: tables, fields of the tables in the line (else of all), keywords. */
export function complete({ tables }: Pick<Askable, 'tables'>, line: string): [completions: string[], word: string] {
  const word = /[\p{L}\p{N}_[\]:]*$/u.exec(line)?.[0] ?? '';
  const words = new Set(line.toLowerCase().split(/[^\p{L}\p{N}_]+/u));
  const named = tables.filter(({ name }) => words.has(name.toLowerCase()));
  const fields = (named.length > 0 ? named : tables).flatMap(({ columns }) => columns);
  const all = [...tables.map(({ name }) => name), ...fields, ...KEYWORDS];
  const begins = (name: string): boolean => name.toLowerCase().startsWith(word.toLowerCase());
  return [[...new Set(all.filter(begins))].sort(), word];
}
