// What vehicles are asked for, in which order, and that nothing else is ever sent.
import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../src/formats/mavlink/builtin.ts';
import { Outbox } from '../src/live/outbox.ts';
import { PROFILES } from '../src/live/profile.ts';
import { LiveBench } from './live-vehicle.ts';

const HEARTBEAT = 0;
const REQUEST_DATA_STREAM = 66;
const COMMAND_LONG = 76;
const COMMAND_INT = 75;
const [SYS_STATUS, BATTERY_STATUS, AUTOPILOT_VERSION, ATTITUDE] = [1, 147, 148, 30];

describe('requests', () => {
  test('to an ArduPilot that is silent: one stream request, then the intervals, and the rates are reached', () => {
    const bench = new LiveBench();
    const vehicle = bench.add('a');
    bench.run(60);
    expect(vehicle.streamRequests).toBe(1);
    const stream = bench.sent.findIndex(({ id }) => id === REQUEST_DATA_STREAM);
    const interval = bench.sent.findIndex(
      ({ id, payload }) => id === COMMAND_LONG && payload.getUint16(28, true) === 511,
    );
    expect(interval).toBeGreaterThan(stream);
    const asked = vehicle.commands.filter(({ command }) => command === 511).map(({ message }) => message);
    expect(asked.slice().sort((a, b) => a - b)).toEqual([1, 24, 30, 33, 74, 147]);
    expect(bench.collector.latest('1', 1, 'SYS_STATUS')?.rate).toBeCloseTo(10, 0);
    expect(bench.collector.latest('1', 1, 'BATTERY_STATUS')?.rate).toBeCloseTo(1, 0);
    expect(bench.collector.vehicles.get('1')?.firmware).toMatchObject({ name: 'ArduCopter', version: '4.6.1' });
    expect(vehicle.commands.filter(({ message }) => message === AUTOPILOT_VERSION)).toHaveLength(1);
    expect(
      bench.collector
        .wishes('1')
        .filter(({ rate }) => rate > 0)
        .map(({ state }) => state),
    ).toEqual(Array.from({ length: 6 }, () => 'fulfilled'));
  });

  test('to a PX4 that streams by itself: no stream request, and only what comes too seldom', () => {
    const bench = new LiveBench();
    const streams = { SYS_STATUS: 1, ATTITUDE: 15, GLOBAL_POSITION_INT: 5, GPS_RAW_INT: 5, VFR_HUD: 4 };
    const vehicle = bench.add('a', { autopilot: 12, streams });
    bench.run(30);
    expect(bench.sent.filter(({ id }) => id === REQUEST_DATA_STREAM)).toEqual([]);
    const asked = vehicle.commands.filter(({ command }) => command === 511).map(({ message }) => message);
    expect(asked).toEqual([SYS_STATUS, BATTERY_STATUS]);
    expect(vehicle.rates.get('ATTITUDE')).toBe(15);
  });

  test('to an ArduPlane: no stream request, because it would keep the rates', () => {
    const bench = new LiveBench();
    const vehicle = bench.add('a', { type: 1 });
    bench.run(20);
    expect(vehicle.streamRequests).toBe(0);
    expect(bench.collector.latest('1', 1, 'SYS_STATUS')?.rate).toBeCloseTo(10, 0);
  });

  test('can leave stream requests out, or all of it', () => {
    const sent = (options: ConstructorParameters<typeof LiveBench>[0]): number[] => {
      const bench = new LiveBench(options);
      bench.add('a');
      bench.run(20);
      return [...new Set(bench.sent.map(({ id }) => id))].sort();
    };
    expect(sent({})).toEqual([HEARTBEAT, REQUEST_DATA_STREAM, COMMAND_LONG]);
    expect(sent({ streamRequests: 'never' })).toEqual([HEARTBEAT, COMMAND_LONG]);
    expect(sent({ requests: false })).toEqual([HEARTBEAT]);
    expect(sent({ requests: false, heartbeats: false })).toEqual([]);
  });

  test('are sent again after a reboot, the stream request too', () => {
    const bench = new LiveBench();
    const vehicle = bench.add('a', { streams: { ATTITUDE: 4 } });
    bench.run(20);
    const before = vehicle.commands.length;
    vehicle.reboot(bench.now);
    bench.run(20);
    expect(bench.types()).toContain('reboot');
    expect(bench.collector.vehicles.get('1')?.reboots).toBe(1);
    expect(vehicle.streamRequests).toBe(2);
    expect(vehicle.commands.length).toBeGreaterThan(before + 5);
    expect(bench.collector.latest('1', 1, 'SYS_STATUS')?.rate).toBeCloseTo(10, 0);
  });

  test('without an answer are repeated, each time later', () => {
    const bench = new LiveBench({ profile: PROFILES.basic, streamRequests: 'never' });
    const vehicle = bench.add('a', { answer: () => null });
    bench.run(120);
    const intervals = vehicle.commands.filter(({ command }) => command === 511);
    const times = intervals.filter(({ message }) => message === SYS_STATUS).map(({ time }) => time / 1e6);
    const pauses = times.slice(1).map((time, i) => time - times[i]);
    expect(pauses.length).toBeGreaterThan(3);
    // an open request to the same vehicle may delay one by a second
    for (let i = 1; i < pauses.length; i++) expect(pauses[i]).toBeGreaterThan(pauses[i - 1] * 1.3 - 1);
    expect(pauses.at(-1)).toBeGreaterThan(15);
    const version = vehicle.commands.filter(({ command }) => command === 512 || command === 520);
    expect(version.some(({ command }) => command === 520)).toBe(true);
  });

  test('that are denied are not repeated; those that are unsupported fall back to a stream request', () => {
    const denied = new LiveBench({ profile: PROFILES.basic, streamRequests: 'never' });
    const refusing = denied.add('a', { answer: (command) => (command === 511 ? 2 : 0) });
    denied.run(60);
    expect(refusing.commands.filter(({ message }) => message === SYS_STATUS)).toHaveLength(1);
    expect(denied.collector.wishes('1')).toContainEqual(
      expect.objectContaining({ message: 'SYS_STATUS', state: 'refused', result: 2 }),
    );
    const old = new LiveBench({ profile: PROFILES.basic });
    const streams = { SYS_STATUS: 0.1, POWER_STATUS: 1, ATTITUDE: 1, VFR_HUD: 1, GPS_RAW_INT: 1 };
    const older = old.add('a', { answer: (command) => (command === 520 ? 0 : 3), streams });
    old.run(60);
    expect(older.streamRequests).toBe(1);
    expect(old.collector.vehicles.get('1')?.firmware.version).toBe('4.6.1');
  });

  test('change their envelope where the vehicle wants the other one', () => {
    const bench = new LiveBench({ profile: PROFILES.basic });
    const vehicle = bench.add('a', { answer: (_command, _message, isInt) => (isInt ? 0 : 8) });
    bench.run(30);
    expect(vehicle.commands.some(({ isInt }) => isInt)).toBe(true);
    expect(bench.collector.latest('1', 1, 'SYS_STATUS')?.rate).toBeCloseTo(10, 0);
  });

  test('that are accepted and not kept are asked for again, seldom', () => {
    const bench = new LiveBench({ profile: PROFILES.basic, streamRequests: 'never' });
    const vehicle = bench.add('a', { answer: (command) => (command === 511 ? 0 : null) });
    const set = vehicle.rates.set.bind(vehicle.rates);
    vehicle.rates.set = (name) => set(name, 1);
    bench.run(120);
    const intervals = vehicle.commands.filter(({ command }) => command === 511);
    const times = intervals.filter(({ message }) => message === SYS_STATUS).map(({ time }) => time / 1e6);
    expect(times.length).toBeGreaterThan(1);
    expect(times.length).toBeLessThan(6);
  });

  test('are at most ten a second, to however many vehicles', () => {
    const bench = new LiveBench();
    for (let system = 1; system <= 100; system++) bench.add('a', { system, answer: () => null });
    bench.run(30);
    const commands = bench.sent.filter(({ id }) => id !== HEARTBEAT);
    for (const { time } of commands) {
      const second = commands.filter((each) => each.time >= time && each.time < time + 1e6);
      expect(second.length).toBeLessThanOrEqual(11);
    }
    expect(commands.length).toBeLessThanOrEqual(30 * 10 + 10);
    expect(bench.collector.vehicles.size).toBe(100);
  });
});

