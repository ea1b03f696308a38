import { describe, expect, test } from 'vitest';
import { Boot } from './boot.ts';

const SECOND = 1e6;

/** One that ran for 100 s at time 0, and sent frame 100 then; it was heard for 5 s. */
function running(): Boot {
  const boot = new Boot();
  boot.frame(98, 'a', -5 * SECOND);
  boot.frame(99, 'a', -SECOND);
  boot.uptime(99_000, -SECOND);
  boot.frame(100, 'a', 0);
  boot.uptime(100_000, 0);
  return boot;
}

describe('frames whose numbers start again from 0', () => {
  test('show a reboot where messages with a time since boot stay away', () => {
    const boot = running();
    expect([boot.frame(0, 'a', SECOND), boot.frame(1, 'a', 1.1 * SECOND)]).toEqual([false, false]);
    expect([boot.tick(2 * SECOND), boot.tick(3.1 * SECOND), boot.tick(3.2 * SECOND)]).toEqual([false, true, false]);
    expect(boot).toMatchObject({ reboots: 1, startedAt: SECOND, cause: 'sequence restarted' });
  });

  test.each([2.2, 2.5, 3, 4])('show each reboot of a vehicle that reboots every %s s', (period) => {
    const boot = running();
    for (let count = 1; count <= 6; count++) {
      const start = (1 + (count - 1) * period) * SECOND;
      // up to 0.3 s before the next one, at 20 Hz
      for (let i = 0; i * 0.05 < period - 0.3; i++) {
        const time = start + i * 0.05 * SECOND;
        boot.frame(i, 'a', time);
        if (i > 2) boot.uptime(i * 50, time);
        boot.tick(time);
      }
      expect(boot.reboots).toBe(count);
    }
  });

  test('show none where a second path, some seconds slower, sends it all again just after a boot', () => {
    const boot = new Boot();
    for (let i = 0; i < 200; i += 4) {
      for (const late of [0, 32]) {
        for (let k = i - late; k >= 0 && k < i - late + 4; k++) {
          boot.frame(k, 'a', i * 0.05 * SECOND);
          boot.uptime(k * 50 + 1, i * 0.05 * SECOND);
        }
      }
    }
    expect(boot.reboots).toBe(0);
  });

  test('show none where the time since boot goes on', () => {
    const boot = running();
    boot.frame(0, 'a', SECOND);
    boot.frame(1, 'a', 1.1 * SECOND);
    boot.uptime(101_100, 1.1 * SECOND);
    for (let i = 2; i < 40; i++) {
      boot.frame(i, 'b', i * SECOND);
      boot.uptime(100_000 + i * 1000, i * SECOND);
      boot.tick(i * SECOND);
    }
    expect(boot.reboots).toBe(0);
  });

  test('show none alone where no time since boot was ever said', () => {
    const boot = new Boot();
    for (const [i, sequence] of [100, 101, 0, 1, 2, 3].entries()) boot.frame(sequence, 'a', i * SECOND);
    for (let i = 6; i < 20; i++) boot.tick(i * SECOND);
    expect(boot.reboots).toBe(0);
  });

  test('show one together with a new address or a text of a boot', () => {
    const moved = running();
    moved.frame(0, 'b', SECOND);
    expect(moved.frame(1, 'b', 1.1 * SECOND)).toBe(true);
    expect(moved).toMatchObject({ startedAt: SECOND, cause: 'sequence restarted' });
    const said = running();
    said.frame(0, 'a', SECOND);
    said.frame(1, 'a', 1.1 * SECOND);
    expect(said.sign('text', 1.2 * SECOND)).toBe(true);
  });

  test('count once, whatever else shows it later', () => {
    const boot = running();
    boot.sync(100e9, 0);
    boot.frame(0, 'b', SECOND);
    boot.frame(1, 'b', SECOND);
    expect(boot.reboots).toBe(1);
    boot.sign('text', 2 * SECOND);
    boot.uptime(1_500, 2 * SECOND);
    boot.uptime(1_600, 2.1 * SECOND);
    boot.sync(10e9, 10 * SECOND);
    for (let i = 3; i < 20; i++) boot.tick(i * SECOND);
    expect(boot.reboots).toBe(1);
  });
});

function reboots(...milliseconds: number[]): number {
  const boot = new Boot();
  for (const [i, each] of milliseconds.entries()) boot.uptime(each, i);
  return boot.reboots;
}

describe('the time since boot', () => {
  test('that goes on is no new start', () => {
    expect(reboots(1000, 1100, 1200)).toBe(0);
  });

  test('that goes back in two messages is one', () => {
    expect(reboots(100_000, 100_100, 900, 1000, 1100)).toBe(1);
  });

  test('of one late message is none, however late', () => {
    expect(reboots(100_000, 100_100, 900, 100_200, 100_300)).toBe(0);
  });

  test('of messages that overtake each other is none', () => {
    expect(reboots(100_000, 99_000, 98_500, 100_100)).toBe(0);
  });

  test('goes on from 0 when 32 bits are full', () => {
    expect(reboots(2 ** 32 - 500, 300, 400, 500)).toBe(0);
  });

  test.each([
    ['goes on', 4 * 3600, 0],
    ['begins', 60, 1],
  ])('%s after it was full while nothing was heard', (_, runs, count) => {
    const boot = new Boot();
    // two hours before it is full, and six hours later
    boot.uptime(2 ** 32 - 2 * 3600_000, 0);
    for (const late of [0, 1, 2]) boot.uptime((runs + late) * 1000, (6 * 3600 + late) * SECOND);
    expect(boot.reboots).toBe(count);
  });

  test('that goes back soon after a boot is one', () => {
    const boot = new Boot();
    boot.uptime(2_400, 0);
    boot.uptime(2_500, 0.1 * SECOND);
    boot.uptime(250, 3 * SECOND);
    expect(boot.uptime(270, 3.02 * SECOND)).toBe(true);
    expect(boot.startedAt).toBe(3 * SECOND);
  });

  test('of 0 says nothing', () => {
    expect(reboots(50_000, 0, 0, 50_100, 0, 0)).toBe(0);
  });

  test('counts each start', () => {
    expect(reboots(50_000, 50_100, 200, 300, 60_000, 60_100, 100, 200)).toBe(2);
  });
});
