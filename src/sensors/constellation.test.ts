import { expect, test } from 'vitest';
import { constellationOf, satelliteOf } from './constellation.ts';

test.each([
  [7, 'GP', undefined, 'GPS', 7],
  [33, 'GP', undefined, 'SBAS', 120],
  [46, 'GN', undefined, 'SBAS', 133],
  [136, 'GP', undefined, 'SBAS', 136],
  [70, 'GP', undefined, 'GLONASS', 6],
  [70, 'GL', undefined, 'GLONASS', 6],
  [5, 'GL', undefined, 'GLONASS', 5],
  [11, 'GA', undefined, 'Galileo', 11],
  [311, 'GN', undefined, 'Galileo', 11],
  [111, 'GN', undefined, 'Galileo', 11],
  [11, 'GB', undefined, 'BeiDou', 11],
  [211, 'GN', undefined, 'BeiDou', 11],
  [411, 'BD', undefined, 'BeiDou', 11],
  [194, 'GN', undefined, 'QZSS', 2],
  [201, 'QZ', undefined, 'QZSS', 9],
  [2, 'GQ', undefined, 'QZSS', 2],
  [173, 'IM', undefined, 'IMES', 1],
  [5, 'GI', undefined, 'NavIC', 5],
  [903, 'GN', undefined, 'NavIC', 3],
  [2, 'PQ', 4, 'BeiDou', 2],
  [2, 'GN', 3, 'Galileo', 2],
  [2, 'GN', Number.NaN, 'GPS', 2],
] as const)('%i of %s with the system id %s', (prn, talker, system, constellation, svid) => {
  expect(satelliteOf(prn, talker, system)).toEqual({ constellation, svid });
});

test('numbers that nobody has', () => {
  for (const prn of [0, -1, 99, 1000, Number.NaN]) expect(satelliteOf(prn, 'GN')).toBeUndefined();
  expect(constellationOf('GN')).toBeUndefined();
  expect(constellationOf('constructor')).toBeUndefined();
});
