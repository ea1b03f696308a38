import { firstIndex } from '../../../src/entry/pages.ts';

/** When the rows of a table were made, in their own order. */
export class RowTimes {
  readonly times: Float64Array;
  private readonly isOrdered: boolean;

  constructor(times: Float64Array) {
    this.times = times;
    this.isOrdered = times.every((time, row) => time >= (row === 0 ? Number.NEGATIVE_INFINITY : times[row - 1]));
  }

  /** The last row that was made at a time or before it; -1 where none was. */
  rowAt(time: number): number {
    if (!this.isOrdered) return this.searchedRow(time);
    return firstIndex(this.times.length, (row) => this.times[row] > time) - 1;
  }

  /** A clock that went back, or rows without a time: of all that were made before, the row that was made last. */
  private searchedRow(time: number): number {
    let found = -1;
    for (let row = 0; row < this.times.length; row++) {
      const own = this.times[row];
      if (own <= time && (found < 0 || own >= this.times[found])) found = row;
    }
    return found;
  }
}
