import { type Command, Option } from 'commander';
import { didYouMean } from '../../core/search.ts';
import type { LakeDatabase } from '../../lake/lake-database.ts';
import {
  changesQuestion,
  findingsQuestion,
  flightsQuestion,
  type LakeChoice,
  parametersQuestion,
  type TrendField,
  trendQuestion,
  vehiclesQuestion,
} from '../../lake/questions.ts';
import { QueryError } from '../../sql/query-error.ts';
import { EXIT, UsageError } from '../failure.ts';
import { lakeAt, noticeBroken, openLake } from '../lake.ts';
import { addWritingOptions, notice, type WritingOptions, writeOut } from '../output.ts';
import { FORMAT_NAMES, RESULT_FORMATS } from '../result-formats.ts';
import { counted, grouped } from '../words.ts';

interface FleetOptions extends WritingOptions {
  readonly lake: string;
  readonly flights?: boolean;
  readonly findings?: boolean;
  readonly trend?: string;
  readonly params?: boolean;
  readonly all?: boolean;
  readonly compact?: boolean;
  readonly vehicle?: string;
  readonly from?: string;
  readonly until?: string;
  readonly to?: string;
  readonly json?: boolean;
}

export const EXAMPLES = `
Without other options: one line per vehicle. A flight recorded both on board and on the ground counts once.

Examples:
  skein fleet --lake lake
  skein fleet --lake lake --flights --vehicle falcon-3 --from 2026-01-01
  skein fleet --lake lake --findings
  skein fleet --lake lake --trend BAT.Volt
  skein fleet --lake lake --trend 'VIBE[0].VibeZ' --json
  skein fleet --lake lake --params
  skein fleet --lake lake --params --vehicle falcon-3`;

export function build(command: Command): void {
  command
    .requiredOption('--lake <folder>', 'lake folder')
    .option('--flights', 'one line per flight')
    .option('--findings', 'findings of the health reports, by number of logs')
    .option('--trend <field>', 'a value over flights, such as BAT.Volt or VIBE[0].VibeZ')
    .option('--params', 'parameters that differ between vehicles of a kind; with --vehicle, how they changed')
    .option('--all', 'with --params: include calibrations, counters and device ids')
    .option('--compact', 'pack the catalogue into a few files, as an ingest of many logs does')
    .option('--vehicle <id>', 'only this vehicle')
    .option('--from <date>', 'only logs from this day on (yyyy-mm-dd)')
    .option('--until <date>', 'only logs before this day')
    .addOption(new Option('--to <format>', 'output format').choices(FORMAT_NAMES))
    .option('--json', 'JSON lines');
  addWritingOptions(command);
}

export async function run(options: FleetOptions): Promise<number> {
  if (options.compact) return compactLake(options);
  const choice = choiceOf(options);
  const database = await openLake(options.lake, {
    memoryBytes: Number.POSITIVE_INFINITY,
    milliseconds: Number.POSITIVE_INFINITY,
    isCatalogueOnly: options.trend === undefined,
  });
  try {
    const result = await database.query(questionOf(database, options, choice));
    await writeOut(RESULT_FORMATS[options.to ?? (options.json ? 'jsonl' : 'table')](result), options, '');
    return noticeBroken(database.files);
  } catch (error) {
    throw error instanceof QueryError ? new UsageError(error.message.split('\n')[0]) : error;
  } finally {
    database.close();
  }
}

async function compactLake({ lake: folder, flights, findings, trend, params }: FleetOptions): Promise<number> {
  if ([flights, findings, trend, params].some((each) => each !== undefined))
    throw new UsageError('--compact cannot be combined with a question');
  const { compact } = await import('../../lake/compaction.ts');
  const { packed, cleared, waiting } = await compact(lakeAt(folder));
  const words = [`${counted(packed, 'log')} packed`, `files of ${grouped(cleared)} removed`];
  if (waiting > 0) words.push(`files of ${grouped(waiting)} kept ten minutes for current readers: run it again then`);
  notice(words.join(', '));
  return EXIT.well;
}

function choiceOf({ vehicle, from, until }: FleetOptions): LakeChoice {
  for (const [name, day] of Object.entries({ from, until })) {
    const isDay = day === undefined || (/^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)));
    if (!isDay) throw new UsageError(`--${name} ${day}: expected a day, such as 2026-01-31`);
  }
  return { vehicle, from, until };
}

function questionOf(database: LakeDatabase, options: FleetOptions, choice: LakeChoice): string {
  const { flights, findings, trend, params, all, vehicle } = options;
  const asked = [flights, findings, trend, params].filter((each) => each !== undefined).length;
  if (asked > 1) throw new UsageError('--flights, --findings, --trend and --params cannot be combined');
  if (all && !params) throw new UsageError('--all needs --params');
  if (flights) return flightsQuestion(choice);
  if (findings) return findingsQuestion(choice);
  if (trend !== undefined) return trendQuestion(fieldOf(database, trend), choice);
  if (!params) return vehiclesQuestion(choice);
  const withNoise = all === true;
  return vehicle === undefined ? parametersQuestion(choice, withNoise) : changesQuestion(choice, withNoise);
}

/** `TABLE.FIELD` or `TABLE[STREAM].FIELD`, as the lake has them. */
function fieldOf({ tables }: LakeDatabase, word: string): TrendField {
  const [, name, stream, field] = /^(.+?)(?:\[([^\]]*)\])?\.([^.]+)$/.exec(word) ?? [];
  if (name === undefined) throw new UsageError(`--trend ${word}: expected TABLE.FIELD, such as BAT.Volt`);
  const data = tables.filter(({ schema, columns }) => schema === '' && columns.includes('stream'));
  const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const names = data.map((each) => each.name);
  const table = data.find((each) => same(each.name, name));
  if (!table) throw new UsageError(`--trend ${word}: no table ${name}${didYouMean(name, names)}`);
  const found = table.columns.find((each) => same(each, field));
  if (found === undefined)
    throw new UsageError(`--trend ${word}: no field ${field}${didYouMean(field, table.columns)}`);
  return { table: table.name, stream, field: found };
}
