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

/** Compares the time that each GPS receiver gives with the log's clock, fix by fix. */
export async function gpsAgreement(log: Log, leap?: number): Promise<GpsAgreement[]> {
  const found: GpsAgreement[] = [];
  for (const table of log.tables) {
    if (!/^GPS2?$/.test(table.name) || table.rows === 0 || !log.clock.utc) continue;
    const [week, millis] = table.field('GWk') ? ['GWk', 'GMS'] : ['Week', 'TimeMS'];
    if (!table.field(week) || !table.field(millis) || log.clock.field(table) === undefined) continue;
    const times = await table.times();
    const [weeks, times2] = (await table.columns([week, millis])).map((column) => column.numbers());
    const differences = Array.from(times, (time, i) =>
      weeks[i] > 0 ? gpsToUtc(weeks[i], times2[i], leap) - time : NaN,
    )
      .filter((difference) => !Number.isNaN(difference))
      .sort((a, b) => a - b);
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
