// No limit is a trap: each is filled with senders that do not exist, and then a vehicle comes.
import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder, encodeMessage } from '../../src/formats/mavlink/encode.ts';
import { SigningKey } from '../../src/formats/mavlink/key.ts';
import { Signer } from '../../src/formats/mavlink/signing.ts';
import { LiveCollector } from '../../src/live/collector.ts';
import { LIVE_LIMITS } from '../../src/live/limits.ts';
import type { LiveOptions } from '../../src/live/options.ts';
import { Random } from '../suite/random.ts';

const DIALECT = builtinDialect('common');
const SECOND = 1e6;
const LINK = 'a';
const HEARTBEAT = DIALECT.messages.get(0)?.[0] as Parameters<typeof encodeMessage>[0];
const VEHICLE = { type: 2, autopilot: 3, base_mode: 1, custom_mode: 5, system_status: 4 };

function spoofed(system: number, component: number): Uint8Array {
  return encodeMessage(HEARTBEAT, VEHICLE, { system, component, sequence: 0 });
}

class Scene {
  readonly collector: LiveCollector;
  now = 1_700_000_000 * SECOND;
  private readonly known = new Encoder(DIALECT, { system: 1, component: 1 });
  private readonly before = memory();

  constructor(options: Partial<LiveOptions> = {}) {
    this.collector = new LiveCollector({ ...options, send: () => undefined });
    this.collector.addLink(LINK, true);
    for (let i = 0; i < 3; i++) this.second();
  }

  receive(bytes: Uint8Array, from: string, link = LINK): void {
    this.collector.receive(link, bytes, this.now, from);
  }

  /** A second in which the vehicle that was there first is heard. */
  second(during: () => void = () => undefined): void {
    this.receive(this.known.message('HEARTBEAT', VEHICLE), 'known:1');
    this.receive(this.known.message('ATTITUDE', { roll: 0.5 }), 'known:1');
    for (let i = 0; i < 10; i++) {
      this.now += SECOND / 10;
      during();
      this.collector.tick(this.now);
    }
  }

  /** A vehicle begins to send heartbeats: how many seconds it takes until it is shown with what it sends. */
  served(system: number, key = String(system), during: () => void = () => undefined, sign?: Signer): number {
    const options = { system, component: 1, sign: sign && ((frame: Uint8Array) => sign.sign(frame)) };
    const encoder = new Encoder(DIALECT, options);
    for (let second = 1; second <= 30; second++) {
      this.receive(encoder.message('HEARTBEAT', VEHICLE), 'vehicle:1');
      this.receive(encoder.message('VIBRATION', { vibration_x: 3 }), 'vehicle:1');
      this.second(during);
      const isShown = this.collector.vehicles.get(key)?.connected === true;
      if (isShown && this.collector.latest(key, 1, 'VIBRATION')?.data.vibration_x === 3) return second;
    }
    return Number.POSITIVE_INFINITY;
  }

  /** The vehicle that was there first is still where it was, and memory is bounded. */
  check(): void {
    expect(this.collector.vehicles.get('1')).toMatchObject({ connected: true, lostCount: 0, mode: 'LOITER' });
    expect(this.collector.latest('1', 1, 'ATTITUDE')?.data.roll).toBeCloseTo(0.5);
    expect(memory() - this.before).toBeLessThan(192 << 20);
  }
}

