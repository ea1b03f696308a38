import { PX4 } from '../../facts/heartbeat.ts';
import { findExceedances, increases, longestOf } from '../../series/holds.ts';
import { RADIO_LINK, RC_CHANNELS, RC_LOSS, RC_SIGNAL } from '../../series/quantities.ts';
import { readSeries } from '../../series/quantity-rows.ts';
import { often, secondsOf } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { judgeLevel, spanOf } from './judge.ts';

/** Steps of a SiK radio in a decibel; the greatest strength in MAVLink, of which PX4 sends percents. */
const STEPS = 1.9;
const STRONGEST = 254;

const ADVICE = 'Check the antennas, their orientation, and other transmitters nearby.';

/** Remote control and telemetry radio. */
export async function checkRadio(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const told = [
    await checkSignal(facts, report),
    await checkLost(facts, report),
    await checkChannels(facts, report),
    await checkTelemetry(facts, report),
  ];
  if (!told.includes(true)) report.noData('radio', 'RC and radio', 'No RC or telemetry signal strength in the log.');
}

async function checkSignal(facts: VehicleFacts, report: ReportBuilder): Promise<boolean> {
  const scale = facts.autopilot === PX4 ? 1 : 100 / STRONGEST;
  let isTold = false;
  for (const { times, values, names } of await facts.read(RC_SIGNAL)) {
    const strength = values.strength ?? values.sent?.map((value) => value * scale);
    // one that is not connected says 0, or always the same
    const first = strength?.find((value) => value > 0);
    if (!strength || first === undefined || strength.every((value) => !(Math.abs(value - first) > 0))) continue;
    isTold = true;
    judgeLevel(report, {
      check: 'radio',
      title: 'RC signal',
      times,
      lines: [{ name: (names.strength ?? names.sent) as string, values: strength }],
      unit: '%',
      sign: -1,
      warn: report.rule('radio', 'signalWarn'),
      fail: report.rule('radio', 'signalFail'),
      hold: report.micros('radio', 'hold'),
      meaning: 'The RC link was close to being lost.',
      advice: ADVICE,
    });
  }
  facts.forget(RC_SIGNAL);
  return isTold;
}

/** A receiver that lost the remote control says so, or gives a throttle below what a stick can. */
async function checkLost(facts: VehicleFacts, report: ReportBuilder): Promise<boolean> {
  const [reading] = await facts.read(RC_LOSS);
  facts.forget(RC_LOSS);
  if (!reading) return false;
  const least = facts.parameter('FS_THR_VALUE') ?? facts.parameter('THR_FS_VALUE');
  const isWatched = (facts.parameter('FS_THR_ENABLE') ?? facts.parameter('THR_FAILSAFE') ?? 0) > 0;
  const { lost, throttle } = reading.values;
  const isLost =
    lost?.map((value) => (value > 0 ? 1 : 0)) ??
    (isWatched && least ? throttle?.map((pulse) => (pulse > 0 && pulse < least ? 1 : 0)) : undefined);
  if (!isLost) return false;
  const rule = report.rule('radio', 'lostFail');
  const hasFlown = facts.phases.flying.length > 0;
  // what was not there before the flight was not lost in it
  const holds = findExceedances(reading.times, isLost, facts.flight.mask(reading.times), 0.5, 0).filter(
    ({ first }) => !lost || (first > 0 && isLost[first - 1] === 0),
  );
  if (lost && holds.length === 0 && !lost.includes(0)) return false;
  const longest = longestOf(holds);
  const isUsed = hasFlown || facts.phases.armed.length > 0;
  const severity =
    holds.length === 0 ? 'ok' : longest >= rule.value * 1e6 && hasFlown ? 'fail' : isUsed ? 'warn' : 'info';
  report.add({
    check: 'radio',
    severity,
    title: 'Remote control',
    text:
      severity === 'ok'
        ? `RC was not lost ${facts.flight.words}.`
        : `RC was lost ${often(holds.length)} ${facts.flight.words}, for up to ${secondsOf(longest)}.`,
    advice: ADVICE,
    ...(holds.length > 0 ? spanOf(holds) : facts.flight.when),
    value: longest / 1e6,
    unit: 's',
    rule,
    fields: [(reading.names.lost ?? reading.names.throttle) as string],
  });
  return true;
}

