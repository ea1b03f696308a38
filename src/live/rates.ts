/** Seconds over which rates are taken, one mark a second. */
const MARKS = 5;
const SECOND = 1e6;

/**
 * How often things happen: each has a number here, and its count at the last few marks, one a second. All in a few
 * arrays, since there may be thousands of them and each message counts several.
 */
export class Rates {
  /** How often each happened. Whoever is in a hurry adds to it. */
  counts: Float64Array = new Float64Array(64);
  /** When each happened first; NaN before. */
  private firsts: Float64Array = new Float64Array(64).fill(Number.NaN);
  private readonly marks: Float64Array[] = Array.from({ length: MARKS }, () => new Float64Array(64));
  private readonly times: Float64Array = new Float64Array(MARKS).fill(Number.NaN);
  private oldest = 0;
  private used = 0;

  /** A number for something that happens. */
  add(): number {
    if (this.used === this.counts.length) {
      this.counts = longer(this.counts, 0);
      this.firsts = longer(this.firsts, Number.NaN);
      for (let i = 0; i < MARKS; i++) this.marks[i] = longer(this.marks[i], 0);
    }
    return this.used++;
  }

  hit(index: number, time: number): void {
    if (this.counts[index]++ === 0) this.firsts[index] = time;
  }

  count(index: number): number {
    return this.counts[index];
  }

  /** When it happened first. */
  first(index: number): number {
    return this.firsts[index];
  }

  /** Makes a mark if a second went by since the last one. A clock that was set back begins anew. */
  tick(time: number): void {
    const last = this.times[(this.oldest + MARKS - 1) % MARKS];
    if (time - last < SECOND && time >= last) return;
    if (time < last) this.setBack(time);
    this.marks[this.oldest].set(this.counts);
    this.times[this.oldest] = time;
    this.oldest = (this.oldest + 1) % MARKS;
  }

  private setBack(time: number): void {
    this.times.fill(Number.NaN);
    for (let i = 0; i < this.used; i++) if (this.firsts[i] > time) this.firsts[i] = time;
  }

  /** How often a second, over the last five seconds, or over as many as there were. */
  rate(index: number, now: number): number {
    let from = Number.NaN;
    let before = 0;
    for (let i = 0; i < MARKS && Number.isNaN(from); i++) {
      const place = (this.oldest + i) % MARKS;
      from = this.times[place];
      before = this.marks[place][index];
    }
    // what began later has no earlier times to be counted for: its first time opens the count
    const first = this.firsts[index];
    if (!(from > first)) {
      from = first;
      before = 1;
    }
    const seconds = (now - from) / SECOND;
    return seconds > 0 ? Math.max(0, this.counts[index] - before) / seconds : 0;
  }
}

function longer(array: Float64Array, fill: number): Float64Array {
  const next = new Float64Array(2 * array.length).fill(fill);
  next.set(array);
  return next;
}
