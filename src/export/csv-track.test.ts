import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { madeTrack } from '../../test/helpers/track.ts';
import { readTrack } from '../geo/track.ts';
import { openLog } from '../node/open.ts';
import { csvTrack } from './csv-track.ts';
import type { Tracks, TrackWriteOptions } from './track-format.ts';

const write = (tracks: Tracks, options?: TrackWriteOptions): string => [...csvTrack.write(tracks, options)].join('');

describe('one track', () => {
  test('is a header and a line a point, with nothing where nothing is known', () => {
    const track = madeTrack([
      { time: 1_706_702_400_000_001, lon: 7.1, lat: -46.5, alt: 500.25, speed: 0, course: 359.99 },
      { lon: -1e-7, lat: 46.5 },
    ]);
    expect(write(track)).toBe(
      'time,lat,lon,alt,speed,course\n1706702400.000001,-46.5,7.1,500.25,0,359.99\n,46.5,-0.0000001,,,\n',
    );
  });

  test('without points is a header', () => {
    expect(write(madeTrack([]))).toBe('time,lat,lon,alt,speed,course\n');
  });

  test('that is not on UTC has seconds since boot', () => {
    expect(write(madeTrack([{ time: 77_046_000, lon: 1, lat: 2 }], { utc: false }))).toContain('\n77.046000,2,1,,,\n');
  });
});

describe('several tracks', () => {
  const tracks = [
    madeTrack([{ lon: 1, lat: 2 }], { name: '=cmd|"x",1' }),
    madeTrack([{ lon: 3, lat: 4 }], { name: 'b' }),
  ];

  test('are told apart by their names, which no spreadsheet runs', () => {
    expect(write(tracks)).toBe('track,time,lat,lon,alt,speed,course\n"\'=cmd|""x"",1",,2,1,,,\nb,,4,3,,,\n');
  });

  test('keep their names as they are if so asked', () => {
    expect(write(tracks, { raw: true })).toContain('\n"=cmd|""x"",1",,2,1,,,\n');
  });
});

test('the sample flight reads as the same numbers again', async () => {
  const path = fileURLToPath(new URL('../../sample/copter-square.BIN', import.meta.url));
  const track = await readTrack(await openLog(path));
  const lines = write(track).trimEnd().split('\n').slice(1);
  expect(lines).toHaveLength(631);
  for (const [i, line] of lines.entries()) {
    const [time, ...cells] = line.split(',').map(Number);
    expect(cells).toEqual([track.lat[i], track.lon[i], track.alt[i], track.speed[i], track.course[i]]);
    expect(Math.round(time * 1e6)).toBe(track.time[i]);
  }
});
