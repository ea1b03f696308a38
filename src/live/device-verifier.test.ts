import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import { Random } from '../../test/suite/random.ts';
import { SimulatedVehicle } from '../../test/vehicle/vehicle.ts';
import { FORMATS } from '../formats/index.ts';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { DeviceVerifier } from './device-verifier.ts';

const attitude = (version: 1 | 2): Uint8Array =>
  new Encoder(builtinDialect(), { system: 9, component: 1, version }).message('ATTITUDE', { roll: 1 });

describe('who speaks at a port', () => {
  test('a byte that a frame may begin with, then a frame, byte by byte', () => {
    const verifier = new DeviceVerifier();
    expect(verifier.push(Uint8Array.of(0x11, 0x22))).toBe('unknown');
    const frame = attitude(2);
    const states = [...frame].map((byte) => verifier.push(Uint8Array.of(byte)));
    expect(new Set(states.slice(0, -1))).toEqual(new Set(['verifying']));
    expect(states.at(-1)).toBe('verified');
    expect(verifier.identity).toEqual({
      protocol: 'mavlink',
      system: 9,
      component: 1,
      version: 2,
      autopilot: null,
      type: null,
      vehicle: null,
      firmware: null,
      message: 'ATTITUDE',
    });
    expect(verifier.isComplete).toBe(false);
    expect(verifier.settle()).toBe('verified');
  });

  test('a vehicle tells by its heartbeat what it is, and its firmware when it says so', () => {
    const verifier = new DeviceVerifier();
    const vehicle = new SimulatedVehicle((bytes) => verifier.push(bytes), { system: 3, release: [4, 6, 1, 255] });
    for (let time = 0; time <= 1.1e6; time += 1e5) vehicle.tick(1e15 + time);
    expect(verifier.isComplete).toBe(true);
    expect(verifier.identity).toMatchObject({
      system: 3,
      autopilot: 3,
      type: 2,
      vehicle: 'Copter',
      message: 'HEARTBEAT',
    });
    expect(verifier.identity).toMatchObject({ firmware: { name: 'ArduCopter', version: null } });
    const station = new Encoder(builtinDialect(), { system: 254, component: 190 });
    vehicle.receive(station.message('COMMAND_LONG', { command: 512, param1: 148 }));
    expect(verifier.identity).toMatchObject({ firmware: { name: 'ArduCopter', version: '4.6.1', type: 'official' } });
  });

  test('a ground station or a radio on the line is not the vehicle', () => {
    const verifier = new DeviceVerifier();
    const ground = new Encoder(builtinDialect(), { system: 255, component: 190 });
    verifier.push(ground.message('HEARTBEAT', { type: 6, autopilot: 8 }));
    expect(verifier).toMatchObject({ state: 'verified', isComplete: false });
    const plane = new Encoder(builtinDialect(), { system: 2, component: 1, version: 1 });
    verifier.push(plane.message('HEARTBEAT', { type: 1, autopilot: 12 }));
    expect(verifier.identity).toMatchObject({ system: 2, version: 1, vehicle: 'Plane', firmware: { name: 'PX4' } });
  });

  test('noise and silence are neither', () => {
    expect(new DeviceVerifier().settle()).toBe('unknown');
    const verifier = new DeviceVerifier();
    verifier.push(new Random(7).bytes(20_000));
    expect(verifier.settle()).toBe('other');
    expect(verifier.identity).toBeNull();
  });

  test('a damaged frame verifies nothing', () => {
    for (let at = 1; at < attitude(1).length; at++) {
      const frame = attitude(1);
      frame[at] ^= 0x10;
      const verifier = new DeviceVerifier();
      verifier.push(frame);
      expect(verifier.settle()).toBe('other');
    }
  });
});

needShared(describe, 'flight')('real ports', () => {
  test('a serial port that gave boot text and frames', () => {
    const verifier = new DeviceVerifier();
    verifier.push(readFileSync(sharedData('flight', 'copter-serial-boot.raw')).subarray(0, 2000));
    expect(verifier.identity).toMatchObject({ protocol: 'mavlink', system: 7, component: 1, vehicle: 'Copter' });
  });

  test('NMEA, where it is registered', () => {
    const verifier = new DeviceVerifier();
    verifier.push(readFileSync(sharedData('flight', 'copter-square.nmea')).subarray(0, 3000));
    const isRegistered = FORMATS.some(({ name }) => name === 'nmea');
    expect(verifier.settle()).toBe(isRegistered ? 'verified' : 'other');
    if (isRegistered)
      expect(verifier.identity).toMatchObject({ protocol: 'nmea', streams: expect.arrayContaining(['GP']) });
  });
});
