import { distance } from '../../geo/geodesy.ts';
import { isOnGlobe } from '../../geo/plausible.ts';
import { chosen, extremeRow, findHolds, longestOf, quantile, usualStep } from '../../series/holds.ts';
import { GPS, GPS_SPEED, type GpsKey } from '../../series/quantities.ts';
import type { Reading } from '../../series/quantity-rows.ts';
import type { Examination } from '../examination.ts';
import { secondsOf, short } from '../finding.ts';
import { REPORT_LIMITS } from '../limits.ts';
import { judgeFrozen } from './alive.ts';
import { graded, judgeLevel, limitsOf, rangesOf } from './level.ts';

const ADVICE =
  'Look at where the antenna sits: a free view of the sky, away from cameras, video transmitters and USB 3; give the ' +
  'receiver time before take-off.';

/** A fix in three dimensions; NMEA counts otherwise, and has no more than that there is one. */
const FIX_3D = 3;
const NMEA_FIX = 1;

/** HDop that means that it is not known. */
const UNKNOWN_HDOP = 99;

/** Quality, losses, jumps and pauses of each satellite receiver. */
export async function checkGps(exam: Examination): Promise<void> {
  const readings = await exam.read(GPS);
  if (readings.length === 0) {
    exam.noData('gps', 'GPS', 'The log has no satellite receiver.');
    return;
  }
  if (exam.ground.vehicle.kind === 'Sub') {
    exam.noData('gps', 'GPS', 'Under water there are no satellites, so the GPS was not judged.');
    return;
  }
  if (exam.flight.isEmpty) {
    exam.noData('gps', 'GPS', 'The vehicle was never armed, so the GPS was not judged: indoors it has no fix.');
    return;
  }
  for (const reading of readings) {
    const fixes = fixesOf(reading);
    const mask = exam.flight.mask(reading.times);
    // a receiver alone is mostly switched on in the log: until its first fix it has not lost any
    if (exam.isSensor) mask.fill(0, 0, fixes.indexOf(1));
    if (extremeRow(fixes, mask) < 0 || !fixes.some((fix, row) => fix === 1 && mask[row] === 1)) {
      exam.add({
        check: 'gps',
        severity: 'info',
        title: nameOf(reading),
        instance: reading.instance,
        text: `This receiver had no fix ${exam.flight.words}: the vehicle was used without it.`,
        from: exam.flight.from,
        to: exam.flight.to,
        fields: [reading.names.status ?? reading.title],
      });
      continue;
    }
    checkQuality(exam, reading, mask);
    checkLosses(exam, reading, fixes, mask);
    checkJumps(exam, reading, fixes, mask);
    checkFrozen(exam, reading, fixes, mask);
    checkGaps(exam, reading);
  }
  await checkSpeed(exam);
  plotQuality(exam, readings);
}

function nameOf({ instance }: Reading<GpsKey>): string {
  return /^\d+$/.test(instance) ? `GPS ${instance}` : 'GPS';
}

/** 1 for a row with a fix, 0 for one without, NaN where it is not known; a log that does not tell has one always. */
function fixesOf({ table, values, times }: Reading<GpsKey>): Float64Array {
  const needed = table === 'GGA' ? NMEA_FIX : FIX_3D;
  return (
    values.status?.map((status) => (status >= needed ? 1 : status < needed ? 0 : Number.NaN)) ??
    new Float64Array(times.length).fill(1)
  );
}

function checkQuality(exam: Examination, reading: Reading<GpsKey>, mask: Uint8Array): void {
  const { times, values, names, instance } = reading;
  const common = { check: 'gps', instance, times, mask, scope: exam.flight, hold: exam.micros('gps', 'hold') };
  const worse = exam.limit('gps', 'worse');
  // at 99 it is not known: that is a lost fix, which is judged by itself
  const hdop = values.hdop?.map((value) => (value > 0 && value < UNKNOWN_HDOP ? value : Number.NaN));
  if (hdop) {
    const best = quantile(chosen(hdop, mask), 0.1);
    judgeLevel(exam, {
      ...common,
      title: `${nameOf(reading)}: HDop`,
      lines: [{ name: names.hdop as string, values: hdop }],
      unit: '',
      warn: exam.rule('gps', 'hdopWarn'),
      fail: exam.rule('gps', 'hdopFail'),
      meaning: 'Few satellites or ones close together: the position is less sure the higher it is.',
      advice: ADVICE,
      soften: (severity, { peak, from }) => {
        if (peak > worse * best && !isFromTakeOff(exam, from)) return undefined;
        const isPoor = peak > exam.limit('gps', 'hdopPoor') && severity === 'fail';
        return { severity: isPoor ? 'warn' : 'info', because: 'It was so from the start.' };
      },
    });
  }
  if (values.sats) {
    const best = quantile(chosen(values.sats, mask), 0.9);
    judgeLevel(exam, {
      ...common,
      title: `${nameOf(reading)}: satellites`,
      lines: [{ name: 'satellites', values: values.sats }],
      fields: [names.sats as string],
      unit: '',
      sign: -1,
      less: 'fewer than',
      warn: exam.rule('gps', 'satsWarn'),
      fail: exam.rule('gps', 'satsFail'),
      meaning: 'With few satellites the position is less sure, and lost more easily.',
      advice: ADVICE,
      soften: (severity, { peak, from }) => {
        const isWorse = best > worse * peak && !isFromTakeOff(exam, from);
        if (isWorse && severity === 'fail') return undefined;
        return isWorse
          ? { severity: 'info', because: 'Enough were left for a fix.' }
          : {
              severity: severity === 'fail' ? 'warn' : 'info',
              because: isFromTakeOff(exam, from)
                ? 'It was so from the start.'
                : `This receiver never had more than ${short(best)}.`,
            };
      },
    });
  }
}