/** Part of the rows in which a channel that is used has a value. */
const USED = 0.5;

/** Channels that fall to 0 while others have values: frames of the receiver that came in part. */
async function checkChannels(facts: VehicleFacts, report: ReportBuilder): Promise<boolean> {
  const [reading] = await facts.read(RC_CHANNELS);
  facts.forget(RC_CHANNELS);
  if (!reading || facts.flight.isEmpty) return false;
  const { times, values, names } = reading;
  const mask = facts.flight.mask(times);
  const rows = mask.reduce((sum, isIn) => sum + isIn, 0);
  const used = Object.keys(values).filter((key) => {
    const line = values[key] as Float64Array;
    let count = 0;
    for (let row = 0; row < line.length; row++) if (mask[row] === 1 && line[row] > 0) count++;
    return count > USED * rows;
  });
  const isDropped = (key: string, row: number): boolean =>
    (values[key] as Float64Array)[row] === 0 && used.some((other) => (values[other] as Float64Array)[row] > 0);
  const dropped: number[] = [];
  for (let row = 0; row < mask.length; row++)
    if (mask[row] === 1 && used.some((key) => isDropped(key, row))) dropped.push(row);
  const rule = report.rule('radio', 'dropped');
  const share = (100 * dropped.length) / Math.max(1, rows);
  if (!(share > rule.value)) return used.length > 0;
  const channels = used.filter((key) => dropped.some((row) => isDropped(key, row)));
  report.add({
    check: 'radio',
    severity: 'warn',
    title: 'RC input',
    text: `RC input channels ${channels.join(', ')} dropped to 0 in ${dropped.length} of ${rows} records ${facts.flight.words} while other channels had values.`,
    advice: 'Check the wire between receiver and autopilot, and the protocol and pulses of the receiver.',
    from: times[dropped[0]],
    to: times[dropped[dropped.length - 1]],
    overall: true,
    value: share,
    unit: '%',
    rule,
    fields: channels.map((key) => names[key] as string),
  });
  return true;
}

async function checkTelemetry(facts: VehicleFacts, report: ReportBuilder): Promise<boolean> {
  let isTold = false;
  for (const { times, values, names, title } of await readSeries(facts.log, RADIO_LINK)) {
    const { signal, noise, farSignal, farNoise, errors } = values;
    const margin = (a: Float64Array | undefined, b: Float64Array | undefined): Float64Array | undefined =>
      a && b && a.map((value, row) => (value > 0 ? (value - b[row]) / STEPS : Number.NaN));
    const lines = [
      { name: `the margin of ${title} (${names.signal})`, values: margin(signal, noise) },
      { name: `the margin of ${title} (${names.farSignal})`, values: margin(farSignal, farNoise) },
    ].flatMap(({ name, values }) => (values?.some((value) => value > 0) ? [{ name, values }] : []));
    if (lines.length === 0) continue;
    isTold = true;
    const mask = facts.flight.mask(times);
    const lost = errors ? increases(times, errors, mask).grown : 0;
    judgeLevel(report, {
      check: 'radio',
      title: 'Telemetry radio',
      times,
      lines,
      fields: Object.values(names),
      mask,
      unit: 'dB',
      sign: -1,
      warn: report.rule('radio', 'marginWarn'),
      hold: report.micros('radio', 'marginHold'),
      overall: true,
      meaning: 'The signal was hardly above the noise.',
      advice: ADVICE,
      soften: () => (lost > 0 ? undefined : { severity: 'info', because: 'The radio counted no errors.' }),
    });
  }
  return isTold;
}
