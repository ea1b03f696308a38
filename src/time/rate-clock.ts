import type { Clock } from '../core/clock.ts';
import { inOrder } from '../core/merge.ts';
import type { Table } from '../core/table.ts';

/** Records a second of a kind whose rate was never seen. */
const DEFAULT_RATE = 50;

/**
 * The clock of logs whose records carry no time: GPS records give the time now and then, and between them a record's
 * time follows from how many of its kind came since, at the highest rate at which that kind was seen to come. The
 * first walk over the log learns the rates, the second uses them.
 */
export class RateClock implements Clock {
  readonly kind = 'gps-interpolated';
  readonly utc: boolean;
  readonly source: string;
  readonly remarks: readonly string[];
  private readonly tables: readonly Table[];
  private readonly fixes: ReadonlyMap<Table, Float64Array>;
  private all: Map<Table, Float64Array> | undefined;

  /** @param fixes for each GPS table the time of its rows in microseconds, NaN where a row has none */
  constructor(
    tables: readonly Table[],
    fixes: ReadonlyMap<Table, Float64Array>,
    options: { readonly utc: boolean; readonly source: string; readonly remarks: readonly string[] },
  ) {
    this.tables = tables.filter((table) => table.rows > 0);
    this.fixes = fixes;
    this.utc = options.utc;
    this.source = options.source;
    this.remarks = options.remarks;
  }

  field(): undefined {
    return undefined;
  }

  fromField(): Float64Array {
    return new Float64Array(0);
  }

  async times(table: Table, from: number, to: number): Promise<Float64Array> {
    this.all ??= this.stamp(this.learnRates());
    const times = this.all.get(table);
    return times ? times.slice(from, to) : new Float64Array(to - from).fill(Number.NaN);
  }

  private learnRates(): Map<string, number> {
    const rates = new Map<string, number>();
    for (const { since, micros } of this.intervals()) learn(rates, since, micros);
    return rates;
  }

  /** What came between one fix and the next: how many of each kind, and how long it took. */
  private *intervals(): Generator<{ since: ReadonlyMap<string, number>; micros: number }> {
    const since = new Map<string, number>();
    let base = Number.NaN;
    for (const { table, row } of inOrder(this.tables)) {
      since.set(table.name, (since.get(table.name) ?? 0) + 1);
      const fix = this.fixes.get(table)?.[row] ?? Number.NaN;
      if (fix <= base || Number.isNaN(fix)) continue;
      if (fix > base) yield { since, micros: fix - base };
      base = fix;
      since.clear();
    }
  }

  private stamp(rates: ReadonlyMap<string, number>): Map<Table, Float64Array> {
    const times = new Map(this.tables.map((table) => [table, new Float64Array(table.rows)]));
    const since = new Map<string, number>();
    const first = this.firstFix();
    // what comes before the first fix takes its time; a log without any counts from 0
    let base = first ?? 0;
    let waits = first !== undefined;
    for (const { table, row } of inOrder(this.tables)) {
      const { name } = table;
      const fix = this.fixes.get(table)?.[row] ?? Number.NaN;
      since.set(name, (since.get(name) ?? 0) + 1);
      if (fix > base || (waits && fix === base)) {
        base = fix;
        waits = false;
        since.clear();
      }
      const count = waits ? 0 : (since.get(name) ?? 0);
      (times.get(table) as Float64Array)[row] = base + (count / (rates.get(name) ?? DEFAULT_RATE)) * 1e6;
    }
    return times;
  }

  /** The first fix in the order of the source. */
  private firstFix(): number | undefined {
    const gps = [...this.fixes.keys()];
    for (const { table, row } of inOrder(gps)) {
      const fix = this.fixes.get(table)?.[row] ?? Number.NaN;
      if (!Number.isNaN(fix)) return fix;
    }
    return undefined;
  }
}

function learn(rates: Map<string, number>, since: ReadonlyMap<string, number>, micros: number): void {
  for (const [name, count] of since) {
    const rate = count / (micros / 1e6);
    if (rate >= 1 && rate > (rates.get(name) ?? 0)) rates.set(name, rate);
  }
}
