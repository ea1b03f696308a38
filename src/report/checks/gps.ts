import { distance } from '../../geo/geodesy.ts';
import { isOnGlobe } from '../../geo/plausible.ts';
import { chosen, extremeRow, findExceedances, longestOf, peakOf, quantile, usualStep } from '../../series/holds.ts';
import { GPS, GPS_RADIO, GPS_SPEED, type GpsKey } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { often, secondsOf, short } from '../finding.ts';
import { REPORT_LIMITS } from '../limits.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { during, graded, judgeFrozen, judgeLevel, limitsOf } from './judge.ts';

const ADVICE =
  'Check the antenna: a clear view of the sky, away from cameras, video transmitters and USB 3; give the ' +
  'receiver time before take-off.';

/** A fix in three dimensions; NMEA counts otherwise, and has no more than that there is one. */
const FIX_3D = 3;
const NMEA_FIX = 1;

/** HDop that means that it is not known. */
const UNKNOWN_HDOP = 99;

/** Quality, losses, jumps and pauses of each satellite receiver. */
export async function checkGps(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const readings = await facts.read(GPS);
  if (readings.length === 0) {
    report.noData('gps', 'GPS', 'No GPS receiver in the log.');
    return;
  }
  if (facts.vehicle.kind === 'Sub') {
    report.noData('gps', 'GPS', 'GPS does not work under water, so it was not judged.');
    return;
  }
  if (facts.flight.isEmpty) {
    report.noData('gps', 'GPS', 'Never armed, so GPS was not judged: indoors it has no fix.');
    return;
  }
  for (const reading of readings) {
    const fixes = fixesOf(reading);
    const mask = facts.flight.mask(reading.times).slice();
    // a receiver alone is mostly switched on in the log: until its first fix it has not lost any
    if (facts.isSensor) mask.fill(0, 0, fixes.indexOf(1));
    if (extremeRow(fixes, mask) < 0 || !fixes.some((fix, row) => fix === 1 && mask[row] === 1)) {
      report.add({
        check: 'gps',
        severity: 'info',
        title: nameOf(reading),
        instance: reading.instance,
        text: `This receiver had no fix ${facts.flight.words}: the vehicle was used without it.`,
        ...facts.flight.when,
        fields: [reading.names.status ?? reading.title],
      });
      continue;
    }
    const receiver = { ...reading, fixes, mask };
    checkQuality(facts, report, receiver);
    checkLosses(facts, report, receiver);
    checkJumps(facts, report, receiver);
    checkFrozen(facts, report, receiver);
    checkGaps(facts, report, reading);
  }
  await checkSpeed(facts, report);
  plotQuality(report, readings);
}

/** A receiver that had a fix. */
interface Receiver extends QuantityRows<GpsKey> {
  /** 1 for a row with a fix, 0 for one without, NaN if unknown. */
  readonly fixes: Float64Array;
  /** Rows that are judged. */
  readonly mask: Uint8Array;
}

function nameOf({ instance }: QuantityRows<GpsKey>): string {
  return /^\d+$/.test(instance) ? `GPS ${instance}` : 'GPS';
}

/** 1 for a row with a fix, 0 for one without, NaN if unknown; a log without that field always has one. */
function fixesOf({ table, values, times }: QuantityRows<GpsKey>): Float64Array {
  const needed = table === 'GGA' ? NMEA_FIX : FIX_3D;
  return (
    values.status?.map((status) => (status >= needed ? 1 : status < needed ? 0 : Number.NaN)) ??
    new Float64Array(times.length).fill(1)
  );
}

function checkQuality(facts: VehicleFacts, report: ReportBuilder, receiver: Receiver): void {
  const { times, values, names, instance, mask } = receiver;
  const common = { check: 'gps', instance, times, mask, hold: report.micros('gps', 'hold') };
  const worse = report.limit('gps', 'worse');
  // 99 means unknown: a lost fix, which has its own check
  const hdop = values.hdop?.map((value) => (value > 0 && value < UNKNOWN_HDOP ? value : Number.NaN));
  if (hdop) {
    const best = quantile(chosen(hdop, mask), 0.1);
    judgeLevel(report, {
      ...common,
      title: `${nameOf(receiver)}: HDOP`,
      lines: [{ name: names.hdop as string, values: hdop }],
      unit: '',
      warn: report.rule('gps', 'hdopWarn'),
      fail: report.rule('gps', 'hdopFail'),
      meaning: 'Few satellites, or satellites close together, make the position less accurate.',
      advice: ADVICE,
      soften: (severity, { peak, start }) => {
        if (peak > worse * best && !isFromTakeOff(facts, start)) return undefined;
        const isPoor = peak > report.limit('gps', 'hdopPoor') && severity === 'fail';
        return { severity: isPoor ? 'warn' : 'info', because: 'It was like this from the start.' };
      },
    });
  }
  if (values.sats) {
    const best = quantile(chosen(values.sats, mask), 0.9);
    judgeLevel(report, {
      ...common,
      title: `${nameOf(receiver)}: satellites`,
      lines: [{ name: 'satellites', values: values.sats }],
      fields: [names.sats],
      unit: '',
      sign: -1,
      less: 'fewer than',
      warn: report.rule('gps', 'satsWarn'),
      fail: report.rule('gps', 'satsFail'),
      meaning: 'With few satellites the position is less accurate, and lost more easily.',
      advice: ADVICE,
      soften: (severity, { peak, start }) => {
        const isWorse = best > worse * peak && !isFromTakeOff(facts, start);
        if (isWorse && severity === 'fail') return undefined;
        return isWorse
          ? { severity: 'info', because: 'Enough were left for a fix.' }
          : {
              severity: severity === 'fail' ? 'warn' : 'info',
              because: isFromTakeOff(facts, start)
                ? 'It was like this from the start.'
                : `This receiver never had more than ${short(best)}.`,
            };
      },
    });
  }
}

