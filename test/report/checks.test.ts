// Each check on a log that was made for it: what must be found, what must not, and which instance it is.
import { describe, expect, test } from 'vitest';
import type { Value } from '../../src/core/column.ts';
import { openInput } from '../../src/formats/open.ts';
import { openLog } from '../../src/node/open.ts';
import type { Finding } from '../../src/report/finding.ts';
import { makeReport } from '../../src/report/report.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { MadeLog } from '../helpers/made-log.ts';
import { withoutSimulatorRecords } from '../helpers/without-simulator.ts';

/** Tables by name: format, columns without the time, and the values at a time in seconds of a flight of 30 s. */
type Tables = Readonly<Record<string, readonly [format: string, columns: string, at: (second: number) => Value[]]>>;

/** A copter that is armed at 1 s, flies from 2 to 32 s and writes ten rows a second. */
async function findingsOf(
  tables: Tables,
  parameters: Readonly<Record<string, number>> = {},
): Promise<readonly Finding[]> {
  const made = new MadeLog()
    .define('MSG', 'QZ', 'TimeUS,Message')
    .define('PARM', 'QNf', 'TimeUS,Name,Value')
    .define('EV', 'QB', 'TimeUS,Id')
    .add('MSG', 1, 'ArduCopter V4.5.7');
  for (const [name, [format, columns]] of Object.entries(tables)) made.define(name, `Q${format}`, `TimeUS,${columns}`);
  for (const [name, value] of Object.entries(parameters)) made.add('PARM', 2, name, value);
  for (let k = 0; k <= 350; k++) {
    const time = k * 100_000;
    if (k === 10) made.add('EV', time, 10);
    if (k === 20) made.add('EV', time, 28);
    if (k === 320) made.add('EV', time, 18).add('EV', time + 1, 11);
    for (const [name, [, , at]] of Object.entries(tables)) made.add(name, time, ...at(time / 1e6 - 2));
  }
  return (await makeReport(await made.open())).findings;
}

function found(findings: readonly Finding[], title: string): Finding {
  const finding = findings.find((each) => each.title === title);
  if (!finding) throw new Error(`no finding ${title}: there are ${findings.map((each) => each.title).join(', ')}`);
  return finding;
}

/** Whether a second lies in the middle of the flight. */
const middle = (second: number): boolean => second >= 10 && second < 15;

describe('IMUs', () => {
  const imu = (off: number): Tables[string] => [
    'ffffff',
    'GyrX,GyrY,GyrZ,AccX,AccY,AccZ',
    () => [0.01 + off, 0, 0, 0.1, 0.1, -9.8],
  ];
  test('that agree', async () => {
    const findings = await findingsOf({ IMU: imu(0), IMU2: imu(0.02) });
    expect(found(findings, 'Gyros of IMU and IMU 1').severity).toBe('ok');
  });
  test('of which one drifts', async () => {
    const findings = await findingsOf({ IMU: imu(0), IMU2: imu(0.12) });
    const { severity, value, instance } = found(findings, 'Gyros of IMU and IMU 1');
    expect({ severity, instance }).toEqual({ severity: 'fail', instance: '1' });
    expect(value).toBeCloseTo(0.12, 6);
    expect(found(findings, 'Accelerometers of IMU and IMU 1').severity).toBe('ok');
  });
});

describe('heights', () => {
  const tables = (away: number): Tables => ({
    CTUN: ['fff', 'ThO,Alt,CRt', (second) => [0.4, second > 0 ? 10 : 0, 0]],
    BARO: ['f', 'Alt', (second) => [100 + (second > 0 ? 10 : 0) + (middle(second) ? away : 0)]],
  });
  test('that agree although they count from different places', async () => {
    expect(found(await findingsOf(tables(5)), 'Altitude: barometer').severity).toBe('ok');
  });
  test('that part', async () => {
    const { severity, value, from, to } = found(await findingsOf(tables(16)), 'Altitude: barometer');
    expect({ severity, from, to }).toEqual({ severity: 'fail', from: 12e6, to: 16.9e6 });
    expect(value).toBeCloseTo(16, 5);
  });
  test('of which the barometer is not the one that counts', async () => {
    const findings = await findingsOf(tables(16), { EK3_SRC1_POSZ: 3 });
    expect(found(findings, 'Altitude: barometer').severity).toBe('warn');
  });
});

