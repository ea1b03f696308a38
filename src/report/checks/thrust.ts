import { chosen, findHolds, lastedInAll, mean, median, valuesAt } from '../../series/holds.ts';
import { ATTITUDE, CONTROL } from '../../series/quantities.ts';
import type { Reading } from '../../series/quantity-rows.ts';
import type { Examination } from '../examination.ts';
import { short } from '../finding.ts';
import { throttleOf } from './computed.ts';
import { rangesOf } from './judge.ts';

interface ControlReading extends Reading<'throttle' | 'height' | 'baro' | 'climb' | 'climbWish'> {
  readonly throttle: Float64Array;
  readonly climb: Float64Array;
}

/** Microseconds over which the climb is averaged: gusts and noise are no lack of thrust. */
const SMOOTH = 1_000_000;
/** Throttle above which a multicopter that neither climbs nor sinks hovers, and the climb that counts as none. */
const HOVER_LEAST = 0.1;
const HOVER_CLIMB = 0.5;
const HOVER_ROWS = 20;
const TRIM = 2_000_000;

const ADVICE = 'Look at the weight, the battery under load, motors and propellers; take off weight or more thrust.';

/** Whether nearly all throttle still lifted the vehicle, and how much of it hovering took. */
export async function checkThrust(exam: Examination): Promise<void> {
  if (exam.ground.vehicle.kind !== 'Copter') {
    exam.noData('thrust', 'Thrust', 'Only the thrust of multicopters is judged, and this is not known to be one.');
    return;
  }
  const [control] = (await exam.read(CONTROL)).flatMap((reading): ControlReading[] => {
    const [throttle, climb] = [throttleOf(reading), reading.values.climb];
    return throttle && climb ? [{ ...reading, throttle, climb }] : [];
  });
  if (!control) {
    exam.noData('thrust', 'Thrust', 'The log has no throttle and climb rate (CTUN or VFR_HUD) to compare.');
    return;
  }
  await checkLift(exam, control);
  checkHover(exam, control);
  const { times, values, names } = control;
  exam.plot(
    {
      check: 'thrust',
      title: 'Throttle',
      unit: '',
      limits: [{ value: exam.limit('thrust', 'full'), severity: 'warn' }],
    },
    [{ name: names.throttle as string, times, values: control.throttle }],
  );
  exam.plot({ check: 'thrust', title: 'Climb rate', unit: 'm/s', limits: [] }, [
    { name: names.climb as string, times, values: control.climb },
    ...(values.climbWish ? [{ name: names.climbWish as string, times, values: values.climbWish }] : []),
  ]);
}

async function checkLift(exam: Examination, { times, throttle, climb: noisy, names }: ControlReading): Promise<void> {
  const climb = smoothed(times, noisy, SMOOTH);
  const full = exam.rule('thrust', 'full');
  const least = exam.limit('thrust', 'climb');
  const lean = await leanAt(exam, times);
  const level = exam.limit('thrust', 'lean');
  const sink = exam.limit('thrust', 'sink');
  // what does not climb at full throttle, or sinks whatever the lean: 1, else 0
  const stuck = throttle.map((value, row) =>
    value >= full.value && (climb[row] < -sink || (climb[row] < least && !(lean[row] > level))) ? 1 : 0,
  );
  const mask = exam.flight.mask(times);
  const holds = findHolds(times, stuck, mask, 0.5, exam.micros('thrust', 'hold'));
  const fields = [names.throttle as string, names.climb as string];
  const common = { check: 'thrust', title: 'Thrust', fields, threshold: full.value, source: full.source };
  if (holds.length === 0) {
    const most = chosen(throttle, mask).reduce((a, b) => Math.max(a, b), 0);
    exam.add({
      ...common,
      severity: 'ok',
      text: `The vehicle never sank at nearly full throttle; the throttle was at most ${short(100 * most)} %.`,
      from: exam.flight.from,
      to: exam.flight.to,
      value: most,
    });
    return;
  }
  const isHeld = new Uint8Array(times.length);
  for (const { first, last } of holds) isHeld.fill(1, first, last + 1);
  const [meanClimb, meanThrottle] = [noisy, throttle].map((of) => mean(chosen(of, isHeld)));
  const lasted = lastedInAll(holds);
  exam.add({
    ...common,
    severity: lasted >= exam.micros('thrust', 'fail') ? 'fail' : 'warn',
    text: `For ${short(lasted / 1e6)} s the throttle was at ${short(100 * meanThrottle)} % on average, and yet the vehicle ${climbWords(meanClimb)}: not enough thrust.`,
    advice: ADVICE,
    from: holds[0].from,
    to: holds[holds.length - 1].to,
    ranges: rangesOf(holds),
    value: meanThrottle,
  });
}

/** The greater of roll and pitch at some times: thrust that goes to the side does not lift. */
async function leanAt(exam: Examination, times: Float64Array): Promise<Float64Array> {
  const [attitude] = await exam.read(ATTITUDE);
  const { roll, pitch } = attitude?.values ?? {};
  if (!attitude || !roll || !pitch) return new Float64Array(times.length);
  const lean = roll.map((value, row) => Math.max(Math.abs(value), Math.abs(pitch[row])));
  return valuesAt(times, attitude.times, lean, 1e6);
}

function climbWords(climb: number): string {
  if (climb < -0.05) return `sank at ${short(-climb)} m/s`;
  return climb < 0.05 ? 'did not climb' : `climbed at ${short(climb)} m/s only`;
}

function checkHover(exam: Examination, { times, throttle, climb: noisy, names }: ControlReading): void {
  if (exam.flight.isGround) {
    exam.noData('thrust', 'Throttle in hover', 'The vehicle did not fly.');
    return;
  }
  const climb = smoothed(times, noisy, SMOOTH);
  const mask = exam.flight.mask(times, TRIM);
  const hover = throttle.filter(
    (value, row) => mask[row] === 1 && value > HOVER_LEAST && Math.abs(climb[row]) < HOVER_CLIMB,
  );
  if (hover.length < HOVER_ROWS) {
    exam.noData('thrust', 'Throttle in hover', `The vehicle did not hover long enough ${exam.flight.words}.`);
    return;
  }
  const rule = exam.rule('thrust', 'hoverWarn');
  const middle = median(hover);
  exam.add({
    check: 'thrust',
    severity: middle > rule.value ? 'warn' : 'ok',
    title: 'Throttle in hover',
    text: `Hovering took ${short(100 * middle)} % of the throttle${middle > rule.value ? ': little is left to climb and to steer' : ''}.`,
    advice: middle > rule.value ? ADVICE : '',
    from: exam.flight.from,
    to: exam.flight.to,
    overall: true,
    value: middle,
    threshold: rule.value,
    source: rule.source,
    fields: [names.throttle as string, names.climb as string],
  });
}

/** The mean of the values up to so long before each row. */
export function smoothed(times: Float64Array, values: Float64Array, window: number): Float64Array {
  const out = new Float64Array(times.length);
  let [first, sum, count] = [0, 0, 0];
  for (let row = 0; row < times.length; row++) {
    if (!Number.isNaN(values[row])) {
      sum += values[row];
      count++;
    }
    while (first < row && (times[row] - times[first] > window || times[row] < times[first])) {
      if (!Number.isNaN(values[first])) {
        sum -= values[first];
        count--;
      }
      first++;
    }
    out[row] = count === 0 ? Number.NaN : sum / count;
  }
  return out;
}
