import { joined } from '../core/bytes.ts';
import type { Log } from '../core/log.ts';
import type { RecordTable } from '../core/table.ts';
import { isLimited, recordWindows, type TrimOptions } from './records.ts';

export type { TrimOptions };

/** What a log cannot be read without, or would lose its units and parameters. */
const ALWAYS: ReadonlySet<string> = new Set(['FMT', 'FMTU', 'UNIT', 'MULT', 'PARM', 'VER']);
/** Of these, what a firmware writes at the start of each log as it is then. */
const STATES: ReadonlySet<string> = new Set(['PARM', 'VER']);

/** Where a record has its type, and a definition the type that it defines. */
const TYPE = 2;
const TYPE_DEFINED = 3;
/** Microseconds around a part in which GPS records still give it its time. */
const NEIGHBOUR = 1e6;
/** Bytes before the first field. */
const HEADER = 3;

/**
 * Part of a binary DataFlash log as a new log, byte for byte as the records were. Definitions, units and
 * parameters stay whatever the choice (parameters and the version of before the part with the time of its start), and so do the record that the clock's base came from and those that give their
 * time to others without their own time: the part has the same times as the whole. Only where no record has a
 * time but GPS records, and the rest is reckoned from how many there are, the times of a part are not quite the same.
 */
export async function* trimDataflash(log: Log, options: TrimOptions = {}): AsyncGenerator<Uint8Array> {
  if (!log.kind?.writes.includes('bin')) throw new TypeError(`a ${log.format} log cannot be written as DataFlash`);
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = options;
  const tables = log.tables.filter((table) => table.rows > 0);
  const kinds = tables.map((table) => kindOf(log, table, options.tables));
  const isTimed = isLimited(options);
  const part = new TrimmedLog();
  const needsTime = ({ name }: RecordTable, k: number): boolean =>
    isTimed && (kinds[k] !== 'always' || STATES.has(name));
  for await (const window of recordWindows(log, tables, needsTime)) {
    for (const { table, index, time, offset, start } of window.records()) {
      const kind = kinds[index];
      // parameters that were set later do not hold yet
      const isIn =
        kind === 'always'
          ? !((time ?? from) >= to)
          : kind === 'timing'
            ? isWithin(time, from - NEIGHBOUR, to + NEIGHBOUR)
            : kind === 'chosen' && isWithin(time, from, to);
      const record = asOf(window.bytes.subarray(start, start + table.schema.size), table, time, from);
      const isKept = isIn || offset === log.clock.baseOffset;
      if (table.name === 'FMT') part.define(record, isKept);
      else part.add(record, isKept, log.clock.field(table) !== undefined, kind === 'always');
    }
    const bytes = part.take();
    if (bytes.length > 0) yield bytes;
  }
}

/** A log begins with all parameters as they are then: those of before the part are written with the time of its start. */
function asOf(record: Uint8Array, { name, fields }: RecordTable, time: number | undefined, from: number): Uint8Array {
  if (!STATES.has(name) || fields[0]?.name !== 'TimeUS' || fields[0].type !== 'uint64' || !(Number(time) < from))
    return record;
  const moved = record.slice();
  const view = new DataView(moved.buffer);
  view.setBigUint64(HEADER, view.getBigUint64(HEADER, true) + BigInt(Math.round(from - Number(time))), true);
  return moved;
}

function isWithin(time: number | undefined, from: number, to: number): boolean {
  return time === undefined || (time >= from && time < to);
}

function kindOf(
  { clock }: Log,
  table: RecordTable,
  chosen: ReadonlySet<RecordTable> | undefined,
): 'always' | 'timing' | 'chosen' | 'left' {
  if (ALWAYS.has(table.name)) return 'always';
  if (clock.kind === 'gps-interpolated' && /^GPS2?$/.test(table.name)) return 'timing';
  return !chosen || chosen.has(table) ? 'chosen' : 'left';
}

/** Gathers the records of the part, with those that give others their time. */
class TrimmedLog {
  private pieces: Uint8Array[] = [];
  /** The last record with its own time, as long as it is not among the pieces. */
  private giver: Uint8Array | undefined;
  private hasMetTime = false;
  /** Whether a record without a time was kept before any that has one: it takes the first. */
  private awaitsTime = false;

  /** A definition: its time does not matter, but after it a record of its type would be read otherwise. */
  define(record: Uint8Array, isKept: boolean): void {
    if (this.giver && record[TYPE_DEFINED] === this.giver[TYPE]) this.giveTime();
    if (isKept) this.pieces.push(record);
  }

  /** @param isHead of a kind that is kept whatever the time: none is needed for it */
  add(record: Uint8Array, isKept: boolean, hasTime: boolean, isHead: boolean): void {
    if (isKept && !hasTime && !isHead) {
      this.giveTime();
      this.awaitsTime ||= !this.hasMetTime;
    }
    const isFirst = hasTime && !this.hasMetTime;
    this.hasMetTime ||= hasTime;
    const isTaken = isKept || (isFirst && this.awaitsTime);
    if (isTaken) this.pieces.push(record);
    if (hasTime) this.giver = isTaken ? undefined : record;
  }

  private giveTime(): void {
    if (this.giver) this.pieces.push(this.giver);
    this.giver = undefined;
  }

  /** What was gathered, copied; what was handed over before may be written over from here on. */
  take(): Uint8Array {
    this.giver = this.giver?.slice();
    const bytes = joined(this.pieces);
    this.pieces = [];
    return bytes;
  }
}