describe('a barometer beside the climb of a GPS', () => {
  const flown = (away: (second: number) => number, status = 3): Tables => ({
    CTUN: ['fff', 'ThO,Alt,CRt', () => [0.4, 0, 0]],
    BARO: ['f', 'Alt', (second) => [100 + away(second)]],
    GPS: ['BLLfff', 'Status,Lat,Lng,Alt,Spd,VZ', () => [status, 46, 7, 100, 0, 0.01]],
  });
  const barometer = async (tables: Tables): Promise<Finding | undefined> =>
    (await findingsOf(tables)).find(({ title }) => title === 'Altitude: barometer jump or drift');
  test('that drifts began to when it left the GPS', async () => {
    const drift = await barometer(flown((second) => Math.max(0, second - 10)));
    expect(drift).toMatchObject({ severity: 'warn', unit: 'm' });
    // a fifth of 7 m is what noise may be
    expect(drift?.from).toBeCloseTo(13.4e6, -6);
    expect(drift?.value).toBeCloseTo(10, 0);
  });
  test('that jumps', async () => {
    expect(await barometer(flown((second) => (second >= 10 ? 20 : 0)))).toMatchObject({ severity: 'fail', from: 12e6 });
  });
  test('that follows it, is less far off, or has no GPS to be compared with', async () => {
    expect(await barometer(flown((second) => 3 * Math.sin(second)))).toBeUndefined();
    const climbing = flown((second) => (second > 0 ? 2 * second : 0));
    const climb: Tables[string] = [
      'BLLfff',
      'Status,Lat,Lng,Alt,Spd,VZ',
      (second) => [3, 46, 7, 100, 0, second > 0 ? -2 : 0],
    ];
    expect(await barometer({ ...climbing, GPS: climb })).toBeUndefined();
    expect(await barometer(climbing)).toBeDefined();
    expect(await barometer(flown((second) => Math.max(0, second - 10), 1))).toBeUndefined();
  });
});

describe('GPS', () => {
  const gps = (lat: (second: number) => number, status: (second: number) => number = () => 3): Tables => ({
    GPS: [
      'BBcLLef',
      'Status,NSats,HDop,Lat,Lng,Alt,Spd',
      (second) => [status(second), 14, 0.8, lat(second), 7, 100, 0],
    ],
  });
  test('that stands still', async () => {
    const findings = await findingsOf(gps(() => 46));
    expect(findings.filter(({ check, severity }) => check === 'gps' && severity !== 'ok')).toEqual([]);
    expect(found(findings, 'GPS: fix').severity).toBe('ok');
  });
  test('that jumps', async () => {
    // a thousandth of a degree are 111 m
    const jumps = found(await findingsOf(gps((second) => (middle(second) ? 46.001 : 46))), 'GPS: jumps');
    expect(jumps.severity).toBe('fail');
    expect(jumps.text).toContain('2 times');
    expect(jumps.value).toBeCloseTo(111.1, 0);
  });
  test('of which it is not known for a moment whether it has a fix', async () => {
    const status = (second: number): number => (second === 10 ? Number.NaN : 4);
    const findings = await findingsOf({ GPS: ['fLL', 'Status,Lat,Lng', (second) => [status(second), 46, 8]] });
    expect(found(findings, 'GPS: fix').severity).toBe('ok');
  });
  test('that loses its fix for a moment, and for long', async () => {
    const brief = await findingsOf(
      gps(
        () => 46,
        (second) => (second >= 10 && second < 10.5 ? 1 : 3),
      ),
    );
    expect(found(brief, 'GPS: fix').severity).toBe('warn');
    const long = await findingsOf(
      gps(
        () => 46,
        (second) => (middle(second) ? 1 : 3),
      ),
    );
    expect(found(long, 'GPS: fix')).toMatchObject({ severity: 'fail', value: 5 });
  });
});

