import { PX4 } from '../../facts/heartbeat.ts';
import { findHolds, longestOf } from '../../series/holds.ts';
import { RADIO_LINK, RC_CHANNELS, RC_LOSS, RC_SIGNAL } from '../../series/quantities.ts';
import { readSeries } from '../../series/quantity-rows.ts';
import type { Examination } from '../examination.ts';
import { secondsOf } from '../finding.ts';
import { judgeLevel } from './judge.ts';
import { increases } from './vibration.ts';

/** Steps of a SiK radio in a decibel; the greatest strength in MAVLink, of which PX4 sends percents. */
const STEPS = 1.9;
const STRONGEST = 254;

const ADVICE = 'Look at antennas, how they are turned, and at what else sends near them.';

/** Remote control and telemetry radio. */
export async function checkRadio(exam: Examination): Promise<void> {
  const told = [await checkSignal(exam), await checkLost(exam), await checkChannels(exam), await checkTelemetry(exam)];
  if (!told.includes(true))
    exam.noData('radio', 'RC and radio', 'No signal strength of remote control or telemetry in the log.');
}

async function checkSignal(exam: Examination): Promise<boolean> {
  const scale = exam.ground.autopilot === PX4 ? 1 : 100 / STRONGEST;
  let isTold = false;
  for (const { times, values, names } of await exam.read(RC_SIGNAL)) {
    const strength = values.strength ?? values.sent?.map((value) => value * scale);
    // one that is not connected says 0, or always the same
    const first = strength?.find((value) => value > 0);
    if (!strength || first === undefined || strength.every((value) => !(Math.abs(value - first) > 0))) continue;
    isTold = true;
    judgeLevel(exam, {
      check: 'radio',
      title: 'RC signal',
      times,
      lines: [{ name: (names.strength ?? names.sent) as string, values: strength }],
      mask: exam.flight.mask(times),
      scope: exam.flight,
      unit: '%',
      sign: -1,
      warn: exam.rule('radio', 'signalWarn'),
      fail: exam.rule('radio', 'signalFail'),
      hold: exam.micros('radio', 'hold'),
      meaning: 'The remote control was close to being lost.',
      advice: ADVICE,
    });
  }
  exam.forget(RC_SIGNAL);
  return isTold;
}

/** A receiver that lost the remote control says so, or gives a throttle below what a stick can. */
async function checkLost(exam: Examination): Promise<boolean> {
  const [reading] = await exam.read(RC_LOSS);
  exam.forget(RC_LOSS);
  if (!reading) return false;
  const least = exam.parameter('FS_THR_VALUE') ?? exam.parameter('THR_FS_VALUE');
  const isWatched = (exam.parameter('FS_THR_ENABLE') ?? exam.parameter('THR_FAILSAFE') ?? 0) > 0;
  const { lost, throttle } = reading.values;
  const isLost =
    lost?.map((value) => (value > 0 ? 1 : 0)) ??
    (isWatched && least ? throttle?.map((pulse) => (pulse > 0 && pulse < least ? 1 : 0)) : undefined);
  if (!isLost) return false;
  const rule = exam.rule('radio', 'lostFail');
  const hasFlown = exam.ground.phases.flying.length > 0;
  const holds = findHolds(reading.times, isLost, exam.flight.mask(reading.times), 0.5, 0);
  const longest = longestOf(holds);
  const isUsed = hasFlown || exam.ground.phases.armed.length > 0;
  const severity =
    holds.length === 0 ? 'ok' : longest >= rule.value * 1e6 && hasFlown ? 'fail' : isUsed ? 'warn' : 'info';
  exam.add({
    check: 'radio',
    severity,
    title: 'Remote control',
    text:
      severity === 'ok'
        ? `The remote control was not lost ${exam.flight.words}.`
        : `The remote control was lost ${holds.length === 1 ? 'once' : `${holds.length} times`} ${exam.flight.words}, for up to ${secondsOf(longest)}.`,
    advice: severity === 'ok' ? '' : ADVICE,
    from: holds[0]?.from ?? exam.flight.from,
    to: holds[holds.length - 1]?.to ?? exam.flight.to,
    value: longest / 1e6,
    unit: 's',
    threshold: rule.value,
    source: rule.source,
    fields: [(reading.names.lost ?? reading.names.throttle) as string],
  });
  return true;
}

/** Part of the rows in which a channel that is used has a value. */
const USED = 0.5;

/** Channels that fall to 0 while others have values: frames of the receiver that came in part. */
async function checkChannels(exam: Examination): Promise<boolean> {
  const [reading] = await exam.read(RC_CHANNELS);
  exam.forget(RC_CHANNELS);
  if (!reading || exam.flight.isEmpty) return false;
  const { times, values, names } = reading;
  const mask = exam.flight.mask(times);
  const rows = [...mask.keys()].filter((row) => mask[row] === 1);
  const used = Object.keys(values).filter(
    (key) => rows.filter((row) => (values[key] as Float64Array)[row] > 0).length > USED * rows.length,
  );
  const isDropped = (key: string, row: number): boolean =>
    (values[key] as Float64Array)[row] === 0 && used.some((other) => (values[other] as Float64Array)[row] > 0);
  const dropped = rows.filter((row) => used.some((key) => isDropped(key, row)));
  const rule = exam.rule('radio', 'dropped');
  const share = (100 * dropped.length) / Math.max(1, rows.length);
  if (!(share > rule.value)) return used.length > 0;
  const channels = used.filter((key) => dropped.some((row) => isDropped(key, row)));
  exam.add({
    check: 'radio',
    severity: 'warn',
    title: 'RC input',
    text: `RC input channels ${channels.join(', ')} dropped to 0 in ${dropped.length} of ${rows.length} records ${exam.flight.words} while other channels had values.`,
    advice: 'Look at the wire between receiver and autopilot, at the protocol of the receiver, and at its pulses.',
    from: times[dropped[0]],
    to: times[dropped[dropped.length - 1]],
    overall: true,
    value: share,
    unit: '%',
    threshold: rule.value,
    source: rule.source,
    fields: channels.map((key) => names[key] as string),
  });
  return true;
}

async function checkTelemetry(exam: Examination): Promise<boolean> {
  let isTold = false;
  for (const { times, values, names, title } of await readSeries(exam.ground.log, RADIO_LINK)) {
    const { signal, noise, farSignal, farNoise, errors } = values;
    const margin = (a: Float64Array | undefined, b: Float64Array | undefined): Float64Array | undefined =>
      a && b && a.map((value, row) => (value > 0 ? (value - b[row]) / STEPS : Number.NaN));
    const lines = [
      { name: `the margin of ${title} (${names.signal})`, values: margin(signal, noise) },
      { name: `the margin of ${title} (${names.farSignal})`, values: margin(farSignal, farNoise) },
    ].flatMap(({ name, values }) => (values?.some((value) => value > 0) ? [{ name, values }] : []));
    if (lines.length === 0) continue;
    isTold = true;
    const mask = exam.flight.mask(times);
    const lost = errors ? increases(times, errors, mask).clips : 0;
    judgeLevel(exam, {
      check: 'radio',
      title: 'Telemetry radio',
      times,
      lines,
      fields: Object.values(names),
      mask,
      scope: exam.flight,
      unit: 'dB',
      sign: -1,
      warn: exam.rule('radio', 'marginWarn'),
      hold: exam.micros('radio', 'marginHold'),
      overall: true,
      meaning: 'The signal was hardly above the noise.',
      advice: ADVICE,
      soften: () => (lost > 0 ? undefined : { severity: 'info', because: 'The radio counted no errors.' }),
    });
  }
  return isTold;
}
