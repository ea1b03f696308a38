import { describe, expect, test } from 'vitest';
import { diffParameters, parseParamFile } from './parameters.ts';

const entries = (text: string): [string, number][] | undefined => {
  const found = parseParamFile(text);
  return found && [...found];
};

describe('files of parameters', () => {
  test('of each ground station', () => {
    expect(entries('#NOTE: saved\r\nWPNAV_SPEED,500\r\nATC_RAT_RLL_P,0.135\r\n')).toEqual([
      ['WPNAV_SPEED', 500],
      ['ATC_RAT_RLL_P', 0.135],
    ]);
    expect(entries('WPNAV_SPEED      500.000000 # cm/s\nACRO_Y_EXPO  -1.5e-3\n')).toEqual([
      ['WPNAV_SPEED', 500],
      ['ACRO_Y_EXPO', -0.0015],
    ]);
    expect(entries('# Vehicle-Id Component-Id Name Value Type\n1\t1\tMPC_XY_CRUISE\t5.0\t9\n')).toEqual([
      ['MPC_XY_CRUISE', 5],
    ]);
  });

  test('are nothing else', () => {
    expect(entries('')).toBeUndefined();
    expect(entries('# only a comment\n')).toBeUndefined();
    expect(entries('FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format,Columns\n')).toBeUndefined();
    expect(entries('$GPGGA,1,2\n')).toBeUndefined();
    expect(entries('A,1\nB two\n')).toBeUndefined();
    expect(entries('A,0x10\n')).toBeUndefined();
  });

  test('do not take time without end', () => {
    const start = performance.now();
    expect(entries(`A${' '.repeat(1_000_000)}x\n`)).toBeUndefined();
    expect(entries(`A ${'1'.repeat(1_000_000)}\n`)).toBeUndefined();
    // a comment that goes on behind what some take for the end of a line
    expect(entries(`A 1 ${'#'.repeat(1_000_000)}\u2028\n`)).toEqual([['A', 1]]);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe('differences of parameters', () => {
  const map = (record: Record<string, number>): Map<string, number> => new Map(Object.entries(record));

  test('are values that differ, and names that one side lacks', () => {
    expect(diffParameters(map({ B: 1, A: 2, C: 3 }), map({ A: 2.5, B: 1, D: 4 }))).toEqual([
      { name: 'A', a: 2, b: 2.5, noise: false },
      { name: 'C', a: 3, b: null, noise: false },
      { name: 'D', a: null, b: 4, noise: false },
    ]);
  });

  test('are no differences of digits that a file does not have', () => {
    const same = map({ P: Math.fround(0.135), N: Number.NaN, Z: 0 });
    expect(diffParameters(same, map({ P: 0.135, N: Number.NaN, Z: -0 }))).toEqual([]);
    expect(diffParameters(map({ MASK: 16_777_215 }), map({ MASK: 16_777_214 }))).toHaveLength(1);
  });

  test('say which are of a day or a device', () => {
    const noise = (name: string): boolean => diffParameters(map({ [name]: 1 }), map({ [name]: 2 }))[0].noise;
    for (const name of [
      'COMPASS_OFS_X',
      'COMPASS_OFS2_Z',
      'COMPASS_DEV_ID',
      'INS_ACCOFFS_X',
      'INS_GYR2OFFS_Y',
      'BARO1_GND_PRESS',
      'GND_ABS_PRESS',
      'STAT_RUNTIME',
      'BARO1_DEVID',
      'SYS_NUM_RESETS',
      'MIS_TOTAL',
    ]) {
      expect([name, noise(name)]).toEqual([name, true]);
    }
    for (const name of [
      'COMPASS_USE',
      'COMPASS_ENABLE',
      'INS_GYRO_FILTER',
      'BARO_PRIMARY',
      'STATUS',
      'RTL_ALT',
      'MIS_RESTART',
    ]) {
      expect([name, noise(name)]).toEqual([name, false]);
    }
  });
});
