import { describe, expect, test } from 'vitest';
import { batteryOf, systemBattery } from './battery.ts';

const NONE = [null, null, null, null, null, null, null, null, null, null];

describe('a battery', () => {
  test('has the sum of its cells', () => {
    const pack = batteryOf(0, {
      voltages: [4100, 4050, 4075, ...NONE.slice(3)],
      voltages_ext: [null, null, null, null],
    });
    expect(pack.voltage).toBe(12.225);
    expect(pack.cells).toEqual([4.1, 4.05, 4.075]);
  });

  test('may have its voltage in the first entry, and the rest of it in the next', () => {
    expect(batteryOf(0, { voltages: [16200, ...NONE.slice(1)] })).toMatchObject({ voltage: 16.2, cells: [] });
    expect(batteryOf(0, { voltages: [65534, 3466, ...NONE.slice(2)] })).toMatchObject({ voltage: 69, cells: [] });
  });

  test('has more cells in the extension', () => {
    const cells = Array.from({ length: 10 }, () => 4000);
    expect(batteryOf(0, { voltages: cells, voltages_ext: [4000, 4000, null, null] }).voltage).toBe(48);
  });

  test('that says nothing is not known', () => {
    const unknown = { voltages: NONE, current_battery: null, battery_remaining: null, temperature: null };
    expect(batteryOf(1, unknown)).toMatchObject({ id: 1, voltage: null, current: null, remaining: null });
    expect(batteryOf(1, { voltages: [0, ...NONE.slice(1)] }).voltage).toBeNull();
  });

  test('of 0 mV in SYS_STATUS has no monitor', () => {
    expect(systemBattery({ voltage_battery: 0, current_battery: -100, battery_remaining: 0 })).toEqual({
      voltage: null,
      current: -1,
      remaining: 0,
    });
  });
});
