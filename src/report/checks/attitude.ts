import { words } from '../../core/text.ts';
import {
  chosen,
  type Exceedance,
  extremeRow,
  findExceedances,
  lastedInAll,
  mean,
  median,
  usualStep,
  valuesAt,
  worstOf,
} from '../../series/holds.ts';
import { ATTITUDE, ATTITUDE_WISH, BODY_RATES, RATES_WISH, SDLOG_ATTITUDE } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { secondsOf, short } from '../finding.ts';
import { NO_FLIGHT, type ReportBuilder } from '../report-builder.ts';
import { inModes, type VehicleFacts } from '../vehicle-facts.ts';
import { during, judgeLevel } from './judge.ts';

/** Modes in which no attitude is asked for, or in which being elsewhere is the point: in any spelling. */
const FREE_MODES: ReadonlySet<string> = new Set(
  words(`
  ACRO MANUAL TRAINING FLIP THROW SPORT DRIFT TURTLE AUTOTUNE QACRO RATTITUDE INITIALISING MOTOR_DETECT`),
);

/** Until Copter 3.1 the stick was logged, which is what is asked for in these modes only. */
const STICK_FIELDS = /\.(Roll|Pitch)In$/;
const STICK_MODES: ReadonlySet<string> = new Set(['STABILIZE', 'ALT_HOLD']);

/** type_mask of ATTITUDE_TARGET: the attitude is not asked for. */
const ATTITUDE_IGNORED = 128;
const DEGREES = 180 / Math.PI;
/** Microseconds after take-off and before landing in which the ground has a say. */
const TRIM = 1_000_000;

/** Roll and pitch of the vehicle, and what was asked for, at the same times. */
interface Tracking {
  readonly times: Float64Array;
  /** Degrees, if the log has it. */
  readonly yaw: Float64Array | undefined;
  readonly axes: readonly {
    readonly axis: 'Roll' | 'Pitch';
    readonly is: Float64Array;
    readonly wish: Float64Array;
    readonly names: readonly string[];
  }[];
  /** Microseconds between two rows of what was asked for. */
  readonly step: number;
  /** Whether it comes from another table, of other times. */
  readonly isApart: boolean;
}

/** Whether the vehicle took the attitude that was asked for. */
export async function checkAttitude(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const { kind } = facts.vehicle;
  if (kind === 'Rover' || kind === 'Tracker') {
    report.noData('attitude', 'Attitude', 'Ground vehicles have the attitude of the ground.');
    return;
  }
  // the ground holds a vehicle whatever is asked for
  if (facts.flight.isGround) {
    report.noData('attitude', 'Attitude', NO_FLIGHT);
    return;
  }
  const tracking = await trackingOf(facts);
  facts.forget(ATTITUDE_WISH);
  if (!tracking) {
    report.noData('attitude', 'Attitude', 'No attitude in the log, or no desired attitude to compare it with.');
    return;
  }
  const { times, axes, step, isApart } = tracking;
  const mask = controlled(
    facts,
    times,
    axes.some(({ names }) => STICK_FIELDS.test(names[1])),
  );
  // a wing turns slowly; and values at a low rate may have changed in between
  const lag = Math.max(report.micros('attitude', kind === 'Copter' ? 'lag' : 'wingLag'), 2 * step);
  const moving = movingMask(
    times,
    axes.map(({ is }) => is),
    mask,
  );
  for (const { axis, is, wish, names } of axes) {
    const hold = Math.max(report.micros('attitude', 'hold'), isApart ? 2 * step : 0);
    judgeTracking(facts, report, {
      title: `${axis} tracking`,
      times,
      errors: beyondWish(times, is, wish, lag),
      names,
      mask: moving,
      hold,
      sideOf: ({ first, last }) => Math.sign(mean(is.subarray(first, last + 1)) - mean(wish.subarray(first, last + 1))),
    });
    report.plot({ check: 'attitude', title: `${axis}: desired and actual`, unit: '°', limits: [] }, [
      { name: names[0], times, values: is },
      { name: names[1], times, values: wish },
    ]);
  }
}

