/*
 * Real flights with a fault that is made by changing what a sensor logged from one moment on, and the flights with
 * injected faults once more as other loggers would have written them: what came first must stay the same.
 */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openInput } from '../../src/formats/open.ts';
import { makeReport, type Report } from '../../src/report/report.ts';
import { alteredLog, type LoggedRecord } from '../helpers/altered-log.ts';
import { isLong } from '../helpers/long.ts';
import { need, needShared, sharedData } from '../helpers/need.ts';
import { withoutSimulatorRecords } from '../helpers/without-simulator.ts';

const FAULTS = ['..', 'field', 'faults'];
const flight = (name: string): Uint8Array =>
  withoutSimulatorRecords(gunzipSync(readFileSync(sharedData(...FAULTS, name))));

type Edit = (record: LoggedRecord) => boolean | undefined;

/** A report, with seconds since boot of what it says. */
async function reportOf(bytes: Uint8Array): Promise<{ report: Report; seconds: (time: number) => number }> {
  const log = await openInput(bytes);
  const report = await makeReport(log);
  const table = log.table('ATT');
  if (!table) throw new Error('no ATT');
  const { times, columns } = await table.timedColumns(['TimeUS']);
  const boot = times[0] - columns[0].numbers()[0];
  return { report, seconds: (time) => (time - boot) / 1e6 };
}

/** The first step is within 1 s before and 4 s after, and nothing failed before it. */
async function expectFirst(bytes: Uint8Array, at: number, title: RegExp): Promise<void> {
  const { report, seconds } = await reportOf(bytes);
  const [first] = report.chain;
  expect(first?.title).toMatch(title);
  expect(seconds(first.from)).toBeGreaterThan(at - 1);
  expect(seconds(first.from)).toBeLessThan(at + 4);
  for (const { severity, from } of report.findings)
    if (severity === 'fail') expect(from === null ? at : seconds(from)).toBeGreaterThan(at - 1);
}

/** Seconds since boot at which the sensors below fail, in the middle of each flight. */
const AT = 76;
/** From that moment on, of one table and one instance. */
const from =
  (table: string, edit: (record: LoggedRecord) => boolean | undefined, instance = 0, at = AT): Edit =>
  (record) =>
    record.name === table && record.seconds >= at && (record.number('I') || 0) === instance ? edit(record) : undefined;
const set =
  (values: Readonly<Record<string, number | ((value: number) => number)>>) =>
  (record: LoggedRecord): undefined => {
    for (const [field, to] of Object.entries(values)) record.change(field, typeof to === 'number' ? () => to : to);
  };

/** The fields of a table that stay as they were at the moment. */
function frozen(table: string, fields: readonly string[], instance = 0, at = AT): Edit {
  const last = new Map<string, number>();
  return (record) => {
    if (record.name !== table || (record.number('I') || 0) !== instance) return undefined;
    for (const field of fields)
      if (record.seconds < at) last.set(field, record.number(field));
      else record.change(field, () => last.get(field) ?? 0);
    return undefined;
  };
}

const IMU = ['GyrX', 'GyrY', 'GyrZ', 'AccX', 'AccY', 'AccZ'];
const plus =
  (more: number) =>
  (value: number): number =>
    value + more;

