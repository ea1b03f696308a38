import { LIMITS } from '../core/limits.ts';
import type { Log } from '../core/log.ts';
import { RecordTable } from '../core/table.ts';
import { POSITION_FIELDS, POSITION_TABLES } from '../geo/position.ts';
import {
  CHARGE,
  ENERGY,
  type FieldNames,
  HEIGHTS,
  QUANTITIES,
  REMAINING,
  SPEEDS,
  VOLTS,
} from '../series/quantities.ts';

/** What will be read of a log: fields by the name of the table. */
export type FieldPlan = ReadonlyMap<string, ReadonlySet<string>>;

/** Bytes of records up to which all fields of a table are kept: events, modes, texts, parameters. */
const SMALL = 4 << 20;
/** Rows from which on a table in memory is worth it. */
const MANY = 1024;
/** Tables up to which short ones are kept, too: each column costs memory beside its values. */
const MOST_TABLES = 4096;

function factsPlan(): FieldPlan {
  return planOfRows([
    ...POSITION_TABLES.map((table): [string, ...string[]] => [table, ...POSITION_FIELDS]),
    ...[...HEIGHTS, ...VOLTS, ...CHARGE, ...ENERGY, ...REMAINING].map(([table, field]): [string, string] => [
      table,
      field,
    ]),
    ...SPEEDS,
  ]);
}

/** What the checks of the report read, and the facts before them. */
export function reportPlan(): FieldPlan {
  return planOfRows([
    ...[...factsPlan()].map(([table, fields]): [string, ...string[]] => [table, ...fields]),
    ...QUANTITIES.flat(2).map(({ table, fields }): [string, ...string[]] => [
      table,
      ...Object.values(fields).flatMap(namesOf),
    ]),
  ]);
}

/** Reads what facts need in one pass, if the log is too large for memory: each question would go through it again. */
export async function readAhead(log: Log): Promise<void> {
  if (log.data.size > LIMITS.heldBytes) await keepPlanned(log, factsPlan);
}

/** Reads what is planned in one pass, also in memory: what is far apart is slow to read, again and again. */
export async function keepPlanned(log: Log, planOf: () => FieldPlan, most: number = LIMITS.heldBytes): Promise<void> {
  const wanted = new Map<RecordTable, string[]>();
  const onlyLong = log.data.isInMemory === true || log.tables.length > MOST_TABLES;
  const tables = log.tables.filter(({ rows }) => rows >= (onlyLong ? MANY : 1));
  if (tables.length === 0) return;
  const plan = planOf();
  for (const table of tables) {
    const planned = plan.get(table.name);
    const isSmall = !onlyLong && table.rows * table.schema.maxSize <= SMALL;
    // messages of all instances are in one table
    const instance = table.stream.includes(':') ? table.schema.instance : -1;
    const names = table.fields
      .filter(({ name }, place) => isSmall || (planned && (place === instance || planned.has(name))))
      .map(({ name }) => name);
    const time = log.clock.field(table);
    // the time of a row may be before its fields
    if (time !== undefined && names.length > 0) names.push(time);
    if (names.length > 0) wanted.set(table, [...new Set(names)]);
  }
  await RecordTable.keepColumns(wanted, most);
}

function planOfRows(rows: readonly (readonly [table: string, ...fields: string[]])[]): FieldPlan {
  const plan = new Map<string, Set<string>>();
  for (const [table, ...fields] of rows) {
    const planned = plan.get(table) ?? new Set();
    for (const field of fields) planned.add(field);
    plan.set(table, planned);
  }
  return plan;
}

function namesOf(names: FieldNames | undefined): string[] {
  return [names ?? []].flat().map((each) => (typeof each === 'string' ? each : each.name));
}