/** Microseconds without any motion that mean the vehicle is on the ground, and degrees that are not motion. */
const STILL_TIME = 1e6;
const STILL = 0.3;

/** Takes out the rows in which no axis moves: on the ground demands wind up, and nothing answers them. */
function movingMask(times: Float64Array, axes: readonly Float64Array[], mask: Uint8Array): Uint8Array {
  const out = mask.slice();
  let [from, done] = [0, 0];
  for (let row = 1; row < times.length; row++) {
    if (axes.some((is) => Math.abs(is[row] - is[from]) > STILL)) from = row;
    else if (times[row] - times[from] >= STILL_TIME) {
      out.fill(0, Math.max(from, done), row + 1);
      done = row + 1;
    }
  }
  return out;
}

/** Roll or pitch against what was asked for. */
interface TrackingError {
  readonly title: string;
  readonly times: Float64Array;
  /** Degrees beyond what was asked for. */
  readonly errors: Float64Array;
  readonly names: readonly string[];
  readonly mask: Uint8Array;
  /** Microseconds. */
  readonly hold: number;
  /** 1 where it was more than what was asked for, -1 where less. */
  readonly sideOf: (hold: Exceedance) => number;
}

/** Microseconds from side to side of a vehicle that cannot hold its attitude any more. */
const SWING_TIME = 2e6;

/** Far from the desired attitude fails at once (out of control); less counts by its share of the flight. */
function judgeTracking(
  facts: VehicleFacts,
  report: ReportBuilder,
  { title, times, errors, names, mask, hold, sideOf }: TrackingError,
): void {
  const [warn, limit, lost] = (['warn', 'fail', 'lost'] as const).map((key) => report.rule('attitude', key));
  const common = { check: 'attitude', title, fields: names, unit: '°' };
  const worst = extremeRow(errors, mask);
  if (worst < 0) {
    report.noData('attitude', title, `${names.join(' and ')} cannot be compared ${facts.flight.words}.`);
    return;
  }
  const holdsAbove = (above: number, least = hold): Exceedance[] => findExceedances(times, errors, mask, above, least);
  const far = holdsAbove(limit.value);
  const near = holdsAbove(warn.value);
  const out = holdsAbove(lost.value, Math.max(hold, report.micros('attitude', 'lostHold')));
  // what swings so far to both sides, one after the other, is as far off as what stays there
  const isSwing = (a: Exceedance, b: Exceedance | undefined): boolean =>
    b !== undefined &&
    Math.min(a.peak, b.peak) > lost.value &&
    Math.abs(a.peakAt - b.peakAt) <= SWING_TIME &&
    sideOf(a) !== sideOf(b);
  const swings = far.filter((each, i) => isSwing(each, far[i - 1]) || isSwing(each, far[i + 1]));
  const gone = [...out, ...swings].sort((a, b) => a.start - b.start);
  // a loss of control begins where the error that leads to it does
  const containing = far.filter(({ start, end }) => gone.some((each) => start <= each.end && end >= each.start));
  const leading = containing.length > 0 ? containing : gone;
  const judged = usualStep(times) * chosen(errors, mask).length;
  const share = (holds: readonly Exceedance[]): number => (100 * lastedInAll(holds)) / judged;
  const isLong = (holds: readonly Exceedance[], key: string): boolean =>
    share(holds) >= report.limit('attitude', key) && lastedInAll(holds) >= report.micros('attitude', 'shareLeast');
  const [severity, holds, rule] =
    gone.length > 0
      ? (['fail', leading, limit] as const)
      : isLong(far, 'shareFail')
        ? (['fail', far, limit] as const)
        : isLong(far, 'shareWarn')
          ? (['warn', far, limit] as const)
          : isLong(near, 'shareNear') && facts.vehicle.kind === 'Copter'
            ? (['warn', near, warn] as const)
            : (['ok', far, limit] as const);
  const most = worstOf(holds)?.peak ?? errors[worst];
  const asked = `${names[0]} was up to ${short(most)}° beyond ${names[1]} ${facts.flight.words}`;
  const lasted = holds.length > 0 ? `; above ${short(rule.value)}° for ${secondsOf(lastedInAll(holds))}` : '';
  if (severity === 'ok') {
    report.add({ ...common, severity, text: `${asked}${lasted}.`, ...facts.flight.when, value: most, rule });
    return;
  }
  report.add({
    ...common,
    severity,
    text:
      asked +
      (gone.length > 0
        ? `${lasted}. The vehicle was out of control.`
        : `${lasted} (${short(share(holds))} % of the time). The vehicle did not follow the controller.`),
    advice: 'Check for a motor, propeller, servo or battery that could not deliver; then check the tuning.',
    ...during(holds),
    overall: gone.length === 0,
    value: most,
    threshold: (gone.length > 0 ? lost : rule).value,
    source: (gone.length > 0 ? lost : rule).source,
  });
}

