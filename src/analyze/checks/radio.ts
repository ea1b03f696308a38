import type { Examination } from '../examination.ts';
import { secondsOf } from '../finding.ts';
import { PX4 } from '../heartbeat.ts';
import { findHolds, longestOf } from '../holds.ts';
import { type Quantity, readSeries } from '../series.ts';
import { judgeLevel } from './level.ts';

/** Strength of the signal that the receiver of the remote control gets. */
const SIGNAL: Quantity<'strength' | 'sent'> = [
  [{ table: 'RSSI', fields: { strength: { name: 'RXRSSI', factor: 100 } } }],
  [{ table: 'RC_CHANNELS', fields: { sent: 'rssi' } }],
];

/** Remote control that PX4 says is lost, and what ArduPilot gets on the channel of the throttle. */
const CONTROL: Quantity<'lost' | 'throttle'> = [
  [{ table: 'RC', fields: { lost: 'SignalLost' } }],
  [{ table: 'RCIN', fields: { throttle: { name: 'C3', stored: true } } }],
];

/** Telemetry radios tell about themselves, under an address of their own. */
const RADIO: Quantity<'signal' | 'noise' | 'farSignal' | 'farNoise'> = [
  [
    {
      table: 'RADIO_STATUS',
      fields: { signal: 'rssi', noise: 'noise', farSignal: 'remrssi', farNoise: 'remnoise' },
    },
  ],
  [{ table: 'RADIO', fields: { signal: 'rssi', noise: 'noise', farSignal: 'remrssi', farNoise: 'remnoise' } }],
  [{ table: 'RAD', fields: { signal: 'RSSI', noise: 'Noise', farSignal: 'RemRSSI', farNoise: 'RemNoise' } }],
];

/** Steps of a SiK radio in a decibel; the greatest strength in MAVLink, of which PX4 sends percents. */
const STEPS = 1.9;
const STRONGEST = 254;

const ADVICE = 'Look at antennas, how they are turned, and at what else sends near them.';

/** Remote control and telemetry radio. */
export async function checkRadio(exam: Examination): Promise<void> {
  const told = [await checkSignal(exam), await checkLost(exam), await checkTelemetry(exam)];
  if (!told.includes(true))
    exam.noData('radio', 'RC and radio', 'The log does not tell how strong the remote control or the telemetry was.');
}

async function checkSignal(exam: Examination): Promise<boolean> {
  const scale = exam.ground.autopilot === PX4 ? 1 : 100 / STRONGEST;
  let isTold = false;
  for (const { times, values, names } of await exam.read(SIGNAL)) {
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
  exam.forget(SIGNAL);
  return isTold;
}

/** A receiver that lost the remote control says so, or gives a throttle below what a stick can. */
async function checkLost(exam: Examination): Promise<boolean> {
  const [reading] = await exam.read(CONTROL);
  exam.forget(CONTROL);
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
  const severity = holds.length === 0 ? 'ok' : longest >= rule.value * 1e6 && hasFlown ? 'fail' : 'warn';
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

async function checkTelemetry(exam: Examination): Promise<boolean> {
  let isTold = false;
  for (const { times, values, names, title } of await readSeries(exam.ground.log, RADIO)) {
    const { signal, noise, farSignal, farNoise } = values;
    const margin = (a: Float64Array | undefined, b: Float64Array | undefined): Float64Array | undefined =>
      a && b && a.map((value, row) => (value > 0 ? (value - b[row]) / STEPS : Number.NaN));
    const lines = [
      { name: `the margin of ${title} (${names.signal})`, values: margin(signal, noise) },
      { name: `the margin of ${title} (${names.farSignal})`, values: margin(farSignal, farNoise) },
    ].flatMap(({ name, values }) => (values?.some((value) => value > 0) ? [{ name, values }] : []));
    if (lines.length === 0) continue;
    isTold = true;
    judgeLevel(exam, {
      check: 'radio',
      title: 'Telemetry radio',
      times,
      lines,
      fields: Object.values(names),
      mask: exam.flight.mask(times),
      scope: exam.flight,
      unit: 'dB',
      sign: -1,
      warn: exam.rule('radio', 'marginWarn'),
      hold: exam.micros('radio', 'hold'),
      meaning: 'The signal was hardly above the noise, and messages were lost.',
      advice: ADVICE,
    });
  }
  return isTold;
}
