import { expect, test } from 'vitest';
import { counterPlace, guessSetup, legacyOf } from './legacy.ts';

const layout = (mode: number, settings: number): string => {
  const { pieces, bytes } = legacyOf({ mode, settings }, false);
  const names = pieces.map(({ schema, frame, bytes: size }) => `${schema.name}${frame ? `:${frame}` : ''} ${size}`);
  return `${names.join(', ')} = ${bytes}`;
};

test.each([
  [0x4, 0x0, 'Quaternion:NWU 16 = 16'],
  [0x4, 0x80000001, 'Quaternion:NED 16, PacketCounter 2 = 18'],
  [0x4, 0x8, 'RotationMatrix:NWU 36 = 36'],
  [0x6, 0x5, 'Acceleration 12, RateOfTurn 12, MagneticField 12, EulerAngles:NWU 12, PacketCounter 2 = 50'],
  [0x2, 0x50, 'RateOfTurn 12 = 12'],
  [0x2, 0x30, 'MagneticField 12 = 12'],
  [0x3, 0x340, 'Temperature 8, Acceleration 24, RateOfTurn 24 = 56'],
  [0x1, 0x200, 'Temperature 6 = 6'],
  [0x4000, 0x1, 'RawAccGyrMagTemp 20, PacketCounter 2 = 22'],
  [0x5000, 0x0, 'RawAccGyrMagTemp 20, RawGps 44 = 64'],
  [0x8, 0x0, 'AnalogIn1 2, AnalogIn2 2 = 4'],
  [0x8, 0x400, 'AnalogIn2 2 = 2'],
  [0x8, 0x800, 'AnalogIn1 2 = 2'],
  [0x830, 0x3, 'LatLon 8, AltitudeEllipsoid 4, VelocityXYZ:NWU 12, StatusByte 1, PacketCounter 2, UtcTime 12 = 39'],
])('mode %i with settings %i is %s', (mode, settings, expected) => {
  expect(layout(mode, settings)).toBe(expected);
});

test('the counter is found', () => {
  expect(counterPlace(legacyOf({ mode: 4, settings: 1 }, false))).toBe(16);
  expect(counterPlace(legacyOf({ mode: 4, settings: 0 }, false))).toBe(-1);
});

test.each([
  [54, { mode: 6, settings: 1 }],
  [50, { mode: 6, settings: 5 }],
  [38, { mode: 2, settings: 1 }],
  [16, { mode: 4, settings: 0 }],
  [29, undefined],
])('%i bytes are mostly %j', (length, setup) => {
  expect(guessSetup(length)).toEqual(setup);
});
