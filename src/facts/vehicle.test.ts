import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { references } from '../../test/formats/dataflash/references.ts';
import { MadeLog, textLog } from '../../test/helpers/made-log.ts';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import { sampleFile } from '../../test/suite/sample.ts';
import { openInput } from '../formats/open.ts';
import { openLog } from '../node/open.ts';
import { factsOf } from './facts.ts';
import { parseFirmware, type Vehicle } from './vehicle.ts';

/** A log with these texts, and what they tell. */
async function told(...messages: string[]): Promise<Vehicle> {
  const log = new MadeLog().define('MSG', 'QZ', 'TimeUS,Message');
  for (const message of messages) log.add('MSG', 1, message);
  return factsOf(await log.open()).vehicle();
}

async function byParameters(...names: string[]): Promise<Vehicle> {
  const log = new MadeLog().define('PARM', 'QNf', 'TimeUS,Name,Value');
  for (const name of names) log.add('PARM', 1, name, 1);
  return factsOf(await log.open()).vehicle();
}

describe('the firmware', () => {
  test.each([
    ['ArduCopter V4.5.7 (2a3dc4b7)', 'ArduCopter', '4.5.7', '2a3dc4b7'],
    ['APM:Copter V3.3-dev (ed577021)', 'APM:Copter', '3.3-dev', 'ed577021'],
    ['ArduPlane V3.1.2beta1 (834f90e8)', 'ArduPlane', '3.1.2beta1', '834f90e8'],
    ['ArduRover v2.46beta2 (8d7ef5df)', 'ArduRover', '2.46beta2', '8d7ef5df'],
    ['ArduCopter V3.0.1', 'ArduCopter', '3.0.1', null],
    ['something else', 'something else', null, null],
  ])('%s', (text, name, version, git) => {
    expect(parseFirmware(text)).toEqual({ name, version, git, text });
  });

  test('is the first text that names one with a version', async () => {
    const { firmware, kind } = await told('ArduCopter is great', 'Frame: QUAD', 'ArduPlane V4.0.9 (abcdef12)');
    expect(firmware?.text).toBe('ArduPlane V4.0.9 (abcdef12)');
    expect(kind).toBe('Plane');
  });

  test('stands before the first line of a text log', async () => {
    const lines = ['', 'ArduCopter V3.0.1 (5c6503e2)', 'Free RAM: 1331', 'APM 2', 'FMT, 132, 67, MSG, Z, Message'];
    const vehicle = await factsOf(await openInput(textLog(...lines))).vehicle();
    expect(vehicle).toMatchObject({ kind: 'Copter', board: 'APM 2', firmware: { version: '3.0.1', git: '5c6503e2' } });
  });

  test('PX4 names its board and source', async () => {
    const log = new MadeLog().define('VER', 'NZ', 'Arch,FwGit').add('VER', 'PX4FMU_V2', '9bd3e6605fd6');
    expect(await factsOf(await log.open()).vehicle()).toEqual({
      kind: null,
      firmware: { name: 'PX4', version: null, git: '9bd3e6605fd6', text: 'PX4 PX4FMU_V2 9bd3e6605fd6' },
      board: null,
    });
  });
});

describe('the kind of vehicle', () => {
  test.each([
    [1, 'Rover'],
    [2, 'Copter'],
    [3, 'Plane'],
    [4, 'Tracker'],
    [7, 'Sub'],
    [12, 'Blimp'],
    [13, 'Copter'],
    [9, null],
  ])('VER.BU %i is %s', async (build, kind) => {
    const log = new MadeLog().define('VER', 'QZB', 'TimeUS,FWS,BU').add('VER', 1, 'MyOwn V1.2.3 (12345678)', build);
    expect((await factsOf(await log.open()).vehicle()).kind).toBe(kind);
  });

  test.each([
    ['AntennaTracker V1.1.0 (12345678)', 'Tracker'],
    ['APMrover2 V3.0.0 (12345678)', 'Rover'],
    ['ArduSub V4.1.2 (12345678)', 'Sub'],
    ['Blimp V4.2.0-dev (12345678)', 'Blimp'],
    ['Planetary V1.0', null],
  ])('%s is %s', async (text, kind) => {
    expect((await told(text)).kind).toBe(kind);
  });

  test('is told by parameters where nothing else tells it', async () => {
    expect((await byParameters('RC1_MIN', 'PILOT_VELZ_MAX')).kind).toBe('Copter');
    expect((await byParameters('TKOFF_THR_MINACC')).kind).toBe('Plane');
    expect((await byParameters('CRUISE_SPEED')).kind).toBe('Rover');
    expect((await byParameters('JS_GAIN_DEFAULT')).kind).toBe('Sub');
    expect((await byParameters('RC1_MIN')).kind).toBe(null);
  });
});