describe('estimator cores', () => {
  const cores = (first: number, second: number): Tables => ({
    NKF4: ['cccc', 'SV,SP,SH,SM', (at) => [middle(at) ? first : 0.1, 0.1, 0.1, 0.1]],
    NKF9: ['cccc', 'SV,SP,SH,SM', (at) => [middle(at) ? second : 0.1, 0.1, 0.1, 0.1]],
  });
  test('are judged one by one', async () => {
    const findings = await findingsOf(cores(0.6, 1.2));
    expect(found(findings, 'EKF variances')).toMatchObject({ severity: 'warn', value: 0.6 });
    expect(found(findings, 'EKF variances of core 1')).toMatchObject({ severity: 'fail', value: 1.2 });
  });
  test('one that is not in use fails less', async () => {
    const tables: Tables = {
      ...cores(0.1, 1.2),
      NKF4: ['ccccb', 'SV,SP,SH,SM,PI', () => [0.1, 0.1, 0.1, 0.1, 0]],
    };
    expect(found(await findingsOf(tables), 'EKF variances of core 1').severity).toBe('warn');
  });
});

describe('batteries', () => {
  const pack = (volts: (second: number) => number, remaining = 80): Tables => ({
    BAT: [
      'ffB',
      'Volt,Curr,RemPct',
      (second) => [volts(second), second > 0 ? 20 + 5 * Math.sin(second) : 0, remaining],
    ],
  });
  test('limits of the vehicle count before ours', async () => {
    // lithium-ion cells may go lower
    const low = pack((second) => (middle(second) ? 3.1 * 6 : 25));
    expect(found(await findingsOf(low), 'Battery: voltage').severity).toBe('fail');
    const own = found(await findingsOf(low, { BATT_LOW_VOLT: 18, BATT_CRT_VOLT: 17 }), 'Battery: voltage');
    expect(own).toMatchObject({ severity: 'ok', threshold: 3, source: 'BATT_LOW_VOLT of this log' });
    expect(own.value).toBeCloseTo(3.1, 5);
  });
  test('resistance follows from voltage against current', async () => {
    const findings = await findingsOf(pack((second) => 25 - (second > 0 ? 0.06 * (20 + 5 * Math.sin(second)) : 0)));
    const { value, severity } = found(findings, 'Battery: resistance');
    expect(value).toBeCloseTo(10, 1);
    expect(severity).toBe('ok');
  });
  test('a charge that the voltage contradicts is a warning', async () => {
    expect(found(await findingsOf(pack(() => 24, 5)), 'Battery: charge').severity).toBe('warn');
    expect(found(await findingsOf(pack((s) => (s > 5 ? 20.5 : 24.5), 5)), 'Battery: charge').severity).toBe('fail');
  });
  test('a weak cell', async () => {
    const cells: Tables = {
      BCL: ['fHHH', 'Volt,V1,V2,V3', (second) => [12, 4000, 4010, middle(second) ? 3600 : 4000]],
    };
    const { severity, value } = found(await findingsOf(cells), 'Battery: cells');
    expect(severity).toBe('fail');
    expect(value).toBeCloseTo(0.41, 6);
  });
});

