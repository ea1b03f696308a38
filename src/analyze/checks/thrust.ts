import type { Examination } from '../examination.ts';
import { short } from '../finding.ts';
import { chosen, findHolds, median } from '../holds.ts';
import type { Reading } from '../series.ts';
import { CONTROL, throttleOf } from './quantities.ts';

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
  if (exam.ground.vehicle.kind !== 'Copter') return;
  const [control] = (await exam.read(CONTROL)).flatMap((reading): ControlReading[] => {
    const [throttle, climb] = [throttleOf(reading), reading.values.climb];
    return throttle && climb ? [{ ...reading, throttle, climb }] : [];
  });
  if (!control) {
    exam.noData('thrust', 'Thrust', 'The log has no throttle and climb rate (CTUN or VFR_HUD) to compare.');
    return;
  }
  checkLift(exam, control);
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

function checkLift(exam: Examination, { times, throttle, climb: noisy, names }: ControlReading): void {
  const climb = smoothed(times, noisy, SMOOTH);
  const full = exam.rule('thrust', 'full');
  const least = exam.limit('thrust', 'climb');
  // what does not climb at full throttle: 1, else 0
  const stuck = throttle.map((value, row) => (value >= full.value && climb[row] < least ? 1 : 0));
  const holds = findHolds(times, stuck, exam.flight.mask(times), 0.5, exam.micros('thrust', 'hold'));
  const fields = [names.throttle as string, names.climb as string];
  const common = { check: 'thrust', title: 'Thrust', fields, threshold: full.value, source: full.source };
  if (holds.length === 0) {
    const most = chosen(throttle, exam.flight.mask(times)).reduce((a, b) => Math.max(a, b), 0);
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
  const rows = [...times.keys()].filter((row) => holds.some(({ from, to }) => times[row] >= from && times[row] <= to));
  const [meanClimb, meanThrottle] = [noisy, throttle].map(
    (of) => rows.reduce((sum, row) => sum + of[row], 0) / rows.length,
  );
  const lasted = holds.reduce((sum, hold) => sum + hold.lasted, 0);
  exam.add({
    ...common,
    severity: 'fail',
    text: `For ${short(lasted / 1e6)} s the throttle was at ${short(100 * meanThrottle)} % on average, and yet the vehicle ${climbWords(meanClimb)}: it has not enough thrust.`,
    advice: ADVICE,
    from: holds[0].from,
    to: holds[holds.length - 1].to,
    value: meanThrottle,
  });
}

function climbWords(climb: number): string {
  if (climb < -0.05) return `sank at ${short(-climb)} m/s`;
  return climb < 0.05 ? 'did not climb' : `climbed at ${short(climb)} m/s only`;
}

function checkHover(exam: Examination, { times, throttle, climb: noisy, names }: ControlReading): void {
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
