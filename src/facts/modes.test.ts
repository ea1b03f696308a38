import { describe, expect, test } from 'vitest';
import { isSameTime, referencedLog, references } from '../../test/formats/dataflash/references.ts';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import { openLog } from '../node/open.ts';
import { factsOf } from './facts.ts';
import { modeName } from './mode-names.ts';

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
      .define('MSG', 'QZ', 'TimeUS,Message')
      .define('MODE', 'QMBB', 'TimeUS,Mode,ModeNum,Rsn')
      .add('MSG', 1_000_000, 'ArduCopter V4.5.7')
      .add('MODE', 1_000_000, 0, 0, 26)
      .add('MODE', 2_000_000, 0, 0, 1)
      .add('MODE', 3_000_000, 5, 5, 2)
      .add('MODE', 5_000_000, 99, 99, 3)
      .add('MSG', 9_000_000, 'the last record')
      .open();
    expect(await factsOf(log).modes()).toEqual([
      { mode: 'STABILIZE', start: 1_000_000, end: 3_000_000, reason: 26 },
      { mode: 'LOITER', start: 3_000_000, end: 5_000_000, reason: 2 },
      { mode: 'MODE(99)', start: 5_000_000, end: 9_000_000, reason: 3 },
    ]);
  });

  test('come from definitions that changed on the way in the order of the file', async () => {
    const made = new MadeLog().define('MSG', 'QZ', 'TimeUS,Message').add('MSG', 1, 'ArduCopter V4.5.7');
    made.define('MODE', 'QMB', 'TimeUS,Mode,ModeNum').add('MODE', 1, 0, 0);
    const log = await made.define('MODE', 'QMBB', 'TimeUS,Mode,ModeNum,Rsn').add('MODE', 2, 6, 6, 3).open();
    const modes = await factsOf(log).modes();
    expect(modes.map(({ mode, reason }) => [mode, reason])).toEqual([
      ['STABILIZE', null],
      ['RTL', 3],
    ]);
  });

  test('end with the part that they are in, and begin again after a reboot', async () => {
    const made = new MadeLog().define('MSG', 'QZ', 'TimeUS,Message').define('MODE', 'QMB', 'TimeUS,Mode,ModeNum');
    made.define('ATT', 'Qcc', 'TimeUS,Roll,Pitch').add('MSG', 1_000_000, 'ArduCopter V4.5.7');
    const fly = (mode: number, from: number, to: number): void => {
      made.add('MODE', from * 1e6, mode, mode);
      for (let time = from; time <= to; time += 0.5) made.add('ATT', time * 1e6, 1, 2);
    };
    fly(0, 1, 20);
    fly(5, 20.5, 60);
    // it counts from 2 s again: 58 s more on the log's clock
    fly(5, 2, 30);
    const log = await made.open();
    expect(log.clock.parts?.map(({ start, end }) => [start / 1e6, end / 1e6])).toEqual([
      [1, 60],
      [60, 88],
    ]);
    expect((await factsOf(log).modes()).map(({ mode, start, end }) => [mode, start / 1e6, end / 1e6])).toEqual([
      ['STABILIZE', 1, 20.5],
      ['LOITER', 20.5, 60],
      ['LOITER', 60, 88],
    ]);
  });

  test('a log without any has none', async () => {
    expect(await factsOf(await new MadeLog().open()).modes()).toEqual([]);
  });
});

needShared(describe, 'dataflash/ref')('modes as pymavlink gives them', () => {
  /** Logs whose kind of vehicle pymavlink does not know, so that it takes the names of a plane. */
  const renamed = new Map([['spark404-log.bin', new Map([['FBWB', 'RTL']])]]);
  const all = references().filter(({ flightmodes }) => flightmodes.some(([mode]) => mode !== 'UNKNOWN'));

  test.each(all.map((reference) => [reference.file, reference] as const))('%s', async (file, reference) => {
    const log = await openLog(referencedLog(file), { leapSeconds: 18 });
    const { end } = await factsOf(log).span();
    const modes = await factsOf(log).modes();
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

needShared(describe, '../field/wild')('modes of streams with reboots', () => {
  test.each(['Avalanche-MQP-b58570', '0oCybrao0-d6cdb8'])('%s: each is inside of one part', async (name) => {
    const log = await openLog(sharedData('..', 'field', 'wild', `${name}.raw.gz`));
    const parts = log.clock.parts ?? [];
    expect(parts.length).toBeGreaterThan(1);
    const facts = factsOf(log);
    const { armed, flying } = await facts.phases();
    const modes = await facts.modes();
    // each part says its modes
    for (const { start, end } of parts) expect(modes.some((each) => each.start >= start && each.end <= end)).toBe(true);
    for (const each of [...modes, ...armed, ...flying, ...(await facts.flights())])
      expect(parts.filter(({ start, end }) => each.start >= start && each.end <= end)).not.toHaveLength(0);
  });
});
