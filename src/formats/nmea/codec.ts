import type { Codec } from '../../core/codec.ts';
import type { Column } from '../../core/column.ts';
import {
  type Cells,
  readCells,
  readDegrees,
  readNumbers,
  readTags,
  readTimes,
  repairNumbers,
  walk,
} from './columns.ts';
import type { CellField } from './schema.ts';
import { groupsIn, type Sentence } from './sentence.ts';

/** Cells after its own that a value needs: the letter of its sign, month and year. */
const MORE_CELLS: Readonly<Partial<Record<CellField['kind'], number>>> = {
  lat: 1,
  lon: 1,
  signed: 1,
  'day-month-year': 2,
};

/** Reads sentences of one kind into columns, a block of them at a time. */
export class SentenceCodec implements Codec {
  private readonly sentence: Sentence;
  private readonly cells: Cells;
  /** Repetitions that there is room for. */
  slots: number;

  /** @param cells memory that the codecs of one source share: what it holds is of use during one call only */
  constructor(sentence: Sentence, cells: Cells) {
    this.sentence = sentence;
    this.cells = cells;
    this.slots = sentence.layout.group?.slots ?? 0;
  }

  read(bytes: Uint8Array, starts: Int32Array, count: number, columns: readonly Column[], row: number): void {
    let last = 0;
    let whole = false;
    for (const { field } of columns) {
      last = Math.max(last, this.lastCell(field as CellField));
      whole ||= this.isElsewhere(field as CellField);
    }
    const { cells } = this;
    const plan = new Plan(columns, last, whole);
    const room = cells.roomFor(last);
    for (let done = 0; done < count; done += room) {
      walk(cells, plan, bytes, starts, done, Math.min(room, count - done));
      if (whole) this.countGroups();
      for (const column of plan.numeric) this.readNumeric(bytes, column, row + done);
      for (const column of plan.others) this.readOther(bytes, column, row + done);
    }
  }

  /** Whether a field needs to know how many cells a sentence has, or where it ends. */
  private isElsewhere(field: CellField): boolean {
    return this.varies(field) || field.step > 0 || field.kind === 'rest';
  }

  /** Whether the cell of a field depends on how many cells a sentence has. */
  private varies({ place }: CellField): boolean {
    const { short, layout } = this.sentence;
    return short !== undefined || (place === 'behind' && layout.group?.open === true);
  }

  private lastCell(field: CellField): number {
    const { group } = this.sentence.layout;
    const more = field.place === 'behind' && group?.open ? (this.slots - group.slots) * group.size : 0;
    const elements = field.step > 0 ? (field.count - 1) * field.step : 0;
    return Math.max(field.offset + more + elements, field.short) + (MORE_CELLS[field.kind] ?? 0);
  }

  private countGroups(): void {
    const { rows, counts, groups } = this.cells;
    const { group } = this.sentence.layout;
    if (!group) return;
    // neighbours mostly have as many cells as each other
    let cells = -1;
    let known = 0;
    for (let i = 0; i < rows; i++) {
      if (counts[i] !== cells) {
        cells = counts[i];
        known = groupsIn(this.sentence, group, cells);
      }
      groups[i] = known;
    }
  }

  private readNumeric(bytes: Uint8Array, column: Column, row: number): void {
    const field = column.field as CellField;
    const { cells } = this;
    if (field.kind === 'time') {
      readTimes(bytes, cells, column, row);
    } else if (field.kind === 'lat' || field.kind === 'lon') {
      readDegrees(bytes, cells, column, row);
    } else {
      readNumbers(bytes, cells, column, row);
      if (this.varies(field)) repairNumbers(bytes, cells, this.shiftOf(bytes, field), column, row);
    }
  }

  private readOther(bytes: Uint8Array, column: Column, row: number): void {
    const field = column.field as CellField;
    const { cells } = this;
    if (field.kind === 'tag') readTags(bytes, cells, column, row);
    else readCells(bytes, cells, this.varies(field) ? this.shiftOf(bytes, field) : cells.zeros, column, row);
  }

  private shiftOf(bytes: Uint8Array, field: CellField): Int32Array {
    const { cells } = this;
    const { short, layout } = this.sentence;
    const { rows, counts, none, shift, groups } = cells;
    const slots = layout.group?.slots ?? 0;
    const size = field.place === 'behind' ? (layout.group?.size ?? 0) : 0;
    for (let i = 0; i < rows; i++) {
      let cell = size === 0 ? field.offset : field.offset + (groups[i] - slots) * size;
      if (short && counts[i] <= short.cells) cell = field.short;
      if (cell <= 0 || cell >= none - 1) {
        cells.place(bytes, i, cell);
        cell = none;
      }
      shift[i] = cell - field.offset;
    }
    return shift;
  }
}

/** Kinds of values that are made of digits. */
const DIGITS: ReadonlySet<CellField['kind']> = new Set(['number', 'time', 'lat', 'lon']);

/** What to look for in cells while sentences are walked, and which columns that is enough for. */
export class Plan {
  /** The last cell that is read. */
  readonly last: number;
  /** Whether the number of cells and the end of each sentence are read too. */
  readonly whole: boolean;
  /** 1 for each cell whose digits are read. */
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
