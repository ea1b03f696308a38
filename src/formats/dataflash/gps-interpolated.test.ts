import { describe, expect, test } from 'vitest';
import { MadeLog } from '../../../test/helpers/made-log.ts';
import { GPSInterpolated } from './gps-interpolated.ts';

const WEEK = 1774;
const gps = (seconds: number): Record<string, number> => ({ Week: WEEK, TimeMS: seconds * 1000 });
const START = new GPSInterpolated().gpsTimeToUnixTime(WEEK, 0);

function feed(clock: GPSInterpolated, ...messages: (string | number)[]): number[] {
  return messages.map((each) =>
    typeof each === 'string' ? clock.processMessage(each) : clock.processMessage('GPS', gps(each)),
  );
}

describe('message by message', () => {
  test('rates are learned between GPS messages, the highest counts', () => {
    const clock = new GPSInterpolated();
    feed(clock, 'ATT', 'ATT', 'ATT', 0, 'ATT', 'ATT', 'MODE', 2, 'ATT', 3, 'ATT', 4);
    // those before the first one say nothing of a rate
    expect(Object.fromEntries(clock.msgRate)).toEqual({ ATT: 1, GPS: 1, MODE: 0.5 });
    expect(Object.fromEntries(clock.counts)).toEqual({ ATT: 7, GPS: 4, MODE: 1 });
    expect(clock.countsSinceGPS.size).toBe(0);
    expect(clock.timebase).toBe(START + 4);
    feed(clock, 'ATT', 'MODE', 'MODE');
    expect(Object.fromEntries(clock.countsSinceGPS)).toEqual({ ATT: 1, MODE: 2 });
    // slower than once a second is taken to be 50 Hz
    expect(clock.timestamp).toBeCloseTo(START + 4 + 2 / 50, 6);
  });

  test('time does not go back, and repeated GPS messages change nothing', () => {
    const clock = new GPSInterpolated();
    feed(clock, 5, 'ATT', 5, 4, 'ATT', 6);
    expect(clock.msgRate.get('ATT')).toBe(2);
    expect(clock.timebase).toBe(START + 6);
  });

  test('a week in the future is not believed', () => {
    const clock = new GPSInterpolated();
    feed(clock, 5, 'ATT');
    clock.processMessage('GPS', { Week: 60_000, TimeMS: 5 });
    feed(clock, 6);
    expect(clock.timebase).toBe(START + 6);
  });

  test('a second pass knows rates and time base from the start', () => {
    const clock = new GPSInterpolated();
    const messages = ['ATT', 10, 'ATT', 'ATT', 'ATT', 'ATT', 11, 'ATT'];
    feed(clock, ...messages);
    clock.rewindEvent();
    expect(clock.counts.size).toBe(0);
    const times = feed(clock, ...messages).map((time) => Math.round((time - START) * 1000) / 1000);
    expect(times).toEqual([10, 10, 10.25, 10.5, 10.75, 11, 11, 11.25]);
    expect(clock.msgRate.get('ATT')).toBe(4);
  });

  test('without a GPS time there is no time', () => {
    const clock = new GPSInterpolated();
    clock.processMessage('GPS', { Week: 0, TimeMS: 5 });
    expect(clock.processMessage('ATT')).toBeNaN();
    expect(clock.timebase).toBeNaN();
    clock.findTimeBase(WEEK, 0);
    expect(clock.processMessage('ATT')).toBe(START);
  });
});

test.each([
  ['Week', 'TimeMS'],
  ['GWk', 'GMS'],
  ['Wk', 'TWk'],
])('a log has the same quantities, whatever its fields are called: %s, %s', async (week, millis) => {
  const log = new MadeLog().define('GPS', 'BIH', `Status,${millis},${week}`).define('ATT', 'f', 'Roll');
  const clock = new GPSInterpolated();
  for (let second = 0; second < 5; second++) {
    log.add('GPS', 3, second * 1000, WEEK);
    feed(clock, second);
    for (let k = 0; k < 10; k++) log.add('ATT', 0);
    feed(clock, ...new Array<string>(10).fill('ATT'));
  }
  const found = await GPSInterpolated.of(await log.open());
  expect(found.msgRate.get('ATT')).toBe(10);
  expect(found.timebase).toBe(clock.timebase);
  expect(found.timestamp).toBe(clock.timestamp);
  expect(found.countsSinceGPS.get('ATT')).toBe(10);
});
