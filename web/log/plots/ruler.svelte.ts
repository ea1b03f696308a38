import { newestOnly } from '../../shared/newest.ts';
import type { LogPage } from '../page.svelte.ts';
import type { Trace } from './panes.svelte.ts';

/** What changed between two moments. */
interface Measured {
  readonly change: number;
  /** By the second. */
  readonly slope: number;
}

/** Measures between two moments: the first click sets one end, the second the other, until then it is the pointer. */
export class Ruler {
  isOn: boolean = $state(false);
  from: number | null = $state(null);
  to: number | null = $state(null);
  private readonly page: LogPage;
  /** Values of the traces at both ends, by the number of the trace. */
  private values: ReadonlyMap<number, readonly [from: number, to: number]> = $state.raw(new Map());

  constructor(page: LogPage) {
    this.page = page;
  }

  toggle(): void {
    this.isOn = !this.isOn;
    this.from = null;
    this.to = null;
  }

  click(time: number): void {
    if (!this.isOn) return;
    if (this.from === null || this.to !== null) {
      this.from = time;
      this.to = null;
    } else {
      this.to = time;
    }
    void this.ask();
  }

  /** The second end, wherever it is now. */
  get end(): number | null {
    return this.to ?? this.page.pointer;
  }

  /** Microseconds from one end to the other. */
  get length(): number | null {
    return this.from === null || this.end === null ? null : this.end - this.from;
  }

  of({ id, pointed }: Trace): Measured | null {
    const { length } = this;
    const known = this.values.get(id);
    if (!this.isOn || length === null || !known) return null;
    const change = (this.to === null ? pointed : known[1]) - known[0];
    return { change, slope: change / (length / 1e6) };
  }

  /** Asks for the values at the ends; also when other lines are shown. */
  readonly ask: () => Promise<void> = newestOnly(() => this.askNow());

  private async askNow(): Promise<void> {
    const { from, to, page } = this;
    if (!this.isOn || from === null) return;
    const { traces } = page.plots;
    const [begin, end] = await Promise.all([from, to ?? from].map((time) => page.valuesAt(traces, time)));
    this.values = new Map(traces.map(({ id }, i) => [id, [begin[i], end[i]]]));
  }
}
