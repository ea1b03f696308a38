import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SAMPLE, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { gpsTime, MadeLog } from '../helpers/made-log.ts';

const folder = temporaryFolder();

function fileOf(name: string, made: MadeLog): string {
  const path = join(folder, name);
  writeFileSync(path, made.bytes());
  return path;
}

const noon = gpsTime('2020-03-01T12:00:00Z', 18);
const gps = (): MadeLog => new MadeLog().define('GPS', 'QBIHLLe', 'TimeUS,Status,GMS,GWk,Lat,Lng,Alt');

/** Four rows: one without a fix, one repeated. */
const flown = fileOf(
  'flown.BIN',
  gps()
    .add('GPS', 0, 1, noon.millis, noon.week, 46, 7, 500)
    .add('GPS', 1_000_000, 3, noon.millis + 1000, noon.week, 46, 7, 500)
    .add('GPS', 1_200_000, 3, noon.millis + 1000, noon.week, 46, 7, 500)
    .add('GPS', 2_000_000, 3, noon.millis + 2000, noon.week, 46.001, 7.002, 510.5),
);

describe('track', () => {
  test('gives the fixes and says what was left out', async () => {
    const run = await skeinHere('track', '--to', 'csv', flown);
    expect(run.code).toBe(0);
    expect(run.stderr).toBe('skein: 2 points of 4 records of GPS, left out 1 without a fix, 1 repeated\n');
    const [, first, second, ...rest] = run.stdout.trimEnd().split('\n');
    expect(rest).toEqual([]);
    expect(first).toContain('46');
    expect(second).toContain('46.001');
    expect(second).toContain('7.002');
    expect(second).toContain('510.5');
  });

  test('info says what it leaves out, too, and nothing where that is nothing', async () => {
    const { stdout } = await skeinHere('info', flown);
    expect(stdout).toContain('  track      2 points of 4 records of GPS, left out 1 without a fix, 1 repeated\n');
    const { track } = JSON.parse((await skeinHere('info', '--json', flown)).stdout) as { track: unknown };
    const leftOut = { noFix: 1, outOfRange: 0, duplicate: 1, untimed: 0, unreachable: 0, badAltitudes: 0 };
    expect(track).toEqual({ source: 'GPS', points: 2, records: 4, leftOut });
    const whole = gps()
      .add('GPS', 1_000_000, 3, noon.millis, noon.week, 46, 7, 500)
      .add('GPS', 2_000_000, 3, noon.millis + 1000, noon.week, 46.0001, 7, 500);
    expect((await skeinHere('info', fileOf('whole.BIN', whole))).stdout).not.toContain('  track ');
  });

  test.each(['kml', 'gpx', 'wkt', 'csv'])('as JSON it is GeoJSON, whatever --to %s says', async (format) => {
    const run = await skeinHere('track', '--json', '--to', format, flown);
    const { geometry } = JSON.parse(run.stdout) as { geometry: { type: string; coordinates: number[][] } };
    expect(geometry).toEqual({
      type: 'LineString',
      coordinates: [
        [7, 46, 500],
        [7.002, 46.001, 510.5],
      ],
    });
  });

  test('without positions is empty and says so', async () => {
    const path = fileOf('ground.BIN', new MadeLog().define('ATT', 'Qc', 'TimeUS,Roll').add('ATT', 1, 0));
    const run = await skeinHere('track', path);
    expect(run).toMatchObject({ code: 0, stderr: 'skein: the log has no positions: the track is empty\n' });
    expect(JSON.parse(run.stdout)).toHaveProperty('geometry');
  });

  test('of a part of the time has the points of it', async () => {
    const whole = await skeinHere('track', '--to', 'csv', SAMPLE);
    const part = await skeinHere('track', '--to', 'csv', '--from', '+60s', '--until', '+62s', SAMPLE);
    const lines = part.stdout.trimEnd().split('\n');
    // a header and five a second
    expect(lines).toHaveLength(11);
    for (const line of lines) expect(whole.stdout).toContain(line);
  });

  test('of another source', async () => {
    const run = await skeinHere('track', '--to', 'csv', '--source', 'POS', SAMPLE);
    expect(run.stderr).toMatch(/^skein: [\d,]+ points of [\d,]+ records of POS/);
    const unknown = await skeinHere('track', '--source', 'NOPE', SAMPLE);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('NOPE');
  });
});
