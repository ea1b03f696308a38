// Simulated weeks of a collector: vehicles that are out of reach most of the time, reboot as they come back, and count
// beyond 32 bits of milliseconds.
import { expect, test } from 'vitest';
import { Random } from '../suite/random.ts';
import { LiveBench } from '../vehicle/bench.ts';

/** Milliseconds since boot begin again in the seventh week. */
const DAYS = 52;
const HOUR = 3600;
/** Seconds for which a vehicle is heard: its heartbeats come each second. */
const HEARD = 5;

test('fifty-two days: no reboot is missed, and none seen that was not', { timeout: 300_000 }, () => {
  const random = new Random(1);
  const bench = new LiveBench();
  const vehicles = [
    bench.add('a', { system: 1, firmware: 'ardupilot' }),
    bench.add('b', { system: 2, firmware: 'px4' }),
    // this one never reboots
    bench.add('c', { system: 3, firmware: 'px4' }),
  ];
  const reboots = [0, 0, 0];
  let times = 0;
  for (let hours = 0; hours < DAYS * 24; times++) {
    // one that reboots out of reach is seen only if it has been up for less time than before
    bench.run(0.05);
    for (const i of [0, 1]) {
      if (times === 0 || !random.chance(0.2)) continue;
      vehicles[i].reboot();
      reboots[i]++;
    }
    bench.run(HEARD);
    const live = vehicles.map((_, i) => bench.collector.vehicles.get(String(i + 1)));
    expect(live.map((each) => [each?.lostAt, each?.reboots])).toEqual(reboots.map((count) => [null, count]));
    const silent = random.between(6, 30);
    hours += silent;
    bench.pass(silent * HOUR - HEARD);
    for (const each of live) expect(each?.lostAt).toBeGreaterThan(0);
  }
  const count = (type: string): number => bench.types().filter((each) => each === type).length;
  expect([count('lost'), count('recovered')]).toEqual([3 * times, 3 * (times - 1)]);
  expect([count('reboot'), count('conflict'), count('removed')]).toEqual([reboots[0] + reboots[1], 0, 0]);
});
