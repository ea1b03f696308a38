import type { Log } from '../core/log.ts';
import { gpsToUtc } from '../time/gps.ts';

/** How far one GPS receiver is from the log's clock, in microseconds. */
export interface GpsAgreement {
  readonly table: string;
  readonly stream: string;
  /** Fixes with a week that were compared. */
  readonly fixes: number;
  /** The middle one of the differences, and how far they reach to both sides. */
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Rows looked at: all of a short log, evenly spread stretches of a long one. */
const STRETCHES = 16;
const STRETCH = 64;

/** Compares the time that each GPS receiver gives with the log's clock, fix by fix. */
export async function gpsAgreement(log: Log, leap?: number): Promise<GpsAgreement[]> {
  const found: GpsAgreement[] = [];
  for (const table of log.tables) {
    if (!/^GPS2?$/.test(table.name) || !log.clock.utc || log.clock.field(table) === undefined) continue;
    const [week, millis] = table.field('GWk') ? ['GWk', 'GMS'] : ['Week', 'TimeMS'];
    if (!table.field(week) || !table.field(millis)) continue;
    const differences: number[] = [];
    for (const from of stretches(table.rows)) {
      const { times, columns } = await table.timedColumns([week, millis], { from, to: from + STRETCH });
      const [weeks, offsets] = columns.map((column) => column.numbers());
      for (let i = 0; i < times.length; i++) {
        const difference = gpsToUtc(weeks[i], offsets[i], leap) - times[i];
        // a record before a part of a log gives its base, and has no time
        if (weeks[i] > 0 && !Number.isNaN(difference)) differences.push(difference);
      }
    }
    differences.sort((a, b) => a - b);
    if (differences.length === 0) continue;
    found.push({
      table: table.name,
      stream: table.stream,
      fixes: differences.length,
      median: differences[differences.length >> 1],
      least: differences[0],
      most: differences[differences.length - 1],
    });
  }
  return found;
}

/** First rows of the stretches. */
function stretches(rows: number): number[] {
  const count = Math.min(STRETCHES, Math.ceil(rows / STRETCH));
  const step = Math.max(STRETCH, Math.floor((rows - STRETCH) / Math.max(1, count - 1)));
  return Array.from({ length: count }, (_, i) => i * step);
}