describe('motors', () => {
  const level: Tables = {
    ATT: ['cccc', 'DesRoll,Roll,DesPitch,Pitch', () => [0, 0, 0, 0]],
    CTUN: ['ff', 'ThO,CRt', () => [0.4, 0]],
  };
  const motors = { SERVO5_FUNCTION: 33, SERVO6_FUNCTION: 34, SERVO7_FUNCTION: 35, SERVO8_FUNCTION: 36 };
  const outputs = (fourth: number): Tables => ({
    ...level,
    // a camera on the first channel is none of them
    RCOU: ['HHHHHHHH', 'C1,C2,C3,C4,C5,C6,C7,C8', () => [1900, 1100, 0, 0, 1500, 1520, 1510, fourth]],
  });
  test('are found by what the outputs are for', async () => {
    const balance = found(await findingsOf(outputs(1505), motors), 'Motor balance');
    expect(balance).toMatchObject({ severity: 'ok', value: 20, fields: ['RCOU.C5', 'RCOU.C6', 'RCOU.C7', 'RCOU.C8'] });
  });
  test('one that works harder', async () => {
    const balance = found(await findingsOf(outputs(1605), motors), 'Motor balance');
    expect(balance).toMatchObject({ severity: 'warn', value: 105, overall: true });
    expect(balance.text).toContain('Motor 4 worked much harder than motor 1.');
    expect(found(await findingsOf(outputs(1760), motors), 'Motor balance').severity).toBe('fail');
  });
  test('one that failed in flight was like the others before', async () => {
    const failing: Tables = {
      ...outputs(1500),
      RCOU: [
        'HHHHHHHH',
        'C1,C2,C3,C4,C5,C6,C7,C8',
        (second) => [0, 0, 0, 0, 1500, 1500, 1500, second < 15 ? 1500 : 1990],
      ],
    };
    const balance = found(await findingsOf(failing, motors), 'Motor balance');
    expect(balance).toMatchObject({ severity: 'warn', overall: true });
    expect(balance.from).toBeGreaterThanOrEqual(17e6);
    expect(found(await findingsOf(outputs(1605), motors), 'Motor balance').from).toBeLessThan(6e6);
  });
  test('differ in a turn, which is no hover', async () => {
    const turning: Tables = {
      ...outputs(1760),
      ATT: ['fff', 'Roll,Pitch,Yaw', (second) => [0, 0, ((second + 2) * 30) % 360]],
    };
    expect(found(await findingsOf(turning, motors), 'Motor balance').severity).toBe('no data');
  });
  test('one that is at its end', async () => {
    const full = found(await findingsOf(outputs(1990), motors), 'Motors saturated');
    expect(full.severity).toBe('warn');
    expect(full.fields).toEqual(['RCOU.C8']);
    // the firmware may use less than the whole range
    const part = found(await findingsOf(outputs(1940), { ...motors, MOT_SPIN_MAX: 0.95 }), 'Motors saturated');
    expect(part.severity).toBe('warn');
    expect(found(await findingsOf(outputs(1940), motors), 'Motors saturated').severity).toBe('ok');
    // one that cannot hold the vehicle fails
    const over: Tables = {
      ...outputs(1990),
      ATT: ['ffff', 'Roll,DesRoll,Pitch,DesPitch', (second) => [middle(second) ? 40 : 0, 0, 0, 0]],
    };
    expect(found(await findingsOf(over, motors), 'Motors saturated').severity).toBe('fail');
  });
  test('of a helicopter are not compared', async () => {
    expect(found(await findingsOf(outputs(1605), { ...motors, FRAME_CLASS: 6 }), 'Motors').severity).toBe('no data');
  });
});

