import { give } from '../../shared/rpc.ts';
import type { Series } from './series.ts';

/** What to draw of a series: samples in order of time, NaN between two that are not to be joined. */
export interface Drawn {
  /** Microseconds of the log's clock. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Whether these are all samples of the window; otherwise each column of pixels has its four that matter. */
  readonly exact: boolean;
  /** The least and greatest value in the window, NaN where there is none. */
  readonly low: number;
  readonly high: number;
}

/** Samples in a column of pixels above which columns are summed up. */
const DENSE = 4;

/**
 * The samples that make the picture of a window of so many pixels. Of a column with many samples the first, the least,
 * the greatest and the last are taken: lines through these cover the same pixels as lines through all, so no peak is
 * lost (Jugel and others, "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014).
 */
export function draw(series: Series, from: number, to: number, pixels: number): Drawn {
  const first = series.rowFrom(from);
  const last = rowAfter(series, to);
  const { least, greatest } = series.pyramid.extremes(first, last);
  // one sample on either side, so that lines reach the edges
  const [begin, end] = [Math.max(0, first - 1), Math.min(series.times.length, last + 1)];
  const columns = Math.max(1, Math.floor(pixels));
  const isExact = last - first <= columns * DENSE;
  const pen = new Pen(series, isExact ? end - begin : columns * 4 + 2);
  if (isExact) {
    for (let row = begin; row < end; row++) pen.to(row);
  } else {
    if (begin < first) pen.to(begin);
    for (let column = 0, row = first; column < columns; column++) {
      const next = column === columns - 1 ? last : series.rowFrom(from + ((to - from) * (column + 1)) / columns);
      if (next > row) pen.column(row, next);
      row = next;
    }
    if (end > last) pen.to(end - 1);
  }
  const { values } = series;
  const low = least < 0 ? Number.NaN : values[least];
  const high = greatest < 0 ? Number.NaN : values[greatest];
  return { ...pen.end(), exact: isExact, low, high };
}

function rowAfter(series: Series, time: number): number {
  let row = series.rowFrom(time);
  while (row < series.times.length && series.times[row] === time) row++;
  return row;
}

/** Gathers samples, and lifts where there is a gap in time or in values. */
class Pen {
  private readonly series: Series;
  private readonly x: Float64Array;
  private readonly y: Float64Array;
  private count = 0;
  private lastRow = -1;
  private isDown = false;

  constructor(series: Series, most: number) {
    this.series = series;
    this.x = new Float64Array(most * 2);
    this.y = new Float64Array(most * 2);
  }

  /** Goes on to a row; `joined` where the rows between are known to have no gap that can be seen. */
  to(row: number, joined = false): void {
    const { times, values, gap } = this.series;
    if (row === this.lastRow) return;
    const isGap = !joined && this.lastRow >= 0 && times[row] - times[this.lastRow] > gap;
    if (this.isDown && (isGap || !Number.isFinite(values[row]))) this.put(times[row], Number.NaN);
    this.isDown = Number.isFinite(values[row]);
    if (this.isDown) this.put(times[row], values[row]);
    this.lastRow = row;
  }

  /** The four samples that matter of rows [from, to), which share a column of pixels. */
  column(from: number, to: number): void {
    const { least, greatest } = this.series.pyramid.extremes(from, to);
    this.to(from);
    for (const row of least < greatest ? [least, greatest] : [greatest, least]) if (row > from) this.to(row, true);
    if (to - 1 > this.lastRow) this.to(to - 1, true);
  }

  private put(time: number, value: number): void {
    this.x[this.count] = time;
    this.y[this.count] = value;
    this.count++;
  }

  end(): { x: Float64Array; y: Float64Array } {
    return { x: give(this.x.slice(0, this.count)), y: give(this.y.slice(0, this.count)) };
  }
}
