import type { Clock } from '../core/clock.ts';
import { inOrder } from '../core/records.ts';
import { firstIndex } from '../core/search.ts';
import type { RecordTable } from '../core/table.ts';

/** Records a second at which firmwares write what every log of them has, if the log does not show it. */
const USUAL_RATES: ReadonlyMap<string, number> = new Map([
  ['CTUN', 10],
  ['NTUN', 10],
  ['IMU', 50],
]);
/** Records a second of a kind whose rate is not known at all. */
const DEFAULT_RATE = 50;

/** Tables that are written at once, at the head of a log: they say nothing of how time goes by. */
const HEAD: ReadonlySet<string> = new Set(['FMT', 'FMTU', 'UNIT', 'MULT', 'PARM', 'VER', 'CMD', 'STRT']);

/** Whether the offset of some record shows that time passed. */
export function hasPulse(tables: readonly RecordTable[]): boolean {
  return tables.some(({ name, rows }) => rows > 0 && !HEAD.has(name));
}

/**
 * The clock of logs whose records carry no time. GPS records give the time now and then; between two of them it goes by
 * evenly with the bytes of the log, so that neighbours have neighbouring times whatever table they are in. Before the
 * first and after the last of them, and in a log without any, the records of the table with most rows beat time: at the
 * rate that they have between GPS records, or at that which firmwares usually write them at.
 */
export class RateClock implements Clock {
  readonly kind = 'gps-interpolated';
  readonly utc: boolean;
  readonly source: string;
  readonly remarks: readonly string[];
  readonly guessed: boolean;
  private readonly tables: readonly RecordTable[];
  private readonly fixes: ReadonlyMap<RecordTable, Float64Array>;
  private knots: Knots | undefined;

  /** @param fixes for each GPS table the time of its rows in microseconds, NaN where a row has none */
  constructor(
    tables: readonly RecordTable[],
    fixes: ReadonlyMap<RecordTable, Float64Array>,
    options: { readonly utc: boolean; readonly source: string; readonly remarks: readonly string[] },
  ) {
    this.tables = tables.filter((table) => table.rows > 0);
    this.fixes = fixes;
    this.utc = options.utc;
    this.source = options.source;
    this.remarks = options.remarks;
    this.guessed = ![...fixes.values()].some((times) => times.some((time) => !Number.isNaN(time)));
  }

  field(): undefined {
    return undefined;
  }

  fromField(): Float64Array {
    return new Float64Array(0);
  }

  async times({ offsets }: RecordTable, from: number, to: number): Promise<Float64Array> {
    this.knots ??= this.findKnots();
    const times = new Float64Array(Math.max(0, to - from));
    for (let i = 0; i < times.length; i++) times[i] = this.knots.timeAt(offsets.at(from + i));
    return times;
  }

  private findKnots(): Knots {
    const fixes = this.risingFixes();
    const pulse = this.pulse();
    if (!pulse) return new Knots(fixes);
    const step = 1e6 / (rateBetween(fixes, pulse) ?? USUAL_RATES.get(pulse.name) ?? DEFAULT_RATE);
    const [first, last] = [fixes.at(0) ?? { offset: Number.POSITIVE_INFINITY, time: 0 }, fixes.at(-1)];
    const { offsets, rows } = pulse;
    const knots: Knot[] = [];
    const firstRow = offsets.rowFrom(first.offset);
    // counted back from the first fix; a log without any counts from 0
    const zero = fixes.length > 0 ? first.time - firstRow * step : 0;
    for (let row = 0; row < firstRow; row++) knots.push({ offset: offsets.at(row), time: zero + row * step });
    for (const fix of fixes) knots.push(fix);
    if (last) {
      let time = last.time;
      for (let row = offsets.rowFrom(last.offset + 1); row < rows; row++) {
        time += step;
        knots.push({ offset: offsets.at(row), time });
      }
    }
    // without UTC times count from the start of the log
    const start = this.utc ? 0 : (knots.at(0)?.time ?? 0);
    return new Knots(start === 0 ? knots : knots.map(({ offset, time }) => ({ offset, time: time - start })));
  }

  /** The table that beats time where there is no GPS: of those that come at a known rate, else of all, the longest. */
  private pulse(): RecordTable | undefined {
    const body = this.tables.filter((table) => !HEAD.has(table.name) && !this.fixes.has(table));
    const usual = this.guessed ? body.filter(({ name }) => USUAL_RATES.has(name)) : [];
    return (usual.length > 0 ? usual : body).toSorted((a, b) => b.rows - a.rows)[0];
  }

  /** GPS records in the order of the source, as far as their time goes on. One that runs ahead of the next two is none. */
  private risingFixes(): Knot[] {
    const all: Knot[] = [];
    for (const { table, row, offset } of inOrder([...this.fixes.keys()])) {
      const time = this.fixes.get(table)?.[row] ?? Number.NaN;
      if (!Number.isNaN(time)) all.push({ offset, time });
    }
    const knots: Knot[] = [];
    for (const [i, knot] of all.entries()) {
      const last = knots.at(-1)?.time ?? Number.NEGATIVE_INFINITY;
      const isAhead = all.slice(i + 1, i + 3).filter(({ time }) => time < knot.time && time > last).length === 2;
      if (knot.time > last && !isAhead) knots.push(knot);
    }
    return knots;
  }
}

/** A place in the source whose time is known. */
interface Knot {
  readonly offset: number;
  readonly time: number;
}

/** Places whose times are known; time goes by evenly between them. */
class Knots {
  private readonly offsets: Float64Array;
  private readonly times: Float64Array;
  /** The knot that was used last: rows are asked for in order. */
  private at = 0;

  constructor(knots: readonly Knot[]) {
    this.offsets = Float64Array.from(knots, ({ offset }) => offset);
    this.times = Float64Array.from(knots, ({ time }) => time);
  }

  timeAt(offset: number): number {
    const { offsets, times } = this;
    if (offsets.length === 0) return Number.NaN;
    const k = this.before(offset);
    if (k < 0) return times[0];
    if (k + 1 >= offsets.length) return times[k];
    return times[k] + ((times[k + 1] - times[k]) * (offset - offsets[k])) / (offsets[k + 1] - offsets[k]);
  }

  /** The last knot at or before an offset, -1 if none is. */
  private before(offset: number): number {
    const { offsets, at } = this;
    if (offsets[at] <= offset && !(offsets[at + 1] <= offset)) return at;
    if (offsets[at + 1] <= offset && !(offsets[at + 2] <= offset)) return ++this.at;
    const low = firstIndex(offsets.length, (i) => offsets[i] > offset) - 1;
    this.at = Math.max(0, low);
    return low;
  }
}

/** Rows a second of a table between fixes: the middle of what each interval with some of them says. */
function rateBetween(fixes: readonly Knot[], { offsets }: RecordTable): number | undefined {
  const rates: number[] = [];
  // over some fixes at once, so that a slow table has rows in between
  const stride = Math.max(1, Math.min(10, fixes.length - 1));
  for (let i = stride; i < fixes.length; i += stride) {
    const rows = offsets.rowFrom(fixes[i].offset) - offsets.rowFrom(fixes[i - stride].offset);
    if (rows > 0) rates.push((rows * 1e6) / (fixes[i].time - fixes[i - stride].time));
  }
  return rates.sort((a, b) => a - b)[rates.length >> 1];
}