describe('vibration without VIBE', () => {
  /** A sine of 100 Hz, 20 m/s² high from 12 to 22 s, in samples of a table at 1 kHz. */
  const shaken = async (name: string, columns: string, format: string, height = 20): Promise<readonly Finding[]> => {
    const made = new MadeLog()
      .define('MSG', 'QZ', 'TimeUS,Message')
      .define('EV', 'QB', 'TimeUS,Id')
      .define(name, `Q${format}`, `TimeUS,${columns}`)
      .add('MSG', 1, 'ArduCopter V3.2')
      .add('EV', 1e6, 10)
      .add('EV', 2e6, 28);
    for (let k = 0; k <= 20_000; k++) {
      const time = 4e6 + k * 1000;
      const size = time >= 12e6 && time < 22e6 ? height : 1;
      const value = 3 + size * Math.sin(2 * Math.PI * 100 * (k / 1000) + 0.3);
      made.add(name, time, ...(format.startsWith('Q') ? [time - 500] : []), value, 0, -9.8);
    }
    made.add('EV', 25e6, 18).add('EV', 25e6 + 1, 11);
    return (await makeReport(await made.open())).findings;
  };
  test('raw samples are judged as VIBE is', async () => {
    const { severity, value, text, fields } = found(
      await shaken('ACC1', 'SampleUS,AccX,AccY,AccZ', 'Qfff'),
      'Vibration of IMU 0',
    );
    // of a sine the deviation is its height by the root of two, of which the low pass at 5 Hz leaves 1 - H(100 Hz)
    const expected = (20 / Math.SQRT2) * Math.sqrt(100 ** 2 / (100 ** 2 + 5 ** 2));
    expect(severity).toBe('ok');
    expect(Math.abs((value ?? 0) / expected - 1)).toBeLessThan(0.03);
    expect(text).toContain('computed from ACC1.AccX at 1000 Hz');
    expect(fields).toEqual(['ACC1.AccX', 'ACC1.AccY', 'ACC1.AccZ']);
    const strong = found(await shaken('ACC1', 'SampleUS,AccX,AccY,AccZ', 'Qfff', 60), 'Vibration of IMU 0');
    expect(strong).toMatchObject({ severity: 'warn', threshold: 30, source: expect.stringContaining('wiki') });
    expect(strong.from).toBeGreaterThan(12e6);
    expect(strong.from).toBeLessThan(12.5e6);
  });
  test('samples behind a filter tell too much, but never that all is well', async () => {
    const little = found(await shaken('IMU', 'AccX,AccY,AccZ', 'fff'), 'Vibration');
    expect(little.severity).toBe('no data');
    expect(little.text).toContain('Computed from IMU at 1000 Hz, it was at most 14');
    expect(found(await shaken('IMU', 'AccX,AccY,AccZ', 'fff', 100), 'Vibration').severity).toBe('fail');
  });
  test('slow samples tell nothing', async () => {
    const slow = found(
      await findingsOf({ IMU: ['fff', 'AccX,AccY,AccZ', (s) => [100 * (s % 0.2), 0, -9.8]] }),
      'Vibration',
    );
    expect(slow).toMatchObject({ severity: 'no data', text: expect.stringContaining('IMU at 10 Hz is too slow') });
  });
});

test('clips: a few are a remark, steady ones fail, a counter that starts again does not count', async () => {
  const clips = (at: (second: number) => number): Tables => ({
    VIBE: ['fffI', 'VibeX,VibeY,VibeZ,Clip', (second) => [5, 5, 5, at(second)]],
  });
  expect(found(await findingsOf(clips((s) => (s < 10 ? 7 : 3))), 'Clipping').severity).toBe('ok');
  expect(found(await findingsOf(clips((s) => (s < 10 ? 0 : 3))), 'Clipping')).toMatchObject({
    severity: 'info',
    value: 1,
  });
  expect(found(await findingsOf(clips((s) => Math.max(0, Math.floor(s)))), 'Clipping').severity).toBe('fail');
});

test('vibration that rises to many times what it was counts below the limit', async () => {
  const shaken = (before: number, after: number): Tables => ({
    VIBE: ['fff', 'VibeX,VibeY,VibeZ', (second) => Array(3).fill(second < 12 ? before : after)],
  });
  const rise = async (before: number, after: number): Promise<Finding | undefined> =>
    (await findingsOf(shaken(before, after))).find(({ title }) => title === 'Vibration: rise');
  expect(await rise(0.2, 20)).toMatchObject({ severity: 'warn', from: 14e6 });
  expect((await rise(0.2, 20))?.value).toBeCloseTo(100, 3);
  for (const [before, after] of [
    [4, 20],
    [0.2, 14],
    [20, 20],
  ] as const)
    expect(await rise(before, after)).toBeUndefined();
});

