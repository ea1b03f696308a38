import { describe, expect, test } from 'vitest';
import type { FlightWire } from '../../src/server/wire.ts';
import { choicesOf, filtered, NEWEST_FIRST, NO_FILTER, sorted } from './filter.ts';
import { dayOf, durationOf, logAddress, metres, timeOf } from './flight.ts';
import { lakeHash, lakeViewOf } from './view-hash.ts';

const NOON = Date.UTC(2026, 10, 15, 12) / 1000;

function flightOf(changes: Partial<FlightWire>): FlightWire {
  return {
    id: 'a.1',
    log: 'a',
    flight: 1,
    vehicle: 'v1',
    kind: 'Copter',
    firmware: 'ArduCopter 4.5',
    format: 'dataflash',
    path: '/logs/00000001.BIN',
    name: '00000001.BIN',
    utc: true,
    logStart: NOON,
    start: NOON + 10,
    end: NOON + 110,
    inAir: 90,
    distance: 500,
    maxHeight: 20,
    modes: [{ mode: 'GUIDED', seconds: 100 }],
    milliampHours: 600,
    percent: null,
    startVolts: 12.6,
    endVolts: 12,
    lost: false,
    once: true,
    findings: [],
    box: { west: 8, south: 47, east: 8.01, north: 47.01 },
    isThere: true,
    ...changes,
  };
}

const first = flightOf({});
const second = flightOf({
  id: 'b.1',
  vehicle: 'v2',
  name: 'cliff.tlog',
  format: 'tlog',
  start: NOON + 86400,
  end: NOON + 86400 + 5,
  modes: [{ mode: 'RTL', seconds: null }],
  milliampHours: null,
  distance: null,
  findings: [{ check: 'vibration', severity: 'fail', title: 'strong vibration' }],
  box: { west: 179.9, south: -1, east: 180, north: 1 },
});
const copy = flightOf({ id: 'c.1', once: false });
const ground = flightOf({ id: 'd.0', flight: 0, utc: false, start: 5, box: null, modes: [] });
const all = [first, second, copy, ground];
const ids = (flights: readonly FlightWire[]): string[] => flights.map(({ id }) => id);

describe('which flights are shown', () => {
  test.each([
    [{}, ['a.1', 'b.1']],
    [{ isAll: true }, ['a.1', 'b.1', 'c.1', 'd.0']],
    [{ vehicle: 'v2' }, ['b.1']],
    [{ format: 'dataflash' }, ['a.1']],
    [{ mode: 'RTL' }, ['b.1']],
    [{ finding: 'none' }, ['a.1']],
    [{ finding: 'warn' }, ['b.1']],
    [{ finding: 'fail' }, ['b.1']],
    [{ finding: 'vibration' }, ['b.1']],
    [{ finding: 'compass' }, []],
    [{ from: '2026-11-16' }, ['b.1']],
    [{ until: '2026-11-15' }, ['a.1']],
    [{ isAll: true, until: '2026-11-15' }, ['a.1', 'c.1']],
    [{ text: 'CLIFF vibr' }, ['b.1']],
    [{ text: 'cliff copter3' }, []],
    [{ box: { west: 7, south: 46, east: 8.005, north: 48 } }, ['a.1']],
    [{ box: { west: -181, south: -5, east: -170, north: 5 } }, ['b.1']],
  ])('%j', (filter, expected) => {
    expect(ids(filtered(all, { ...NO_FILTER, ...filter }))).toEqual(expected);
  });

  test('sorted both ways, with what is not known last', () => {
    expect(ids(sorted(all, NEWEST_FIRST))).toEqual(['b.1', 'a.1', 'c.1', 'd.0']);
    expect(ids(sorted(all, { by: 'start', isDown: false }))).toEqual(['a.1', 'c.1', 'b.1', 'd.0']);
    expect(ids(sorted(all, { by: 'distance', isDown: false })).at(-1)).toBe('b.1');
    expect(ids(sorted(all, { by: 'findings', isDown: true }))[0]).toBe('b.1');
    expect(ids(sorted(all, { by: 'duration', isDown: false }))[0]).toBe('b.1');
  });

  test('the lists of the filters have what occurs', () => {
    expect(choicesOf(all)).toEqual({
      vehicles: ['v1', 'v2'],
      modes: ['GUIDED', 'RTL'],
      formats: ['dataflash', 'tlog'],
      checks: ['vibration'],
    });
  });
});

describe('a flight in words', () => {
  test('its day, time and length', () => {
    expect([dayOf(first), timeOf(first), durationOf(first)]).toEqual(['2026-11-15', '12:00:10', 100]);
    expect([dayOf(ground), timeOf(ground)]).toEqual(['', '+0:05']);
    expect([metres(null), metres(-0.12), metres(431.6), metres(12_345)]).toEqual(['–', '−0.1 m', '432 m', '12.3 km']);
  });

  test('the Log page shows it with a little room', () => {
    expect(logAddress(first)).toBe('./?lake=a#window=7.000,113.000');
    expect(logAddress(ground)).toBe('./?lake=a');
  });
});

describe('the address', () => {
  test('holds the filter, the order and the choice', () => {
    const view = {
      filter: {
        text: 'a&b #1',
        vehicle: 'v=1',
        mode: 'RTL',
        finding: 'fail',
        format: 'tlog',
        from: '2026-01-01',
        until: '2026-12-31',
        isAll: true,
        box: { west: -1.5, south: 2, east: 3, north: 4.25 },
      },
      sort: { by: 'height', isDown: true } as const,
      chosen: 'a.1',
    };
    expect(lakeViewOf(lakeHash(view))).toEqual(view);
    expect(lakeHash(lakeViewOf(''))).toBe('');
  });

  test('of others is not trusted', () => {
    const view = lakeViewOf(`#text=${'x'.repeat(9999)}&sort=constructor&from=tomorrow&box=1,2,3&all=yes`);
    expect(view.filter).toEqual({ ...NO_FILTER, text: 'x'.repeat(300) });
    expect(view.sort).toEqual(NEWEST_FIRST);
    expect(lakeViewOf('#box=5,5,1,1').filter.box).toBeNull();
  });
});
