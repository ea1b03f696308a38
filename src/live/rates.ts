/** Seconds over which rates are taken, one mark a second. */
const MARKS = 5;
const SECOND = 1e6;

/*
 * What is kept of each thing, side by side: there may be thousands of them, so that hardly any is in the processor's
 * cache when it happens.
 *
 *     0       1            2           3
 *     count   first time   last time   mean of the last distances
 */
const STRIDE = 4;
const FIRST = 1;
const LAST = 2;
const INTERVAL = 3;

/** How often things happen: each has a number here, and its count at the last few marks, one a second. */
export class Rates {
  private values: Float64Array = new Float64Array(64 * STRIDE);
  private readonly marks: Float64Array[] = Array.from({ length: MARKS }, () => new Float64Array(64));
  private readonly times: Float64Array = new Float64Array(MARKS).fill(Number.NaN);
  private oldest = 0;
  private used = 0;
  private readonly free: number[] = [];

  /** A number for something that happens. */
  add(): number {
    const free = this.free.pop();
    if (free !== undefined) return free;
    if (this.used === this.marks[0].length) {
      this.values = longer(this.values);
      for (let i = 0; i < MARKS; i++) this.marks[i] = longer(this.marks[i]);
    }
    return this.used++;
  }

  /** A number is of no use any more. */
  remove(index: number): void {
    this.values.fill(0, index * STRIDE, (index + 1) * STRIDE);
    for (const marks of this.marks) marks[index] = 0;
    this.free.push(index);
  }

  hit(index: number, time: number): void {
    const { values } = this;
    const at = index * STRIDE;
    const count = values[at];
    if (count === 0) values[at + FIRST] = time;
    else values[at + INTERVAL] = meanDistance(values[at + INTERVAL], Math.max(0, time - values[at + LAST]), count);
    values[at] = count + 1;
    values[at + LAST] = time;
  }

  count(index: number): number {
    return this.values[index * STRIDE];
  }

  /** When it happened first, and last; NaN before. */
  first(index: number): number {
    return this.count(index) > 0 ? this.values[index * STRIDE + FIRST] : Number.NaN;
  }

  last(index: number): number {
    return this.count(index) > 0 ? this.values[index * STRIDE + LAST] : Number.NaN;
  }

  /** When it happened last, and how far apart it happens. */
  pace(index: number): Pace {
    const interval = this.count(index) > 1 ? this.values[index * STRIDE + INTERVAL] : Number.NaN;
    return { time: this.last(index), interval };
  }

  /** Makes a mark if a second went by since the last one. A clock that was set back starts again. */
  tick(time: number): void {
    const last = this.times[(this.oldest + MARKS - 1) % MARKS];
    if (time - last < SECOND && time >= last) return;
    if (time < last) this.setBack(time);
    const marks = this.marks[this.oldest];
    for (let i = 0; i < this.used; i++) marks[i] = this.values[i * STRIDE];
    this.times[this.oldest] = time;
    this.oldest = (this.oldest + 1) % MARKS;
  }

  private setBack(time: number): void {
    this.times.fill(Number.NaN);
    for (let i = 0; i < this.used; i++)
      this.values[i * STRIDE + FIRST] = Math.min(time, this.values[i * STRIDE + FIRST]);
  }

  /** Times a second, over the last five seconds or less. */
  rate(index: number, now: number): number {
    let from = Number.NaN;
    let before = 0;
    for (let i = 0; i < MARKS && Number.isNaN(from); i++) {
      const place = (this.oldest + i) % MARKS;
      from = this.times[place];
      before = this.marks[place][index];
    }
    // what began later has no earlier times to be counted for: its first time opens the count
    const first = this.first(index);
    if (!(from > first)) {
      from = first;
      before = 1;
    }
    const seconds = (now - from) / SECOND;
    return seconds > 0 ? Math.max(0, this.count(index) - before) / seconds : 0;
  }
}

function longer(array: Float64Array): Float64Array {
  const next = new Float64Array(2 * array.length);
  next.set(array);
  return next;
}

/** Distances that the mean is taken over, and how many times the mean a pause counts at most. */
const DISTANCES = 8;
const LONGEST = 4;

/** When something came last, and how far apart it comes, in microseconds. NaN before the first, and the second. */
export interface Pace {
  readonly time: number;
  readonly interval: number;
}

/** The running mean of distances, without pauses. @param count distances with this one */
function meanDistance(mean: number, distance: number, count: number): number {
  if (count === 1) return distance;
  if (count < DISTANCES || mean === 0) return mean + (distance - mean) / Math.min(count, DISTANCES);
  return mean + (Math.min(distance, LONGEST * mean) - mean) / DISTANCES;
}
