import type { Log, RecordTable } from '../../../src/entry/pages.ts';

/** When an item of the mission was begun for the first time, in microseconds of the log's clock. */
export interface MissionItem {
  readonly item: number;
  readonly time: number;
}

/** Items that are listed. */
const MOST = 1000;

/** Which item a record is about, and of how many: 0 where it does not say. */
interface Entry {
  readonly item: number;
  readonly total: number;
  readonly time: number;
}

/** Mission items in the order begun: ArduPilot logs each (MISE, before it CMD); MAVLink repeats the current one. */
export async function missionItems(log: Log): Promise<MissionItem[]> {
  for (const [name, item, total, find] of SOURCES) {
    const table = log.tables.find((each) => each.name === name && each.rows > 0 && each.field(item));
    if (!table) continue;
    const begun = find(await entriesOf(table, item, total));
    if (begun.length > 0) return firstOfEach(begun);
  }
  return [];
}

const SOURCES: readonly (readonly [table: string, item: string, total: string, (entries: Entry[]) => Entry[]])[] = [
  ['MISE', 'CNum', 'CTot', (entries) => entries],
  ['CMD', 'CNum', 'CTot', withoutLists],
  ['MISSION_CURRENT', 'seq', '', changes],
];

async function entriesOf(table: RecordTable, item: string, total: string): Promise<Entry[]> {
  const names = [item, ...(table.field(total) ? [total] : [])];
  const { times, columns } = await table.timedColumns(names);
  const [items, totals] = columns.map((column) => column.numbers());
  return Array.from(times, (time, row) => ({ time, item: items[row], total: totals?.[row] ?? 0 }));
}

/** When a log begins, all items are listed from 0 on, which is home and is never flown to. That begins none of them. */
function withoutLists(entries: readonly Entry[]): Entry[] {
  const begun: Entry[] = [];
  let listed = -1;
  for (const entry of entries) {
    const isListed = entry.item === 0 || (listed >= 0 && entry.item === listed + 1 && entry.item < entry.total);
    listed = isListed ? entry.item : -1;
    // the last one ends the list: what comes after it may be the next number again
    if (listed === entry.total - 1) listed = -1;
    if (!isListed) begun.push(entry);
  }
  return begun;
}

/** What was current when the log began was begun before it. */
function changes(entries: readonly Entry[]): Entry[] {
  return entries.filter(({ item }, row) => row > 0 && item !== entries[row - 1].item);
}

function firstOfEach(entries: readonly Entry[]): MissionItem[] {
  const found = new Map<number, MissionItem>();
  for (const { item, time } of entries)
    if (item > 0 && !Number.isNaN(time) && !found.has(item)) found.set(item, { item, time });
  return [...found.values()].slice(0, MOST);
}
