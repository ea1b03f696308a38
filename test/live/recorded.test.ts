// The state of real autopilots, as their recorded conversations give it: ages, readiness to arm, texts.
import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { LiveCollector } from '../../src/live/collector.ts';
import { prearmReasons } from '../../src/live/state.ts';
import type { Freshness, LiveVehicle } from '../../src/live/vehicle.ts';
import { datagrams, needRecordings, replayDatagrams } from './recorded.ts';

const SECOND = 1e6;

type Part = 'heartbeat' | 'position' | 'attitude' | 'speed' | 'gps' | 'ekf' | 'rc' | 'mission' | 'battery' | 'home';

const PARTS: readonly Part[] = [
  ...(['heartbeat', 'position', 'attitude', 'speed', 'gps', 'ekf', 'rc', 'mission', 'battery', 'home'] as const),
];

/** Which parts are stale, and which are fresh; those that never came are neither. */
function ages(vehicle: LiveVehicle): { stale: string[]; fresh: string[] } {
  const known = PARTS.flatMap((part) => {
    const found: Freshness | null = vehicle[part];
    return found && !Number.isNaN(found.time) ? [{ part, isStale: found.isStale }] : [];
  });
  const named = (isStale: boolean): string[] =>
    known.filter((each) => each.isStale === isStale).map(({ part }) => part);
  return { stale: named(true), fresh: named(false) };
}

/** What a vehicle is like at some seconds of a recording. */
function looks<T>(name: string, seconds: readonly number[], look: (vehicle: LiveVehicle) => T): T[] {
  const packets = datagrams(name);
  const due = [...seconds];
  const found: T[] = [];
  replayDatagrams(packets, { requests: false }, (collector, time) => {
    const vehicle = collector.vehicles.get('1');
    if (!vehicle || !(time >= packets[0].time + due[0] * SECOND)) return;
    due.shift();
    found.push(look(vehicle));
  });
  return found;
}

needRecordings('ages of a real ArduPilot', () => {
  test('are fresh while it streams, stale after the reboot until each comes again', () => {
    // streams of 4 Hz from 22 s on, reboot at 29.5, first frame at 30.67, four messages asked for again at 67 s
    const [before, after, long, again] = looks('ardupilot/boot-and-requests.pcapng', [29, 32.5, 60, 73.5], ages);
    expect(before).toEqual({ stale: [], fresh: PARTS });
    expect(after).toEqual({ stale: PARTS.slice(1), fresh: ['heartbeat'] });
    // home came by itself at 49.7
    expect(long).toEqual({ stale: PARTS.slice(1, -1), fresh: ['heartbeat', 'home'] });
    expect(again).toEqual({
      stale: ['gps', 'rc', 'mission', 'battery'],
      // speed is made of GLOBAL_POSITION_INT as long as VFR_HUD stays away
      fresh: ['heartbeat', 'position', 'attitude', 'speed', 'ekf', 'home'],
    });
  });

  test('are stale after three intervals of silence', () => {
    // the last ATTITUDE of the first run came at 29.328, every 0.25 s: fresh until 30.08
    const [fresh, stale] = looks(
      'ardupilot/boot-and-requests.pcapng',
      [29.95, 30.2],
      ({ attitude }) => attitude?.isStale,
    );
    expect([fresh, stale]).toEqual([false, true]);
  });
});

needRecordings('two links of one vehicle at one address', () => {
  test.each([0, 0.6, 1.5])(
    'are no conflict, one %s s slower: their numbers take turns, but it was started once and is at one place',
    (late) => {
      const stations = new Set([14550, 14780, 14781]);
      const sent = datagrams('ardupilot/two-stations.pcapng')
        .filter(({ to }) => stations.has(to))
        .map((each) => ({ ...each, time: each.time + (each.to === 14781 ? late * 1e6 : 0) }))
        .sort((a, b) => a.time - b.time);
      expect(new Set(sent.map(({ from, to }) => `${from} ${to}`)).size).toBe(2);
      const { collector, events } = replayDatagrams(sent.map((each) => ({ ...each, from: 5760, to: 14550 })));
      expect(events.filter(({ type }) => type === 'conflict' || type === 'reboot')).toEqual([]);
      expect([...collector.vehicles.keys()]).toEqual(['1']);
    },
  );
});

