import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { type Command, Option } from 'commander';
import { uniqueNames } from '../../core/names.ts';
import { openHeld, openLog } from '../../node/open.ts';
import type { OpenOptions } from '../../open.ts';
import { LogDatabase } from '../../query/database.ts';
import { QueryMistake } from '../../query/mistake.ts';
import type { QueryResult } from '../../query/result.ts';
import { type UserFile, userFileKind } from '../../query/user-file.ts';
import { wantedBy } from '../../query/wanted.ts';
import { EXIT, UsageError } from '../failure.ts';
import { addReadingOptions, load, type ReadingOptions } from '../load.ts';
import { RESULT_FORMATS, writeResultFile } from '../result-formats.ts';
import { type Askable, prompt } from '../sql-prompt.ts';
import { addWritingOptions, refuseTerminal, type WritingOptions, writeOut } from '../write.ts';

interface SqlOptions extends ReadingOptions, WritingOptions {
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
    .addOption(
      new Option('--to <format>', 'how to write the result').choices([...Object.keys(RESULT_FORMATS), 'parquet']),
    )
    .option('--json', 'JSON lines')
    .option('--si', "values in SI units, by the log's own multipliers");
  addWritingOptions(addReadingOptions(command))
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], options: SqlOptions) => done(await sql(words, options)));
}

async function sql(words: readonly string[], options: SqlOptions): Promise<number> {
  const format = options.to ?? (options.json ? 'jsonl' : 'table');
  if (format === 'parquet') refuseTerminal(options);
  if (options.lake !== undefined) return sqlOfLake(options.lake, words, format, options);
  const [first, ...others] = words;
  if (first === undefined) throw new UsageError(`no file: skein sql 'SELECT ...' FILE...`);
  const query = existsSync(first) ? undefined : first;
  const paths = query === undefined ? words : others;
  if (paths.length === 0) throw new UsageError(`no file: skein sql 'SELECT ...' FILE...`);
  const files: UserFile[] = [];
  const logs: { file: string; log: Awaited<ReturnType<typeof load>> }[] = [];
  const names = uniqueNames(paths.map((path) => basename(path)));
  const wanted = query === undefined ? undefined : wantedBy(query);
  const open = wanted ? (path: string, how: OpenOptions) => openLog(path, { ...how, wanted }) : openHeld;
  for (const [i, path] of paths.entries()) {
    const kind = userFileKind(path);
    if (kind) files.push({ path, kind });
    else logs.push({ file: names[i], log: await load(path, options, open) });
  }
  await answer(await LogDatabase.open(logs, { ...UNLIMITED, files, si: options.si }), query, paths, format, options);
  return logs.some(({ log }) => log.faults.lost) ? EXIT.damage : EXIT.well;
}

const UNLIMITED = { memoryBytes: Number.POSITIVE_INFINITY, milliseconds: Number.POSITIVE_INFINITY };

async function sqlOfLake(
  folder: string,
  words: readonly string[],
  format: string,
  options: SqlOptions,
): Promise<number> {
  if (words.length > 1) throw new UsageError(`--lake ${folder}: one query and no files, not ${words.length} words`);
  const { openLake } = await import('../lake.ts');
  await answer(await openLake(folder, UNLIMITED), words[0], [], format, options);
  return EXIT.well;
}

/** Answers a query, or all of a prompt, and closes the database. */
async function answer(
  database: Askable & { close(): void },
  query: string | undefined,
  inputs: readonly string[],
  format: string,
  options: SqlOptions,
): Promise<void> {
  const write = (result: QueryResult): Promise<void> =>
    format === 'parquet'
      ? writeResultFile(result, options, inputs)
      : writeOut(RESULT_FORMATS[format](result), options, inputs[0] ?? '');
  try {
    if (query === undefined) await prompt(database, write);
    else await write(await database.query(query));
  } catch (error) {
    throw error instanceof QueryMistake ? new UsageError(error.message) : error;
  } finally {
    database.close();
  }
}
