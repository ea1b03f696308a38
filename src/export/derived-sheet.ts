import type { DerivedTable } from '../analyze/derived-table.ts';
import { Column } from '../core/column.ts';
import type { Field } from '../core/schema.ts';
import { rowsWithin, SHEET_ROWS, type Sheet, type SheetBlock, type SheetRange } from './sheet.ts';

/** A table that is made from others as a sheet. Its values are numbers; what is missing is NaN. */
export class DerivedSheet implements Sheet {
  readonly name: string;
  readonly stream: string;
  readonly fields: readonly Field[];
  readonly rows = 0;
  private readonly table: DerivedTable;
  private made: SheetBlock[] | undefined;

  constructor(table: DerivedTable) {
    this.name = table.name;
    this.stream = table.stream;
    this.table = table;
    this.fields = table.fields.map(({ name, unit }) => fieldOf(name, unit));
  }

  async *blocks(range: SheetRange = {}): AsyncGenerator<SheetBlock> {
    const { fields } = this;
    let block = emptyBlock(fields);
    let at = 0;
    let done = 0;
    for await (const { time, data } of this.table.rows()) {
      block.times[at] = time;
      for (let k = 0; k < fields.length; k++)
        (block.columns[k].data as Float64Array)[at] = Number(data[fields[k].name] ?? Number.NaN);
      if (++at < SHEET_ROWS) continue;
      yield* rowsWithin(block, range);
      done += at;
      range.onRows?.(done);
      block = emptyBlock(fields);
      at = 0;
    }
    if (at > 0) yield* rowsWithin({ ...block, to: at }, range);
  }

  async ready(): Promise<void> {
    if (this.made) return;
    const made: SheetBlock[] = [];
    for await (const block of this.blocks()) made.push(block);
    this.made = made;
  }

  blocksNow(fields: readonly Field[], _withTimes: boolean, range: SheetRange = {}): Generator<SheetBlock> | undefined {
    return this.made && this.immediate(this.made, fields, range);
  }

  private *immediate(made: readonly SheetBlock[], fields: readonly Field[], range: SheetRange): Generator<SheetBlock> {
    const places = fields.map((field) => this.fields.indexOf(field));
    for (const block of made)
      yield* rowsWithin({ ...block, columns: places.map((place) => block.columns[place]) }, range);
  }
}

function emptyBlock(fields: readonly Field[]): SheetBlock {
  const columns = fields.map((field) => new Column(field, SHEET_ROWS));
  return { from: 0, to: SHEET_ROWS, times: new Float64Array(SHEET_ROWS), columns };
}

function fieldOf(name: string, unit: string): Field {
  return {
    name,
    unit,
    type: 'float64',
    count: 1,
    offset: 0,
    divisor: 1,
    multiplier: undefined,
    siUnit: '',
    invalid: Number.NaN,
  };
}
