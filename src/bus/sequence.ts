import { BUS_LIVE_LIMITS } from './limits.ts';

/** What is asked of a message in order to put it in its place. */
export interface Numbered {
  readonly run: string;
  readonly number: number;
  /** All below it came before, or will never come. */
  readonly floor: number;
  /** Frames that its collector lost so far in this run. */
  readonly lost?: number;
}

/** What is known of a run; earlier versions kept the number that comes next. */
export type RunPlace = number | { readonly delivered: readonly number[]; readonly lost: number };

/** By collector and run. Delivered numbers are from, to (not included), from, to ... */
export type Places = Readonly<Record<string, Readonly<Record<string, RunPlace>>>>;

/** Numbers that were delivered without a gap. */
interface NumberRange {
  readonly run: string;
  from: number;
  to: number;
}

interface Run<T> {
  /** In their order. More than one where a number is far ahead: lost messages, or a forged one. */
  ranges: NumberRange[];
  /** What came before its turn, and below which number nothing is to be waited for. */
  readonly early: Map<number, { readonly item: T; floor: number }>;
  lost: number;
}

interface Collector<T> {
  readonly runs: Map<string, Run<T>>;
  /** Of all runs, the one that was silent for longest first. */
  readonly ranges: Set<NumberRange>;
}

/**
 * Puts the messages of collectors in order, each once. A bus may have one of them twice, because it was sent again, or one
 * after its successors, because it was lost on its first way; it never has one after a message whose floor is above it.
 * Numbers may be forged: one that is far ahead makes none of the others old.
 */
export class Sequence<T extends Numbered> {
  /** Messages that came again, that never came, and that waited when their collector had to make room for another. */
  duplicates = 0;
  missing = 0;
  refused = 0;
  /** Frames that were lost at collectors, as these say. */
  lost = 0;
  private readonly collectors: Map<string, Collector<T>> = new Map();
  private readonly deliver: (collector: string, item: T) => void;
  private readonly isWhole: boolean;

  /**
   * @param places what was delivered before
   * @param isWhole whether runs count from their beginning: otherwise what came before we looked is not missing
   */
  constructor(deliver: (collector: string, item: T) => void, places: Places = {}, isWhole = false) {
    this.deliver = deliver;
    this.isWhole = isWhole;
    for (const [name, runs] of Object.entries(places)) {
      const collector = this.collectorOf(name);
      for (const [key, known] of Object.entries(runs)) {
        const { delivered, lost } =
          typeof known === 'number' ? { delivered: known > 1 ? [1, known] : [], lost: 0 } : known;
        const run = this.runOf(collector, key);
        run.lost = lost;
        for (let i = 0; i < delivered.length; i += 2)
          this.add(collector, run, { run: key, from: delivered[i], to: delivered[i + 1] });
      }
    }
  }

  take(name: string, item: T): void {
    const collector = this.collectorOf(name);
    const run = this.runOf(collector, item.run);
    const { early, ranges } = run;
    this.lost += Math.max(0, (item.lost ?? 0) - run.lost);
    run.lost = Math.max(run.lost, item.lost ?? 0);
    if (early.has(item.number) || ranges.some(({ from, to }) => from <= item.number && item.number < to)) {
      this.duplicates++;
      return;
    }
    const before = this.missingIn(run);
    early.set(item.number, { item, floor: item.floor });
    // made-up messages that wait for others must not fill the memory
    const [oldest] = early.keys();
    const isFull = early.size > BUS_LIVE_LIMITS.window;
    for (const number of early.size > 1 ? [...early.keys()].sort((a, b) => a - b) : [item.number]) {
      const one = early.get(number);
      if (!one) continue;
      one.floor = Math.max(one.floor, Math.min(item.floor, number));
      const isDue = (isFull && number === oldest) || isCovered(run.ranges, one.floor, number);
      if (!isDue) continue;
      early.delete(number);
      this.add(collector, run, { run: item.run, from: number, to: number + 1 });
      this.deliver(name, one.item);
    }
    this.missing += this.missingIn(run) - before;
  }

