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
  ['SOME', 'thing', 'furlong', 3, 3, 'furlong'],
  // a name of an object is no unit
  ['SOME', 'thing', 'constructor', 3, 3, 'constructor'],
  ['SOME', 'thing', undefined, 3, 3, ''],
])('%s.%s in %s', (message, field, sentIn, sent, wanted, unit) => {
  const shown = shownUnit(message, field, sentIn);
  expect(sent * shown.factor).toBeCloseTo(wanted, 9);
  expect(shown.unit).toBe(unit);
});
