import type { Log } from '../core/log.ts';
import type { Field } from '../core/schema.ts';
import { didYouMean } from '../core/search.ts';
import { type RecordTable, type Table, titleOf } from '../core/table.ts';
import { derivedTables } from '../sensors/derived.ts';
import { DerivedTable } from '../sensors/derived-table.ts';
import { UsageError } from './failure.ts';

/** The tables of a list like `GPS,IMU[0]`. An unknown name is an error, with the nearest one as a suggestion. */
export async function chooseTables(log: Log, list: string | undefined): Promise<readonly RecordTable[]> {
  if (list === undefined) return log.tables;
  const chosen = new Set<RecordTable>();
  for (const word of list.split(',')) {
    const wanted = word.trim();
    // a name may begin or end with a blank
    const found = tablesOf(log, word) ?? tablesOf(log, wanted);
    if (!found) throw new UsageError(`no table ${wanted} in this log${await others(log, wanted)}`);
    for (const table of found) chosen.add(table);
  }
  return log.tables.filter((table) => chosen.has(table));
}

/** The chosen tables, and the chosen derived tables. */
export interface Choice {
  readonly tables: readonly RecordTable[];
  readonly derived: readonly DerivedTable[];
}

/** As `chooseTables`, with derived tables if they are named. */
export async function chooseAll(log: Log, list: string | undefined): Promise<Choice> {
  if (list === undefined) return { tables: log.tables, derived: [] };
  const words = list.split(',');
  const isMeant = (table: DerivedTable, word: string): boolean => [table.name, titleOf(table)].includes(word.trim());
  const known = await derivedTables(log);
  const derived = known.filter((table) => words.some((word) => isMeant(table, word)));
  const others = words.filter((word) => !known.some((table) => isMeant(table, word)));
  return { tables: others.length === 0 ? [] : await chooseTables(log, others.join(',')), derived };
}

function tablesOf(log: Log, wanted: string): RecordTable[] | undefined {
  const found = log.tables.filter((table) => table.name === wanted || titleOf(table) === wanted);
  return found.length > 0 ? found : undefined;
}

async function others(log: Log, wanted: string): Promise<string> {
  const names = [...new Set([...log.tables, ...(await derivedTables(log))].map((table) => table.name))];
  return didYouMean(wanted, names) || `: it has ${names.sort().join(', ') || 'none'}`;
}

export interface TableChoice extends Choice {
  /** The chosen fields; undefined for all. */
  readonly fields: ReadonlySet<Field> | undefined;
  /** All of them with those fields. */
  readonly all: readonly Table[];
}

/** The tables of a list like `GPS,IMU[0]` with the fields of a list like `Lat,ATT.Roll`, without empty ones. */
export async function chooseFields(
  log: Log,
  { type, fields }: { type?: string; fields?: string },
): Promise<TableChoice> {
  const all = await chooseAll(log, type);
  const words = fields?.split(',').map((word) => word.trim());
  const used = new Set<string>();
  const isWanted = (table: Pick<Table, 'name' | 'stream'>, name: string): boolean => {
    if (!words) return true;
    const found = words.filter((word) => [name, `${table.name}.${name}`, `${titleOf(table)}.${name}`].includes(word));
    for (const word of found) used.add(word);
    return found.length > 0;
  };
  const chosen = new Map(all.tables.map((table) => [table, table.fields.filter(({ name }) => isWanted(table, name))]));
  const isKept = (table: RecordTable): boolean =>
    table.rows > 0 && (!words || (chosen.get(table) as Field[]).length > 0);
  const tables = all.tables.filter(isKept);
  const derived = all.derived
    .map((table) => pick(table, (name) => isWanted(table, name)))
    .filter((table) => table.fields.length > 0);
  refuseUnused(words, used, all);
  return {
    tables,
    derived,
    fields: words && new Set(tables.flatMap((table) => chosen.get(table) as Field[])),
    all: [...tables.map((table) => table.only(chosen.get(table) as Field[])), ...derived],
  };
}

function pick({ derivation }: DerivedTable, isPicked: (name: string) => boolean): DerivedTable {
  const fields = derivation.fields.filter(({ name }) => isPicked(name));
  return new DerivedTable({
    ...derivation,
    fields,
    async *records() {
      for await (const row of derivation.records())
        yield { ...row, data: Object.fromEntries(fields.map(({ name }) => [name, row.data[name]])) };
    },
  });
}

function refuseUnused(
  words: readonly string[] | undefined,
  used: ReadonlySet<string>,
  { tables, derived }: Choice,
): void {
  const unused = words?.find((word) => !used.has(word));
  if (unused === undefined) return;
  const known = [...tables, ...derived].flatMap((table) =>
    table.fields.flatMap(({ name }) => [name, `${table.name}.${name}`]),
  );
  throw new UsageError(`no field ${unused} in these tables${didYouMean(unused, [...new Set(known)])}`);
}
