import { describe, expect, test } from 'vitest';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import { concat } from '../../test/suite/random.ts';
import { readBytes } from '../../test/suite/sample.ts';
import { openInput } from '../formats/open.ts';
import { encodeXbusPacket, type XbusOutgoingItem } from '../formats/xbus/encode.ts';
import { xbus } from '../formats/xbus/index.ts';
import type { LocalFrame } from '../formats/xbus/schema.ts';
import { findTracks, readTrack, type Track, type TrackOptions } from './track.ts';

const trackOf = async (packets: readonly XbusOutgoingItem[][], options: TrackOptions = {}): Promise<Track> => {
  const frames = packets.map((items, n) =>
    encodeXbusPacket([{ item: 'SampleTimeFine', data: { value: 10_000 * n } }, ...items]),
  );
  return readTrack(await openInput(concat(...frames), { format: xbus }), options);
};

const place = (lat: number, lon: number): XbusOutgoingItem => ({
  item: 'LatLon',
  format: 'float64',
  data: { lat, lon },
});
const above = (item: string, value: number): XbusOutgoingItem => ({ item, format: 'float64', data: { value } });
const fix = (values: Record<string, number>): XbusOutgoingItem => ({
  item: 'GnssPvtData',
  data: { itow: 1000, fixType: 3, flags: 1, lat: 47.5, lon: 8.25, ...values },
});

describe('speed and course', () => {
  test.each<[LocalFrame, number, number, number, number]>([
    // frame, x, y, then what it is over ground: 3 m/s to the north and 4 m/s to the west
    ['ENU', -4, 3, 5, 306.869897645844],
    ['NED', 3, -4, 5, 306.869897645844],
    ['NWU', 3, 4, 5, 306.869897645844],
    ['NED', -2, 0, 2, 180],
    ['ENU', 2, 0, 2, 90],
  ])('in %s', async (frame, x, y, speed, course) => {
    const velocity: XbusOutgoingItem = { item: 'VelocityXYZ', frame, data: { x, y, z: 7 } };
    const track = await trackOf([[place(47, 8)], [place(47.1, 8), velocity]]);
    expect([...track.speed]).toEqual([Number.NaN, speed]);
    expect(track.course[0]).toBeNaN();
    expect(track.course[1]).toBeCloseTo(course, 9);
  });
});

describe('altitude', () => {
  test('is that above the sea, where the device tells it', async () => {
    const track = await trackOf([[place(47, 8), above('AltitudeMsl', 400.5), above('AltitudeEllipsoid', 450)]]);
    expect([...track.alt]).toEqual([400.5]);
  });

  test('comes from that above the ellipsoid and the last fix, or the first one before it', async () => {
    const track = await trackOf([
      [place(47, 8), above('AltitudeEllipsoid', 500)],
      [fix({ height: 548_000, hMSL: 500_000 })],
      [place(47.1, 8), above('AltitudeEllipsoid', 510)],
      [fix({ itow: 2000, height: 600_000, hMSL: 550_500 })],
      [place(47.2, 8), above('AltitudeEllipsoid', 520)],
    ]);
    expect(track.source).toBe('LatLon[255]');
    expect([...track.alt]).toEqual([452, 462, 470.5]);
  });

  test('is not known without a fix', async () => {
    const track = await trackOf([
      [place(47, 8), above('AltitudeEllipsoid', 500)],
      [fix({ flags: 0, height: 17, hMSL: 0 }), above('AltitudeEllipsoid', 500)],
    ]);
    expect(track.points).toBe(1);
    expect(track.alt[0]).toBeNaN();
  });
});

describe('GnssPvtData', () => {
  test('is a source with its own altitude, speed and course', async () => {
    const track = await trackOf([[fix({ hMSL: 432_100, gSpeed: 12_500, headMot: 271.5 })]]);
    expect(track).toMatchObject({ source: 'GnssPvtData[255]', points: 1 });
    expect([track.lat[0], track.lon[0], track.alt[0], track.speed[0], track.course[0]]).toEqual([
      47.5, 8.25, 432.1, 12.5, 271.5,
    ]);
  });

  test('without a fix, with a time alone, or repeated makes no point', async () => {
    const packets = [{ fixType: 0 }, { fixType: 5 }, {}, {}, { itow: 2000, lat: 47.6 }].map((values) => [fix(values)]);
    const track = await trackOf(packets);
    expect(track.dropped).toEqual({ noFix: 2, outOfRange: 0, duplicate: 1, untimed: 0, unreachable: 0 });
    expect([...track.lat]).toEqual([47.5, 47.6]);
  });
});

needShared(describe, 'xbus')('recordings', () => {
  test.each(['1', '2', '4'])('%s: the filter and the receiver agree', async (name) => {
    const log = await openInput(readBytes(sharedData('xbus', name, 'output.bin')));
    const rows = log.table('LatLon')?.rows;
    expect((await findTracks(log)).map(({ name: source, fixes }) => [source, fixes])).toEqual([
      ['LatLon[255]', rows],
      ['GnssPvtData[255]', 4],
    ]);
    const filter = await readTrack(log);
    const receiver = await readTrack(log, { source: 'GnssPvtData' });
    expect(filter.points).toBe(rows);
    for (let k = 0; k < filter.points; k++) {
      expect(Math.abs(filter.alt[k] - receiver.alt[0])).toBeLessThan(1);
      expect(Math.abs(filter.lat[k] - receiver.lat[0])).toBeLessThan(1e-5);
      expect(Math.abs(filter.lon[k] - receiver.lon[0])).toBeLessThan(1e-5);
      expect(filter.speed[k]).toBeLessThan(0.5);
    }
  });
});
