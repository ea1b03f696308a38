import { firstIndex } from '../../src/entry/pages.ts';
import type { WireRow, WireValue } from '../../src/server/wire.ts';

const FIRST_ROWS = 64;
/** Rows of one message that are kept at most: ten minutes at 50 Hz. */
const MOST_ROWS = 32_768;
/** Numbers of one message that are kept: longer arrays are bytes of something. */
const MOST_FIELDS = 128;
/** Voltages, of which 0 means unknown: https://mavlink.io/en/messages/common.html */
const VOLTAGE = /^voltage/;
/** Seconds that a clock may go back without being a new one. */
const SAME_CLOCK = 60;

/** The numbers of recent messages of one kind, sender and instance, a column a field, in growing rings. */
export class History {
  private times = new Float64Array(FIRST_ROWS);
  private readonly columns = new Map<string, Float64Array>();
  private first = 0;
  private rows = 0;

  get length(): number {
    return this.rows;
  }

  get fields(): Iterable<string> {
    return this.columns.keys();
  }

  /** Seconds of the newest row; NaN if there is none. */
  get lastTime(): number {
    return this.rows === 0 ? Number.NaN : this.times[this.place(this.rows - 1)];
  }

  /** Adds a message, unless it is a repeated one. @param keep seconds for which rows are kept */
  add(time: number, row: WireRow, keep: number): void {
    if (time <= this.lastTime) {
      if (time > this.lastTime - SAME_CLOCK) return;
      this.rows = 0;
    }
    while (this.rows > 0 && this.times[this.first] < time - keep) this.drop();
    if (this.rows === this.times.length) {
      if (this.rows < MOST_ROWS) this.grow();
      else this.drop();
    }
    const at = this.place(this.rows);
    this.times[at] = time;
    for (const column of this.columns.values()) column[at] = Number.NaN;
    for (const [name, value] of Object.entries(row)) this.set(at, name, value);
    this.rows++;
  }

  private set(at: number, name: string, value: WireValue): void {
    if (Array.isArray(value)) {
      for (const [i, each] of value.entries()) this.set(at, `${name}[${i}]`, each as WireValue);
      return;
    }
    if (typeof value !== 'number' && value !== null) return;
    let column = this.columns.get(name);
    if (!column) {
      if (this.columns.size >= MOST_FIELDS) return;
      column = new Float64Array(this.times.length).fill(Number.NaN);
      this.columns.set(name, column);
    }
    column[at] = value === null || (value === 0 && VOLTAGE.test(name)) ? Number.NaN : value;
  }

  private drop(): void {
    this.first = (this.first + 1) % this.times.length;
    this.rows--;
  }

  private grow(): void {
    const unrolled = (ring: Float64Array): Float64Array<ArrayBuffer> => {
      const grown = new Float64Array(ring.length * 2).fill(Number.NaN);
      grown.set(ring.subarray(this.first));
      grown.set(ring.subarray(0, this.first), ring.length - this.first);
      return grown;
    };
    for (const [name, column] of this.columns) this.columns.set(name, unrolled(column));
    this.times = unrolled(this.times);
    this.first = 0;
  }

  private place(row: number): number {
    return (this.first + row) % this.times.length;
  }

  timeAt(row: number): number {
    return this.times[this.place(row)];
  }

  /** The value of a field in a row; NaN where it has none. */
  valueAt(field: string, row: number): number {
    return this.columns.get(field)?.[this.place(row)] ?? Number.NaN;
  }

  rowFrom(time: number): number {
    return firstIndex(this.rows, (row) => this.timeAt(row) >= time);
  }
}