export async function trackingOf(facts: VehicleFacts): Promise<Tracking | undefined> {
  const { log } = facts;
  const isSdlog = log.table('ATSP') !== undefined && log.table('TIME') !== undefined;
  const [attitude] = await facts.read<'roll' | 'pitch' | 'yaw' | 'rollWish' | 'pitchWish'>(
    isSdlog ? SDLOG_ATTITUDE : ATTITUDE,
  );
  if (!attitude) return undefined;
  const { times, values, names } = attitude;
  if (values.rollWish || values.pitchWish) {
    const axes = (['roll', 'pitch'] as const).flatMap((key) => {
      const [is, wish] = [values[key], values[`${key}Wish`]];
      const axis = key === 'roll' ? ('Roll' as const) : ('Pitch' as const);
      return is && wish ? [{ axis, is, wish, names: [names[key] as string, names[`${key}Wish`] as string] }] : [];
    });
    return { times, yaw: values.yaw, axes, step: usualStep(times), isApart: false };
  }
  const [wished] = await facts.read(ATTITUDE_WISH);
  const wishes = wished && wishesOf(wished);
  if (!wished || !wishes) return undefined;
  const step = usualStep(wished.times);
  const axes = (['roll', 'pitch'] as const).flatMap((key) => {
    const is = values[key];
    const axis = key === 'roll' ? ('Roll' as const) : ('Pitch' as const);
    const asked = wished.table === 'NAV_CONTROLLER_OUTPUT' ? askedOf(wishes)[key] : wishes[key];
    const wish = valuesAt(times, wished.times, asked, Math.max(3 * step, 500_000));
    return is ? [{ axis, is, wish, names: [names[key] as string, wished.names[key] ?? `${wished.title}.q`] }] : [];
  });
  return { times, yaw: undefined, axes, step, isApart: true };
}

/** Demands of NAV_CONTROLLER_OUTPUT: where both are 0 nothing is asked for, as in STABILIZE of old firmwares. */
function askedOf({ roll, pitch }: { roll: Float64Array; pitch: Float64Array }): {
  roll: Float64Array;
  pitch: Float64Array;
} {
  const isNone = (row: number): boolean => roll[row] === 0 && pitch[row] === 0;
  const asked = (of: Float64Array): Float64Array => of.map((value, row) => (isNone(row) ? Number.NaN : value));
  return { roll: asked(roll), pitch: asked(pitch) };
}

/** Degrees that a multicopter leans at most where no parameter says otherwise. */
const LEAN_MOST = 45;

