import { inOrder } from '../core/records.ts';
import type { RecordTable } from '../core/table.ts';
import { believableAltitude, believableSpeed, isOnGlobe, onTheWay } from './plausible.ts';
import { type Positions, readPositions } from './position.ts';

/** Part of a log by time in microseconds, the end not included. */
export interface TimeRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Rows that do not become points of a track, by why. */
export interface Dropped {
  /** The receiver had no fix, not even in two dimensions. */
  noFix: number;
  /** Latitude or longitude missing, beyond what the globe has, or both about 0, which means that they are not known. */
  outOfRange: number;
  /** The receiver's time of the fix before, or, without it, the same time of the log. */
  duplicate: number;
  /** The record has no time that is believed, in a log whose others have. */
  untimed: number;
  /** No vehicle can have flown there from where the others are. */
  unreachable: number;
}

/** The valid fixes of one source as columns of equal length, in the order of the log. */
export interface Fixes {
  /** Microseconds; NaN where the log has no time. */
  readonly time: Float64Array;
  /** Degrees, WGS 84. */
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  /** Metres above mean sea level; NaN if none. */
  readonly alt: Float64Array;
  /** Speed over ground in metres a second; NaN if none. */
  readonly speed: Float64Array;
  /** Course over ground in degrees from north; NaN if none. */
  readonly course: Float64Array;
  /** Rows of the source in the range of time: points and all that was dropped. */
  readonly rows: number;
  readonly dropped: Readonly<Dropped>;
  /** Altitudes that no vehicle can have: they count as unknown. */
  readonly badAltitudes: number;
}

const COLUMNS = ['time', 'lon', 'lat', 'alt', 'speed', 'course'] as const;
export type FixColumns = Pick<Fixes, (typeof COLUMNS)[number]>;

/** Makes each of the columns. */
export function fixColumns(make: (name: keyof FixColumns) => Float64Array): FixColumns {
  return Object.fromEntries(COLUMNS.map((name) => [name, make(name)])) as unknown as FixColumns;
}

export function nothingDropped(): Dropped {
  return { noFix: 0, outOfRange: 0, duplicate: 0, untimed: 0, unreachable: 0 };
}

/** The least quality that is a fix: two dimensions. Statuses of 15 years agree on this: 0 and 1 never are one. */
const FIX_2D = 2;

interface TimedPositions extends Positions {
  readonly time: Float64Array;
}

/** Reads the fixes of one source from its tables; `more` adds what other tables say about the same fixes. */
export async function readFixes(
  tables: readonly RecordTable[],
  range: TimeRange,
  more: (table: RecordTable) => Promise<Partial<Positions>> = async () => ({}),
): Promise<Fixes> {
  const parts: TimedPositions[] = [];
  for (const table of tables)
    parts.push({ ...(await readPositions(table)), ...(await more(table)), time: await table.times() });
  const selection = new Selection(
    tables.reduce((sum, table) => sum + table.rows, 0),
    range,
  );
  const places = (tables[0]?.clock?.parts ?? []).slice(1).map(({ offset }) => offset);
  selection.isTimed = parts.some(({ time }) => time.some((each) => !Number.isNaN(each)));
  let next = 0;
  for (const { index, row, offset } of inOrder(tables)) {
    for (; offset >= places[next]; next++) selection.split();
    selection.take(parts[index], row);
  }
  return selection.end();
}

/** Keeps the rows that are a new fix. */
class Selection {
  private readonly from: number;
  private readonly to: number;
  private readonly columns: FixColumns;
  private readonly dropped = nothingDropped();
  /** Where parts of the log begin: a vehicle may be elsewhere then. */
  private readonly splits: number[] = [];
  /** Whether any row has a time. */
  isTimed = false;
  private rows = 0;
  private count = 0;
  private lastTime = Number.NaN;
  private lastGpsTime = Number.NaN;

  constructor(rows: number, { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: TimeRange) {
    this.from = from;
    this.to = to;
    this.columns = fixColumns(() => new Float64Array(rows));
  }

  take(part: TimedPositions, row: number): void {
    const time = part.time[row];
    if (time < this.from || time >= this.to || (Number.isNaN(time) && this.isBounded())) return;
    this.rows++;
    if (this.isTimed && Number.isNaN(time)) this.dropped.untimed++;
    else if (!(part.fix[row] >= FIX_2D)) this.dropped.noFix++;
    else if (!isOnGlobe(part.lat[row], part.lon[row])) this.dropped.outOfRange++;
    else if (this.isRepeated(part, row)) this.dropped.duplicate++;
    else this.keep(part, row);
  }

  /** Another part of the log begins. */
  split(): void {
    this.splits.push(this.count);
    this.lastTime = Number.NaN;
    this.lastGpsTime = Number.NaN;
  }

  /** A row without a time is in no range but the whole. */
  private isBounded(): boolean {
    return this.from !== Number.NEGATIVE_INFINITY || this.to !== Number.POSITIVE_INFINITY;
  }

  /** The same time and the same place. A receiver that moved without telling a new time has made a new fix. */
  private isRepeated({ time, gpsTime, lat, lon }: TimedPositions, row: number): boolean {
    const isNow = Number.isNaN(gpsTime[row]) ? time[row] === this.lastTime : gpsTime[row] === this.lastGpsTime;
    const { columns, count } = this;
    return isNow && count > 0 && lat[row] === columns.lat[count - 1] && lon[row] === columns.lon[count - 1];
  }

  private keep(part: TimedPositions, row: number): void {
    const { columns, count } = this;
    for (const name of COLUMNS) columns[name][count] = part[name][row];
    this.lastTime = part.time[row];
    this.lastGpsTime = part.gpsTime[row];
    this.count++;
  }

  end(): Fixes {
    const { count, rows, dropped, columns } = this;
    const kept = this.believable();
    dropped.unreachable += count - kept.length;
    const pick = (column: Float64Array): Float64Array =>
      kept.length === count ? column.slice(0, count) : Float64Array.from(kept, (i) => column[i]);
    const told = pick(columns.alt);
    const alt = told.map(believableAltitude);
    const speed = pick(columns.speed).map(believableSpeed);
    return {
      ...fixColumns((name) => ({ alt, speed })[name as 'alt'] ?? pick(columns[name])),
      rows,
      dropped,
      badAltitudes: told.reduce(
        (sum, metres, i) => sum + Number(metres !== alt[i] && Number.isNaN(alt[i]) && !Number.isNaN(metres)),
        0,
      ),
    };
  }

  /** The fixes on the way that was flown, of each stretch of time apart. */
  private believable(): number[] {
    const { columns, count, splits } = this;
    const ends = new Set([...splits, count]);
    for (let i = 1; i < count; i++) if (columns.time[i] < columns.time[i - 1] - BACK) ends.add(i);
    const kept: number[] = [];
    let from = 0;
    for (const to of [...ends].sort((a, b) => a - b)) {
      for (const i of onTheWay(columns, from, to)) kept.push(i);
      from = to;
    }
    return kept;
  }
}

/** Microseconds by which time goes back where another recording begins. */
const BACK = 1e6;
