import type { Clock } from '../core/clock.ts';
import type { Column } from '../core/column.ts';
import { inOrder } from '../core/records.ts';
import type { RecordTable } from '../core/table.ts';

/** Epochs that are looked at for one of the same time: receivers do not report more at once. */
const OPEN = 64;

/** Times of the rows of a table: from their sentences, and by the clock of the log. */
interface Timed {
  readonly own: Float64Array;
  readonly arrivals: Float64Array;
}

/** For rows without a time: the epochs of the timed sentences before and after them, -1 for none. */
interface EpochNeighbours {
  readonly before: Int32Array;
  readonly behind: Int32Array;
}

/** The epochs of a log, one for each UTC time. Others belong to the one before, or after if their values show it. */
export class Epochs {
  /** Of each: microseconds by the clock of the sentences, when its first one with a time came by that of the log, and where that begins. */
  readonly times: number[] = [];
  readonly arrivals: number[] = [];
  readonly offsets: number[] = [];
  private readonly own: Map<RecordTable, Int32Array> = new Map();
  private readonly neighbours: Map<RecordTable, EpochNeighbours> = new Map();
  private readonly leading: Set<RecordTable> = new Set();

  static async find(clock: Clock, tables: readonly RecordTable[]): Promise<Epochs> {
    const epochs = new Epochs();
    const times = new Map<RecordTable, Timed>();
    for (const table of tables) {
      if (clock.field(table) === 'time')
        times.set(table, { own: await clock.times(table, 0, table.rows), arrivals: await table.times() });
      epochs.own.set(table, new Int32Array(table.rows).fill(-1));
      epochs.neighbours.set(table, {
        before: new Int32Array(table.rows).fill(-1),
        behind: new Int32Array(table.rows).fill(-1),
      });
    }
    epochs.assign(tables, times);
    await epochs.vote(tables, 'VTG', 'RMC', 'speed_kn');
    await epochs.vote(tables, 'GSA', 'GGA', 'hdop');
    return epochs;
  }

  get length(): number {
    return this.times.length;
  }

  /** The epoch of a row, -1 if it has none. */
  of(table: RecordTable, row: number): number {
    const own = this.own.get(table)?.[row] ?? -1;
    if (own >= 0) return own;
    const near = this.neighbours.get(table);
    if (!near) return -1;
    const [first, second] = this.leading.has(table) ? [near.behind, near.before] : [near.before, near.behind];
    return first[row] >= 0 ? first[row] : second[row];
  }

  private assign(tables: readonly RecordTable[], times: ReadonlyMap<RecordTable, Timed>): void {
    let last = -1;
    let waiting: { readonly behind: Int32Array; readonly row: number }[] = [];
    for (const { table, row, offset } of inOrder(tables)) {
      const timed = times.get(table);
      if (!timed || Number.isNaN(timed.own[row])) {
        const near = this.neighbours.get(table) as EpochNeighbours;
        near.before[row] = last;
        waiting.push({ behind: near.behind, row });
        continue;
      }
      last = this.indexOf(timed.own[row], timed.arrivals[row], offset);
      (this.own.get(table) as Int32Array)[row] = last;
      for (const each of waiting) each.behind[each.row] = last;
      waiting = [];
    }
  }

  private indexOf(time: number, arrival: number, offset: number): number {
    const { times } = this;
    for (let i = times.length - 1; i >= Math.max(0, times.length - OPEN); i--) if (times[i] === time) return i;
    this.offsets.push(offset);
    this.arrivals.push(arrival);
    return times.push(time) - 1;
  }

  /** A sentence without a time between two epochs may be of either: most with a value known from both decide. */
  private async vote(tables: readonly RecordTable[], name: string, witness: string, field: string): Promise<void> {
    const known = new Float64Array(this.length).fill(Number.NaN);
    // an unknown sentence may have the same name, and other fields
    const telling = tables.filter((table) => table.field(field) !== undefined);
    for (const table of telling.filter((each) => each.name === witness)) {
      const values = numbersOf(await table.column(field));
      for (let row = 0; row < table.rows; row++) {
        const epoch = this.of(table, row);
        if (epoch >= 0) known[epoch] = values[row];
      }
    }
    for (const table of telling.filter((each) => each.name === name)) {
      const values = numbersOf(await table.column(field));
      const { before, behind } = this.neighbours.get(table) as EpochNeighbours;
      let votes = 0;
      for (let row = 0; row < table.rows; row++) {
        const far = Math.abs(values[row] - known[before[row]]) - Math.abs(values[row] - known[behind[row]]);
        if (far !== 0 && !Number.isNaN(far)) votes += Math.sign(far);
      }
      if (votes > 0) this.leading.add(table);
    }
  }
}

/** Letters of modes from the best kind of fix to none: where several systems have one each, the best counts. */
const MODES = 'RFPDAEMSN';

/** A column as numbers; a text as `codeOf` has it; NaN if it is missing. */
export function numbersOf({ field, data, bits8, length }: Column): Float64Array {
  if (field.type !== 'text') return data as Float64Array;
  return Float64Array.from({ length }, (_, row) =>
    codeOf(field.name, bits8.subarray(row * field.count, (row + 1) * field.count)),
  );
}

/** A short text as a number: of several modes the code of the best, else the codes of its first two letters. */
export function codeOf(field: string, letters: ArrayLike<number>): number {
  const first = letters.length === 0 || letters[0] === 0 ? Number.NaN : letters[0];
  if (field !== 'mode') return first + 256 * (letters[1] || 0);
  let best = first;
  let least = MODES.length;
  for (let i = 0; i < letters.length && letters[i] !== 0; i++) {
    const rank = MODES.indexOf(String.fromCharCode(letters[i]));
    if (rank < 0 || rank >= least) continue;
    least = rank;
    best = letters[i];
  }
  return best;
}
