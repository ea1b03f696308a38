import { BUS_LIVE_LIMITS } from '../core/bus-live-limits.ts';

/** What is asked of a message in order to put it in its place. */
export interface Numbered {
  readonly run: string;
  readonly number: number;
  /** All below it came before, or will never come. */
  readonly floor: number;
}

/** How far a run was delivered: what comes next. */
export type Places = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface Run<T> {
  next: number;
  /** What came before its turn. */
  readonly early: Map<number, T>;
  /** Whether anything of it was delivered: what came before we looked is not missing. */
  isKnown: boolean;
}

/**
 * Puts the messages of collectors in order, each once. A bus may have one of them twice, because it was sent again, or one
 * behind its successors, because it was lost on its first way; it never has one behind a message whose floor is above it.
 */
export class Sequence<T extends Numbered> {
  /** Messages that came again, that never came, and of collectors beyond those that are told apart. */
  duplicates = 0;
  missing = 0;
  refused = 0;
  private readonly collectors: Map<string, Map<string, Run<T>>> = new Map();
  private readonly deliver: (collector: string, item: T) => void;
  private readonly isWhole: boolean;

  /**
   * @param places what was delivered before
   * @param isWhole whether runs are wanted from their beginning: otherwise what came before we looked is not missing
   */
  constructor(deliver: (collector: string, item: T) => void, places: Places = {}, isWhole = false) {
    this.deliver = deliver;
    this.isWhole = isWhole;
    for (const [collector, runs] of Object.entries(places)) {
      const known = Object.entries(runs).map(
        ([run, next]) => [run, { next, early: new Map(), isKnown: true }] as const,
      );
      this.collectors.set(collector, new Map(known));
    }
  }

  take(collector: string, item: T): void {
    const run = this.runOf(collector, item);
    if (!run) {
      this.refused++;
      return;
    }
    if (item.number < run.next || run.early.has(item.number)) {
      this.duplicates++;
      return;
    }
    run.early.set(item.number, item);
    if (item.floor > run.next) this.skipTo(collector, run, item.floor);
    for (let due = run.early.get(run.next); due; due = run.early.get(run.next)) this.step(collector, run, due);
  }

  /** What is below the floor has come, or never will. A hostile floor may be far away: nothing is counted one by one. */
  private skipTo(collector: string, run: Run<T>, floor: number): void {
    const due = [...run.early].filter(([number]) => number < floor).sort(([a], [b]) => a - b);
    if (run.isKnown) this.missing += floor - run.next - due.length;
    for (const [, item] of due) this.step(collector, run, item);
    run.next = floor;
  }

  private step(collector: string, run: Run<T>, item: T): void {
    run.early.delete(item.number);
    run.isKnown = true;
    run.next = item.number + 1;
    this.deliver(collector, item);
  }

  private runOf(collector: string, { run, floor }: Numbered): Run<T> | undefined {
    let runs = this.collectors.get(collector);
    if (!runs) {
      if (this.collectors.size >= BUS_LIVE_LIMITS.collectors) return undefined;
      runs = new Map();
      this.collectors.set(collector, runs);
    }
    let found = runs.get(run);
    if (!found) {
      if (runs.size >= BUS_LIVE_LIMITS.runs) {
        const oldest = [...runs.keys()].sort()[0];
        // one that is older than all that are remembered was delivered long ago
        if (run < oldest) return undefined;
        runs.delete(oldest);
      }
      found = { next: this.isWhole ? 1 : floor, early: new Map(), isKnown: this.isWhole };
      runs.set(run, found);
    }
    return found;
  }

  /** Whether anything waits for what should come before it. */
  get isWaiting(): boolean {
    for (const runs of this.collectors.values()) for (const { early } of runs.values()) if (early.size > 0) return true;
    return false;
  }

  /** Everything that waits. */
  *waiting(): Generator<T> {
    for (const runs of this.collectors.values()) for (const { early } of runs.values()) yield* early.values();
  }

  places(): Places {
    // names come from the bus: __proto__ is one like any other
    return Object.fromEntries(
      [...this.collectors].map(([collector, runs]) => [
        collector,
        Object.fromEntries([...runs].map(([run, { next }]) => [run, next])),
      ]),
    );
  }
}
