import { Column, type Value } from '../core/column.ts';
import type { Field } from '../core/schema.ts';
import { BLOCK_ROWS, rowsWithin, type Table, type TableBlock, type TableRange } from '../core/table.ts';

/** One row that was made from records. */
export interface DerivedRow {
  /** Microseconds by the clock of the log; NaN if none is known. */
  readonly time: number;
  /** Offset of the first record that it was made from. */
  readonly at: number;
  readonly data: Readonly<Record<string, Value>>;
}

export interface DerivedField {
  readonly name: string;
  readonly unit: string;
  /** Whether its values are texts; all others are numbers. */
  readonly isText?: boolean | undefined;
}

/** How a table is made from records. */
export interface Derivation {
  readonly name: string;
  readonly stream: string;
  readonly fields: readonly DerivedField[];
  /** Makes the rows, in the order of the source and a few at a time. */
  records(): AsyncIterable<DerivedRow>;
}

/** A table made from the records of others, beside them. Numbers that are missing are NaN, texts empty. */
export class DerivedTable implements Table {
  readonly name: string;
  readonly stream: string;
  readonly fields: readonly Field[];
  readonly rows = 0;
  readonly derivation: Derivation;
  private made: TableBlock[] | undefined;

  constructor(derivation: Derivation) {
    this.name = derivation.name;
    this.stream = derivation.stream;
    this.derivation = derivation;
    this.fields = derivation.fields.map(fieldOf);
  }

  /** Its rows as objects, in the order of the source and a few at a time. */
  records(): AsyncIterable<DerivedRow> {
    return this.derivation.records();
  }

  async *blocks(range: TableRange = {}): AsyncGenerator<TableBlock> {
    const { fields } = this;
    let rows = new Rows(fields);
    let done = 0;
    for await (const { time, data } of this.records()) {
      rows.add(time, data);
      if (rows.count < BLOCK_ROWS) continue;
      yield* rowsWithin(rows.block(), range);
      done += rows.count;
      range.onRows?.(done);
      rows = new Rows(fields);
    }
    if (rows.count > 0) yield* rowsWithin(rows.block(), range);
  }

  async ready(): Promise<void> {
    if (this.made) return;
    const made: TableBlock[] = [];
    for await (const block of this.blocks()) made.push(block);
    this.made = made;
  }

  blocksNow(fields: readonly Field[], _withTimes: boolean, range: TableRange = {}): Generator<TableBlock> | undefined {
    return this.made && this.immediate(this.made, fields, range);
  }

  private *immediate(made: readonly TableBlock[], fields: readonly Field[], range: TableRange): Generator<TableBlock> {
    const places = fields.map((field) => this.fields.indexOf(field));
    for (const block of made)
      yield* rowsWithin({ ...block, columns: places.map((place) => block.columns[place]) }, range);
  }
}

class Rows {
  count = 0;
  private readonly fields: readonly Field[];
  private readonly times = new Float64Array(BLOCK_ROWS);
  private readonly numbers: readonly (Column | undefined)[];
  private readonly texts: readonly (Uint8Array[] | undefined)[];

  constructor(fields: readonly Field[]) {
    this.fields = fields;
    this.numbers = fields.map((field) => (field.type === 'text' ? undefined : new Column(field, BLOCK_ROWS)));
    this.texts = fields.map(({ type }) => (type === 'text' ? [] : undefined));
  }

  add(time: number, data: DerivedRow['data']): void {
    const { fields, numbers, texts, count } = this;
    this.times[count] = time;
    for (let k = 0; k < fields.length; k++) {
      const value = data[fields[k].name];
      const column = numbers[k];
      if (column) (column.data as Float64Array)[count] = Number(value ?? Number.NaN);
      else texts[k]?.push(encoder.encode(String(value ?? '')));
    }
    this.count++;
  }

  block(): TableBlock {
    const columns = this.fields.map((field, k) => this.numbers[k] ?? textColumn(field, this.texts[k] ?? []));
    return { from: 0, to: this.count, times: this.times, columns };
  }
}

const encoder = new TextEncoder();

/** Texts in a column that is as wide as the longest of them. */
function textColumn(field: Field, texts: readonly Uint8Array[]): Column {
  const count = Math.max(1, ...texts.map(({ length }) => length));
  const column = new Column({ ...field, count }, texts.length);
  for (const [row, text] of texts.entries()) column.bits8.set(text, row * count);
  return column;
}

function fieldOf({ name, unit, isText = false }: DerivedField): Field {
  return {
    name,
    unit,
    type: isText ? 'text' : 'float64',
    count: 1,
    offset: 0,
    divisor: 1,
    multiplier: undefined,
    siUnit: '',
    invalid: isText ? undefined : Number.NaN,
  };
}
