// Several vehicles, links that fall silent, and senders that do not exist.
import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import type { MessageDefinition } from '../../src/formats/mavlink/dialect/definition.ts';
import { Encoder, encodeMessage } from '../../src/formats/mavlink/encode.ts';
import { LiveCollector } from '../../src/live/collector.ts';
import { Random } from '../suite/random.ts';
import { LiveBench } from '../vehicle/bench.ts';

const DIALECT = builtinDialect('common');

function collectorOf(): LiveCollector {
  return new LiveCollector({ send: () => undefined });
}

describe('vehicles', () => {
  test('are lost when their heartbeats stay out, and recovered when they are back', () => {
    const bench = new LiveBench();
    const vehicle = bench.add('a');
    bench.run(10);
    expect(bench.collector.vehicles.get('1')?.connected).toBe(true);
    vehicle.isSilent = true;
    const silentAt = bench.collector.vehicles.get('1')?.lastHeartbeat ?? 0;
    bench.run(4);
    expect(bench.types()).not.toContain('lost');
    bench.run(3);
    const lost = bench.events.find(({ type }) => type === 'lost');
    expect(lost).toMatchObject({ vehicle: '1', lastHeartbeat: silentAt });
    expect((lost?.time ?? 0) - silentAt).toBeGreaterThan(5e6);
    expect((lost?.time ?? 0) - silentAt).toBeLessThan(5.3e6);
    expect(bench.collector.vehicles.get('1')).toMatchObject({ connected: false, lostAt: lost?.time });
    bench.run(10);
    vehicle.isSilent = false;
    bench.run(2);
    const recovered = bench.events.find(({ type }) => type === 'recovered');
    expect(recovered).toMatchObject({ vehicle: '1', silence: (recovered?.time ?? 0) - silentAt });
    expect(bench.collector.vehicles.get('1')).toMatchObject({ connected: true, lostAt: null, lostCount: 1 });
    expect(bench.types().filter((type) => type === 'lost' || type === 'recovered')).toEqual(['lost', 'recovered']);
  });

  test('are not lost because this program or its clock was held up', () => {
    const bench = new LiveBench();
    const vehicle = bench.add('a');
    bench.run(10);
    bench.offset = 3600e6;
    bench.run(10);
    bench.offset = -3600e6;
    bench.run(20);
    expect(bench.types()).not.toContain('lost');
    expect(bench.collector.latest('1', 1, 'SYS_STATUS')?.rate).toBeCloseTo(10, 0);
    bench.offset = -7200e6;
    vehicle.isSilent = true;
    bench.run(8);
    expect(bench.types()).toContain('lost');
  });

  test('whose mode has no name are asked for their list of modes', () => {
    const bench = new LiveBench();
    const vehicle = bench.add('a', { mode: 99 });
    bench.run(5);
    expect(vehicle.commands.some(({ command, message }) => command === 512 && message === 435)).toBe(true);
    const known = new LiveBench();
    const other = known.add('a');
    known.run(5);
    expect(other.commands.some(({ message }) => message === 435)).toBe(false);
  });

  test('are not asked for anything while they are lost', () => {
    const bench = new LiveBench();
    const vehicle = bench.add('a');
    bench.run(3);
    vehicle.isSilent = true;
    bench.run(8);
    const before = bench.sent.filter(({ id }) => id !== 0).length;
    bench.run(60);
    expect(bench.sent.filter(({ id }) => id !== 0)).toHaveLength(before);
  });

  test('with one system id on two links are two', () => {
    const bench = new LiveBench();
    bench.add('left', { type: 2 });
    bench.add('right', { type: 10 });
    bench.run(10);
    expect([...bench.collector.vehicles.keys()]).toEqual(['1', '1@right']);
    expect(bench.collector.vehicles.get('1')?.kind).toBe('Copter');
    expect(bench.collector.vehicles.get('1@right')?.kind).toBe('Rover');
    // each is asked on its own link
    for (const link of ['left', 'right']) {
      expect(bench.sent.some((each) => each.link === link && each.id === 76)).toBe(true);
    }
    expect(bench.collector.latest('1@right', 1, 'SYS_STATUS')?.count).toBeGreaterThan(10);
  });

  test('are told apart from what else has their system id', () => {
    const collector = collectorOf();
    const camera = new Encoder(DIALECT, { system: 1, component: 100 });
    const autopilot = new Encoder(DIALECT, { system: 1, component: 1 });
    const gcs = new Encoder(DIALECT, { system: 255, component: 190 });
    collector.receive('a', gcs.message('HEARTBEAT', { type: 6, autopilot: 8, base_mode: 128 }), 1e6);
    collector.receive('a', camera.message('HEARTBEAT', { type: 30, autopilot: 8, base_mode: 128 }), 1e6);
    expect(collector.vehicles.size).toBe(0);
    collector.receive('a', autopilot.message('HEARTBEAT', { type: 2, autopilot: 3, custom_mode: 5 }), 2e6);
    collector.receive('a', camera.message('HEARTBEAT', { type: 30, autopilot: 8, base_mode: 128 }), 3e6);
    const vehicle = collector.vehicles.get('1');
    expect(vehicle).toMatchObject({
      component: 1,
      armed: false,
      mode: 'LOITER',
      lastHeartbeat: 2e6,
      lastActivity: 3e6,
    });
    expect([...(vehicle?.components.keys() ?? [])]).toEqual([100, 1]);
  });

  test('have the names of modes that they give themselves', () => {
    const collector = collectorOf();
    const encoder = new Encoder(DIALECT, { system: 1, component: 1 });
    const modes: string[] = [];
    collector.subscribe((event) => event.type === 'mode' && modes.push(event.mode));
    collector.receive('a', encoder.message('HEARTBEAT', { type: 2, autopilot: 3, custom_mode: 77 }), 1e6);
    expect(collector.vehicles.get('1')?.mode).toBe('MODE(77)');
    collector.receive('a', encoder.message('AVAILABLE_MODES', { custom_mode: 77, mode_name: 'My Mode' }), 2e6);
    expect(collector.vehicles.get('1')?.mode).toBe('My Mode');
    expect(modes).toEqual(['My Mode']);
    // the vehicle's own word for a mode that has a name is not another mode
    collector.receive('a', encoder.message('HEARTBEAT', { type: 2, autopilot: 3, custom_mode: 5 }), 3e6);
    collector.receive('a', encoder.message('AVAILABLE_MODES', { custom_mode: 5, mode_name: 'Hover' }), 4e6);
    expect(collector.vehicles.get('1')?.mode).toBe('Hover');
    collector.receive('a', encoder.message('HEARTBEAT', { type: 2, autopilot: 3, custom_mode: 9 }), 5e6);
    expect(modes).toEqual(['My Mode', 'LOITER', 'LAND']);
  });

  test('never give away a key that was sent to them', () => {
    const collector = collectorOf();
    const encoder = new Encoder(DIALECT, { system: 1, component: 1 });
    collector.receive('a', encoder.message('HEARTBEAT', { type: 2, autopilot: 3 }), 1e6);
    const secret_key = Array.from({ length: 32 }, (_, i) => 100 + i);
    collector.receive('a', encoder.message('SETUP_SIGNING', { secret_key, initial_timestamp: 5 }), 2e6);
    const latest = collector.latest('1', 1, 'SETUP_SIGNING');
    expect(latest?.count).toBe(1);
    expect(Buffer.from(latest?.bytes ?? []).includes(Buffer.from(secret_key.slice(0, 4)))).toBe(false);
    expect(JSON.stringify(latest?.data.secret_key)).not.toContain('100,101');
  });

  test('have every pack of their batteries', () => {
    const collector = collectorOf();
    const encoder = new Encoder(DIALECT, { system: 1, component: 1 });
    collector.receive('a', encoder.message('HEARTBEAT', { type: 2, autopilot: 3 }), 1e6);
    const none = Array.from({ length: 8 }, () => null);
    for (const [id, cells] of [[1, [4000, 4100]] as const, [0, [3900, 3950]] as const]) {
      const values = { id, voltages: [...cells, ...none], battery_remaining: 50 + id, current_battery: null };
      collector.receive('a', encoder.message('BATTERY_STATUS', values), 2e6);
    }
    const { battery, batteries } = collector.vehicles.get('1') ?? {};
    expect(batteries?.map(({ id, voltage, remaining }) => [id, voltage, remaining])).toEqual([
      [0, 7.85, 50],
      [1, 8.1, 51],
    ]);
    expect(battery).toMatchObject({ voltage: 7.85, current: null, remaining: 50 });
  });

  test('say why they do not arm', () => {
    const collector = collectorOf();
    const encoder = new Encoder(DIALECT, { system: 1, component: 1 });
    const said = (text: string, time: number): boolean =>
      collector.receive('a', encoder.message('STATUSTEXT', { severity: 2, text }), time);
    collector.receive('a', encoder.message('HEARTBEAT', { type: 2, autopilot: 3 }), 1e6);
    const bits = { onboard_control_sensors_present: 0x10000001, onboard_control_sensors_enabled: 0x10000001 };
    collector.receive('a', encoder.message('SYS_STATUS', { ...bits, onboard_control_sensors_health: 1 }), 1e6);
    said('PreArm: RC not found', 1e6);
    said('PreArm: Battery 1 below minimum', 1.1e6);
    said('PreArm: RC not found', 31e6);
    const vehicle = collector.vehicles.get('1');
    expect(vehicle?.prearm).toMatchObject({ ready: false, reasons: ['Battery 1 below minimum', 'RC not found'] });
    expect(vehicle?.sensors).toMatchObject([
      { name: '3d_gyro', enabled: true, healthy: true },
      { name: 'prearm_check', enabled: true, healthy: false },
    ]);
    collector.tick(70e6);
    expect(vehicle?.prearm.reasons).toEqual(['RC not found']);
    collector.receive(
      'a',
      encoder.message('SYS_STATUS', { ...bits, onboard_control_sensors_health: 0x10000001 }),
      71e6,
    );
    expect(vehicle?.prearm).toMatchObject({ ready: true, reasons: [] });
  });
});

