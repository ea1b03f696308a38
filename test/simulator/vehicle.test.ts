import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { MavlinkParser } from '../../src/formats/mavlink/parser.ts';
import { SimulatedVehicle, type VehicleOptions } from './vehicle.ts';

const SECOND = 1e6;
const START = 1_780_000_000 * SECOND;
const station = new Encoder(builtinDialect(), { system: 254, component: 190 });

/** A vehicle whose time runs as fast as it can, and how often it sent what. */
class Flight {
  readonly vehicle: SimulatedVehicle;
  readonly counts: Map<string, number> = new Map();
  text = '';
  private readonly parser = new MavlinkParser();
  private time = START;

  constructor(options: VehicleOptions) {
    this.vehicle = new SimulatedVehicle((bytes) => {
      if (bytes[0] !== 0xfd && bytes[0] !== 0xfe) this.text += new TextDecoder().decode(bytes);
      this.parser.parse(bytes);
      for (const { name } of this.parser.packets) this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    }, options);
  }

  run(seconds: number): this {
    for (const end = this.time + seconds * SECOND; this.time < end; this.time += 10_000) this.vehicle.tick(this.time);
    return this;
  }

  ask(frame: Uint8Array): this {
    this.vehicle.receive(frame);
    return this;
  }

  /** Messages a second over the next ten. */
  rate(name: string): number {
    const before = this.counts.get(name) ?? 0;
    this.run(10);
    return ((this.counts.get(name) ?? 0) - before) / 10;
  }
}

const streams = station.message('REQUEST_DATA_STREAM', { req_stream_id: 0, req_message_rate: 1, start_stop: 1 });
const interval = (id: number, micros: number, more = {}): Uint8Array =>
  station.message('COMMAND_LONG', { target_system: 1, command: 511, param1: id, param2: micros, ...more });
const request = (id: number): Uint8Array => station.message('COMMAND_LONG', { command: 512, param1: id });

describe('the simulated ArduPilot', () => {
  test('sends boot text and heartbeats only, until it is asked', () => {
    const flight = new Flight({ firmware: 'ardupilot' }).run(10.5);
    expect(flight.text).toContain('Init ArduCopter');
    expect(Object.fromEntries(flight.counts)).toEqual({ HEARTBEAT: 10 });
  });

  test('stream request once, then the interval: 10 Hz; the other way round: 1 Hz', () => {
    const right = new Flight({}).run(2).ask(streams).ask(interval(1, 100_000));
    expect(right.rate('SYS_STATUS')).toBe(10);
    const wrong = new Flight({}).run(2).ask(interval(1, 100_000)).ask(streams);
    expect(wrong.rate('SYS_STATUS')).toBe(1);
  });

  test('both each second with the stream request last: nothing comes at all', () => {
    const flight = new Flight({}).run(2);
    for (let i = 0; i < 10; i++) flight.ask(interval(1, 100_000)).ask(streams).run(0.95);
    expect(flight.counts.get('SYS_STATUS') ?? 0).toBe(0);
  });

  test('acknowledges: accepted, denied with a third parameter, failed, unsupported', () => {
    const flight = new Flight({}).run(2);
    const results: unknown[] = [];
    const { vehicle } = flight;
    const say = vehicle.say.bind(vehicle);
    vehicle.say = (name, values) => {
      if (name === 'COMMAND_ACK') results.push((values as { result?: number }).result);
      say(name, values);
    };
    flight
      .ask(interval(1, 100_000))
      .ask(interval(1, 100_000, { param3: 1 }))
      .ask(interval(9999, 1))
      .ask(request(9999));
    flight.ask(request(148)).ask(station.message('COMMAND_LONG', { command: 400, param1: 1 }));
    expect(results).toEqual([0, 2, 2, 4, 0, 3]);
    expect(flight.counts.get('AUTOPILOT_VERSION')).toBe(1);
    expect(vehicle.requests).toHaveLength(6);
  });

  test('asked for another system, it says nothing; started again, it has forgotten', () => {
    const flight = new Flight({ system: 7 }).run(2).ask(interval(1, 100_000));
    expect(flight.counts.has('COMMAND_ACK')).toBe(false);
    flight.ask(station.message('COMMAND_LONG', { target_system: 7, command: 511, param1: 1, param2: 100_000 }));
    expect(flight.rate('SYS_STATUS')).toBe(10);
    flight.vehicle.reboot();
    expect(flight.rate('SYS_STATUS')).toBe(0);
  });
});

describe('the simulated PX4', () => {
  test('sends at once, knows no stream requests, and takes intervals', () => {
    const flight = new Flight({ firmware: 'px4' }).run(2);
    expect(flight.text).toBe('');
    expect(flight.rate('ATTITUDE')).toBeCloseTo(15, 0);
    flight.ask(streams);
    expect(flight.rate('SYS_STATUS')).toBe(1);
    flight.ask(interval(1, 100_000)).ask(interval(0, 100_000));
    expect(flight.rate('SYS_STATUS')).toBe(10);
    expect(flight.rate('HEARTBEAT')).toBe(1);
    flight.ask(interval(1, -1));
    expect(flight.rate('SYS_STATUS')).toBe(0);
    flight.ask(interval(1, 0));
    expect(flight.rate('SYS_STATUS')).toBe(1);
  });
});