/** Microseconds after take-off until which what is seen was so before. */
const AT_TAKEOFF = 3e6;

function isFromTakeOff(exam: Examination, from: number): boolean {
  const { flying } = exam.ground.phases;
  const starts = flying.length > 0 ? flying.map(({ start }) => start) : [exam.flight.from ?? Number.NaN];
  return starts.some((start) => Math.abs(from - start) < AT_TAKEOFF);
}

function checkLosses(exam: Examination, reading: Reading<GpsKey>, fixes: Float64Array, mask: Uint8Array): void {
  const losses = findHolds(reading.times, fixes, mask, 0.5, 0, -1);
  const rule = exam.rule('gps', 'fixLost');
  const title = `${nameOf(reading)}: fix`;
  const fields = [reading.names.status ?? reading.title];
  const common = { check: 'gps', title, instance: reading.instance, fields, unit: 's' };
  if (losses.length === 0) {
    const text = `The receiver had a fix all the time ${exam.flight.words}.`;
    const { from, to } = exam.flight;
    exam.add({ ...common, severity: 'ok', text, from, to, value: 0, threshold: rule.value, source: rule.source });
    return;
  }
  const longest = longestOf(losses);
  exam.add({
    ...common,
    severity: longest >= rule.value * 1e6 ? 'fail' : 'warn',
    text: `The receiver lost its fix ${losses.length === 1 ? 'once' : `${losses.length} times`} ${exam.flight.words}, for up to ${secondsOf(longest)}.`,
    advice: ADVICE,
    from: losses[0].from,
    to: losses[losses.length - 1].to,
    ranges: rangesOf(losses),
    value: longest / 1e6,
    threshold: rule.value,
    source: rule.source,
  });
}

/** Steps from fix to fix that the speed does not explain. */
function checkJumps(exam: Examination, reading: Reading<GpsKey>, fixes: Float64Array, mask: Uint8Array): void {
  const { times, values, names, instance } = reading;
  const { lat, lon, speed } = values;
  if (!lat || !lon) return;
  const [warn, fail] = [exam.rule('gps', 'jumpWarn'), exam.rule('gps', 'jumpFail')];
  let [most, count, from, to] = [0, 0, Number.NaN, Number.NaN];
  let before = -1;
  for (let row = 0; row < times.length; row++) {
    if (fixes[row] !== 1 || mask[row] === 0 || !isOnGlobe(lat[row], lon[row])) continue;
    const elapsed = before < 0 ? Number.NaN : (times[row] - times[before]) / 1e6;
    if (elapsed >= 0 && elapsed < LONG) {
      const step = distance(lat[before], lon[before], lat[row], lon[row]);
      const explained = speed ? Math.max(speed[before], speed[row]) * elapsed : FASTEST * elapsed;
      const jump = step - explained;
      if (jump > warn.value) {
        count++;
        if (Number.isNaN(from)) from = times[row];
        to = times[row];
      }
      if (jump > most) most = jump;
    }
    before = row;
  }
  const grade = graded(most, warn, fail);
  const isFine = grade.severity === 'ok';
  exam.add({
    check: 'gps',
    ...grade,
    title: `${nameOf(reading)}: jumps`,
    instance,
    text: isFine
      ? `Positions follow from each other; the greatest step beyond the speed is ${short(most)} m.`
      : `The position jumped ${count === 1 ? 'once' : `${count} times`} ${exam.flight.words}, by up to ${short(most)} m more than the speed explains.`,
    advice: isFine ? '' : ADVICE,
    from: isFine ? exam.flight.from : from,
    to: isFine ? exam.flight.to : to,
    value: most,
    unit: 'm',
    fields: [names.lat, names.lon, names.speed].flatMap((name) => (name === undefined ? [] : [name])),
  });
}

/** Metres a second above which a position changes from fix to fix. */
const MOVING = 2;

