import { describe, expect, test } from 'vitest';
import { encodeSatellites, encodeSentence } from '../formats/nmea/encode.ts';
import { openInput } from '../formats/open.ts';
import { CONSTELLATIONS } from './constellation.ts';
import { readSatellites } from './satellites.ts';
import { type GsvPart, Sky } from './sky.ts';

const satellites = (...prns: number[]) => prns.map((prn) => ({ prn, elevation: prn, azimuth: 2 * prn, snr: 40 }));
const part = (talker: string, message: number, messages: number, prns: number[], signal = Number.NaN): GsvPart => ({
  ...{ talker, message, messages, signal, system: Number.NaN },
  satellites: prns.map((prn) => [prn, 10, 20, 30] as const),
});

describe('parts of a set', () => {
  test('are put together per talker and signal, whatever comes between', () => {
    const sky = new Sky();
    expect(sky.gsv(part('GP', 1, 2, [1, 2], 1), 0)).toBeUndefined();
    expect(sky.gsv(part('GP', 1, 1, [1], 5), 0)?.satellites.map(({ svid }) => svid)).toEqual([1]);
    expect(sky.gsv(part('GL', 1, 1, [65]), 0)?.satellites).toMatchObject([{ constellation: 'GLONASS', svid: 1 }]);
    expect(sky.gsv(part('GP', 2, 2, [3], 1), 0)?.satellites.map(({ svid }) => svid)).toEqual([1, 2, 3]);
    expect(sky.visible(0)).toBe(4);
  });

  test('that do not follow each other make none, and the set before them holds', () => {
    const sky = new Sky();
    sky.gsv(part('GP', 1, 1, [1, 2, 3]), 0);
    expect(sky.gsv(part('GP', 1, 3, [4]), 1e6)).toBeUndefined();
    expect(sky.gsv(part('GP', 3, 3, [5]), 1e6)).toBeUndefined();
    expect(sky.gsv(part('GP', 2, 3, [6]), 1e6)).toBeUndefined();
    expect(sky.visible(1e6)).toBe(3);
  });

  test('grow old', () => {
    const sky = new Sky(5);
    sky.gsv(part('GP', 1, 1, [1, 2, 3]), 0);
    sky.gsa('GP', Number.NaN, [1], 0);
    expect([sky.isKnown(5e6), sky.visible(5e6), sky.isUsed({ constellation: 'GPS', svid: 1 }, 5e6)]).toEqual([
      true,
      3,
      true,
    ]);
    expect([sky.isKnown(6e6), sky.visible(6e6), sky.isUsed({ constellation: 'GPS', svid: 1 }, 6e6)]).toEqual([
      false,
      0,
      false,
    ]);
  });
});

test('satellites of a log, with those that are used', async () => {
  const rmc = (time: number): string =>
    encodeSentence('RMC', { time, status: 'A', lat: 1, lon: 2, date: '2026-11-15' });
  const gsa = (satellite_ids: number[], system_id: number): string =>
    encodeSentence('GSA', { mode: 'A', fix: 3, satellite_ids, system_id }, { talker: 'GN' });
  const lines = [
    ...[rmc(1), gsa([3, 5], 1), gsa([65], 2)],
    ...encodeSatellites(satellites(1, 2, 3, 4, 5), { talker: 'GP', signal_id: 1 }),
    ...encodeSatellites(satellites(65, 66), { talker: 'GL', signal_id: 1 }),
    rmc(2),
    ...encodeSatellites(satellites(3), { talker: 'GP', signal_id: 5 }),
  ];
  const found = await readSatellites(await openInput(new TextEncoder().encode(lines.join(''))));
  expect(found.rows).toBe(8);
  expect([...found.set]).toEqual([0, 0, 0, 0, 0, 1, 1, 2]);
  expect(Array.from(found.constellation, (code) => CONSTELLATIONS[code])).toEqual([
    ...['GPS', 'GPS', 'GPS', 'GPS', 'GPS', 'GLONASS', 'GLONASS', 'GPS'],
  ]);
  expect([...found.svid]).toEqual([1, 2, 3, 4, 5, 1, 2, 3]);
  expect([...found.prn]).toEqual([1, 2, 3, 4, 5, 65, 66, 3]);
  expect([...found.signal]).toEqual([1, 1, 1, 1, 1, 1, 1, 5]);
  expect([...found.azimuth]).toEqual([2, 4, 6, 8, 10, 130, 132, 6]);
  expect([...found.used]).toEqual([0, 0, 1, 0, 1, 1, 0, 1]);
  expect([found.time[0], found.time[7]].map((time) => new Date(time / 1000).toISOString())).toEqual([
    ...['2026-11-15T00:00:01.000Z', '2026-11-15T00:00:02.000Z'],
  ]);
});
