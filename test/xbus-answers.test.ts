// What is made of the tables of XBUS streams, damaged ones too: it is always there and never throws.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { derivedTables } from '../src/analyze/derived.ts';
import { readImuData } from '../src/analyze/imu.ts';
import { findSpan } from '../src/analyze/span.ts';
import { findVehicle } from '../src/analyze/vehicle.ts';
import { FORMATS } from '../src/formats/index.ts';
import { xbus } from '../src/formats/xbus/index.ts';
import { parseXbusFrame } from '../src/formats/xbus/parse.ts';
import { findTracks, readTrack } from '../src/geo/track.ts';
import { openInput } from '../src/open.ts';
import { needShared, sharedData } from './need.ts';
import { randomXbus } from './reference/xbus-random.ts';
import { xbusSamples } from './reference/xbus-sample.ts';
import { corrupt } from './suite/mutate.ts';
import { Random } from './suite/random.ts';

const INPUTS = 200;
const LONGEST = 3000;
/** Bytes at the beginning of a file that its format is told by. */
const HEAD = 65_536;

test(`${INPUTS} damaged streams are answered about`, async () => {
  const samples = xbusSamples().map(({ bytes }) => bytes);
  for (let seed = 1; seed <= INPUTS; seed++) {
    const random = new Random(seed);
    const bytes = random.chance(0.5) ? randomXbus(random) : corrupt(random, samples, LONGEST);
    const log = await openInput(bytes, { format: xbus, keepInvalid: random.chance(0.5) });
    for (const table of log.tables) {
      expect((await table.times()).length).toBe(table.rows);
      for (const column of await table.columns()) expect(column.length).toBe(table.rows);
    }
    const imu = await readImuData(log);
    let rows = 0;
    for (const table of derivedTables(log)) for await (const row of table.rows()) rows += row.at >= 0 ? 1 : 0;
    expect(rows).toBe(imu.rows);
    const track = await readTrack(log);
    for (const { fixes } of await findTracks(log)) expect(fixes).toBeLessThanOrEqual(log.records);
    expect(track.points).toBeLessThanOrEqual(log.records);
    await findSpan(log);
    await findVehicle(log);
    const parsed = parseXbusFrame(bytes);
    if (!parsed.ok) expect(parsed.reason).toMatch(/^(frame|item) /);
  }
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

needShared(describe, 'xbus')('files', () => {
  const files = filesIn(sharedData());
  const isStream = (path: string): boolean => /xbus.\d.output\.bin$/.test(path);

  test('of other formats are not taken, from wherever they are looked at', () => {
    const others = files.filter((path) => !isStream(path));
    expect(others.length).toBeGreaterThan(100);
    for (const path of others) {
      const bytes = new Uint8Array(readFileSync(path));
      for (const from of [0, 13, 40_000]) {
        expect(xbus.detect(bytes.subarray(from, from + HEAD)), `${path} from ${from}`).toBe(0);
      }
    }
  });

  test('of XBUS are told for sure, from any byte of a frame on', () => {
    for (const path of files.filter(isStream)) {
      const bytes = new Uint8Array(readFileSync(path));
      for (let from = 0; from < 300; from += 7) {
        const scores = FORMATS.map(({ detect }) => detect(bytes.subarray(from)));
        expect(scores[FORMATS.indexOf(xbus)]).toBeGreaterThan(0.9);
        expect(scores.filter((score) => score > 0.1).length).toBe(1);
      }
    }
  });
});
