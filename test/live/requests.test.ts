// What vehicles are asked for, in which order, and that nothing else is ever sent.
import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { LiveCollector } from '../../src/live/collector.ts';
import { FrameSender } from '../../src/live/vehicle/frame-sender.ts';
import { PROFILES } from '../../src/live/vehicle/profile.ts';
import { LiveBench } from '../vehicle/bench.ts';
import type { SimulatedVehicle } from '../vehicle/vehicle.ts';
import { needRecordings, recordedAnswers } from './recorded.ts';

const HEARTBEAT = 0;
const REQUEST_DATA_STREAM = 66;
const COMMAND_LONG = 76;
const COMMAND_INT = 75;
const [SYS_STATUS, AUTOPILOT_VERSION, ATTITUDE] = [1, 148, 30];

/** What state and page show of an ArduPilot, HEARTBEAT excepted, and how often it is asked for. */
const SHOWN: Readonly<Record<string, number>> = {
  SYS_STATUS: 10,
  BATTERY_STATUS: 1,
  GLOBAL_POSITION_INT: 4,
  ATTITUDE: 4,
  VFR_HUD: 2,
  GPS_RAW_INT: 1,
  EKF_STATUS_REPORT: 1,
  RC_CHANNELS: 1,
  MISSION_CURRENT: 1,
  SYSTEM_TIME: 1,
  VIBRATION: 1,
  EXTENDED_SYS_STATE: 1,
};
const FAILED = 4;
const DENIED = 2;
const [EKF_STATUS_REPORT, ESTIMATOR_STATUS, MISSION_CURRENT, GPS2_RAW, HOME_POSITION] = [193, 230, 42, 124, 242];

/** How often each of the messages comes, as the collector measures it. */
function ratesOf(bench: LiveBench, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, Math.round(bench.collector.latest('1', 1, name)?.rate ?? 0)]));
}

/** Messages that a vehicle was asked for by a command, each as often as it was asked for. */
function askedFor({ commands }: SimulatedVehicle, command: number): number[] {
  return commands.filter((each) => each.command === command).map(({ message }) => message);
}

