import { describe, expect, test } from 'vitest';
import { isSameTime, referencedLog, references } from '../../test/dataflash-references.ts';
import { MadeLog } from '../../test/made-log.ts';
import { needShared } from '../../test/need.ts';
import { openLog } from '../node/open.ts';
import { modeName } from './mode-names.ts';
import { findModes } from './modes.ts';
import { findSpan } from './span.ts';
import { findVehicle } from './vehicle.ts';

describe('mode names', () => {
  // the numbers of ArduPilot's own sources, mode.h of each vehicle
  test.each([
    [
      'Copter',
      { 0: 'STABILIZE', 3: 'AUTO', 5: 'LOITER', 6: 'RTL', 9: 'LAND', 16: 'POSHOLD', 17: 'BRAKE', 28: 'TURTLE' },
    ],
    [
      'Plane',
      { 0: 'MANUAL', 5: 'FBWA', 10: 'AUTO', 11: 'RTL', 12: 'LOITER', 19: 'QLOITER', 24: 'THERMAL', 26: 'AUTOLAND' },
    ],
    ['Rover', { 0: 'MANUAL', 4: 'HOLD', 10: 'AUTO', 11: 'RTL', 12: 'SMART_RTL', 15: 'GUIDED' }],
    ['Sub', { 0: 'STABILIZE', 9: 'SURFACE', 16: 'POSHOLD', 19: 'MANUAL', 20: 'MOTOR_DETECT', 21: 'SURFTRAK' }],
    ['Tracker', { 0: 'MANUAL', 1: 'STOP', 2: 'SCAN', 3: 'SERVOTEST', 10: 'AUTO' }],
    ['Blimp', { 0: 'LAND', 1: 'MANUAL', 3: 'LOITER', 5: 'AUTO', 6: 'HOLD' }],
  ] as const)('%s', (vehicle, names) => {
    for (const [number, name] of Object.entries(names)) expect(modeName(vehicle, Number(number))).toBe(name);
  });

  test('a number that is not known stays visible', () => {
    expect(modeName('Copter', 12)).toBe('MODE(12)');
    expect(modeName('Copter', 127)).toBe('MODE(127)');
    expect(modeName(null, 5)).toBe('MODE(5)');
    expect(modeName('Sub', -1)).toBe('MODE(-1)');
  });
});

describe('stretches of one mode', () => {
  test('end where the next begins, the last one with the log, and repetitions begin none', async () => {
    const log = await new MadeLog()
      .define('MODE', 'QMBB', 'TimeUS,Mode,ModeNum,Rsn')
      .add('MODE', 1_000_000, 0, 0, 26)
      .add('MODE', 2_000_000, 0, 0, 1)
      .add('MODE', 3_000_000, 5, 5, 2)
      .add('MODE', 5_000_000, 99, 99, 3)
      .open();
    expect(await findModes(log, 'Copter', 9_000_000)).toEqual([
      { mode: 'STABILIZE', start: 1_000_000, end: 3_000_000, reason: 26 },
      { mode: 'LOITER', start: 3_000_000, end: 5_000_000, reason: 2 },
      { mode: 'MODE(99)', start: 5_000_000, end: 9_000_000, reason: 3 },
    ]);
  });

  test('come from definitions that changed on the way in the order of the file', async () => {
    const made = new MadeLog().define('MODE', 'QMB', 'TimeUS,Mode,ModeNum').add('MODE', 1, 0, 0);
    const log = await made.define('MODE', 'QMBB', 'TimeUS,Mode,ModeNum,Rsn').add('MODE', 2, 6, 6, 3).open();
    const modes = await findModes(log, 'Copter', 3);
    expect(modes.map(({ mode, reason }) => [mode, reason])).toEqual([
      ['STABILIZE', null],
      ['RTL', 3],
    ]);
  });

  test('a log without any has none', async () => {
    expect(await findModes(await new MadeLog().open(), 'Copter', 1)).toEqual([]);
  });
});

needShared(describe, 'dataflash/ref')('modes as pymavlink gives them', () => {
  /** Logs whose kind of vehicle pymavlink does not know, so that it takes the names of a plane. */
  const renamed = new Map([['spark404-log.bin', new Map([['FBWB', 'RTL']])]]);
  const all = references().filter(({ flightmodes }) => flightmodes.some(([mode]) => mode !== 'UNKNOWN'));

  test.each(all.map((reference) => [reference.file, reference] as const))('%s', async (file, reference) => {
    const log = await openLog(referencedLog(file), { leapSeconds: 18 });
    const { kind } = await findVehicle(log);
    const { end } = await findSpan(log);
    const modes = await findModes(log, kind, end ?? Number.NaN);
    // UNKNOWN is what it calls the time before the first MODE record
    const expected = reference.flightmodes.filter(([mode]) => mode !== 'UNKNOWN');
    expect(modes.map(({ mode }) => mode)).toEqual(expected.map(([mode]) => renamed.get(file)?.get(mode) ?? mode));
    // it takes MODE records out of their order, so that those without a time of their own have the first of the log
    const table = log.table('MODE');
    if (!table || log.clock.field(table) === undefined) return;
    expected.forEach(([mode, start], i) => {
      // without UTC pymavlink says 0 until a record has a time
      if (start > 0) expect(modes[i].start, mode).toSatisfy((time: number) => isSameTime(time, start));
      expect(modes[i].end).toBe(modes[i + 1]?.start ?? end);
    });
  });
});
