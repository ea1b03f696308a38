import type { Enumeration, Field, RecordTable } from '../../../src/entry/pages.ts';
import { shortName } from '../../shared/format.ts';

/** What a log says of a field. */
export interface FieldFacts {
  readonly name: string;
  /** How it is stored: type, elements, steps. */
  readonly stored: string;
  /** Names of its values or bits, '' where it has none. */
  readonly values: string;
}

/** Names that are shown: some enumerations have hundreds. */
const MOST_NAMES = 24;

export function fieldFacts(tables: readonly RecordTable[]): FieldFacts[] {
  const fields = new Map(tables.flatMap((table) => table.fields.map((field) => [field.name, field] as const)));
  return [...fields.values()].map((field) => ({
    name: field.name,
    stored: storedText(field),
    values: field.enumeration ? namesText(field.enumeration) : '',
  }));
}

function storedText({ type, count, divisor, unit, multiplier, siUnit }: Field): string {
  const kind = type === 'unknown' ? 'unreadable' : count === 1 ? type : `${type}[${count}]`;
  const steps = divisor === 1 ? '' : `, in steps of 1/${divisor}`;
  const factor = multiplier === undefined ? 1 : Number((multiplier * divisor).toPrecision(7));
  const si = unit !== '' && siUnit !== '' && siUnit !== unit && factor !== 0 ? `, 1 ${unit} = ${factor} ${siUnit}` : '';
  return `${kind}${steps}${si}`;
}

function namesText({ name: prefix, bitmask, names }: Enumeration): string {
  const all = [...names];
  const shown = all.slice(0, MOST_NAMES).map(([value, name]) => `${value} ${shortName(name, prefix)}`);
  const more = all.length - shown.length;
  return `${bitmask ? 'bits: ' : ''}${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** A field over time in a few numbers, NaN if unknown. */
export interface Outline {
  readonly field: string;
  readonly points: Float32Array;
}

/** Places along a table that are read, and rows at each: enough for a picture of the size of a word. */
const PLACES = 48;
const ROWS = 16;

/** Outlines of the fields of tables that follow each other. Large tables are read only in places. */
export async function outlinesOf(tables: readonly RecordTable[], names: readonly string[]): Promise<Outline[]> {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const means = names.map(() => new Float64Array(PLACES).fill(Number.NaN));
  let before = 0;
  for (const table of tables) {
    const own = names.filter((name) => table.field(name)?.count === 1);
    for (let place = 0; place < PLACES; place++) {
      const from = Math.floor((place * rows) / PLACES) - before;
      if (from < 0 || from >= table.rows) continue;
      const columns = await table.columns(own, { from, to: Math.min(from + ROWS, table.rows) });
      for (const [i, column] of columns.entries()) means[names.indexOf(own[i])][place] = meanOf(column.numbers());
    }
    before += table.rows;
  }
  return names.map((field, i) => ({ field, points: Float32Array.from(means[i]) }));
}

function meanOf(values: Float64Array): number {
  const known = values.filter(Number.isFinite);
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}