needRecordings('requests to an autopilot that answers as real ones did', () => {
  const ardupilot = recordedAnswers('ardupilot/boot-and-requests.pcapng');
  const px4 = recordedAnswers('px4/boot.pcapng');
  /** What ArduPilot does not have, it says FAILED to a single request for, and prints an error for an interval. */
  const asArduPilot = (command: number, message: number): number => {
    const known = ardupilot.get(`${command} ${message}`);
    if (command === 511 && known !== 0) throw new Error(`No ap_message for mavlink id (${message})`);
    return known ?? (command === 520 ? 0 : FAILED);
  };
  const asPx4 = (command: number, message: number): number => px4.get(`${command} ${message}`) ?? 0;

  test('have the answers of the recordings', () => {
    expect([ardupilot.get('511 193'), ardupilot.get('511 230'), ardupilot.get('512 230')]).toEqual([0, DENIED, FAILED]);
    expect([px4.get('511 193'), px4.get('512 193'), px4.get('511 42'), px4.get('512 242')]).toEqual([
      FAILED,
      DENIED,
      FAILED,
      0,
    ]);
  });

  for (const profile of ['default', 'full'] as const) {
    test(`ArduPilot, ${profile}: all that is shown comes, and nothing is asked for that it does not have`, () => {
      const bench = new LiveBench({ profile: PROFILES[profile] });
      const vehicle = bench.add('a', { answer: asArduPilot });
      bench.run(20);
      const rates = ratesOf(bench, Object.keys(SHOWN));
      for (const [name, rate] of Object.entries(rates)) expect([name, rate >= SHOWN[name]]).toEqual([name, true]);
      expect(vehicle.streamRequests).toBe(0);
      expect(vehicle.commands.map(({ message }) => message)).not.toContain(ESTIMATOR_STATUS);
      // a second receiver: asked for once, which fails without a word
      expect(askedFor(vehicle, 511)).not.toContain(GPS2_RAW);
      expect(askedFor(vehicle, 512).filter((id) => id === GPS2_RAW)).toHaveLength(1);
      expect(bench.collector.requests('1').map(({ message }) => message)).not.toContain('ESTIMATOR_STATUS');
      expect(() => bench.collector.request('1', 'ESTIMATOR_STATUS', 1)).toThrow(/does not send ESTIMATOR_STATUS/);
    });
  }

  test('ArduPilot that is up and talks already, whatever it says: it is asked all the same', () => {
    // another station's parameters and texts, and the answers to our own requests: many kinds of messages within a second
    const streams = {
      STATUSTEXT: 3,
      PARAM_VALUE: 10,
      TIMESYNC: 1,
      GPS_GLOBAL_ORIGIN: 1,
      MISSION_COUNT: 1,
      AHRS2: 5,
      RAW_IMU: 5,
    };
    const bench = new LiveBench();
    const vehicle = bench.add('a', { answer: asArduPilot, streams });
    bench.run(20);
    for (const [name, rate] of Object.entries(ratesOf(bench, Object.keys(SHOWN))))
      expect([name, rate]).toEqual([name, SHOWN[name]]);
    expect(vehicle.streamRequests).toBe(0);
  });

  test('PX4: what it refuses is asked for once, what it lacks never, and what comes by itself neither', () => {
    for (const profile of ['default', 'full'] as const) {
      const streams = {
        SYS_STATUS: 1,
        ATTITUDE: 20,
        GLOBAL_POSITION_INT: 10,
        GPS_RAW_INT: 5,
        VFR_HUD: 4,
        MISSION_CURRENT: 1,
        HOME_POSITION: 0.5,
      };
      const bench = new LiveBench({ profile: PROFILES[profile] });
      const vehicle = bench.add('a', {
        autopilot: 12,
        streams,
        answer: (command, id) => (id === 65 ? FAILED : asPx4(command, id)),
      });
      bench.run(60);
      const asked = vehicle.commands.map(({ message }) => message);
      expect(asked).not.toContain(EKF_STATUS_REPORT);
      expect(asked).not.toContain(MISSION_CURRENT);
      expect(asked).not.toContain(ATTITUDE);
      expect(asked.filter((id) => id === 65)).toHaveLength(1);
      expect(bench.collector.requests('1')).toContainEqual(
        expect.objectContaining({ message: 'RC_CHANNELS', state: 'refused', result: FAILED }),
      );
      expect(bench.collector.requests('1')).toContainEqual(
        expect.objectContaining({ message: 'MISSION_CURRENT', state: 'fulfilled', tries: 0 }),
      );
      expect(bench.sent.filter(({ id }) => id === REQUEST_DATA_STREAM)).toEqual([]);
      expect(ratesOf(bench, ['ESTIMATOR_STATUS', 'SYS_STATUS', 'ATTITUDE'])).toEqual({
        ESTIMATOR_STATUS: 1,
        SYS_STATUS: 10,
        ATTITUDE: 20,
      });
    }
  });

  test('ArduPilot that reboots and says nothing of it: all is asked for again, and stale until it comes', () => {
    const bench = new LiveBench();
    const vehicle = bench.add('a', { answer: asArduPilot });
    bench.run(20);
    const rebootedAt = bench.now;
    vehicle.reboot();
    for (let i = 0; i < 70 && !bench.types().includes('reboot'); i++) bench.run(0.05);
    const reboots = bench.events.filter(({ type }) => type === 'reboot');
    expect(reboots).toHaveLength(1);
    expect(reboots[0].time - rebootedAt).toBeLessThan(3e6);
    const state = bench.collector.vehicles.get('1');
    expect([state?.attitude?.isStale, state?.ekf?.isStale, state?.mission?.isStale]).toEqual([true, true, true]);
    bench.run(10);
    for (const [name, rate] of Object.entries(ratesOf(bench, Object.keys(SHOWN))))
      expect([name, rate]).toEqual([name, SHOWN[name]]);
    expect([state?.attitude?.isStale, state?.ekf?.isStale, state?.mission?.isStale]).toEqual([false, false, false]);
  });

  test('a vehicle that was lost: all is asked for again', () => {
    const bench = new LiveBench();
    const vehicle = bench.add('a', { answer: asArduPilot });
    bench.run(20);
    vehicle.isSilent = true;
    bench.run(10);
    expect(bench.types()).toContain('lost');
    const before = vehicle.commands.length;
    vehicle.rates.clear();
    vehicle.isSilent = false;
    bench.run(10);
    expect(new Set(vehicle.commands.slice(before).map(({ message }) => message))).toEqual(
      new Set([...Object.keys(SHOWN).map((name) => idOf(name)), GPS2_RAW, AUTOPILOT_VERSION, HOME_POSITION]),
    );
  });

  test('a message that falls silent is asked for again, after longer and longer pauses', () => {
    const bench = new LiveBench();
    const vehicle = bench.add('a', { answer: asArduPilot });
    bench.run(20);
    // it accepts each request and does not keep to it
    vehicle.broken.add('EKF_STATUS_REPORT');
    const [before, from] = [vehicle.commands.length, bench.now];
    bench.run(200);
    const times = vehicle.commands
      .slice(before)
      .filter(({ message }) => message !== HOME_POSITION)
      .map(({ message, time }) => [message, (time - from) / 1e6]);
    expect(new Set(times.map(([message]) => message))).toEqual(new Set([EKF_STATUS_REPORT]));
    expect(times[0][1]).toBeLessThan(13);
    const pauses = times.slice(1).map(([, time], i) => time - times[i][1]);
    for (let i = 1; i < pauses.length; i++) expect(pauses[i]).toBeGreaterThan(1.8 * pauses[i - 1]);
    expect(times.length).toBeGreaterThan(3);
  });

  test('PX4 that has no home yet is asked for it again, not for ever, and once more when it has a fix or arms', () => {
    const bench = new LiveBench();
    const vehicle = bench.add('a', {
      autopilot: 12,
      streams: {},
      parameters: [{ name: 'SIM_GPS_USED', value: 0, type: 6 }],
      answer: (command, id) => (id === HOME_POSITION ? DENIED : asPx4(command, id)),
    });
    bench.run(900);
    const asked = askedFor(vehicle, 512).filter((id) => id === HOME_POSITION).length;
    expect(asked).toBeGreaterThan(5);
    expect(asked).toBeLessThanOrEqual(10);
    expect(bench.collector.requests('1')).toContainEqual(
      expect.objectContaining({ message: 'HOME_POSITION', state: 'refused' }),
    );
    vehicle.set({ armed: true });
    bench.run(5);
    expect(askedFor(vehicle, 512).filter((id) => id === HOME_POSITION).length).toBeGreaterThan(asked);
  });
});

