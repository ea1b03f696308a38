import type { Clock } from '../../core/clock.ts';
import { FaultList } from '../../core/fault.ts';
import type { ClockOptions } from '../../core/format.ts';
import { inOrder } from '../../core/records.ts';
import type { Field } from '../../core/schema.ts';
import type { RecordTable } from '../../core/table.ts';
import { FieldClock, type Timing } from '../../time/field-clock.ts';
import { joinedClock } from '../../time/joined-clock.ts';
import { dateWords, findTimeline, partRemarks, reportOutliers } from '../../time/timeline.ts';
import { Anchors, SECOND } from './anchors.ts';

/**
 * The clock of NMEA sentences. Most have the time of day only; the date comes from RMC or ZDA of the same stream,
 * and midnight is where the time of day starts over. Nothing is taken from the clock of the machine.
 *
 *   nmea          the date is known: by RMC with a valid fix, else by ZDA, by RMC without one, by others, by tag blocks
 *   time-of-day   no sentence has a date: times count from the midnight before the first
 *   none          no sentence has a time
 */
export async function nmeaClock(
  tables: readonly RecordTable[],
  options: ClockOptions,
  faults?: FaultList,
): Promise<Clock> {
  const starts = faults ? await startsOf(tables) : [];
  if (starts.length > 0 && starts.length < LOGS) {
    // only logs with a date are kept apart: others may have the date of their neighbours
    const found = new FaultList();
    const joined = await joinedClock(tables, starts, (own) => sentenceClock(own, options, found));
    const dates = joined.parts?.map(({ clock, start }) => (clock?.utc ? start : Number.NaN)) ?? [];
    if (dates.every((date, i) => i === 0 || Math.abs(date - dates[i - 1]) > APART)) {
      for (const fault of found.kept) faults?.add(fault);
      return joined;
    }
  }
  return sentenceClock(tables, options, faults);
}

/** Logs in one stream that are kept apart, and microseconds between their dates. */
const LOGS = 64;
const APART = 3600e6;
/** Microseconds of a pause after which sentences may be of another log, and of a day and around midnight. */
const PAUSE = 600e6;
const DAY = 86_400e6;
const MIDNIGHT = 3600e6;

/** Where the time of the day does not go on. */
async function startsOf(tables: readonly RecordTable[]): Promise<number[]> {
  const { stretches } = await findTimeline({
    tables: tables.filter(({ rows, schema }) => rows > 0 && schema.fields.some(isTimeOfDay)),
    pause: PAUSE,
    times: async (table, from, to) =>
      Float64Array.from((await table.column('time', { from, to })).data as Float64Array, (each) => each * SECOND),
  });
  return stretches
    .filter(({ low }, i) => i > 0 && !(low < MIDNIGHT && stretches[i - 1].high > DAY - MIDNIGHT))
    .map(({ offset }) => offset);
}

function isTimeOfDay({ name, type }: Field): boolean {
  return name === 'time' && type === 'float64';
}

async function sentenceClock(
  tables: readonly RecordTable[],
  { weekRollovers = 0 }: ClockOptions,
  faults?: FaultList,
): Promise<Clock> {
  const anchors = await Anchors.find(tables, weekRollovers);
  const remarks: string[] = [];
  if (weekRollovers !== 0 && anchors.utc)
    remarks.push(`dates moved by ${weekRollovers} x 1,024 weeks (GPS week rollover)`);
  const clock = new SentenceClock(tables, anchors, remarks);
  if (faults) await clock.settle(faults);
  return clock;
}

/** Sentences without a time take that of the last one before them that has it; those before the first take the first. */
class SentenceClock extends FieldClock {
  constructor(tables: readonly RecordTable[], anchors: Anchors, remarks: readonly string[]) {
    const { length, utc, source, firstOffset } = anchors;
    super(
      tables.filter((table) => table.rows > 0),
      new Map(length === 0 ? [] : tables.flatMap((table) => timingOf(table, anchors))),
      {
        kind: length === 0 ? 'none' : utc ? 'nmea' : 'time-of-day',
        ...{ utc, source, remarks, base: 0, baseOffset: utc ? firstOffset : undefined },
      },
    );
  }

  /** Finds out which times are not to be believed, and how many logs are in the file. */
  async settle(faults: FaultList): Promise<void> {
    const { raw } = this;
    const line = await findTimeline(raw);
    if (line.stretches.length === 0) return;
    line.place(() => this.utc);
    this.range = line.range;
    if (!line.isPlain) {
      this.correct(raw.tables, line);
      reportOutliers(line, faults, (time) => (this.utc ? dateWords(time) : `${time / 1e6} s`));
    }
    if (line.stretches.length > 1) {
      this.parts = line.parts;
      this.remarks.push(...partRemarks(line.parts, this.utc));
    }
    await this.fill();
  }

  protected override async timeOthers(): Promise<Map<RecordTable, Float64Array>> {
    const known = new Map<RecordTable, Float64Array>();
    const others = new Map<RecordTable, Float64Array>();
    for (const table of this.tables) {
      if (this.field(table) !== undefined) known.set(table, await this.times(table, 0, table.rows));
      else others.set(table, new Float64Array(table.rows));
    }
    let last = Number.NaN;
    for (const { table, row } of inOrder([...known.keys()])) {
      last = (known.get(table) as Float64Array)[row];
      if (!Number.isNaN(last)) break;
    }
    const { parts = [] } = this;
    let part = 0;
    for (const { table, row, offset } of inOrder(this.tables)) {
      while (offset >= parts[part + 1]?.offset) last = parts[++part].start;
      const own = known.get(table)?.[row];
      if (own === undefined) (others.get(table) as Float64Array)[row] = last;
      else if (!Number.isNaN(own)) last = own;
    }
    return others;
  }
}

/** The field of a sentence that says when it was, or of its tag block. */
function timingOf(table: RecordTable, anchors: Anchors): [RecordTable, Timing][] {
  const field = ['time', 'tag_time'].find((name) => table.field(name)?.type === 'float64');
  if (field === undefined) return [];
  const timeOf = (seconds: number, row: number): number =>
    field === 'time' ? anchors.timeAt(table.offsets.at(row), seconds) : Math.round(seconds * SECOND);
  return [[table, { field, factor: 1, timeOf }]];
}
