import type { Log } from '../core/log.ts';
import type { Field } from '../core/schema.ts';
import { type Sheet, TableSheet } from '../core/sheet.ts';
import type { Table } from '../core/table.ts';
import { DerivedSheet } from '../sensors/derived-sheet.ts';
import type { DerivedTable } from '../sensors/derived-table.ts';
import { chooseAll, titleOf } from './choose.ts';
import { UsageError } from './failure.ts';
import { nearest } from './words.ts';

/** The tables that were asked for, and of them the fields. */
export interface SheetChoice {
  readonly tables: readonly Table[];
  readonly derived: readonly DerivedTable[];
  /** The fields that were asked for; undefined for all. */
  readonly fields: ReadonlySet<Field> | undefined;
  readonly sheets: readonly Sheet[];
}

/**
 * The tables of a list like `GPS,IMU[0]` with the fields of a list like `Lat,ATT.Roll`. Tables without rows, and those
 * that have none of the fields, are left out.
 */
export async function chooseSheets(
  log: Log,
  { type, fields }: { type?: string; fields?: string },
): Promise<SheetChoice> {
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
  const isKept = (table: Table): boolean => table.rows > 0 && (!words || (chosen.get(table) as Field[]).length > 0);
  const tables = all.tables.filter(isKept);
  const derived = all.derived
    .map((table) => pick(table, (name) => isWanted(table, name)))
    .filter((table) => table.fields.length > 0);
  refuseUnused(words, used, all);
  return {
    tables,
    derived,
    fields: words && new Set(tables.flatMap((table) => chosen.get(table) as Field[])),
    sheets: [
      ...tables.map((table) => new TableSheet(table, chosen.get(table))),
      ...derived.map((table) => new DerivedSheet(table)),
    ],
  };
}

/** A table with some of its fields only. */
function pick(table: DerivedTable, isWanted: (name: string) => boolean): DerivedTable {
  const fields = table.fields.filter(({ name }) => isWanted(name));
  return {
    name: table.name,
    stream: table.stream,
    fields,
    async *rows() {
      for await (const row of table.rows())
        yield { ...row, data: Object.fromEntries(fields.map(({ name }) => [name, row.data[name]])) };
    },
  };
}

function refuseUnused(
  words: readonly string[] | undefined,
  used: ReadonlySet<string>,
  { tables, derived }: Pick<SheetChoice, 'tables' | 'derived'>,
): void {
  const unused = words?.find((word) => !used.has(word));
  if (unused === undefined) return;
  const known = [...tables, ...derived].flatMap((table) =>
    table.fields.flatMap(({ name }) => [name, `${table.name}.${name}`]),
  );
  const meant = nearest(unused, [...new Set(known)]);
  throw new UsageError(`no field ${unused} in these tables${meant === undefined ? '' : `: did you mean ${meant}?`}`);
}