needRecordings('a real PX4', () => {
  test('has only stale values when it is lost, and after a reboot until each comes again', () => {
    // killed at 9.27 s, lost 5 s after its last heartbeat, back at 15.62, heartbeat at 16.63
    const [before, lost, back, later] = looks('px4/boot.pcapng', [9, 14.5, 16, 25], (vehicle) => ({
      connected: vehicle.connected,
      ...ages(vehicle),
    }));
    expect(before).toMatchObject({ connected: true, stale: [] });
    expect(lost).toMatchObject({ connected: false, fresh: [] });
    expect(back.connected).toBe(false);
    expect(back.fresh).toEqual([]);
    expect(later).toMatchObject({ connected: true });
    expect(later.fresh).toEqual(expect.arrayContaining(['heartbeat', 'position', 'attitude', 'speed', 'gps', 'home']));
  });

  test('says why it does not arm, and no longer once it is ready, flies or has flown', () => {
    const states = looks('px4/arm-refused.pcapng', [1, 2, 4, 6, 8.3, 20, 41, 43.3], ({ prearm, armed }) => [
      prearm.ready,
      armed,
      ...prearm.reasons,
    ]);
    expect(states).toEqual([
      [false, false],
      [false, false, 'Resolve system health failures first'],
      [false, false, 'Resolve system health failures first', 'GPS fix too low', 'Global position estimate required'],
      [false, false, 'GPS fix too low', 'Global position estimate required', 'Resolve system health failures first'],
      [true, false],
      [true, true],
      [true, false],
      [true, false],
    ]);
  });

  test('ends no text with a tab', () => {
    const { collector } = replayDatagrams(datagrams('px4/arm-refused.pcapng'));
    const texts = collector.vehicles.get('1')?.texts.map(({ text }) => text) ?? [];
    expect(texts).toEqual(
      expect.arrayContaining([
        'Arming denied: Resolve system health failures first',
        'RTL: start return at 495 m (6 m above destination)',
        'Switching to Position Slow is currently not available',
        'Preflight Fail: GPS fix too low',
      ]),
    );
    expect(texts.filter((text) => /\s$/.test(text))).toEqual([]);
  });

  test('has no current of -1 A', () => {
    const found = looks('px4/arm-refused.pcapng', [2, 20, 40], ({ battery, batteries }) => [
      battery.current,
      batteries[0]?.current,
      (batteries[0]?.voltage ?? 0) > 15,
    ]);
    expect(found).toEqual(Array.from({ length: 3 }, () => [null, null, true]));
  });

  test('names its modes: one that it lists as not available has none', () => {
    const { collector } = replayDatagrams(datagrams('px4/boot.pcapng'));
    const names = [...(collector.vehicles.get('1')?.components.get(1)?.modeNames ?? [])];
    expect(names).toContainEqual([0x2030000, 'Position Slow']);
    expect(names.filter(([, name]) => name.includes('not available'))).toEqual([]);
  });
});

describe('a vehicle', () => {
  const encoder = new Encoder(builtinDialect('all'), { system: 1, component: 1 });
  const heartbeat = (autopilot: number): Uint8Array =>
    encoder.message('HEARTBEAT', { type: 2, autopilot, base_mode: 1, custom_mode: 0x2030000, system_status: 3 });

  test('no longer gives the reasons of before its reboot', () => {
    const collector = new LiveCollector({ send: () => undefined });
    collector.receive('a', heartbeat(12), 0);
    collector.receive('a', encoder.message('SYS_STATUS', {}), 0);
    collector.receive('a', encoder.message('ATTITUDE', { time_boot_ms: 90_000, roll: 1 }), SECOND);
    collector.receive(
      'a',
      encoder.message('STATUSTEXT', { severity: 2, text: 'Preflight: GPS fix too low\t' }),
      SECOND,
    );
    const reasons = (): readonly string[] | undefined => collector.vehicles.get('1')?.prearm.reasons;
    expect(reasons()).toEqual(['GPS fix too low']);
    for (const time_boot_ms of [100, 200])
      collector.receive('a', encoder.message('ATTITUDE', { time_boot_ms, roll: 1 }), 2 * SECOND + time_boot_ms);
    expect(collector.vehicles.get('1')?.reboots).toBe(1);
    expect(reasons()).toEqual([]);
  });

  test('of PX4 is in Position Slow by its number too; one of ArduPilot may charge with 1 A', () => {
    const collector = new LiveCollector({ send: () => undefined });
    collector.receive('a', heartbeat(12), 0);
    expect(collector.vehicles.get('1')?.mode).toBe('Position Slow');
    collector.receive('b', heartbeat(3), 0);
    collector.receive('b', encoder.message('SYS_STATUS', { voltage_battery: 12_000, current_battery: -100 }), 0);
    for (let i = 0; i < 100; i++) {
      collector.receive('a', heartbeat(12), i * SECOND);
      collector.receive('b', heartbeat(3), i * SECOND);
      collector.tick(i * SECOND);
    }
    expect(collector.vehicles.get('1@b')?.battery.current).toBe(-1);
  });

  test('with two batteries has an age for each', () => {
    const collector = new LiveCollector({ send: () => undefined });
    for (let i = 0; i < 20; i++) {
      collector.receive('a', heartbeat(3), i * SECOND);
      for (const id of i < 10 ? [0, 1] : [0])
        collector.receive('a', encoder.message('BATTERY_STATUS', { id, voltages: [12_000] }), i * SECOND);
      collector.tick(i * SECOND);
    }
    const packs = collector.vehicles.get('1')?.batteries.map(({ id, isStale, time }) => [id, isStale, time / SECOND]);
    expect(packs).toEqual([
      [0, false, 19],
      [1, true, 9],
    ]);
  });

  test('of no known autopilot has a name without a number', () => {
    const collector = new LiveCollector({ send: () => undefined });
    collector.receive('a', heartbeat(0), 0);
    expect(collector.vehicles.get('1')?.firmware.name).toBe('generic autopilot');
    collector.receive('b', encoder.message('HEARTBEAT', { type: 2, autopilot: 99 }), 0);
    expect(collector.vehicles.get('1@b')?.firmware.name).toBe('unknown autopilot');
  });
});

test('warnings of PX4 before arming are reasons as well, until something newer', () => {
  const text = (words: string, time: number) => ({ time, component: 1, severity: 4, level: 'warning', text: words });
  const texts = [
    text('Preflight: GPS fix too low', 10),
    text('Preflight Fail: No manual control input', 20),
    text('Arming denied: Resolve system health failures first', 30),
    text('Armed by external command', 40),
    text('PreArm: RC not calibrated', 50),
  ];
  expect(prearmReasons(texts, 0, 60)).toEqual([
    'GPS fix too low',
    'No manual control input',
    'Resolve system health failures first',
    'RC not calibrated',
  ]);
  expect(prearmReasons(texts, 25, 60)).toEqual(['Resolve system health failures first', 'RC not calibrated']);
});