describe('loss', () => {
  test('is reported truly, whatever else happens', () => {
    for (const part of [0, 0.02, 0.1, 0.3]) {
      const random = new Random(1);
      const collector = collectorOf();
      const encoder = new Encoder(DIALECT, { system: 1, component: 1 });
      let dropped = 0;
      const count = 6_000;
      for (let i = 0; i < count; i++) {
        const frame = encoder.message('ATTITUDE', { time_boot_ms: i });
        if (random.chance(part)) dropped++;
        else collector.receive('a', frame, i * 1e4, '1.2.3.4:5');
      }
      const { lost, received } = collector.statistics().links[0].streams['1:1'];
      expect(received).toBe(count - dropped);
      expect(Math.abs(lost - dropped) / count).toBeLessThan(0.01);
    }
  });
});

describe('senders that do not exist', () => {
  /** A frame of each message, as short as may be, that can be given any sender. */
  const messages = [...DIALECT.messages.values()].map(([first]) => first).slice(0, 100);

  test('do not fill the memory, and a known vehicle keeps its place', () => {
    const collector = collectorOf();
    const known = new Encoder(DIALECT, { system: 77, component: 1 });
    collector.receive('a', known.message('HEARTBEAT', { type: 2, autopilot: 3, custom_mode: 4 }), 1e6, 'vehicle');
    const before = memory();
    let time = 2e6;
    let busy = 0;
    for (const definition of messages) {
      const frames = allSenders(definition);
      const began = process.cpuUsage();
      time += 1e4;
      collector.receive('a', frames, time, 'flood');
      collector.tick(time);
      const { user, system } = process.cpuUsage(began);
      busy += (user + system) / 1000;
    }
    expect(busy).toBeLessThan(10_000);
    expect(memory() - before).toBeLessThan(64 << 20);
    const { links, messages: received } = collector.statistics();
    expect(received).toBe(1 + 65_280 * messages.length);
    expect(links[0].faults).toEqual({});
    collector.receive('a', known.message('HEARTBEAT', { type: 2, autopilot: 3, custom_mode: 5 }), time, 'vehicle');
    collector.receive('a', known.message('VIBRATION', { vibration_x: 3 }), time, 'vehicle');
    expect(collector.vehicles.get('77')).toMatchObject({ mode: 'LOITER', lastHeartbeat: time });
    expect(collector.latest('77', 1, 'VIBRATION')?.data.vibration_x).toBe(3);
  });

  test('from thousands of addresses share a few decoders, and garbage none', () => {
    const collector = collectorOf();
    const random = new Random(2);
    const before = memory();
    const garbage = Uint8Array.from({ length: 64 }, () => random.below(256));
    for (let i = 0; i < 20_000; i++) collector.receive('a', garbage, 1e6 + i, `10.0.${i >> 8}.${i & 255}:9`);
    expect(collector.statistics().links[0].peers).toBe(0);
    for (let i = 0; i < 20_000; i++) {
      collector.receive('a', HEARTBEATS[i % 200], 2e6 + i, `10.1.${i >> 8}.${i & 255}:9`);
    }
    expect(collector.statistics().links[0].peers).toBeLessThanOrEqual(256);
    expect(collector.statistics().messages).toBeGreaterThanOrEqual(20_000 - 1);
    expect(collector.vehicles.size).toBe(200);
    expect(memory() - before).toBeLessThan(128 << 20);
  });
});

