import type { Series } from '../../../src/entry/pages.ts';
import type { DrawnLine } from '../../shared/plot/time-plot.ts';
import { transfer } from '../../shared/rpc.ts';
import { type Pyramid, pyramidOf } from './pyramid.ts';

export interface Drawn extends DrawnLine {
  /** Whether these are all samples of the window; otherwise each column of pixels has four of them. */
  readonly exact: boolean;
}

/** More samples than this in a column of pixels are thinned. */
const DENSE = 4;

/**
 * The samples to draw for a window that is `pixels` wide. Of a column with many samples these are the first, the least,
 * the greatest and the last: lines through them cover the same pixels as lines through all, so no peak is lost (Jugel and others, "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014).
 */
export function draw(series: Series, from: number, to: number, pixels: number): Drawn {
  const first = series.rowFrom(from);
  const [, last] = series.rowsIn(from, to);
  const pyramid = pyramidOf(series);
  const { least, greatest } = pyramid.extremes(first, last);
  // one sample on either side, so that lines reach the edges
  const [begin, end] = [Math.max(0, first - 1), Math.min(series.times.length, last + 1)];
  const columns = Math.max(1, Math.floor(pixels));
  const isExact = last - first <= columns * DENSE;
  const pen = new Pen(series, pyramid, isExact ? end - begin : columns * 4 + 2);
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

/** Collects samples; gaps in time or in values break the line. */
class Pen {
  private readonly series: Series;
  private readonly pyramid: Pyramid;
  private readonly x: Float64Array;
  private readonly y: Float64Array;
  private count = 0;
  private lastRow = -1;
  private isDown = false;

  constructor(series: Series, pyramid: Pyramid, most: number) {
    this.series = series;
    this.pyramid = pyramid;
    // a gap or a step before each
    this.x = new Float64Array(most * 2);
    this.y = new Float64Array(most * 2);
  }

  /** Goes on to a row; `joined` if no gap between the rows can be seen. */
  to(row: number, joined = false): void {
    const { times, values, gap, isHeld } = this.series;
    if (row === this.lastRow) return;
    const isGap = !joined && this.lastRow >= 0 && times[row] - times[this.lastRow] > gap;
    if (this.isDown && (isGap || !Number.isFinite(values[row]))) this.add(times[row], Number.NaN);
    // a value that holds is a step, not a slope through numbers that never were
    else if (this.isDown && isHeld && values[row] !== values[this.lastRow]) this.add(times[row], values[this.lastRow]);
    this.isDown = Number.isFinite(values[row]);
    if (this.isDown) this.add(times[row], values[row]);
    this.lastRow = row;
  }

  /** The four samples to draw of rows [from, to), which share a column of pixels. */
  column(from: number, to: number): void {
    const { least, greatest } = this.pyramid.extremes(from, to);
    this.to(from);
    for (const row of least < greatest ? [least, greatest] : [greatest, least]) if (row > from) this.to(row, true);
    if (to - 1 > this.lastRow) this.to(to - 1, true);
  }

  private add(time: number, value: number): void {
    this.x[this.count] = time;
    this.y[this.count] = value;
    this.count++;
  }

  end(): { x: Float64Array; y: Float64Array } {
    return { x: transfer(this.x.slice(0, this.count)), y: transfer(this.y.slice(0, this.count)) };
  }
}