/** Microseconds after take-off until which what is seen was so before. */
const AT_TAKEOFF = 3e6;

function isFromTakeOff(facts: VehicleFacts, from: number): boolean {
  const { flying } = facts.phases;
  const starts = flying.length > 0 ? flying.map(({ start }) => start) : [facts.flight.when.from ?? Number.NaN];
  return starts.some((start) => Math.abs(from - start) < AT_TAKEOFF);
}

function checkLosses(facts: VehicleFacts, report: ReportBuilder, receiver: Receiver): void {
  const losses = findExceedances(receiver.times, receiver.fixes, receiver.mask, 0.5, 0, -1);
  const rule = report.rule('gps', 'fixLost');
  const title = `${nameOf(receiver)}: fix`;
  const fields = [receiver.names.status ?? receiver.title];
  const common = { check: 'gps', title, instance: receiver.instance, fields, unit: 's', rule };
  if (losses.length === 0) {
    const text = `The receiver had a fix all the time ${facts.flight.words}.`;
    report.add({ ...common, severity: 'ok', text, ...facts.flight.when, value: 0 });
    return;
  }
  const longest = longestOf(losses);
  report.add({
    ...common,
    severity: longest >= rule.value * 1e6 ? 'fail' : 'warn',
    text: `The receiver lost its fix ${often(losses.length)} ${facts.flight.words}, for up to ${secondsOf(longest)}.`,
    advice: ADVICE,
    ...during(losses),
    value: longest / 1e6,
  });
}

/** Steps from fix to fix that the speed does not explain. */
function checkJumps(facts: VehicleFacts, report: ReportBuilder, receiver: Receiver): void {
  const { times, values, names, instance, fixes, mask } = receiver;
  const { lat, lon, speed } = values;
  if (!lat || !lon) return;
  const [warn, fail] = [report.rule('gps', 'jumpWarn'), report.rule('gps', 'jumpFail')];
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
  report.add({
    check: 'gps',
    ...grade,
    title: `${nameOf(receiver)}: jumps`,
    instance,
    text: isFine
      ? `No jumps; the largest step was ${short(most)} m more than the speed explains.`
      : `The position jumped ${often(count)} ${facts.flight.words}, by up to ${short(most)} m more than the speed explains.`,
    advice: ADVICE,
    ...(isFine ? facts.flight.when : { from, to }),
    value: most,
    unit: 'm',
    fields: [names.lat, names.lon, names.speed],
  });
}

/** Metres a second above which a position changes from fix to fix. */
const MOVING = 2;

function checkFrozen(facts: VehicleFacts, report: ReportBuilder, receiver: Receiver): void {
  const { times, values, names, instance, fixes, mask } = receiver;
  const { lat, lon, speed } = values;
  if (!speed) return;
  const fields = [names.lat, names.lon];
  const sensor = { check: 'gps', name: nameOf(receiver), instance, times, fields, severity: 'fail' as const };
  // PX4 logs what the receiver says in full: all of it is the same twice for one that is stuck only
  if (values.alt && facts.log.table('vehicle_status')) {
    const fixed = mask.map((isIn, row) => (isIn && fixes[row] === 1 ? 1 : 0));
    judgeFrozen(report, sensor, [lat, lon, values.alt, speed], fixed);
    return;
  }
  // one without a fix repeats its last position
  const moving = mask.map((isIn, row) => (isIn && fixes[row] === 1 && speed[row] > MOVING ? 1 : 0));
  judgeFrozen(report, sensor, [lat, lon], moving);
}

/** Seconds after which the next position need not follow from the last; metres a second of a vehicle without a speed. */
const LONG = 5;
const FASTEST = 50;