describe('noise of a serial port at a wrong speed', () => {
  test('costs less than a twentieth of the time, finds nobody, and loses no frame behind it', () => {
    const collector = collectorOf();
    const random = new Random(10);
    const seconds = 10;
    const noise = Uint8Array.from({ length: 92_160 }, () => random.below(256));
    const before = process.cpuUsage();
    for (let second = 0; second < seconds; second++) {
      for (let at = 0; at < noise.length; at += 64) collector.receive('a', noise.subarray(at, at + 64), second * 1e6);
      collector.tick(second * 1e6);
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(seconds / 20);
    expect(collector.vehicles.size).toBe(0);
    for (let i = 0; i < 20; i++) collector.receive('a', HEARTBEATS[4], seconds * 1e6 + i);
    expect(collector.vehicles.get('5')).toBeDefined();
    expect(collector.statistics().links[0].streams['5:1'].received).toBe(20);
  });
});

const HEARTBEATS: readonly Uint8Array[] = Array.from({ length: 200 }, (_, i) =>
  new Encoder(DIALECT, { system: 1 + i, component: 1 }).message('HEARTBEAT', { type: 2, autopilot: 3 }),
);

/** Frames of one message from every system and component there can be. */
function allSenders(definition: MessageDefinition): Uint8Array {
  const one = encodeMessage(definition, {}, { system: 1, component: 1, sequence: 0 });
  const all = new Uint8Array(one.length * 65_280);
  for (let i = 0; i < 65_280; i++) {
    const [system, component] = [1 + Math.floor(i / 256), i % 256];
    all.set(withSender(one, system, component, definition.crcExtra), i * one.length);
  }
  return all;
}

function withSender(frame: Uint8Array, system: number, component: number, extra: number): Uint8Array {
  frame[5] = system;
  frame[6] = component;
  let sum = 0xffff;
  const add = (byte: number): void => {
    let mixed = (byte ^ sum) & 0xff;
    mixed = (mixed ^ (mixed << 4)) & 0xff;
    sum = (sum >> 8) ^ (mixed << 8) ^ (mixed << 3) ^ (mixed >> 4);
  };
  for (let i = 1; i < frame.length - 2; i++) add(frame[i]);
  add(extra);
  frame[frame.length - 2] = sum & 0xff;
  frame[frame.length - 1] = (sum >> 8) & 0xff;
  return frame;
}

function memory(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