test('a failsafe of the ground station tells of a silence that began before', async () => {
  const tables: Tables = { ERR: ['BB', 'Subsys,ECode', (second) => [8, second >= 15 ? 1 : 0]] };
  const told = async (parameters?: Readonly<Record<string, number>>): Promise<Finding | undefined> =>
    (await findingsOf(tables, parameters)).find(({ title }) => title.startsWith('Ground station failsafe'));
  expect(await told()).toMatchObject({ severity: 'fail', from: 12e6 });
  expect((await told())?.text).toContain('heard nothing for 5 s');
  expect((await told({ FS_GCS_TIMEOUT: 8 }))?.from).toBe(9e6);
});

describe('an oscillation that is faster than its samples', () => {
  const swinging = (size: (second: number) => number): Tables => ({
    RATE: [
      'fffffff',
      'R,RDes,P,PDes,Y,YDes,ROut',
      // 11.3 Hz, ten times a second
      (second) => [size(second) * Math.sin(71 * second), 0, Math.sin(71 * second), 0, 0, 0, 0.1],
    ],
  });
  test('is seen by its size, if it was not always there', async () => {
    const roll = found(await findingsOf(swinging((second) => (second < 10 ? 1 : 90))), 'Roll oscillation');
    expect(roll.severity).toBe('fail');
    expect(roll.from).toBeGreaterThanOrEqual(12e6);
    expect(roll.from).toBeLessThan(12.5e6);
    expect(found(await findingsOf(swinging(() => 90)), 'Roll oscillation').severity).toBe('info');
    expect(found(await findingsOf(swinging((second) => (second < 10 ? 1 : 20))), 'Roll oscillation').severity).toBe(
      'ok',
    );
  });
});

test('wind shows as lean that neither speeds up nor is what the speed took before', async () => {
  const DEGREES = 180 / Math.PI;
  // northwards, faster and slower; the air takes 0.45 m/s² for each metre a second
  const speed = (second: number): number => 5 + 4 * Math.sin(second / 2);
  const held = (second: number): number => 0.45 * speed(second) + 2 * Math.cos(second / 2);
  const flown = (push: number): Tables => ({
    MODE: ['BB', 'Mode,ModeNum', () => [3, 3]],
    GPS: ['BLLfff', 'Status,Lat,Lng,Alt,Spd,GCrs', (second) => [3, 46, 7, 100, speed(second), 0]],
    ATT: [
      'fffff',
      'DesRoll,Roll,DesPitch,Pitch,Yaw',
      (second) => {
        const lean = -Math.atan((held(second) + (second >= 14 ? push : 0)) / 9.80665) * DEGREES;
        return [0, 0, lean / 2, lean, 0];
      },
    ],
  });
  const limit = { ATC_ANGLE_MAX: 45 };
  const wind = found(await findingsOf(flown(6), limit), 'Strong wind');
  expect(wind.severity).toBe('warn');
  expect(wind.from).toBeGreaterThan(15e6);
  expect(wind.from).toBeLessThan(18e6);
  // 27° of 45 are needed
  expect(found(await findingsOf(flown(3), limit), 'Strong wind').severity).toBe('ok');
});

