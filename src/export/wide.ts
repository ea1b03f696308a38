import { csvText } from '../core/names.ts';
import { type Table, type TableBlock, type TableRange, titleOf } from '../core/table.ts';
import { csvCells, csvNames, isArray } from './csv.ts';
import { seconds } from './decimal.ts';

/*
 * One table of all tables: a line for each step of a common time, and in it of every field the last value that is not
 * later than the line. Before the first value of a table its cells are empty.
 */

export interface WideOptions extends TableRange {
  /** Lines a second. */
  readonly rate: number;
  /** Microseconds of the first line, and of the end, at which there is none any more. */
  readonly start: number;
  readonly end: number;
  readonly si?: boolean | undefined;
  readonly raw?: boolean | undefined;
}

/** Lines of a wide table; more are hardly meant. */
const MOST_LINES = 20_000_000;

export async function* writeWide(tables: readonly Table[], options: WideOptions): AsyncGenerator<string> {
  const { rate, start, end, si = false, raw = false, onRows } = options;
  const step = 1e6 / rate;
  const lines = Math.max(0, Math.ceil((end - start) / step));
  if (!(lines <= MOST_LINES))
    throw new RangeError(`${rate} lines a second from ${seconds(start)} to ${seconds(end)} are ${lines}: too many`);
  const cursors = tables.map((table) => new Cursor(table, options));
  const names = tables.flatMap((table) =>
    csvNames(table)
      .slice(1)
      .map((name) => csvText(`${titleOf(table)}.${name}`, raw)),
  );
  yield `${['time', ...names].join(',')}\n`;
  for (let line = 0; line < lines; line++) {
    const time = start + line * step;
    let text = seconds(time);
    for (const cursor of cursors) {
      // asked first: most lines need no new block, and waiting for nothing is slow
      if (!cursor.isAhead(time)) await cursor.advance(time);
      text += cursor.cells(si, raw);
    }
    yield `${text}\n`;
    if (line % 1024 === 0) onRows?.(line);
  }
}

/** Walks a table along the time. */
class Cursor {
  private readonly blocks: AsyncGenerator<TableBlock>;
  private block: TableBlock | undefined;
  /** The first row that is later than the cursor. */
  private next = 0;
  private isDone = false;
  private text: string;
  private isFresh = false;
  /** Where the text is made from: the last row that is not later. */
  private current: { readonly block: TableBlock; readonly row: number } | undefined;
  private readonly end: number;

  constructor(table: Table, { end, onRows: _, ...range }: WideOptions) {
    this.blocks = table.blocks({ ...range, from: undefined });
    this.end = end;
    this.text = ','.repeat(table.fields.reduce((sum, field) => sum + (isArray(field) ? field.count : 1), 0));
  }

  isAhead(time: number): boolean {
    if (this.isDone) return true;
    return this.block !== undefined && this.next < this.block.to && this.block.times[this.next] > time;
  }

  async advance(time: number): Promise<void> {
    for (;;) {
      while (this.block && this.next < this.block.to) {
        const at = this.block.times[this.next];
        if (at > time && at < this.end) return;
        // a time after the end, or none, is not waited for
        if (at <= time) this.moveTo(this.block, this.next);
        this.next++;
      }
      const { value, done } = await this.blocks.next();
      if (done) {
        this.isDone = true;
        return;
      }
      this.block = value;
      this.next = value.from;
    }
  }

  private moveTo(block: TableBlock, row: number): void {
    this.current = { block, row };
    this.isFresh = true;
  }

  cells(si: boolean, raw: boolean): string {
    if (this.current && this.isFresh) {
      const { block, row } = this.current;
      this.text = block.columns.map((column) => `,${csvCells(column, row, si, raw)}`).join('');
      this.isFresh = false;
    }
    return this.text;
  }
}
