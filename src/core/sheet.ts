import type { Column } from './column.ts';
import { caseFolded, columnName, uniqueNames } from './names.ts';
import type { Field } from './schema.ts';

/** Decoded rows of a sheet: those from `from` to `to` are wanted, others may stand around them. */
export interface SheetBlock {
  readonly from: number;
  readonly to: number;
  /** Microseconds of each row, NaN where none is known; without rows where times were not asked for. */
  readonly times: Float64Array;
  /** A column for each field of the sheet. */
  readonly columns: readonly Column[];
}

export interface SheetRange {
  /** Microseconds: rows at or after the first and before the second are wanted. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Called now and then with the rows read so far. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** A table as it is written down: some of its fields, each under a name of its own, and the time before them. */
export interface Sheet {
  readonly name: string;
  readonly stream: string;
  readonly fields: readonly Field[];
  /** How many rows there are, 0 where that is found out only by reading. */
  readonly rows: number;
  /** Rows in the order of the source, some thousands at a time; each block is used before the next is asked for. */
  blocks(range?: SheetRange): AsyncGenerator<SheetBlock>;
  /** Reads what must be waited for, so that `blocksNow` can do the rest. */
  ready(): Promise<void>;
  /** Blocks without waiting, of some of the fields; undefined as long as the sheet is not ready. */
  blocksNow(fields: readonly Field[], withTimes: boolean, range?: SheetRange): Generator<SheetBlock> | undefined;
}

/** The name of the column of times. */
const TIME = 'time';

/** Names of the columns: that of the times first, then the fields'; no two are the same, whatever their case. */
export function columnNames({ fields }: Pick<Sheet, 'fields'>): string[] {
  return uniqueNames([TIME, ...fields.map(({ name }) => columnName(name))], caseFolded);
}

/** The name of a sheet as people write it, with its stream in brackets. */
export function sheetTitle({ name, stream }: Pick<Sheet, 'name' | 'stream'>): string {
  return stream === '' ? name : `${name}[${stream}]`;
}

/** Rows decoded at a time. */
export const SHEET_ROWS = 8192;

/** The stretches of a block whose times lie in the range. */
export function* rowsWithin(block: SheetBlock, { from, to }: SheetRange): Generator<SheetBlock> {
  if (from === undefined && to === undefined) {
    yield block;
    return;
  }
  const { times } = block;
  const isWanted = (row: number): boolean =>
    times[row] >= (from ?? Number.NEGATIVE_INFINITY) && times[row] < (to ?? Number.POSITIVE_INFINITY);
  for (let start = block.from; start < block.to; ) {
    if (!isWanted(start)) {
      start++;
      continue;
    }
    let stop = start + 1;
    while (stop < block.to && isWanted(stop)) stop++;
    yield { ...block, from: start, to: stop };
    start = stop;
  }
}
