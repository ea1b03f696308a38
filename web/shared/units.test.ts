import { describe, expect, test } from 'vitest';
import { conversionOf } from './units.ts';

describe('units', () => {
  test.each([
    ['cm/s', 'vx', 'log', 100, 100, 'cm/s'],
    ['cm/s', 'vx', 'si', 100, 1, 'm/s'],
    ['cm/s', 'vx', 'aviation', 51.4444444, 1, 'kt'],
    ['m', 'Alt', 'aviation', 304.8, 1000, 'ft'],
    ['mm', 'alt', 'aviation', 304_800, 1000, 'ft'],
    ['m/s', 'CRt', 'aviation', 5.08, 1000, 'ft/min'],
    ['m/s', 'climb', 'aviation', 0.3048, 60, 'ft/min'],
    ['rad', 'roll', 'aviation', Math.PI, 180, 'deg'],
    ['rad', 'roll', 'si', 1, 1, 'rad'],
    ['degE7', 'lat', 'si', 473_977_420, 47.397742, 'deg'],
    ['m/s/s', 'AccZ', 'aviation', 9.80665, 1, 'g'],
    ['km/h', 'speed', 'si', 36, 10, 'm/s'],
    ['rad', 'roll', 'usual', Math.PI, 180, 'deg'],
    ['mrad/s', 'xgyro', 'usual', 1000 * Math.PI, 180, 'deg/s'],
    ['mV', 'voltage_battery', 'usual', 12_188, 12.188, 'V'],
    ['degheading', 'Yaw', 'usual', 90, 90, 'deg'],
    ['us', 'C1', 'usual', 1500, 1500, 'us'],
    ['hPa', 'press_abs', 'usual', 1013, 1013, 'hPa'],
    ['satellites', 'n', 'aviation', 7, 7, 'satellites'],
    ['', 'x', 'si', 3, 3, ''],
  ] as const)('%s of %s in %s', (unit, field, system, value, shown, shownUnit) => {
    const { factor, unit: found } = conversionOf(unit, field, system);
    expect(found).toBe(shownUnit);
    expect(value * factor).toBeCloseTo(shown, 6);
  });
});