function idOf(name: string): number {
  return new FrameSender({ send: () => undefined, system: 1, component: 1 }).idOf(name) ?? -1;
}

describe('requests', () => {
  test('of a second receiver are sent at an interval once one came', () => {
    const bench = new LiveBench();
    const vehicle = bench.add('a', { answer: () => 0 });
    vehicle.broken.add('GPS2_RAW');
    bench.run(4);
    expect(askedFor(vehicle, 511)).not.toContain(GPS2_RAW);
    vehicle.broken.clear();
    vehicle.say('GPS2_RAW', {});
    bench.run(30);
    expect(askedFor(vehicle, 511)).toContain(GPS2_RAW);
  });

  test('can leave stream requests out, or all of it', () => {
    const sent = (options: ConstructorParameters<typeof LiveBench>[0]): number[] => {
      const bench = new LiveBench(options);
      bench.add('a', { answer: () => null });
      bench.run(20);
      // nothing is shown as wanted that is never asked for
      expect(bench.collector.requests('1').length > 0).toBe(options?.requests !== false);
      return [...new Set(bench.sent.map(({ id }) => id))].sort();
    };
    expect(sent({})).toEqual([HEARTBEAT, REQUEST_DATA_STREAM, COMMAND_LONG]);
    expect(sent({ streamRequests: 'never' })).toEqual([HEARTBEAT, COMMAND_LONG]);
    expect(sent({ requests: false })).toEqual([HEARTBEAT]);
    expect(sent({ requests: false, heartbeats: false })).toEqual([]);
  });

  test('of streams are sent where intervals are unsupported or have no answer: once, and again after a reboot', () => {
    for (const answer of [(command: number) => (command === 511 ? 3 : 0), () => null]) {
      const bench = new LiveBench();
      const vehicle = bench.add('a', { answer });
      bench.run(60);
      expect(vehicle.streamRequests).toBe(1);
      expect(ratesOf(bench, ['SYS_STATUS', 'ATTITUDE'])).toEqual({ SYS_STATUS: 1, ATTITUDE: 1 });
      vehicle.reboot();
      bench.run(60);
      expect(vehicle.streamRequests).toBe(2);
    }
  });

  test('of streams are repeated where nothing comes of them, ever less often', () => {
    const bench = new LiveBench();
    bench.add('a', { answer: () => null, autopilot: 0 });
    bench.run(300);
    const times = bench.sent.filter(({ id }) => id === REQUEST_DATA_STREAM).map(({ time }) => time / 1e6);
    expect(times.length).toBeGreaterThan(2);
    expect(times.length).toBeLessThan(8);
  });

  test('of streams never go to an ArduPlane, which would store the rates, unless the user wants them, nor to PX4', () => {
    for (const [type, autopilot] of [
      [1, 3],
      [2, 12],
    ]) {
      for (const answer of [() => 3, () => null]) {
        const bench = new LiveBench();
        bench.add('a', { type, autopilot, answer });
        bench.run(60);
        expect(bench.sent.filter(({ id }) => id === REQUEST_DATA_STREAM)).toEqual([]);
      }
    }
    const bench = new LiveBench({ streamRequests: 'always' });
    const vehicle = bench.add('a', { type: 1 });
    bench.run(20);
    expect(vehicle.streamRequests).toBe(1);
    // it comes before the intervals, which it would undo
    const stream = bench.sent.findIndex(({ id }) => id === REQUEST_DATA_STREAM);
    const interval = bench.sent.findIndex(
      ({ id, payload }) => id === COMMAND_LONG && payload.getUint16(28, true) === 511,
    );
    expect(interval).toBeGreaterThan(stream);
    expect(ratesOf(bench, ['SYS_STATUS'])).toEqual({ SYS_STATUS: 10 });
  });

  test('without an answer are repeated, each time later', () => {
    const bench = new LiveBench({ profile: PROFILES.basic, streamRequests: 'never' });
    const vehicle = bench.add('a', { answer: () => null });
    bench.run(180);
    const intervals = vehicle.commands.filter(({ command }) => command === 511);
    const times = intervals.filter(({ message }) => message === SYS_STATUS).map(({ time }) => time / 1e6);
    const pauses = times.slice(1).map((time, i) => time - times[i]);
    expect(pauses.length).toBeGreaterThan(3);
    // two open requests to the same vehicle may delay one by two seconds each
    for (let i = 1; i < pauses.length; i++) expect(pauses[i]).toBeGreaterThanOrEqual(pauses[i - 1] * 1.3 - 4);
    expect(pauses.at(-1)).toBeGreaterThan(15);
    const version = vehicle.commands.filter(({ command }) => command === 512 || command === 520);
    expect(version.some(({ command }) => command === 520)).toBe(true);
  });

  test('that are refused for good are not repeated', () => {
    for (const result of [DENIED, 3, FAILED]) {
      const bench = new LiveBench({ profile: PROFILES.basic, streamRequests: 'never' });
      const vehicle = bench.add('a', { answer: (command) => (command === 511 ? result : 0) });
      bench.run(60);
      expect(askedFor(vehicle, 511).filter((id) => id === SYS_STATUS)).toHaveLength(1);
      expect(bench.collector.requests('1')).toContainEqual(
        expect.objectContaining({ message: 'SYS_STATUS', state: 'refused', result }),
      );
    }
    const bench = new LiveBench({ profile: PROFILES.basic });
    bench.add('a', { answer: (command) => (command === 520 ? 0 : 3) });
    bench.run(60);
    expect(bench.collector.vehicles.get('1')?.firmware.version).toBe('4.6.3');
  });

  test('of a rate that the user gave lower what comes more often, after a reboot too', () => {
    const bench = new LiveBench({ profile: { rates: { ATTITUDE: 2, VFR_HUD: 2 }, once: [], exact: ['ATTITUDE'] } });
    const vehicle = bench.add('a', { autopilot: 12, streams: { ATTITUDE: 20, VFR_HUD: 20 } });
    bench.run(20);
    expect(askedFor(vehicle, 511)).toEqual([ATTITUDE]);
    expect(ratesOf(bench, ['ATTITUDE', 'VFR_HUD'])).toEqual({ ATTITUDE: 2, VFR_HUD: 20 });
    vehicle.reboot();
    bench.run(20);
    expect(ratesOf(bench, ['ATTITUDE', 'VFR_HUD'])).toEqual({ ATTITUDE: 2, VFR_HUD: 20 });
    bench.collector.request('1', 'VFR_HUD', 4);
    bench.run(20);
    expect(ratesOf(bench, ['ATTITUDE', 'VFR_HUD'])).toEqual({ ATTITUDE: 2, VFR_HUD: 4 });
  });

  test('tell nothing of how they are kept', () => {
    const bench = new LiveBench();
    bench.add('a');
    bench.run(5);
    for (const wish of bench.collector.requests('1'))
      expect(Object.keys(wish).sort()).toEqual(['message', 'nextAt', 'rate', 'result', 'state', 'tries']);
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
    const vehicle = bench.add('a', { answer: (command) => (command === 511 ? 0 : null), most: 1 });
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
          vehicle.reboot();
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

  test('is for one vehicle: a heartbeat from system 0, which is all of them, makes none', () => {
    const bench = new LiveBench({ allowCommands: true });
    const vehicle = bench.add('a');
    bench.add('a', { system: 0 });
    bench.run(10);
    expect([...bench.collector.vehicles.keys()]).toEqual(['1']);
    const targets = bench.sent.filter(({ id }) => id === COMMAND_LONG).map(({ payload }) => payload.getUint8(30));
    expect(new Set(targets)).toEqual(new Set([1]));
    expect(() => bench.collector.send('0', 'COMMAND_LONG', { command: 400, param1: 1 })).toThrow('unknown vehicle 0');
    expect(vehicle.situation.armed).toBe(false);
  });

  test('keeps to the interval of heartbeats, whatever that of ticks is', () => {
    for (const [interval, tick] of [
      [250, 100],
      [250, 113],
      [1000, 100],
      [330, 100],
    ]) {
      let beats = 0;
      const collector = new LiveCollector({ send: () => beats++, heartbeatInterval: interval });
      collector.addLink('a');
      for (let time = 0; time <= 100e6; time += tick * 1000) collector.tick(time);
      expect(beats).toBeGreaterThanOrEqual(100_000 / interval);
      expect(beats).toBeLessThanOrEqual(100_000 / interval + 1);
      // a clock that was set back, or forward, brings neither silence nor a burst
      for (const jump of [-1000e6, 5000e6]) {
        beats = 0;
        for (let time = jump; time <= jump + 10e6; time += tick * 1000) collector.tick(time);
        expect(Math.abs(beats - 10_000 / interval)).toBeLessThanOrEqual(2);
      }
    }
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
    const sender = new FrameSender({ send: (_link, frame) => sent.push(frame), system: 254, component: 190 });
    for (const { name } of [...builtinDialect('common').messages.values()].flat()) {
      expect(() => sender.prepare(name, {})).toThrow(/refused/);
    }
    const target = { link: 'a', system: 1, component: 1 };
    const taken: number[] = [];
    for (let command = 0; command < 65536; command++) {
      try {
        sender.command(target, command, [], false);
        taken.push(command);
      } catch {
        if (sent.length !== taken.length) throw new Error(`command ${command} was refused and sent`);
      }
    }
    expect(taken).toEqual([511, 512, 520]);
  });

  test('is more only where commands are allowed', () => {
    const bench = new LiveBench({ allowCommands: true, requests: false, heartbeats: false });
    bench.add('a');
    bench.run(2);
    bench.collector.send('1', 'SET_MODE', { base_mode: 1, custom_mode: 4 });
    expect(bench.sent.map(({ id, payload }) => [id, payload.getUint8(4)])).toEqual([[11, 1]]);
    expect(() => new LiveBench().collector.send('1', 'SET_MODE', {})).toThrow(/refused/);
  });
});

test('attitude is asked for as the profile says', () => {
  const bench = new LiveBench({ profile: { rates: { ATTITUDE: 20 }, once: [] } });
  const vehicle = bench.add('a');
  bench.run(20);
  expect(vehicle.commands.map(({ message }) => message)).toEqual([ATTITUDE]);
  expect(vehicle.rates.get('ATTITUDE')).toBe(20);
});
