import { inOrder } from '../core/merge.ts';
import type { Table } from '../core/table.ts';
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
  /** Latitude or longitude missing, beyond what the globe has, or both exactly 0, which means that they are not known. */
  outOfRange: number;
  /** The receiver's time of the fix before, or where it tells none the same time of the log. */
  duplicate: number;
}

/** The valid fixes of one source, in the order of the log. */
export interface Fixes {
  readonly time: Float64Array;
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly alt: Float64Array;
  readonly speed: Float64Array;
  readonly course: Float64Array;
  /** How many rows the source has in the range of time. */
  readonly rows: number;
  readonly dropped: Readonly<Dropped>;
}

/** The least quality that is a fix: two dimensions. Statuses of 15 years agree on this: 0 and 1 never are one. */
const FIX_2D = 2;

interface Part extends Positions {
  readonly time: Float64Array;
}

/**
 * Reads the fixes of one source, whose records may be in several tables if their definition changed on the way; `more`
 * gives what other tables tell about the same fixes.
 */
export async function readFixes(
  tables: readonly Table[],
  range: TimeRange,
  more: (table: Table) => Promise<Partial<Positions>> = async () => ({}),
): Promise<Fixes> {
  const parts: Part[] = [];
  for (const table of tables)
    parts.push({ ...(await readPositions(table)), ...(await more(table)), time: await table.times() });
  const selection = new Selection(
    tables.reduce((sum, table) => sum + table.rows, 0),
    range,
  );
  if (parts.length === 1) for (let row = 0; row < parts[0].time.length; row++) selection.take(parts[0], row);
  else for (const { index, row } of inOrder(tables)) selection.take(parts[index], row);
  return selection.end();
}

/** Takes rows one after the other and keeps those that are a fix of their own. */
class Selection {
  private readonly from: number;
  private readonly to: number;
  private readonly columns: Record<'time' | 'lon' | 'lat' | 'alt' | 'speed' | 'course', Float64Array>;
  private readonly dropped: Dropped = { noFix: 0, outOfRange: 0, duplicate: 0 };
  private rows = 0;
  private count = 0;
  private lastTime = Number.NaN;
  private lastGpsTime = Number.NaN;

  constructor(rows: number, { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: TimeRange) {
    this.from = from;
    this.to = to;
    const column = (): Float64Array => new Float64Array(rows);
    this.columns = {
      time: column(),
      lon: column(),
      lat: column(),
      alt: column(),
      speed: column(),
      course: column(),
    };
  }

  take(part: Part, row: number): void {
    const time = part.time[row];
    if (time < this.from || time >= this.to || (Number.isNaN(time) && this.isBounded())) return;
    this.rows++;
    if (!(part.fix[row] >= FIX_2D)) this.dropped.noFix++;
    else if (!isOnGlobe(part.lat[row], part.lon[row])) this.dropped.outOfRange++;
    else if (this.isRepeated(part, row)) this.dropped.duplicate++;
    else this.keep(part, row);
  }

  /** A row without a time lies in no range but the whole. */
  private isBounded(): boolean {
    return this.from !== Number.NEGATIVE_INFINITY || this.to !== Number.POSITIVE_INFINITY;
  }

  /** The same time and the same place. A receiver that moved without telling a new time has made a new fix. */
  private isRepeated({ time, gpsTime, lat, lon }: Part, row: number): boolean {
    const isNow = Number.isNaN(gpsTime[row]) ? time[row] === this.lastTime : gpsTime[row] === this.lastGpsTime;
    const { columns, count } = this;
    return isNow && count > 0 && lat[row] === columns.lat[count - 1] && lon[row] === columns.lon[count - 1];
  }

  private keep(part: Part, row: number): void {
    const { columns, count } = this;
    columns.time[count] = part.time[row];
    columns.lon[count] = part.lon[row];
    columns.lat[count] = part.lat[row];
    columns.alt[count] = part.alt[row];
    columns.speed[count] = part.speed[row];
    columns.course[count] = part.course[row];
    this.lastTime = part.time[row];
    this.lastGpsTime = part.gpsTime[row];
    this.count++;
  }

  end(): Fixes {
    const { count, rows, dropped } = this;
    const { time, lon, lat, alt, speed, course } = this.columns;
    const cut = (column: Float64Array): Float64Array => column.slice(0, count);
    return {
      time: cut(time),
      lon: cut(lon),
      lat: cut(lat),
      alt: cut(alt),
      speed: cut(speed),
      course: cut(course),
      rows,
      dropped,
    };
  }
}

/** NaN fails every comparison. */
function isOnGlobe(lat: number, lon: number): boolean {
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && !(lat === 0 && lon === 0);
}