const SENSORS: readonly (readonly [fault: string, edit: Edit, title: RegExp])[] = [
  ['GPS jumps 40 m', from('GPS', set({ Lat: plus(0.00036) })), /GPS 0: jumps/],
  ['GPS has 4 satellites', from('GPS', set({ NSats: 4 })), /GPS 0: satellites/],
  ['GPS loses its fix', from('GPS', set({ Status: 1 })), /GPS 0: fix/],
  ['GPS is silent to the end', (record) => !(/^GP[SA]$/.test(record.name) && record.seconds >= AT), /GPS 0: pauses/],
  ['GPS is frozen', frozen('GPS', ['Lat', 'Lng', 'Alt']), /GPS 0: frozen/],
  ['GPS is not sure of its speed', from('GPA', set({ SAcc: 3 })), /GPS 0: speed accuracy/],
  ['barometer jumps 20 m', from('BARO', set({ Alt: plus(20) })), /Altitude: barometer/],
  ['barometer is not healthy', from('BARO', set({ Health: 0 })), /Barometer: health/],
  [
    'compass is disturbed',
    from('MAG', set({ MagX: (x) => 1.5 * x, MagY: (y) => 1.5 * y, MagZ: (z) => 1.5 * z })),
    /Compass 0/,
  ],
  ['compass is not healthy', from('MAG', set({ Health: 0 })), /Compass 0: health/],
  ['compass is frozen', frozen('MAG', ['MagX', 'MagY', 'MagZ']), /Compass 0: frozen/],
  ['accelerometer drifts', from('IMU', set({ AccZ: plus(3) }), 1), /Accelerometers/],
  ['gyro drifts', from('IMU', set({ GyrX: plus(0.3) }), 1), /Gyros/],
  ['IMU is frozen', frozen('IMU', IMU, 1), /Gyros|IMU 1: frozen/],
  ['IMU is not healthy', from('IMU', set({ GH: 0 })), /IMU 0: health/],
  ['vibration', from('VIBE', set({ VibeX: 45, VibeZ: 45 })), /Vibration/],
  ['voltage falls by 2 V', from('BAT', set({ Volt: plus(-2), VoltR: plus(-2) })), /Battery 0/],
  ['one motor needs more than before', from('RCOU', set({ C2: plus(200) })), /Motor lost thrust/],
  ['battery monitor fails', from('BAT', set({ Volt: 0, VoltR: 0, Curr: 0 })), /Battery 0: monitor/],
  ['throttle of the receiver is below its failsafe', from('RCIN', set({ C3: 900 })), /Remote control/],
  ['the log is cut', ({ seconds }) => seconds < AT, /End of the log/],
];

/** Records that say what a log is and what happened before. */
const ABOUT = /^(FMT|FMTU|UNIT|MULT|PARM|MSG|MODE|EV|ERR|ARM|VER)$/;

/** Records of a fault flight as others would have logged it. */
const LOGGERS: Readonly<Record<string, (at: number) => Edit>> = {
  'after three hours': () => (record) => {
    record.change('TimeUS', plus(3 * 3600e6));
    return undefined;
  },
  'at half the rate': () => everySecond(/^(ATT|RATE|IMU|CTUN|MAG|BARO|VIBE|XKF4|RCOU|BAT)$/),
  'without rates and estimates': () => (record) =>
    !/^(RATE|PID.|MOTB|PSC.|XKF[0-35-9Y]|XKV.|XKT|AHR2|POS|NTUN)$/.test(record.name),
  'without parameters': () => (record) => record.name !== 'PARM',
  'begun 15 s before it': (at) => (record) => ABOUT.test(record.name) || !(record.seconds < at - 15),
  'cut 12 s after it': (at) => (record) => !(record.seconds > at + 12),
};

function everySecond(tables: RegExp): Edit {
  const seen = new Map<string, number>();
  return (record) => {
    if (!tables.test(record.name)) return undefined;
    const key = record.name + (record.number('I') || record.number('C') || record.number('IMU') || 0);
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return (seen.get(key) ?? 0) % 2 === 0;
  };
}

need(
  describe,
  existsSync(sharedData(...FAULTS)),
  'no ../shared/field/faults',
)('a good flight in which one sensor fails', () => {
  const good = flight('copter-01.BIN.gz');

  test('is good without it', async () => {
    const { report } = await reportOf(good);
    expect([report.verdict, report.chain]).toEqual(['ok', []]);
  });

  test.each(SENSORS)('%s', async (_, edit, title) => {
    await expectFirst(alteredLog(good, edit), AT, title);
  });

  test('it swings to both sides, farther and farther', async () => {
    const swing = (record: LoggedRecord): undefined => {
      const since = record.seconds - AT;
      record.change('Roll', (roll) => (since < 5 ? roll + 13 * since * Math.sin(since * 5) : roll));
    };
    await expectFirst(alteredLog(good, from('ATT', swing)), AT, /Roll tracking/);
  });

  test('all motors give half of their thrust', async () => {
    const weak = from('CTUN', set({ ThO: (throttle) => 2 * throttle }));
    await expectFirst(alteredLog(good, weak), AT, /Lift/);
  });

  test('the airspeed of a plane is frozen', async () => {
    const [at, end] = [50, 64];
    const before = alteredLog(flight('plane-01.BIN.gz'), ({ seconds }) => seconds < end);
    await expectFirst(alteredLog(before, frozen('ARSP', ['Airspeed', 'DiffPress'], 0, at)), at, /Airspeed/);
  });

  test('the barometer is frozen while it descends', async () => {
    const at = 152;
    await expectFirst(alteredLog(good, frozen('BARO', ['Alt', 'Press'], 0, at)), at, /Barometer: frozen/);
  });
});

