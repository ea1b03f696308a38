import { firstIndex } from '../../core/search.ts';
import type { Table } from '../../core/table.ts';

/** The time from one start of a sender to the next, as its SYSTEM_TIME messages tell it. Times are microseconds. */
export interface Boot {
  /** When it was started, in UTC; NaN where it never learned the date. */
  readonly base: number;
  /** Where the first message stands that had a date, or the first of all. */
  readonly baseOffset: number;
  /** Where its first message stands, and where and when since boot its last one was sent. */
  readonly from: number;
  readonly to: number;
  readonly last: number;
}

/** By how much a time since boot may go back without a new boot. */
const BACK = 1e6;

/**
 * The starts of a sender. The date comes from a receiver or a ground station and may be corrected on the way, so the
 * base is the one in the middle of all that are told.
 * @param dates microseconds from which on they are a date
 */
export async function findBoots(table: Table, dates: number): Promise<Boot[]> {
  const [unix, sinceBoot] = (await table.columns(['time_unix_usec', 'time_boot_ms'])).map((column) => column.numbers());
  const boots: Boot[] = [];
  let first = 0;
  for (let row = 1; row <= table.rows; row++) {
    if (row < table.rows && sinceBoot[row] * 1000 >= sinceBoot[row - 1] * 1000 - BACK) continue;
    boots.push(bootOf(table, unix, sinceBoot, first, row, dates));
    first = row;
  }
  return boots;
}

function bootOf(
  table: Table,
  unix: Float64Array,
  sinceBoot: Float64Array,
  from: number,
  to: number,
  dates: number,
): Boot {
  const bases: number[] = [];
  let baseRow = -1;
  for (let row = from; row < to; row++) {
    if (!(unix[row] >= dates)) continue;
    if (baseRow < 0) baseRow = row;
    bases.push(unix[row] - sinceBoot[row] * 1000);
  }
  const sorted = Float64Array.from(bases).sort();
  return {
    base: sorted.length > 0 ? sorted[sorted.length >> 1] : Number.NaN,
    baseOffset: table.offsets.at(Math.max(from, baseRow)),
    from: table.offsets.at(from),
    to: table.offsets.at(to - 1),
    last: sinceBoot[to - 1] * 1000,
  };
}

/** The time of a record at `offset` that was made `micros` after its sender was started. */
export function timeIn(boots: readonly Boot[], micros: number, offset: number): number {
  const low = Math.max(0, firstIndex(boots.length, (i) => boots[i].from > offset) - 1);
  const boot = boots[low];
  // between the last message of a boot and the first of the next, a time that fell back is of the next
  const isNext = offset > boot.to && low + 1 < boots.length && micros < boot.last - BACK;
  return (isNext ? boots[low + 1] : boot).base + micros;
}
