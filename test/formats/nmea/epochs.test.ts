import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openInput } from '../../../src/formats/open.ts';
import { readGnssData } from '../../../src/sensors/gnss.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { filesIn } from '../../suite/sample.ts';

/** Degrees within which sentences of one fix agree: some receivers round GGA to four digits of a minute. */
const NEAR = 3e-6;

/** Logs of which gpsd has other times or positions than we take. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'bundg_zeus_9.log': 'GGA, RMC and GLL of one time tell places some metres apart: we take that of GGA',
  'quectel-l76k-binary.log': 'all of it is binary of another protocol',
  'tcp-torture.log': 'gpsd adds 1,024 weeks to its date',
};

interface Report {
  readonly time?: string;
  readonly lat?: number;
  readonly lon?: number;
  readonly mode: number;
}

/** Positions that gpsd reports, by their time in milliseconds. */
function reportsIn(path: string): Map<number, Report[]> {
  const reports = new Map<number, Report[]>();
  for (const line of readFileSync(path, 'latin1').split('\n')) {
    if (!line.startsWith('{"class":"TPV"')) continue;
    const report: Report = JSON.parse(line);
    if (report.time === undefined || report.lat === undefined || report.mode < 2) continue;
    const time = Date.parse(report.time);
    reports.set(time, [...(reports.get(time) ?? []), report]);
  }
  return reports;
}

needShared(
  describe,
  'nmea',
  'gpsd',
)('one fix for each time, as gpsd reports it', () => {
  let fixes = 0;

  test.each(filesIn(sharedData('nmea', 'gpsd'), '.log'))('$name', async ({ name, bytes }) => {
    const gnss = await readGnssData(await openInput(bytes));
    const times = Array.from(gnss.time, (time) => Math.round(time / 1000));
    expect(new Set(times).size).toBe(times.length);
    if (ELSEWHERE[name]) return;
    const { latitude, longitude } = gnss.fields;
    for (const [time, reports] of reportsIn(`${sharedData('nmea', 'gpsd')}/${name}.chk`)) {
      const epoch = times.indexOf(time);
      expect(epoch, `epoch of ${new Date(time).toISOString()}`).toBeGreaterThanOrEqual(0);
      const [lat, lon] = [latitude.values[epoch], longitude.values[epoch]];
      // gpsd goes on with a position that no sentence of this time has
      if (Number.isNaN(lat)) continue;
      const isNear = reports.some(
        (report) => Math.abs(Number(report.lat) - lat) < NEAR && Math.abs(Number(report.lon) - lon) < NEAR,
      );
      expect(isNear, `${lat}, ${lon} at ${new Date(time).toISOString()}`).toBe(true);
      fixes++;
    }
  });

  test('many fixes were compared', () => {
    expect(fixes).toBeGreaterThan(600);
  });
});
