import type { Column } from '../../core/column.ts';
import type { CellField } from './schema.ts';

/** Kinds of values that are made of digits. */
const DIGITS: ReadonlySet<CellField['kind']> = new Set(['number', 'time', 'lat', 'lon']);

/** What to look for in cells while sentences are walked, and which columns that is enough for. */
export class Plan {
  /** The highest cell that is wanted. */
  readonly last: number;
  /** Whether the number of cells and the end of each sentence are wanted too. */
  readonly whole: boolean;
  /** 1 for each cell whose digits are wanted. */
  readonly digits: Uint8Array;
  /** Columns that are made of digits, and others. */
  readonly numeric: Column[] = [];
  readonly others: Column[] = [];

  constructor(columns: readonly Column[], last: number, whole: boolean) {
    this.last = last;
    this.whole = whole;
    this.digits = new Uint8Array(last + 2);
    for (const column of columns) {
      const { kind, offset, step, count } = column.field as CellField;
      const isNumeric = offset > 0 && DIGITS.has(kind);
      (isNumeric ? this.numeric : this.others).push(column);
      if (!isNumeric) continue;
      for (let k = 0, cell = offset; k < (step > 0 ? count : 1) && cell <= last; k++, cell += step) {
        this.digits[cell] = 1;
      }
    }
  }
}