test('a vehicle that tilts all it can and stays where it is, is held by something and not by the wind', async () => {
  const flown = (speed: number, wish: number): Tables => ({
    MODE: ['BB', 'Mode,ModeNum', () => [4, 4]],
    GPS: ['BLLfff', 'Status,Lat,Lng,Alt,Spd,GCrs', (second) => [3, 46, 7, 100, second < 14 ? 3 : speed, 0]],
    ATT: [
      'fffff',
      'DesRoll,Roll,DesPitch,Pitch,Yaw',
      (second) => (second < 14 ? [0, 0, -5, -5, 0] : [0, 0, -wish, -wish, 0]),
    ],
  });
  const limit = { ATC_ANGLE_MAX: 30 };
  const held = await findingsOf(flown(0.05, 30), limit);
  expect(found(held, 'Stuck')).toMatchObject({ severity: 'fail', check: 'wind' });
  expect(found(held, 'Stuck').from).toBeGreaterThanOrEqual(16e6);
  expect(found(held, 'Stuck').from).toBeLessThan(16.5e6);
  expect(found(held, 'Strong wind').severity).toBe('ok');
  // against the wind it makes some way, or needs not all of its lean
  for (const [speed, wish] of [
    [0.6, 30],
    [0.05, 28],
  ] as const) {
    const windy = await findingsOf(flown(speed, wish), limit);
    expect(windy.find(({ title }) => title === 'Stuck')).toBeUndefined();
    expect(found(windy, 'Strong wind').severity).toBe('warn');
  }
});

test('power: swing, overcurrent, and boards that do not measure', async () => {
  const power = (volts: (second: number) => number, flags = 1): Tables => ({
    POWR: ['ffH', 'Vcc,VServo,Flags', (second) => [volts(second), 5, flags]],
  });
  const swing = found(await findingsOf(power((s) => (middle(s) ? 4.8 : 5.2))), 'Board voltage: swing');
  expect(swing.severity).toBe('fail');
  expect(swing.value).toBeCloseTo(0.4, 5);
  expect(found(await findingsOf(power(() => 5, 1 | 8)), 'Overcurrent').severity).toBe('fail');
  expect(found(await findingsOf(power(() => 0)), 'Board voltage').severity).toBe('no data');
});

test('radio: a throttle below what a stick can give', async () => {
  const stick: Tables = { RCIN: ['HHH', 'C1,C2,C3', (second) => [1500, 1500, middle(second) ? 930 : 1500]] };
  const lost = found(await findingsOf(stick, { FS_THR_ENABLE: 1, FS_THR_VALUE: 975 }), 'Remote control');
  expect(lost).toMatchObject({ severity: 'fail', value: 5 });
  expect((await findingsOf(stick)).some(({ title }) => title === 'Remote control')).toBe(false);
});

test('a multicopter that spins, and a demand that it does not follow', async () => {
  const rates = (is: number, asked: number): Tables => ({
    RATE: [
      'fffffff',
      'R,RDes,P,PDes,Y,YDes,ROut',
      (second) => [0, 0, 0, 0, ...(middle(second) ? [is, asked] : [0, 0]), 0.1],
    ],
  });
  expect(found(await findingsOf(rates(300, -40)), 'Yaw rate')).toMatchObject({ severity: 'fail', value: 300 });
  expect(found(await findingsOf(rates(2, -200)), 'Yaw rate').severity).toBe('ok');
  expect(found(await findingsOf(rates(200, 190)), 'Yaw rate').severity).toBe('ok');
});

test('thrust: a sink at full throttle counts at any lean, a slow one only where it is level', async () => {
  const falling = (climb: number, lean: number): Tables => ({
    ATT: ['ffff', 'Roll,DesRoll,Pitch,DesPitch', () => [lean, lean, 0, 0]],
    CTUN: ['ff', 'ThO,CRt', (second) => (middle(second) ? [1, climb] : [0.4, 0])],
  });
  expect(found(await findingsOf(falling(-4, 35)), 'Thrust').severity).toBe('fail');
  expect(found(await findingsOf(falling(-1, 35)), 'Thrust').severity).toBe('ok');
  expect(found(await findingsOf(falling(-1, 5)), 'Thrust').severity).toBe('fail');
});

test('radio: a weak telemetry radio that lost nothing is a remark', async () => {
  const weak = (errors: number): Tables => ({
    RAD: [
      'BBBBBH',
      'RSSI,RemRSSI,Noise,RemNoise,TxBuf,RxErrors',
      (second) => [40, 0, second < 2 ? 20 : 39, 0, 100, second > 5 ? errors : 0],
    ],
  });
  expect(found(await findingsOf(weak(0)), 'Telemetry radio').severity).toBe('info');
  expect(found(await findingsOf(weak(9)), 'Telemetry radio').severity).toBe('warn');
});