/** Whether a multicopter leaned more than it lets itself: then it was out of control. */
export async function checkLean(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  if (facts.vehicle.kind !== 'Copter') return;
  const [attitude] = await facts.read(ATTITUDE);
  const { roll, pitch } = attitude?.values ?? {};
  if (!attitude || !roll || !pitch) return;
  const { times, names } = attitude;
  const most = LEAN_PARAMETERS.map(([name, scale]) => (facts.parameter(name) ?? 0) * scale).find((value) => value > 0);
  const rule = report.rule('attitude', 'leanBeyond');
  const lean = roll.map((value, row) => leanOf(value, pitch[row]));
  // also just after touch-down: it may turn over there
  const mask = controlled(facts, times, false, -TRIM);
  // far beyond it a moment is enough
  const isFar =
    findExceedances(times, lean, mask, (most ?? LEAN_MOST) + 2 * rule.value, report.micros('attitude', 'hold')).length >
    0;
  const limit = { ...rule, value: (most ?? LEAN_MOST) + (isFar ? 2 : 1) * rule.value };
  judgeLevel(report, {
    check: 'attitude',
    title: 'Lean',
    times,
    lines: [{ name: 'the lean', values: lean }],
    fields: [names.roll, names.pitch],
    mask,
    unit: '°',
    warn: limit,
    fail: limit,
    hold: report.micros('attitude', isFar ? 'hold' : 'lostHold'),
    meaning: `The vehicle leans ${short(most ?? LEAN_MOST)}° at most ${most === undefined ? 'as a rule' : 'by its parameters'}: it was out of control, as after a mechanical failure, or it crashed.`,
    advice: 'Check what failed just before: a motor, a propeller, a wire; then battery and vibration.',
  });
}

/** Parameters that limit the lean, and what makes degrees of them. */
export const LEAN_PARAMETERS: readonly (readonly [name: string, scale: number])[] = [
  ['ANGLE_MAX', 0.01],
  ['ATC_ANGLE_MAX', 1],
  ['MPC_TILTMAX_AIR', 1],
  ['MPC_MAN_TILT_MAX', 1],
];

/** The angle between what is up for the vehicle and what is up. */
export function leanOf(roll: number, pitch: number): number {
  return Math.acos(Math.cos(roll / DEGREES) * Math.cos(pitch / DEGREES)) * DEGREES;
}

/** Roll and pitch in degrees, also from a quaternion. */
function wishesOf({
  values,
  times,
}: QuantityRows<'roll' | 'pitch' | 'q0' | 'q1' | 'q2' | 'q3' | 'ignored'>):
  | { roll: Float64Array; pitch: Float64Array }
  | undefined {
  const { roll, pitch, q0, q1, q2, q3, ignored } = values;
  if (roll && pitch) return { roll, pitch };
  if (!q0 || !q1 || !q2 || !q3) return undefined;
  const isAsked = (row: number): boolean => !ignored || (ignored[row] & ATTITUDE_IGNORED) === 0;
  return {
    roll: times.map((_, row) => {
      const [w, x, y, z] = [q0[row], q1[row], q2[row], q3[row]];
      return isAsked(row) ? Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)) * DEGREES : Number.NaN;
    }),
    pitch: times.map((_, row) => {
      const sine = 2 * (q0[row] * q2[row] - q3[row] * q1[row]);
      return isAsked(row) ? Math.asin(Math.max(-1, Math.min(1, sine))) * DEGREES : Number.NaN;
    }),
  };
}

/** The rows in flight, in modes that ask for an attitude. */
function controlled(facts: VehicleFacts, times: Float64Array, isStick: boolean, trim = TRIM): Uint8Array {
  return inModes(facts, times, facts.flight.mask(times, trim), (mode) =>
    isStick ? STICK_MODES.has(mode.toUpperCase()) : !FREE_MODES.has(mode.toUpperCase()),
  );
}

