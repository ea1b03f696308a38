/** The first index of ascending values that is not below one. */
export function firstFrom(values: ArrayLike<number>, value: number): number {
  let from = 0;
  let to = values.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (values[middle] < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Values of one quantity over time. */
export class Course {
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** A clock that went back, or rows without a time: all rows must be looked at, whatever is wanted. */
  private readonly isAscending: boolean;

  constructor(times: Float64Array, values: Float64Array) {
    this.times = times;
    this.values = values;
    this.isAscending = times.every((time, i) => i === 0 || time >= times[i - 1]) && !Number.isNaN(times[0]);
  }

  /** Rows in which all of a stretch of time is, its end included; some of them may be outside of it. */
  rowsIn(start: number, end: number): [from: number, to: number] {
    if (!this.isAscending) return [0, this.times.length];
    return [firstFrom(this.times, start), firstFrom(this.times, end + 1)];
  }

  /** Calls back for each value in a stretch of time that is a number. */
  each(start: number, end: number, take: (value: number, row: number) => void): void {
    const [from, to] = this.rowsIn(start, end);
    for (let row = from; row < to; row++) {
      if (this.times[row] >= start && this.times[row] <= end && !Number.isNaN(this.values[row]))
        take(this.values[row], row);
    }
  }
}
