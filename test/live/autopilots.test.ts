// What real autopilots do that nobody expects of them.
import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { LiveCollector } from '../../src/live/collector.ts';
import type { LiveEvent } from '../../src/live/events.ts';
import { statusOf } from '../../src/session/status.ts';

const DIALECT = builtinDialect('ardupilotmega');
const SECOND = 1e6;
const text = (words: string): Uint8Array => new TextEncoder().encode(words);
const joined = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));

/** A collector with one vehicle's encoder, what it told, and whether it sent anything. */
class Scene {
  readonly events: LiveEvent[] = [];
  sent = 0;
  readonly collector = new LiveCollector({
    send: () => {
      this.sent++;
    },
    heartbeats: false,
  });
  readonly vehicle = new Encoder(DIALECT, { system: 1, component: 1 });

  constructor() {
    this.collector.subscribe((event) => event.type !== 'message' && this.events.push(event));
  }

  heartbeat(time: number, more = {}): void {
    const values = { type: 2, autopilot: 3, base_mode: 81, custom_mode: 0, system_status: 3, ...more };
    this.collector.receive('a', this.vehicle.message('HEARTBEAT', values), time);
  }

  run(from: number, to: number): void {
    for (let time = from; time <= to; time += SECOND / 10) this.collector.tick(time);
  }
}

describe('a vehicle over a satellite, which sends HIGH_LATENCY2 and nothing else', () => {
  const place = {
    latitude: 47.3977 * 1e7,
    longitude: 8.5456 * 1e7,
    altitude: 488,
    heading: 45,
    groundspeed: 25,
    battery: 73,
  };

  test('of ArduPilot is found, with mode, armed, place, speed and battery', () => {
    const scene = new Scene();
    const values = { type: 1, autopilot: 3, custom_mode: 10, custom0: 217 - 256, ...place };
    scene.collector.receive('a', scene.vehicle.message('HIGH_LATENCY2', values), SECOND);
    expect(scene.collector.vehicles.get('1')).toMatchObject({
      mode: 'AUTO',
      armed: true,
      kind: 'Plane',
      position: { lat: 47.3977, lon: 8.5456, alt: 488, heading: 90 },
      speed: { ground: 5 },
      battery: { voltage: null, remaining: 73 },
    });
    expect(statusOf(scene.collector, 2 * SECOND)).toMatchObject({ system_id: 1, armed: true, flight_mode: 'AUTO' });
  });

  test('of PX4 has a mode of 16 bits and does not say whether it is armed; it is asked for nothing, and lost late', () => {
    const scene = new Scene();
    const values = { type: 2, autopilot: 12, custom_mode: 0x0404, custom0: -128, ...place };
    scene.collector.receive('a', scene.vehicle.message('HIGH_LATENCY2', values), SECOND);
    const vehicle = scene.collector.vehicles.get('1');
    expect([vehicle?.mode, vehicle?.armed]).toEqual(['AUTO_MISSION', null]);
    expect(statusOf(scene.collector, 2 * SECOND)).not.toHaveProperty('armed');
    scene.run(SECOND, 190 * SECOND);
    expect(scene.sent).toBe(0);
    expect(vehicle?.connected).toBe(true);
    scene.run(190 * SECOND, 210 * SECOND);
    expect(vehicle?.connected).toBe(false);
    scene.collector.receive('a', scene.vehicle.message('HIGH_LATENCY2', values), 211 * SECOND);
    expect(vehicle?.connected).toBe(true);
  });

  test('has its usual state again when its radio is back', () => {
    const scene = new Scene();
    scene.collector.receive(
      'a',
      scene.vehicle.message('HIGH_LATENCY2', { type: 2, autopilot: 3, custom_mode: 5, ...place }),
      SECOND,
    );
    scene.heartbeat(3 * SECOND);
    scene.collector.receive('a', scene.vehicle.message('GLOBAL_POSITION_INT', { lat: 1e7, lon: 2e7 }), 3 * SECOND);
    expect(scene.collector.vehicles.get('1')).toMatchObject({ mode: 'STABILIZE', position: { lat: 1, lon: 2 } });
    scene.run(3 * SECOND, 9 * SECOND);
    expect(scene.collector.vehicles.get('1')?.connected).toBe(false);
  });
});