/** How far a value is from all recent demands: two queues hold the lowest and highest of them. */
export function beyondWish(times: Float64Array, is: Float64Array, wish: Float64Array, lag: number): Float64Array {
  const out = new Float64Array(times.length).fill(Number.NaN);
  const lows = new Int32Array(times.length);
  const highs = new Int32Array(times.length);
  let [lowHead, lowTail, highHead, highTail] = [0, 0, 0, 0];
  for (let row = 0; row < times.length; row++) {
    const now = wish[row];
    if (!Number.isNaN(now)) {
      while (lowTail > lowHead && !(wish[lows[lowTail - 1]] < now)) lowTail--;
      lows[lowTail++] = row;
      while (highTail > highHead && !(wish[highs[highTail - 1]] > now)) highTail--;
      highs[highTail++] = row;
    }
    const isOld = (of: number): boolean => times[row] - times[of] > lag || times[row] < times[of];
    while (lowHead < lowTail && isOld(lows[lowHead])) lowHead++;
    while (highHead < highTail && isOld(highs[highHead])) highHead++;
    if (lowHead === lowTail || highHead === highTail) continue;
    const [low, high] = [wish[lows[lowHead]], wish[highs[highHead]]];
    out[row] = is[row] < low ? low - is[row] : is[row] > high ? is[row] - high : is[row] - is[row];
  }
  return out;
}

/** Outputs of controllers are from -1 to 1 in firmwares of today, more where they wind up; old ones count to 4500. */
const OUT_MOST = 20;

/** Microseconds for which a demand of another table holds. */
const WISH_AGE = 500_000;

/** Whether rates of turn were as the controller asked for, and whether they oscillated. */
export async function checkRates(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const [rates] = await facts.read(BODY_RATES);
  facts.forget(BODY_RATES);
  if (!rates) return;
  const { times, values, names } = rates;
  const [wished] = values.rollWish ? [] : await facts.read(RATES_WISH);
  const mask = facts.flight.mask(times, TRIM);
  // firmwares that count outputs to 4500 count hundredths of degrees
  const scale = values.out?.some((out) => Math.abs(out) > OUT_MOST) ? 0.01 : 1;
  for (const key of ['yaw', 'roll', 'pitch'] as const) {
    const asked = wished?.values[key];
    const [is, wish] = [values[key], values[`${key}Wish`] ?? (asked && valuesAt(times, wished.times, asked, WISH_AGE))];
    if (!is || !wish) continue;
    const errors = is.map((rate, row) => (rate - wish[row]) * scale);
    const fields = [names[key] as string, (names[`${key}Wish`] ?? wished?.names[key]) as string];
    // a demand that the vehicle does not follow is not a spin
    const spins = (): Float64Array => errors.map((error, row) => Math.min(Math.abs(error), Math.abs(is[row] * scale)));
    const common = { times, mask, fields, isApart: wished !== undefined };
    if (key === 'yaw') judgeSpin(report, { ...common, title: 'Yaw rate', errors: spins() });
    else
      judgeOscillation(report, {
        ...common,
        title: key === 'roll' ? 'Roll oscillation' : 'Pitch oscillation',
        errors,
      });
  }
}

/** A multicopter that turns against what is asked for has lost a motor, or the balance of its motors. */
function judgeSpin(report: ReportBuilder, { title, times, errors, mask, fields }: RateError): void {
  if (report.facts.vehicle.kind !== 'Copter') return;
  const limit = report.rule('attitude', 'spin');
  judgeLevel(report, {
    check: 'attitude',
    title,
    times,
    lines: [{ name: `${fields[0]} beyond ${fields[1]}`, values: errors }],
    fields,
    mask,
    unit: '°/s',
    warn: limit,
    fail: limit,
    hold: report.micros('attitude', 'spinHold'),
    meaning: 'The vehicle spun out of control, as it does without one of its motors.',
    advice: 'Check for a failed motor, propeller or ESC; then for tilted motors and wrong directions.',
  });
}

/** Microseconds of one look for an oscillation. */
const OSCILLATION_TIME = 2e6;
/** Rows that such a look needs. */
const OSCILLATION_ROWS = 16;
/** Changes of sign a second, from which it is an oscillation and no manoeuvre. */
const CROSSINGS = 6;
/** The same of samples too few to show a fast swing: as often as that it seems to change, whatever it does between them. */
const CROSSINGS_SEEN = 1;

