import {
  chosen,
  findExceedances,
  lastedInAll,
  mean,
  median,
  peakOf,
  smoothed,
  valuesAt,
  valuesBefore,
} from '../../series/holds.ts';
import { ATTITUDE, IMUS } from '../../series/quantities.ts';
import type { Interval } from '../../series/series.ts';
import { short } from '../finding.ts';
import { NO_FLIGHT, type ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { type Control, controlOf } from './computed.ts';
import { during } from './judge.ts';

/** Microseconds over which the climb is averaged: gusts and noise are not a lack of thrust. */
const SMOOTH = 1_000_000;
/** Throttle above which a multicopter that neither climbs nor sinks hovers, and the climb that counts as none. */
const HOVER_LEAST = 0.1;
const HOVER_CLIMB = 0.5;
const HOVER_ROWS = 20;
const TRIM = 2_000_000;

const ADVICE = 'Check weight, battery under load, motors and propellers; remove weight or add thrust.';

/** Whether nearly all throttle still lifted the vehicle, and how much of it hovering took. */
export async function checkThrust(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  if (facts.vehicle.kind !== 'Copter') {
    report.noData('thrust', 'Thrust', 'Only the thrust of multicopters is judged; this is not known to be one.');
    return;
  }
  const control = await controlOf(facts);
  if (!control) {
    report.noData(
      'thrust',
      'Thrust',
      'No throttle and climb rate in the log (CTUN, VFR_HUD or vehicle_thrust_setpoint).',
    );
    return;
  }
  // on the ground throttle lifts nothing, and an estimate may sink
  if (facts.flight.isGround) report.noData('thrust', 'Thrust', NO_FLIGHT);
  else {
    await checkLift(facts, report, control);
    await checkLoss(facts, report, control);
  }
  checkHover(report, control);
  const { times, climbWish, names } = control;
  report.plot(
    {
      check: 'thrust',
      title: 'Throttle',
      unit: '',
      limits: [{ value: report.limit('thrust', 'full'), severity: 'warn' }],
    },
    [{ name: names.throttle as string, times, values: control.throttle }],
  );
  report.plot({ check: 'thrust', title: 'Climb rate', unit: 'm/s', limits: [] }, [
    { name: names.climb as string, times, values: control.climb },
    ...(climbWish ? [{ name: names.climbWish as string, times, values: climbWish }] : []),
  ]);
}

async function checkLift(
  facts: VehicleFacts,
  report: ReportBuilder,
  { times, throttle, climb: noisy, names }: Control,
): Promise<void> {
  const climb = smoothed(times, noisy, SMOOTH);
  const full = report.rule('thrust', 'full');
  const least = report.limit('thrust', 'climb');
  const lean = await leanAt(facts, times);
  const level = report.limit('thrust', 'lean');
  const sink = report.limit('thrust', 'sink');
  // what does not climb at full throttle, or sinks whatever the lean: 1, else 0
  const stuck = throttle.map((value, row) =>
    value >= full.value && (climb[row] < -sink || (climb[row] < least && !(lean[row] > level))) ? 1 : 0,
  );
  const mask = facts.flight.mask(times);
  const holds = findExceedances(times, stuck, mask, 0.5, report.micros('thrust', 'hold'));
  const fields = [names.throttle as string, names.climb as string];
  const common = { check: 'thrust', title: 'Thrust', fields, rule: full };
  if (holds.length === 0) {
    const most = chosen(throttle, mask).reduce((a, b) => Math.max(a, b), 0);
    report.add({
      ...common,
      severity: 'ok',
      text: `The vehicle never sank at nearly full throttle; the throttle was at most ${short(100 * most)} %.`,
      ...facts.flight.when,
      value: most,
    });
    return;
  }
  const isHeld = new Uint8Array(times.length);
  for (const { first, last } of holds) isHeld.fill(1, first, last + 1);
  const [meanClimb, meanThrottle] = [noisy, throttle].map((of) => mean(chosen(of, isHeld)));
  const lasted = lastedInAll(holds);
  report.add({
    ...common,
    severity: lasted >= report.micros('thrust', 'fail') ? 'fail' : 'warn',
    text: `Throttle averaged ${short(100 * meanThrottle)} % for ${short(lasted / 1e6)} s, yet the vehicle ${climbWords(meanClimb)}: not enough thrust.`,
    advice: ADVICE,
    ...during(holds),
    value: meanThrottle,
  });
}

/** The greater of roll and pitch at some times: thrust that goes to the side does not lift. */
async function leanAt(facts: VehicleFacts, times: Float64Array): Promise<Float64Array> {
  const [attitude] = await facts.read(ATTITUDE);
  const { roll, pitch } = attitude?.values ?? {};
  if (!attitude || !roll || !pitch) return new Float64Array(times.length);
  const lean = roll.map((value, row) => Math.max(Math.abs(value), Math.abs(pitch[row])));
  return valuesAt(times, attitude.times, lean, 1e6);
}

function climbWords(climb: number): string {
  if (climb < -0.05) return `sank at ${short(-climb)} m/s`;
  return climb < 0.05 ? 'did not climb' : `climbed at ${short(climb)} m/s only`;
}

function checkHover(report: ReportBuilder, { times, throttle, climb: noisy, names }: Control): void {
  const { facts } = report;
  if (facts.flight.isGround) {
    report.noData('thrust', 'Throttle in hover', NO_FLIGHT);
    return;
  }
  const climb = smoothed(times, noisy, SMOOTH);
  const mask = facts.flight.mask(times, TRIM);
  const hover = throttle.filter(
    (value, row) => mask[row] === 1 && value > HOVER_LEAST && Math.abs(climb[row]) < HOVER_CLIMB,
  );
  if (hover.length < HOVER_ROWS) {
    report.noData('thrust', 'Throttle in hover', `The vehicle did not hover long enough ${facts.flight.words}.`);
    return;
  }
  const rule = report.rule('thrust', 'hoverWarn');
  const middle = median(hover);
  report.add({
    check: 'thrust',
    severity: middle > rule.value ? 'warn' : 'ok',
    title: 'Throttle in hover',
    text: `Hover took ${short(100 * middle)} % throttle${middle > rule.value ? ': little is left to climb and steer' : ''}.`,
    advice: ADVICE,
    ...facts.flight.when,
    overall: true,
    value: middle,
    rule,
    fields: [names.throttle, names.climb],
  });
}

/** Microseconds of flight before a moment that tell what throttle lifted, between them and the moment, and at least. */
const BEFORE = 20e6;
const BETWEEN = 6e6;
const BEFORE_LEAST = 5e6;
/** Microseconds after take-off and before landing that are left out: the ground helps to lift. */
const NEAR_GROUND = 3e6;
/** Throttle below which a vehicle falls, and the climb above which air that comes from above takes lift. */
const LEAST_THROTTLE = 0.15;
const MOST_CLIMB = 2;
/** Metres a second from which a vehicle rises. */
const RISING = 0.3;
const TITLE = 'Lift';

/** Whether the same throttle suddenly lifted less: the acceleration along the motors, for each part of the throttle. */
async function checkLoss(
  facts: VehicleFacts,
  report: ReportBuilder,
  { times, throttle, climb, names }: Control,
): Promise<void> {
  const imu = (await facts.read(IMUS)).find(({ values }) => values.az);
  if (!imu?.values.az || !facts.log.isOnboard) return;
  const pull = valuesAt(times, imu.times, smoothed(imu.times, imu.values.az.map(Math.abs), SMOOTH), SMOOTH);
  const given = smoothed(times, throttle, SMOOTH);
  const rise = smoothed(times, climb, SMOOTH);
  const flight = facts.flight.mask(times, NEAR_GROUND);
  // air against a vehicle that leans takes of what its motors give: it is compared with as much lean before
  const lean = await leanAt(facts, times);
  const level = report.limit('thrust', 'lean');
  const leant = valuesBefore(
    times,
    leastOf(
      times,
      lean.map((value) => -value),
      BEFORE,
    ),
    BETWEEN,
    SMOOTH,
  );
  const isJudged = (row: number): boolean =>
    flight[row] === 1 &&
    given[row] > LEAST_THROTTLE &&
    Math.abs(rise[row]) < MOST_CLIMB &&
    !(lean[row] > Math.max(level, -leant[row]));
  const lift = pull.map((value, row) => (isJudged(row) ? value / given[row] : Number.NaN));
  // a touch-down between makes much of little throttle
  const before = valuesBefore(times, leastOf(times, lift, BEFORE), BETWEEN, SMOOTH);
  const begun = valuesBefore(times, Float64Array.from(flight), BETWEEN + BEFORE_LEAST, SMOOTH);
  const mask = flight.map((_, row) => (begun[row] === 1 && isJudged(row) ? 1 : 0));
  const lost = lift.map((value, row) => 100 * (1 - value / before[row]));
  const rule = report.rule('thrust', 'lift');
  // what climbs got off the ground, and needs its throttle for that
  const holds = findExceedances(times, lost, mask, rule.value, report.micros('thrust', 'liftHold')).filter(
    ({ first, last }) => mean(rise.subarray(first, last + 1)) < RISING,
  );
  // what is lost stays lost, though after a while it is what was before
  const ranges: Interval[] = [];
  for (const { start, first, last, peak } of holds) {
    if (start <= (ranges[ranges.length - 1]?.end ?? Number.NEGATIVE_INFINITY)) continue;
    const isBack = (row: number): boolean => 100 * (1 - lift[row] / before[first]) < rule.value / 2;
    let end = last;
    for (let row = last + 1; row < times.length && !isBack(row) && facts.flight.isOne(start, times[row]); row++)
      if (!Number.isNaN(lift[row])) end = row;
    // an average passes the limit late
    ranges.push({ start: start - SMOOTH * Math.min(1, rule.value / peak), end: times[end] });
  }
  const common = { check: 'thrust', title: TITLE, unit: '%', rule, fields: [names.throttle, imu.names.az] };
  if (holds.length === 0) {
    const text = `The same throttle lifted as much all the time ${facts.flight.words}.`;
    if (mask.includes(1)) report.add({ ...common, severity: 'ok', text, ...facts.flight.when });
    return;
  }
  const most = peakOf(holds);
  report.add({
    ...common,
    severity: 'warn',
    text: `The same throttle lifted ${short(most)} % less than before, for ${short(lastedInAll(holds) / 1e6)} s: motors or battery give less thrust.`,
    advice: ADVICE,
    ...during(ranges),
    value: most,
  });
}

/** The least value of the time before each row; a queue holds the rows that may be it. */
function leastOf(times: Float64Array, values: Float64Array, window: number): Float64Array {
  const queue = new Int32Array(times.length);
  let [head, tail] = [0, 0];
  return values.map((value, row) => {
    while (head < tail && times[row] - times[queue[head]] > window) head++;
    if (!Number.isNaN(value)) {
      while (tail > head && !(values[queue[tail - 1]] < value)) tail--;
      queue[tail++] = row;
    }
    return head < tail ? values[queue[head]] : Number.NaN;
  });
}
