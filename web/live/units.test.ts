import { expect, test } from 'vitest';
import { shownUnit } from './units.ts';

test.each([
  ['ATTITUDE', 'roll', 'rad', Math.PI / 6, 30, '°'],
  ['GLOBAL_POSITION_INT', 'lat', 'degE7', -353_632_621, -35.3632621, '°'],
  ['GLOBAL_POSITION_INT', 'relative_alt', 'mm', 12_345, 12.345, 'm'],
  ['SYS_STATUS', 'voltage_battery', 'mV', 12_587, 12.587, 'V'],
  ['SYS_STATUS', 'load', 'd%', 255, 25.5, '%'],
  ['GPS_RAW_INT', 'eph', undefined, 121, 1.21, ''],
  ['VFR_HUD', 'alt', 'm', 584.2, 584.2, 'm'],
  ['SCALED_IMU', 'xacc', 'mG', 1000, 9.80665, 'm/s²'],
  ['RAW', 'speed', 'm/s*5', 25, 5, 'm/s'],
  ['SOME', 'thing', 'furlong', 3, 3, 'furlong'],
  // a name of an object is no unit
  ['SOME', 'thing', 'constructor', 3, 3, 'constructor'],
  ['SOME', 'thing', undefined, 3, 3, ''],
])('%s.%s in %s', (message, field, sentIn, sent, wanted, unit) => {
  const shown = shownUnit(message, field, sentIn);
  expect(sent * shown.factor).toBeCloseTo(wanted, 9);
  expect(shown.unit).toBe(unit);
});

test.each([
  ['rad', 2],
  ['mrad/s', 2],
  ['mm', 3],
  ['degE7', 7],
  ['d%', 1],
  ['m/s*5', 1],
  ['m', undefined],
])('of %s %s decimals were sent', (sent, digits) => expect(shownUnit('SOME', 'thing', sent).digits).toBe(digits));
