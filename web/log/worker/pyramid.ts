import type { Series } from '../../../src/entry/pages.ts';

const known = new WeakMap<Series, Pyramid>();

/** The pyramid of a series, made once. */
export function pyramidOf(series: Series): Pyramid {
  const pyramid = known.get(series) ?? new Pyramid(series.values);
  known.set(series, pyramid);
  return pyramid;
}

/**
 * The rows of the least and the greatest value of any range of rows, without looking at each row.
 *
 *   values   3 1 4 1 5 9 2 6 | 5 3 5 8 9 7 9 3 | ...     blocks of 16 values each
 *   level 0  least, greatest                             of each block
 *   level 1  least, greatest                             of two nodes below
 *   ...
 *
 * Nodes hold row numbers, so that samples are drawn at their own times. Values that are not finite never count.
 */
export class Pyramid {
  private readonly values: Float64Array;
  private readonly least: Int32Array[] = [];
  private readonly greatest: Int32Array[] = [];

  constructor(values: Float64Array) {
    this.values = values;
    let nodes = Math.ceil(values.length / BLOCK);
    let [low, high] = [new Int32Array(nodes), new Int32Array(nodes)];
    for (let node = 0; node < nodes; node++) {
      const found = this.scan(node * BLOCK, Math.min((node + 1) * BLOCK, values.length), NONE);
      low[node] = found.least;
      high[node] = found.greatest;
    }
    this.least.push(low);
    this.greatest.push(high);
    while (nodes > 1) {
      const [below, above] = [low, high];
      nodes = Math.ceil(nodes / 2);
      [low, high] = [new Int32Array(nodes), new Int32Array(nodes)];
      for (let node = 0; node < nodes; node++) {
        const second = Math.min(node * 2 + 1, below.length - 1);
        low[node] = this.lower(below[node * 2], below[second]);
        high[node] = this.higher(above[node * 2], above[second]);
      }
      this.least.push(low);
      this.greatest.push(high);
    }
  }

  /** Rows of the least and the greatest value in [from, to), the first of equals; -1 where none is finite. */
  extremes(from: number, to: number): Extremes {
    const first = Math.ceil(from / BLOCK);
    const last = Math.floor(to / BLOCK);
    if (first >= last) return this.scan(from, to, NONE);
    let found = this.scan(from, first * BLOCK, NONE);
    let [a, b, level] = [first, last, 0];
    // nodes without a partner in the range count on their level, the others one level higher
    while (a < b) {
      if (a & 1) found = this.join(found, level, a++);
      if (b & 1) found = this.join(found, level, --b);
      a >>= 1;
      b >>= 1;
      level++;
    }
    return this.scan(last * BLOCK, to, found);
  }

  private join({ least, greatest }: Extremes, level: number, node: number): Extremes {
    return {
      least: this.lower(least, this.least[level][node]),
      greatest: this.higher(greatest, this.greatest[level][node]),
    };
  }

  private scan(from: number, to: number, { least, greatest }: Extremes): Extremes {
    const { values } = this;
    let [low, high] = [least, greatest];
    for (let row = from; row < to; row++) {
      const value = values[row];
      if (!Number.isFinite(value)) continue;
      if (low < 0 || value < values[low]) low = row;
      if (high < 0 || value > values[high]) high = row;
    }
    return { least: low, greatest: high };
  }

  private lower(a: number, b: number): number {
    if (a < 0 || b < 0) return Math.max(a, b);
    const [x, y] = [this.values[a], this.values[b]];
    return y < x || (y === x && b < a) ? b : a;
  }

  private higher(a: number, b: number): number {
    if (a < 0 || b < 0) return Math.max(a, b);
    const [x, y] = [this.values[a], this.values[b]];
    return y > x || (y === x && b < a) ? b : a;
  }
}

export interface Extremes {
  readonly least: number;
  readonly greatest: number;
}

const BLOCK = 16;
const NONE: Extremes = { least: -1, greatest: -1 };