/** A rover whose drive stops: it rolls out, and the speed controller gives more and more throttle. */
function stopped(at: number, wished: (speed: number) => number): Edit {
  let [speed, sum, last] = [Number.NaN, 0, at];
  return (record) => {
    if (record.seconds < at || record.seconds > 72) return undefined;
    if (record.name === 'THR') {
      const wish = wished(record.number('DesSpeed'));
      if (Number.isNaN(speed)) speed = record.number('Speed');
      const step = record.seconds - last;
      last = record.seconds;
      speed *= Math.exp(-step / 1.9);
      sum += (wish - speed) * step;
      record.change('DesSpeed', () => wish);
      record.change('Speed', () => speed);
      record.change('ThrOut', () => Math.min(100, 6 * wish + 20 * (wish - speed) + 20 * sum));
    } else if (record.name === 'GPS' && !Number.isNaN(speed)) record.change('Spd', () => speed);
    return undefined;
  };
}

/** A rover whose steering is stuck straight ahead, so that it leaves its path and is asked to turn on and on. */
const straight =
  (at: number): Edit =>
  (record) => {
    if (record.name !== 'STER' || record.seconds < at || record.seconds > 72) return undefined;
    record.change('TurnRate', () => 0.2);
    record.change('DesTurnRate', (rate) => Math.max(rate, 35));
    return undefined;
  };

needShared(
  describe,
  'flight',
  'rover.BIN',
)('a rover', () => {
  const good = withoutSimulatorRecords(readFileSync(sharedData('flight', 'rover.BIN')));

  test('is good without a fault', async () => {
    const { report } = await reportOf(good);
    expect([report.verdict, report.chain]).toEqual(['ok', []]);
    const titles = report.findings
      .filter(({ check }) => check === 'drive')
      .map(({ title, severity }) => [title, severity]);
    expect(titles).toEqual([
      ['Drive', 'ok'],
      ['Steering', 'ok'],
    ]);
  });

  test.each<[string, number, Edit, RegExp]>([
    ['stops at speed', 62, stopped(62, (wish) => wish), /Drive/],
    ['stops while it gets faster', 60, stopped(60, (wish) => wish), /Drive/],
    ['stops, and its path waits for it', 62, stopped(62, (wish) => 0.5 + wish / 4), /Drive/],
    ['does not turn', 65.8, straight(65.8), /Steering/],
  ])('%s', async (_, at, edit, title) => {
    await expectFirst(alteredLog(good, edit), at, title);
  });
});

need(
  describe,
  existsSync(sharedData(...FAULTS)),
  'no ../shared/field/faults',
)('a fault that another logger recorded', () => {
  const lines = existsSync(sharedData(...FAULTS, 'labels.tsv'))
    ? readFileSync(sharedData(...FAULTS, 'labels.tsv'), 'utf8').split('\n')
    : [];
  const labels = lines
    .filter((line) => /^\S+\.BIN\.gz\t/.test(line))
    .map((line) => line.split('\t'))
    .map(([file, , fault, time]) => ({ file, fault, at: Number(time) / 1e6 }));
  const cases = Object.keys(LOGGERS).flatMap((logger) => labels.map((label) => ({ logger, ...label })));
  // one of each kind where time is short
  const some = isLong ? cases : cases.filter((_, i) => i % (labels.length + 1) === 1);

  test.each(some)('$file ($fault) $logger', async ({ file, fault, at, logger }) => {
    const bytes = alteredLog(flight(file), LOGGERS[logger](at));
    if (fault === 'none') expect((await reportOf(bytes)).report.chain).toEqual([]);
    else await expectFirst(bytes, at + (logger === 'after three hours' ? 3 * 3600 : 0), /./);
  });
});