function checkFrozen(exam: Examination, reading: Reading<GpsKey>, fixes: Float64Array, mask: Uint8Array): void {
  const { times, values, names, instance } = reading;
  const { lat, lon, speed } = values;
  if (!speed) return;
  const fields = [names.lat, names.lon].flatMap((name) => name ?? []);
  const sensor = { check: 'gps', name: nameOf(reading), instance, times, fields, severity: 'fail' as const };
  // one without a fix repeats its last position
  const moving = mask.map((isIn, row) => (isIn && fixes[row] === 1 && speed[row] > MOVING ? 1 : 0));
  judgeFrozen(exam, sensor, [lat, lon], moving);
}

/** Seconds after which the next position need not follow from the last; metres a second of a vehicle without a speed. */
const LONG = 5;
const FASTEST = 50;

/** An autopilot logs every position that the receiver gives; a telemetry link sends them as it was asked to. */
function checkGaps(exam: Examination, reading: Reading<GpsKey>): void {
  if (!exam.ground.log.isOnboard) return;
  const { times, instance, title } = reading;
  const mask = exam.flight.mask(times);
  const [warn, fail] = [exam.rule('gps', 'gapWarn'), exam.rule('gps', 'gapFail')];
  const usual = usualStep(times);
  let [most, count, from, to] = [0, 0, Number.NaN, Number.NaN];
  const pauses: { from: number; to: number }[] = [];
  const add = (before: number, after: number): void => {
    if (!(after - before > Math.max(warn.value * 1e6, usual * 2))) return;
    count++;
    most = Math.max(most, after - before);
    if (Number.isNaN(from)) from = before;
    to = after;
    if (pauses.length < REPORT_LIMITS.ranges) pauses.push({ from: before, to });
  };
  for (let row = 1; row < times.length; row++) {
    const isFlown = mask[row] === 1 && mask[row - 1] === 1 && exam.flight.isOne(times[row - 1], times[row]);
    if (isFlown) add(times[row - 1], times[row]);
  }
  // one that is silent until the end of the flight has no row after its pause
  const last = times[mask.lastIndexOf(1)];
  if (exam.flight.to !== null && !(last >= exam.flight.to)) add(last, exam.flight.to);
  if (count === 0) return;
  const rule = most > fail.value * 1e6 ? fail : warn;
  exam.add({
    check: 'gps',
    severity: rule === fail ? 'fail' : 'warn',
    title: `${nameOf(reading)}: pauses`,
    instance,
    text: `${count === 1 ? 'Once' : `${count} times`} ${exam.flight.words} the receiver gave no position for up to ${secondsOf(most)}; usually it gives one every ${secondsOf(usual)}.`,
    advice: 'Look at the cable and the rate of the receiver, and at the load of the autopilot.',
    from,
    to,
    ranges: pauses,
    value: most / 1e6,
    unit: 's',
    threshold: rule.value,
    source: rule.source,
    fields: [title],
  });
}

async function checkSpeed(exam: Examination): Promise<void> {
  for (const { times, values, names, instance } of await exam.read(GPS_SPEED)) {
    // 0 where the receiver does not tell
    const accuracy = values.accuracy?.map((value) => (value > 0 ? value : Number.NaN));
    if (!accuracy?.some((value) => value > 0)) continue;
    judgeLevel(exam, {
      check: 'gps',
      title: instance === '' ? 'GPS: speed accuracy' : `GPS ${instance}: speed accuracy`,
      instance,
      times,
      lines: [{ name: names.accuracy as string, values: accuracy }],
      mask: exam.flight.mask(times),
      scope: exam.flight,
      unit: 'm/s',
      warn: exam.rule('gps', 'speedWarn'),
      fail: exam.rule('gps', 'speedFail'),
      hold: exam.micros('gps', 'hold'),
      meaning: 'The receiver itself is not sure of its speed, which the estimator leans on.',
      advice: ADVICE,
    });
  }
}

function plotQuality(exam: Examination, readings: readonly Reading<GpsKey>[]): void {
  const lines = (key: 'hdop' | 'sats'): { name: string; times: Float64Array; values: Float64Array }[] =>
    readings.flatMap(({ times, values, names }) => {
      const line = values[key]?.map((value) => (key === 'hdop' && value >= UNKNOWN_HDOP ? Number.NaN : value));
      return line ? [{ name: names[key] as string, times, values: line }] : [];
    });
  exam.plot(
    {
      check: 'gps',
      title: 'GPS: HDop',
      unit: '',
      limits: limitsOf(exam.rule('gps', 'hdopWarn'), exam.rule('gps', 'hdopFail')),
    },
    lines('hdop'),
  );
  exam.plot(
    {
      check: 'gps',
      title: 'GPS: satellites',
      unit: '',
      limits: [{ value: exam.limit('gps', 'satsFail'), severity: 'fail' }],
    },
    lines('sats'),
  );
}