describe('a vehicle is served within ten seconds after', () => {
  test('1,200 spoofed heartbeats, and its loss is counted', () => {
    const scene = new Scene();
    for (let i = 0; i < 1200; i++) scene.receive(spoofed(2 + (i % 100), 1 + Math.floor(i / 100)), `evil:${i}`);
    expect(scene.served(200)).toBeLessThanOrEqual(10);
    scene.check();
    for (let i = 0; i < 12; i++) scene.served(200);
    expect(scene.collector.statistics().links[0].streams['200:1'].received).toBeGreaterThan(3);
  });

  test('heartbeats of all systems and components that there can be', () => {
    const scene = new Scene();
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 65_280; i++) scene.receive(spoofed(1 + (i >> 8), i & 255), 'evil:1');
      scene.second();
    }
    expect(scene.served(200)).toBeLessThanOrEqual(10);
    scene.check();
  });

  test('all messages of thousands of senders', () => {
    const scene = new Scene();
    const definitions = [...DIALECT.messages.values()].map(([first]) => first).slice(0, 60);
    for (const definition of definitions) {
      for (let i = 0; i < 2000; i++) {
        const sender = { system: 2 + (i % 200), component: 1 + Math.floor(i / 200), sequence: 0 };
        scene.receive(encodeMessage(definition, {}, sender), 'evil:1');
      }
    }
    expect(scene.collector.statistics().notKept).toBeGreaterThan(0);
    expect(scene.served(250)).toBeLessThanOrEqual(10);
    scene.check();
  });

  test('and while a flood of made up heartbeats goes on', () => {
    const scene = new Scene();
    const random = new Random(3);
    const flood = (): void => {
      for (let i = 0; i < 600; i++) scene.receive(spoofed(2 + random.below(250), random.below(256)), `evil:${i}`);
    };
    for (let i = 0; i < 5; i++) scene.second(flood);
    expect(scene.served(253, '253', flood)).toBeLessThanOrEqual(10);
    scene.check();
  });

  test('thousands of addresses with the id of a vehicle, also where it has that id itself', () => {
    const scene = new Scene();
    for (let i = 0; i < 5000; i++) scene.receive(spoofed(1, 1), `10.0.${i >> 8}.${i & 255}:9`);
    expect(scene.collector.statistics().links[0].peers).toBeLessThanOrEqual(LIVE_LIMITS.peers);
    expect(scene.served(200)).toBeLessThanOrEqual(10);
    scene.check();
    const again = new Scene();
    for (let i = 0; i < 5000; i++) again.receive(spoofed(1, 1), `10.0.${i >> 8}.${i & 255}:9`);
    // a second vehicle with one id is decided on for some seconds more
    expect(again.served(1, '1@vehicle:1')).toBeLessThanOrEqual(14);
    again.check();
  });

  test('vehicles on more links than are kept', () => {
    const scene = new Scene();
    for (let link = 0; link < 2 * LIVE_LIMITS.links; link++)
      for (let system = 2; system < 22; system++) scene.receive(spoofed(system, 1), '', `bus/${link}`);
    for (let i = 0; i < 6; i++) scene.second();
    const encoder = new Encoder(DIALECT, { system: 99, component: 1 });
    for (let i = 0; i < 3; i++) {
      scene.receive(encoder.message('HEARTBEAT', VEHICLE), '', 'bus/new');
      scene.second();
    }
    expect(scene.collector.vehicles.get('99')?.link).toBe('bus/new');
    expect(scene.collector.statistics().links.length).toBeLessThanOrEqual(LIVE_LIMITS.links);
    expect(scene.served(200)).toBeLessThanOrEqual(10);
    expect(scene.collector.vehicles.size).toBeLessThanOrEqual(LIVE_LIMITS.vehicles);
    scene.check();
  });

  test('more signed streams than are kept', () => {
    const key = SigningKey.fromPassphrase('a phrase');
    const stamped: { now: () => number } = { now: () => 0 };
    const scene = new Scene({ keys: [key], unsigned: 'accept' });
    stamped.now = () => scene.now / 1000;
    for (let link = 0; link < 256; link++) {
      const signer = new Signer({ key, link, now: stamped.now });
      for (let system = 2; system < 10; system++) {
        const encoder = new Encoder(DIALECT, { system, component: 1, sign: (frame) => signer.sign(frame) });
        scene.receive(encoder.message('HEARTBEAT', VEHICLE), 'evil:1');
      }
    }
    const signer = new Signer({ key, link: 7, now: stamped.now });
    expect(scene.served(200, '200', undefined, signer)).toBeLessThanOrEqual(10);
    scene.check();
  });
});

describe('of one vehicle', () => {
  test('instances and names of modes beyond those that are kept make room for those that come', () => {
    const scene = new Scene();
    const encoder = new Encoder(DIALECT, { system: 1, component: 1 });
    const none = Array.from({ length: 10 }, () => null);
    for (let id = 255; id >= 0; id--)
      scene.receive(encoder.message('BATTERY_STATUS', { id, voltages: none }), 'known:1');
    expect(scene.collector.latest('1', 1, 'BATTERY_STATUS')?.instances?.size).toBe(LIVE_LIMITS.instances);
    expect(scene.collector.latest('1', 1, 'BATTERY_STATUS')?.instances?.has(0)).toBe(true);
    for (let custom_mode = 5 + 400; custom_mode >= 5; custom_mode--)
      scene.receive(encoder.message('AVAILABLE_MODES', { custom_mode, mode_name: `Mode ${custom_mode}` }), 'known:1');
    expect(scene.collector.vehicles.get('1')?.mode).toBe('Mode 5');
  });
});

function memory(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