  /** Notes what was delivered; where that is too much, what was silent for longest goes. */
  private add({ runs, ranges }: Collector<T>, run: Run<T>, added: NumberRange): void {
    const touching = run.ranges.filter(({ from, to }) => from <= added.to && added.from <= to);
    for (const one of touching) {
      ranges.delete(one);
      added.from = Math.min(added.from, one.from);
      added.to = Math.max(added.to, one.to);
    }
    ranges.add(added);
    run.ranges = [...run.ranges.filter((one) => !touching.includes(one)), added];
    run.ranges.sort((a, b) => a.from - b.from);
    if (ranges.size <= BUS_LIVE_LIMITS.runs) return;
    const [oldest] = ranges;
    ranges.delete(oldest);
    const silent = runs.get(oldest.run);
    if (silent) silent.ranges = silent.ranges.filter((one) => one !== oldest);
  }

  /** Messages that are certain to be missing. */
  private missingIn({ ranges, early }: Run<T>): number {
    let missing = 0;
    for (let i = 1; i < ranges.length; i++) missing += ranges[i].from - ranges[i - 1].to;
    if (!this.isWhole) return missing;
    let first = ranges[0]?.from ?? Number.POSITIVE_INFINITY;
    for (const { floor } of early.values()) first = Math.min(first, floor);
    return Number.isFinite(first) ? missing + first - 1 : missing;
  }

  /** Where there are too many, the one of which least came makes room: names may be forged. */
  private collectorOf(name: string): Collector<T> {
    const known = this.collectors.get(name);
    if (known) return known;
    if (this.collectors.size >= BUS_LIVE_LIMITS.collectors) {
      const [[least, { runs }]] = [...this.collectors].sort(([, a], [, b]) => deliveredOf(a) - deliveredOf(b));
      for (const { early } of runs.values()) this.refused += early.size;
      this.collectors.delete(least);
    }
    const collector = { runs: new Map(), ranges: new Set<NumberRange>() };
    this.collectors.set(name, collector);
    return collector;
  }

  /** The run that was silent for longest makes room: numbers of runs say nothing, a message may be forged. */
  private runOf({ runs, ranges }: Collector<T>, name: string): Run<T> {
    const run = runs.get(name) ?? { ranges: [], early: new Map(), lost: 0 };
    runs.delete(name);
    runs.set(name, run);
    if (runs.size > BUS_LIVE_LIMITS.runs) {
      const [[oldest, silent]] = runs;
      runs.delete(oldest);
      for (const range of silent.ranges) ranges.delete(range);
    }
    return run;
  }

  /** Whether anything waits for what should come before it. */
  get isWaiting(): boolean {
    return !this.waiting().next().done;
  }

  /** Everything that waits. */
  *waiting(): Generator<T> {
    for (const { runs } of this.collectors.values())
      for (const { early } of runs.values()) for (const { item } of early.values()) yield item;
  }

  places(): Places {
    // names come from the bus: __proto__ is one like any other
    return Object.fromEntries(
      [...this.collectors].map(([name, { runs }]) => [
        name,
        Object.fromEntries(
          [...runs]
            .filter(([, { ranges }]) => ranges.length > 0)
            .map(([run, { ranges, lost }]) => [run, { delivered: ranges.flatMap(({ from, to }) => [from, to]), lost }]),
        ),
      ]),
    );
  }
}

function deliveredOf({ ranges }: Collector<unknown>): number {
  return [...ranges].reduce((sum, { from, to }) => sum + to - from, 0);
}

/** Whether nothing is to be waited for between two numbers. */
function isCovered(ranges: readonly NumberRange[], from: number, to: number): boolean {
  return from >= to || ranges.some((one) => one.from <= from && to <= one.to);
}