test('what ends in a failure begins where it first counts, unless it was so from the start', async () => {
  const drift = (from: number): Tables => ({
    CTUN: ['ff', 'Alt,ThO', () => [20, 0.4]],
    BARO: ['f', 'Alt', (second) => [20 + Math.max(0, Math.min(20, 5 * (second - from)))]],
  });
  const { severity, from } = found(await findingsOf(drift(10)), 'Altitude: barometer');
  // 7 m are reached after 1.4 s, 15 m after 3 s; the flight begins 2 s after the log
  expect([severity, Math.round((from ?? 0) / 1e5) / 10]).toEqual(['fail', 13.5]);
  const start = found(await findingsOf(drift(0)), 'Altitude: barometer');
  expect(start.from).toBeGreaterThan(4.5e6);
});

test('logging: dropped records', async () => {
  const writer: Tables = { DSF: ['I', 'Dp', (second) => [second < 10 ? 0 : 12]] };
  expect(found(await findingsOf(writer), 'Dropped records')).toMatchObject({ severity: 'warn', value: 12 });
});

describe('a log that ends in the air', () => {
  /** A copter that climbs to 20 m and is never seen again. */
  const cut = async (board: (second: number) => number, volts: (second: number) => number): Promise<Finding> => {
    const made = new MadeLog()
      .define('MSG', 'QZ', 'TimeUS,Message')
      .define('EV', 'QB', 'TimeUS,Id')
      .define('CTUN', 'Qfff', 'TimeUS,ThO,Alt,CRt')
      .define('POWR', 'Qf', 'TimeUS,Vcc')
      .define('BAT', 'Qff', 'TimeUS,Volt,Curr')
      .add('MSG', 1, 'ArduCopter V4.5.7');
    for (let k = 0; k <= 300; k++) {
      const [time, second] = [k * 100_000, k / 10];
      if (k === 10) made.add('EV', time, 10);
      if (k === 20) made.add('EV', time, 28);
      made.add('CTUN', time, 0.4, Math.min(20, Math.max(0, second - 2) * 2), 0);
      made.add('POWR', time, board(second)).add('BAT', time, volts(second), 20);
    }
    return found((await makeReport(await made.open())).findings, 'End of the log');
  };
  test('with steady power was cut', async () => {
    const end = await cut(
      () => 5.18,
      () => 14.75,
    );
    expect(end.severity).toBe('info');
    expect(end.text).toContain('so the log was cut');
  });
  test('with a board voltage that falls is a brown-out', async () => {
    const end = await cut(
      (second) => (second < 29 ? 5.1 : 4.6),
      () => 14.75,
    );
    expect(end.severity).toBe('fail');
    expect(end.text).toContain('brown-out');
  });
});

test('a good flight whose log is cut in the air ends there, with a battery that was steady', async () => {
  const log = await openLog(SAMPLE);
  const { phases } = await makeReport(log);
  const attitude = log.table('ATT');
  const times = await attitude?.times();
  const row = times?.findIndex((time) => time > (phases.flying[0].start + phases.flying[0].end) / 2) ?? 0;
  const bytes = await log.source.read(0, attitude?.offsets.at(row) ?? 0);
  // the same as a real vehicle would have logged it
  const { findings, verdict } = await makeReport(await openInput(withoutSimulatorRecords(bytes)));
  const end = found(findings, 'End of the log');
  expect(verdict).toBe('warn');
  expect(end.severity).toBe('warn');
  expect(end.text).toContain('the log was cut, or the board alone lost power');
  // the square was flown at 20 m
  expect(end.value).toBeGreaterThan(15);
  expect(end.value).toBeLessThan(25);
});