interface RateError {
  readonly title: string;
  readonly times: Float64Array;
  /** Degrees a second. */
  readonly errors: Float64Array;
  readonly mask: Uint8Array;
  readonly fields: readonly string[];
  /** Whether the demand comes from another table, as do rates before the filters of the controller. */
  readonly isApart: boolean;
}

/** Swings this many times what they were before began then; those of vibration are always there. */
const QUIET_TIMES = 4;
/** Microseconds between samples that are too long to distinguish a swing of the controller from vibration. */
const SELDOM = 15_000;

/** The rate controller oscillates: the rate swings around the desired rate, far and fast, for seconds. */
function judgeOscillation(report: ReportBuilder, { title, times, errors, mask, fields, isApart }: RateError): void {
  const swings = new Float64Array(times.length).fill(Number.NaN);
  let [frequency, most] = [Number.NaN, 0];
  const step = usualStep(times);
  const look = Math.min(Math.max(OSCILLATION_TIME, OSCILLATION_ROWS * step), 2 * OSCILLATION_TIME);
  // a controller of rates is never that far off for long, whether or not the swing can be followed
  const isSeldom = step * 2 * CROSSINGS > 1e6;
  const [least, far] = [report.limit('attitude', 'oscillationWarn'), report.limit('attitude', 'oscillationFail')];
  let isFollowed = false;
  for (let first = 0; first < times.length; ) {
    let [row, squares, crossings, side] = [first, 0, 0, 0];
    while (row < times.length && mask[row] === 1 && times[row] - times[first] < look) {
      squares += errors[row] ** 2;
      const now = Math.sign(errors[row]);
      if (now !== 0 && now === -side) crossings++;
      if (now !== 0) side = now;
      row++;
    }
    const [rows, seconds] = [row - first, (times[row - 1] - times[first]) / 1e6];
    if (rows >= OSCILLATION_ROWS && seconds > 0) {
      const rms = Math.sqrt(squares / rows);
      const often = crossings / seconds;
      const isSwing = often >= CROSSINGS || (isSeldom && rms > far && often >= CROSSINGS_SEEN);
      const swing = isSwing ? rms : 0;
      swings.fill(swing, first, row);
      // it begins where the first error is as large
      if (swing > least && !(swings[first - 1] > least))
        for (let early = first; Math.abs(errors[early]) <= least; early++) swings[early] = 0;
      if (swing > least && often >= CROSSINGS) isFollowed = true;
      // where most samples are; what is sampled too seldom has no frequency
      if (swing > least && rows > most && rows > 2 * crossings && !isSeldom) {
        most = rows;
        frequency = often / 2;
      }
    }
    first = Math.max(row, first + 1);
  }
  if (!swings.some((swing) => swing >= 0)) return;
  const [warn, fail] = [report.rule('attitude', 'oscillationWarn'), report.rule('attitude', 'oscillationFail')];
  judgeLevel(report, {
    check: 'attitude',
    title,
    times,
    lines: [{ name: `the oscillation of ${fields.join(' around ')} (rms)`, values: swings }],
    fields,
    mask,
    unit: '°/s',
    warn,
    fail,
    hold: report.micros('attitude', 'oscillationHold'),
    meaning: `The rate controller oscillates${frequency > 0 ? ` at about ${short(frequency)} Hz` : ''}: its gains are too high, or parts are loose.`,
    advice: 'Lower P and D of the rate controller, and check for loose parts; then check the filters.',
    soften: (_, { peak, first }) => {
      const before = chosen(swings.slice(0, first), mask);
      const isNew = before.length > 0 && median(before) * QUIET_TIMES < peak;
      return ((isApart && step > SELDOM) || !isFollowed) && !isNew
        ? { severity: 'info', because: 'Rates are logged too seldom to tell it from vibration.' }
        : undefined;
    },
  });
}