/** An autopilot logs every position that the receiver gives; a telemetry link sends them as it was asked to. */
function checkGaps(facts: VehicleFacts, report: ReportBuilder, reading: QuantityRows<GpsKey>): void {
  if (!facts.log.isOnboard) return;
  const { times, instance, title } = reading;
  const mask = facts.flight.mask(times);
  const [warn, fail] = [report.rule('gps', 'gapWarn'), report.rule('gps', 'gapFail')];
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
    const isFlown = mask[row] === 1 && mask[row - 1] === 1 && facts.flight.isOne(times[row - 1], times[row]);
    if (isFlown) add(times[row - 1], times[row]);
  }
  // one that is silent until the end of the flight has no row after its pause
  const last = times[mask.lastIndexOf(1)];
  if (facts.flight.when.to !== null && !(last >= facts.flight.when.to)) add(last, facts.flight.when.to);
  if (count === 0) return;
  const rule = most > fail.value * 1e6 ? fail : warn;
  report.add({
    check: 'gps',
    severity: rule === fail ? 'fail' : 'warn',
    title: `${nameOf(reading)}: pauses`,
    instance,
    text: `The receiver paused ${often(count)} ${facts.flight.words}, for up to ${secondsOf(most)}; it usually gives a position every ${secondsOf(usual)}.`,
    advice: 'Check the cable and the rate of the receiver, and the load of the autopilot.',
    from,
    to,
    ranges: pauses,
    value: most / 1e6,
    unit: 's',
    rule,
    fields: [title],
  });
}

async function checkSpeed(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  for (const { times, values, names, instance, title } of await facts.read(GPS_SPEED)) {
    // 0 if the receiver does not report it
    const accuracy = values.accuracy?.map((value) => (value > 0 ? value : Number.NaN));
    if (!accuracy?.some((value) => value > 0)) continue;
    judgeLevel(report, {
      check: 'gps',
      title: instance === '' ? 'GPS: speed accuracy' : `GPS ${instance}: speed accuracy`,
      instance,
      times,
      lines: [{ name: names.accuracy as string, values: accuracy }],
      unit: 'm/s',
      warn: report.rule('gps', 'speedWarn'),
      fail: report.rule('gps', 'speedFail'),
      hold: report.micros('gps', 'hold'),
      soften: (_, { start }) =>
        title.startsWith('vehicle_gps') && isFromTakeOff(facts, start)
          ? { severity: 'info', because: 'It was like this from the start.' }
          : undefined,
      meaning: 'The receiver is unsure of its speed, which the EKF relies on.',
      advice: ADVICE,
    });
  }
}

/** jamming_state and spoofing_state from which a receiver is sure. */
const DETECTED = 3;

/** Whether a receiver that was well says that it is jammed or spoofed. */
export async function checkJamming(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  for (const { times, values, names, instance } of await facts.read(GPS_RADIO)) {
    const mask = facts.flight.mask(times);
    const rule = report.rule('gps', 'jamWarn');
    const hold = report.micros('gps', 'hold');
    for (const { key, what, limit } of [
      { key: 'jamming', what: 'jamming', limit: rule.value },
      { key: 'jammed', what: 'jamming', limit: DETECTED - 0.5 },
      { key: 'spoofed', what: 'spoofing', limit: DETECTED - 0.5 },
    ] as const) {
      const line = values[key];
      // one that does not look for it says 0, and one that always finds it has always lived with it
      if (!line?.some((value) => value > 0)) continue;
      const isBefore = (row: number): boolean => line.subarray(0, row).some((value) => value <= limit);
      const holds = findExceedances(times, line, mask, limit, hold).filter(({ first }) => isBefore(first));
      const common = {
        check: 'gps',
        title: `GPS ${instance}: ${key === 'jamming' ? 'jamming indicator' : what}`,
        instance,
        fields: [names[key]],
        ...(key === 'jamming' ? { rule } : {}),
      };
      const most = peakOf(holds);
      report.add(
        holds.length === 0
          ? { ...common, severity: 'ok', text: `The receiver did not begin to report ${what}.`, ...facts.flight.when }
          : {
              ...common,
              severity: 'warn',
              text: `The receiver reported ${what} ${facts.flight.words}, up to ${short(most)}.`,
              advice: 'Look for transmitters nearby, on the vehicle and on the ground; do not trust the position.',
              ...during(holds),
              value: most,
            },
      );
    }
  }
  facts.forget(GPS_RADIO);
}

function plotQuality(report: ReportBuilder, readings: readonly QuantityRows<GpsKey>[]): void {
  const lines = (key: 'hdop' | 'sats'): { name: string; times: Float64Array; values: Float64Array }[] =>
    readings.flatMap(({ times, values, names }) => {
      const line = values[key]?.map((value) => (key === 'hdop' && value >= UNKNOWN_HDOP ? Number.NaN : value));
      return line ? [{ name: names[key] as string, times, values: line }] : [];
    });
  const limits = limitsOf(report.rule('gps', 'hdopWarn'), report.rule('gps', 'hdopFail'));
  report.plot({ check: 'gps', title: 'GPS: HDOP', unit: '', limits }, lines('hdop'));
  const least = { value: report.limit('gps', 'satsFail'), severity: 'fail' as const };
  report.plot({ check: 'gps', title: 'GPS: satellites', unit: '', limits: [least] }, lines('sats'));
}