describe('an ArduPilot that starts', () => {
  test('prints text between its frames: nothing of them is lost', () => {
    const boot = text('\r\n\r\nInit ArduCopter V4.8.0-dev (0cf1b0b8)\n\nFree RAM: 131072\r\n');
    for (const sizes of [[1], [7], [64], [10_000]]) {
      const scene = new Scene();
      const frames = Array.from({ length: 40 }, (_, i) =>
        scene.vehicle.message('SYS_STATUS', { voltage_battery: 12_000 + i }),
      );
      const stream = joined(boot, ...frames.flatMap((frame, i) => (i % 5 === 0 ? [boot, frame] : [frame])));
      for (let at = 0; at < stream.length; at += sizes[0])
        scene.collector.receive('a', stream.subarray(at, at + sizes[0]), SECOND);
      scene.heartbeat(2 * SECOND);
      const { streams } = scene.collector.statistics().links[0];
      expect(streams['1:1']).toMatchObject({ received: 41, lost: 0 });
      expect(scene.collector.vehicles.get('1')?.battery.voltage).toBe(12.039);
    }
  });

  test('and texts in datagrams of their own do not disturb others', () => {
    const scene = new Scene();
    for (let i = 0; i < 20; i++) {
      scene.collector.receive('a', text('Init ArduCopter \xfe\xfd'), i * SECOND, '10.0.0.1:1');
      const frame = scene.vehicle.message('HEARTBEAT', { type: 2, autopilot: 3 });
      scene.collector.receive('a', frame, i * SECOND, '10.0.0.2:1');
    }
    expect(scene.collector.statistics().links[0].streams['1:1']).toMatchObject({ received: 20, lost: 0 });
  });

  test('speaks before its first heartbeat: what it said is there when it is found', () => {
    const scene = new Scene();
    scene.collector.receive('a', scene.vehicle.message('STATUSTEXT', { severity: 6, text: 'ArduCopter V4.8.0' }), 1);
    scene.collector.receive('a', scene.vehicle.message('STATUSTEXT', { severity: 2, text: 'PreArm: no GPS' }), 2);
    expect(scene.events).toEqual([]);
    scene.heartbeat(SECOND);
    expect(scene.collector.vehicles.get('1')?.texts.map((each) => each.text)).toEqual([
      'ArduCopter V4.8.0',
      'PreArm: no GPS',
    ]);
    expect(scene.events.map(({ type }) => type)).toEqual(['vehicle', 'text', 'text']);
  });
});

describe('messages that no definition has', () => {
  test('are no loss, and take nothing from those beside them', () => {
    const scene = new Scene();
    const plain = new LiveCollector({ send: () => undefined, heartbeats: false, dialect: builtinDialect('minimal') });
    for (let i = 0; i < 600; i++) {
      const frame =
        i % 10 === 0
          ? scene.vehicle.message('HEARTBEAT', { type: 2, autopilot: 3 })
          : scene.vehicle.message('ATTITUDE', { time_boot_ms: 1000 + i, roll: i / 100, pitch: 1, yaw: 2 });
      plain.receive('a', frame, i * 20_000, '10.0.0.1:1');
    }
    const { streams } = plain.statistics().links[0];
    expect(streams['1:1'].lost).toBe(0);
    expect(streams['1:1'].received).toBeGreaterThan(590);
    expect(plain.vehicles.get('1')).toBeDefined();
  });
});

describe('what else is on board', () => {
  test('neither is a vehicle nor changes its state', () => {
    const scene = new Scene();
    const others = [
      { component: 154, type: 26 },
      { component: 156, type: 27 },
      { component: 191, type: 18 },
      { component: 100, type: 30 },
      { component: 236, type: 34 },
    ];
    for (const { component, type } of others) {
      const encoder = new Encoder(DIALECT, { system: 1, component });
      const frame = encoder.message('HEARTBEAT', { type, autopilot: 8, base_mode: 128, custom_mode: 9 });
      scene.collector.receive('a', frame, SECOND);
    }
    expect(scene.collector.vehicles.size).toBe(0);
    scene.heartbeat(2 * SECOND);
    for (const { component, type } of others) {
      const encoder = new Encoder(DIALECT, { system: 1, component });
      // a companion that says it is an autopilot of a kind is none either, as long as the usual one is there
      const frame = encoder.message('HEARTBEAT', {
        type: type === 18 ? 2 : type,
        autopilot: 3,
        base_mode: 209,
        custom_mode: 9,
      });
      scene.collector.receive('a', frame, 3 * SECOND);
    }
    expect(scene.collector.vehicles.get('1')).toMatchObject({ component: 1, armed: false, mode: 'STABILIZE' });
  });
});