describe('all that is sent', () => {
  test('is heartbeats and requests for messages, whatever vehicles do', () => {
    const kinds = new Set<string>();
    for (const profile of Object.values(PROFILES)) {
      for (const autopilot of [0, 3, 12]) {
        for (const result of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, null]) {
          const bench = new LiveBench({ profile, streamRequests: 'always' });
          const vehicle = bench.add('a', { autopilot, answer: () => result });
          bench.run(10);
          vehicle.reboot(bench.now);
          bench.run(5);
          for (const { id, payload } of bench.sent) {
            const command = id === COMMAND_LONG || id === COMMAND_INT ? payload.getUint16(28, true) : 0;
            kinds.add(`${id}/${command}`);
          }
        }
      }
    }
    expect([...kinds].sort()).toEqual(['0/0', '66/0', '75/511', '75/512', '75/520', '76/511', '76/512', '76/520']);
  });

  test('says who we are: a ground station that is not armed', () => {
    const bench = new LiveBench({ system: 250, component: 77 });
    bench.add('a');
    bench.run(3);
    const beats = bench.sent.filter(({ id }) => id === HEARTBEAT);
    expect(beats.length).toBeGreaterThanOrEqual(3);
    for (const { payload, system, component } of beats) {
      expect([system, component]).toEqual([250, 77]);
      expect([payload.getUint8(4), payload.getUint8(5), payload.getUint8(6), payload.getUint8(7)]).toEqual([
        6, 8, 0, 4,
      ]);
    }
  });

  test('is nothing else: each other message is refused', () => {
    const sent: Uint8Array[] = [];
    const outbox = new Outbox({ send: (_link, frame) => sent.push(frame), system: 254, component: 190 });
    for (const { name } of [...builtinDialect('common').messages.values()].flat()) {
      expect(() => outbox.message('a', name, {})).toThrow(/not sent/);
    }
    const target = { link: 'a', system: 1, component: 1 };
    const taken: number[] = [];
    for (let command = 0; command < 65536; command++) {
      try {
        outbox.command(target, command, [], false);
        taken.push(command);
      } catch {
        if (sent.length !== taken.length) throw new Error(`command ${command} was refused and sent`);
      }
    }
    expect(taken).toEqual([511, 512, 520]);
  });

  test('is more only where commands are allowed', () => {
    const bench = new LiveBench({ allowCommands: true });
    bench.collector.sendMessage('a', 'SET_MODE', { target_system: 1, base_mode: 1, custom_mode: 4 });
    expect(bench.sent.map(({ id }) => id)).toEqual([11]);
    expect(() => new LiveBench().collector.sendMessage('a', 'SET_MODE', {})).toThrow(/not sent/);
  });
});

test('attitude is asked for as the profile says', () => {
  const bench = new LiveBench({ profile: { rates: { ATTITUDE: 20 }, once: [] } });
  const vehicle = bench.add('a');
  bench.run(20);
  expect(vehicle.commands.map(({ message }) => message)).toEqual([ATTITUDE]);
  expect(vehicle.rates.get('ATTITUDE')).toBe(20);
});