test('the board is the line with its serial number, and nothing that only looks like it', async () => {
  expect((await told('ArduCopter V4.5.7 (2a3dc4b7)', 'CubeOrange 00290036 32395112 39333636')).board).toBe(
    'CubeOrange',
  );
  expect((await told('PX4: 8d505a02 NuttX: 1a99ba58', 'PX4v2 00320024 33345111 38383339')).board).toBe('PX4v2');
  expect((await told('3d1219c7c4c5404aaa1f6d2a48adfda4', 'Frame: QUAD/X')).board).toBe(null);
});

test('the sample says what it is, and its hash twice', async () => {
  const log = await openInput(sampleFile('copter-square.BIN').bytes);
  const { kind, firmware } = await factsOf(log).vehicle();
  expect(kind).toBe('Copter');
  const hash = (await log.table('VER')?.column('GH'))?.numbers()[0] ?? 0;
  expect(firmware).toMatchObject({ name: 'ArduCopter', version: '4.8.0-dev', git: hash.toString(16) });
});

needShared(describe, 'dataflash/ref')('real logs', () => {
  // | dataflash/NAME | source | licence | firmware | messages |
  const rows = readFileSync(sharedData('README.md'), 'utf8').matchAll(
    /^\| dataflash\/([^/|]+?) \|[^|]*\|[^|]*\| ?([^|]*?) ?\| \w+ \|$/gm,
  );
  const firmwares = new Map([...rows].map(([, file, firmware]) => [file, firmware]));

  /** What the list leaves empty: MSG with a small v, sdlog2, and a log that begins after its messages. */
  const unlisted = new Map([
    ['erle-rover_2-8-2014_mpu9250-ms5611_11.BIN', 'ArduRover v2.46beta2 (8d7ef5df)'],
    ['erle-rover_27-8-2014_51.BIN', 'ArduRover v2.46beta2 (d01fa3bf)'],
    ['px4-coolkesword-log001.bin', undefined],
    ['px4-dragon-log001.px4log', undefined],
    ['spark404-log.bin', null],
  ]);
  const boards = new Map([
    ['edancain-5.BIN', 'PX4v2'],
    ['pbarker-1.BIN', 'PX4v2'],
    ['pymavlink-test.BIN', 'PX4v4'],
    ['beast-sample.bin', 'fmuv5'],
    ['LA-mechanical_fail.log', 'APM 2'],
    ['LA-octo_PM.log', 'APM 2'],
    ['LA-underpowered.log', 'APM 2'],
  ]);
  const kinds = new Map([
    [1, 'Plane'],
    [2, 'Copter'],
    [10, 'Rover'],
    [12, 'Sub'],
  ]);
  /** pymavlink calls what it does not know a plane. */
  const guessed = new Map<string, string | null>([
    ['LA-underpowered.log', 'Copter'],
    ['LA-octo_PM.log', 'Copter'],
    ['spark404-log.bin', 'Copter'],
    ['px4-coolkesword-log001.bin', null],
    ['px4-dragon-log001.px4log', null],
  ]);
  const types = new Map(references().map(({ file, mav_type }) => [file, mav_type]));

  test('the list is read', () => {
    expect(firmwares.size).toBeGreaterThanOrEqual(32);
    expect([...firmwares].filter(([, firmware]) => firmware === '').map(([file]) => file)).toEqual([
      ...unlisted.keys(),
    ]);
  });

  test.each([...firmwares])('%s: %s', async (file, listed) => {
    const { kind, firmware, board } = await factsOf(await openLog(sharedData('dataflash', file))).vehicle();
    const text = listed === '' ? unlisted.get(file) : listed;
    if (text === undefined) expect(firmware?.name).toBe('PX4');
    else expect(firmware?.text ?? null).toBe(text);
    expect(kind).toBe(guessed.has(file) ? guessed.get(file) : kinds.get(types.get(file) ?? 0));
    expect(board).toBe(boards.get(file) ?? null);
  });
});
