import type { Table } from '../../../src/entry/pages.ts';

/** The course of a field in a few numbers, each from 0 to 1 of its range; NaN where nothing is known. */
export interface Outline {
  readonly field: string;
  readonly points: Float32Array;
}

/** Places along a table that are looked at, and rows at each: enough for a picture of the size of a word. */
const PLACES = 48;
const ROWS = 16;

/** Outlines of the plain fields of tables, which follow each other. Large tables are read only here and there. */
export async function outlinesOf(tables: readonly Table[], names: readonly string[]): Promise<Outline[]> {
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
  return names.map((field, i) => ({ field, points: scaled(means[i]) }));
}

function meanOf(values: Float64Array): number {
  const known = values.filter(Number.isFinite);
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

function scaled(values: Float64Array): Float32Array {
  const known = values.filter(Number.isFinite);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return Float32Array.from(values, (value) => (high > low ? (value - low) / (high - low) : value - low + 0.5));
}
