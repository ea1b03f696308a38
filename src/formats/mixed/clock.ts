import { type Clock, NO_CLOCK } from '../../core/clock.ts';
import type { FaultList } from '../../core/fault.ts';
import type { ClockOptions } from '../../core/format.ts';
import type { RecordTable } from '../../core/table.ts';
import { mavlinkClock } from '../mavlink/clock.ts';
import { FrameCodec } from '../mavlink/codec.ts';
import { nmeaClock } from '../nmea/clock.ts';
import { SentenceCodec } from '../nmea/codec.ts';
import { PayloadCodec } from '../ubx/schema.ts';
import { xbusClock } from '../xbus/clock.ts';

/** Rows of a protocol without UTC that are compared with their neighbours. */
const COMPARED = 1000;

/** The tables of one protocol, and how they are timed. */
interface SourceTables {
  readonly tables: readonly RecordTable[];
  readonly clock: Clock;
  /** Microseconds to add for UTC. */
  shift: number;
}

/**
 * The clock of a stream in which protocols take turns: each has its own. One that never learned UTC is put on it by the
 * others: neighbours in the stream was sent at the same time, so the median of the differences between
 * neighbours is what its clock is behind.
 */
export async function mixedClock(
  all: readonly RecordTable[],
  options: ClockOptions,
  faults?: FaultList,
): Promise<Clock> {
  // messages that are not decoded have no times
  const tables = all.filter(({ schema }) => !(schema.codec instanceof PayloadCodec));
  const [sentences, frames, packets] = [SentenceCodec, FrameCodec, undefined].map((codec) =>
    tables.filter(({ schema }) =>
      codec
        ? schema.codec instanceof codec
        : ![SentenceCodec, FrameCodec].some((other) => schema.codec instanceof other),
    ),
  );
  const parts: SourceTables[] = [
    { tables: sentences, clock: await nmeaClock(sentences, options, faults), shift: 0 },
    { tables: frames, clock: await mavlinkClock(frames, faults), shift: 0 },
    { tables: packets, clock: await xbusClock(packets), shift: 0 },
  ].filter((part) => part.tables.some(({ rows }) => rows > 0));
  const leader = parts.find(({ clock }) => clock.utc) ?? parts.find(({ clock }) => clock.kind !== 'none') ?? parts[0];
  const remarks = parts.flatMap(({ clock }) => clock.remarks);
  for (const part of parts) {
    if (part === leader || part.clock.utc || !leader.clock.utc || part.clock.kind === 'none') continue;
    part.shift = await shiftOf(part, leader);
    if (Number.isNaN(part.shift)) continue;
    remarks.push(`${part.clock.kind} put on UTC by its neighbors in the stream: ${part.clock.source}`);
  }
  return joinedBy(parts, leader, remarks);
}

function joinedBy(parts: readonly SourceTables[], leader: SourceTables | undefined, remarks: readonly string[]): Clock {
  const { kind, utc, source, baseOffset, parts: logs, range } = leader?.clock ?? NO_CLOCK;
  const partOf = new Map(
    parts.flatMap((part) => part.tables.map((table): [RecordTable, SourceTables] => [table, part])),
  );
  return {
    ...{ kind, utc, source, baseOffset, remarks, parts: logs },
    timesAll: parts.length > 0 && parts.every(({ clock }) => clock.timesAll === true),
    range: parts.length === 1 ? range : undefined,
    field: (table) => partOf.get(table)?.clock.field(table),
    fromField(table, column, from) {
      const part = partOf.get(table);
      return part ? shifted(part.clock.fromField(table, column, from), part.shift) : new Float64Array(0);
    },
    async times(table, from, to) {
      const part = partOf.get(table);
      if (!part) return new Float64Array(to - from).fill(Number.NaN);
      return shifted(await part.clock.times(table, from, to), part.shift);
    },
  };
}

function shifted(times: Float64Array, shift: number): Float64Array {
  if (shift !== 0) for (let i = 0; i < times.length; i++) times[i] += shift;
  return times;
}

/** By how much the clock of one part is behind that of another: the median over neighbours in the stream. */
async function shiftOf(part: SourceTables, leader: SourceTables): Promise<number> {
  const [own, other] = [await longest(part), await longest(leader)];
  if (!own || !other) return Number.NaN;
  const [times, known] = [own.times, other.times];
  const every = Math.max(1, Math.floor(times.length / COMPARED));
  const differences: number[] = [];
  for (let row = 0; row < times.length; row += every) {
    // the neighbour before it, by its place
    const near = other.table.offsets.rowFrom(own.table.offsets.at(row)) - 1;
    const difference = known[near] - times[row];
    if (!Number.isNaN(difference)) differences.push(difference);
  }
  return differences.sort((a, b) => a - b)[differences.length >> 1] ?? Number.NaN;
}

/** The table of a part with most rows that have a time. */
async function longest({
  tables,
  clock,
}: SourceTables): Promise<{ table: RecordTable; times: Float64Array } | undefined> {
  const timed = tables.filter((table) => table.rows > 0 && (clock.timesAll || clock.field(table) !== undefined));
  const [table] = (timed.length > 0 ? timed : tables).toSorted((a, b) => b.rows - a.rows);
  return table && { table, times: await clock.times(table, 0, table.rows) };
}
