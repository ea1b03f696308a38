import type { Examination } from '../examination.ts';
import { short } from '../finding.ts';
import { usualStep, valuesAt } from '../holds.ts';
import type { Quantity, Reading } from '../series.ts';
import { judgeLevel } from './level.ts';
import { ATTITUDE, ATTITUDE_WISH, SDLOG_ATTITUDE } from './quantities.ts';

/** Modes in which no attitude is asked for, or in which being elsewhere is the point: in any spelling. */
const FREE_MODES: ReadonlySet<string> = new Set([
  'ACRO',
  'MANUAL',
  'TRAINING',
  'FLIP',
  'THROW',
  'SPORT',
  'DRIFT',
  'TURTLE',
  'AUTOTUNE',
  'QACRO',
  'RATTITUDE',
  'INITIALISING',
  'MOTOR_DETECT',
]);

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
export async function checkAttitude(exam: Examination): Promise<void> {
  const { kind } = exam.ground.vehicle;
  if (kind === 'Rover' || kind === 'Tracker') {
    exam.noData('attitude', 'Attitude', 'A vehicle on the ground takes the attitude of the ground.');
    return;
  }
  const tracking = await trackingOf(exam);
  exam.forget(ATTITUDE_WISH);
  if (!tracking) {
    exam.noData('attitude', 'Attitude', 'The log has no attitude, or not what was asked for, to compare the two.');
    return;
  }
  const { times, axes, step, isApart } = tracking;
  const mask = controlled(
    exam,
    times,
    axes.some(({ names }) => STICK_FIELDS.test(names[1])),
  );
  // what is seldom told may have changed meanwhile
  const lag = Math.max(exam.micros('attitude', 'lag'), 2 * step);
  for (const { axis, is, wish, names } of axes) {
    judgeLevel(exam, {
      check: 'attitude',
      title: `${axis} tracking`,
      times,
      lines: [{ name: `the distance of ${names.join(' from ')}`, values: beyondWish(times, is, wish, lag) }],
      fields: names,
      mask,
      scope: exam.flight,
      unit: '°',
      warn: exam.rule('attitude', 'warn'),
      fail: exam.rule('attitude', 'fail'),
      hold: Math.max(exam.micros('attitude', 'hold'), isApart ? 2 * step : 0),
      meaning: 'The vehicle did not follow what the controller asked for.',
      advice:
        'Look for a motor, propeller, servo or battery that could not give what was asked for; then at the tuning.',
    });
    exam.plot({ check: 'attitude', title: `${axis}: asked for and taken`, unit: '°', limits: [] }, [
      { name: names[0], times, values: is },
      { name: names[1], times, values: wish },
    ]);
  }
}

async function trackingOf(exam: Examination): Promise<Tracking | undefined> {
  const { log } = exam.ground;
  const isSdlog = log.table('ATSP') !== undefined && log.table('TIME') !== undefined;
  const [attitude] = await exam.read<'roll' | 'pitch' | 'rollWish' | 'pitchWish'>(isSdlog ? SDLOG_ATTITUDE : ATTITUDE);
  if (!attitude) return undefined;
  const { times, values, names } = attitude;
  if (values.rollWish || values.pitchWish) {
    const axes = (['roll', 'pitch'] as const).flatMap((key) => {
      const [is, wish] = [values[key], values[`${key}Wish`]];
      const axis = key === 'roll' ? ('Roll' as const) : ('Pitch' as const);
      return is && wish ? [{ axis, is, wish, names: [names[key] as string, names[`${key}Wish`] as string] }] : [];
    });
    return { times, axes, step: usualStep(times), isApart: false };
  }
  const [wished] = await exam.read(ATTITUDE_WISH);
  const wishes = wished && wishesOf(wished);
  if (!wished || !wishes) return undefined;
  const step = usualStep(wished.times);
  const axes = (['roll', 'pitch'] as const).flatMap((key) => {
    const is = values[key];
    const axis = key === 'roll' ? ('Roll' as const) : ('Pitch' as const);
    const wish = valuesAt(times, wished.times, wishes[key], Math.max(3 * step, 500_000));
    return is ? [{ axis, is, wish, names: [names[key] as string, wished.names[key] ?? `${wished.title}.q`] }] : [];
  });
  return { times, axes, step, isApart: true };
}

/** Degrees that a multicopter leans at most where no parameter says otherwise. */
const LEAN_MOST = 45;

/** Whether a multicopter leaned more than it lets itself: then it was out of control. */
export async function checkLean(exam: Examination): Promise<void> {
  if (exam.ground.vehicle.kind !== 'Copter') return;
  const [attitude] = await exam.read(ATTITUDE);
  const { roll, pitch } = attitude?.values ?? {};
  if (!attitude || !roll || !pitch) return;
  const { times, names } = attitude;
  const most = LEAN_PARAMETERS.map(([name, scale]) => (exam.parameter(name) ?? 0) * scale).find((value) => value > 0);
  const rule = exam.rule('attitude', 'leanBeyond');
  const limit = { ...rule, value: (most ?? LEAN_MOST) + rule.value };
  judgeLevel(exam, {
    check: 'attitude',
    title: 'Lean',
    times,
    lines: [{ name: 'the lean', values: roll.map((value, row) => leanOf(value, pitch[row])) }],
    fields: [names.roll as string, names.pitch as string],
    mask: controlled(exam, times, false),
    scope: exam.flight,
    unit: '°',
    warn: limit,
    fail: limit,
    hold: exam.micros('attitude', 'hold'),
    meaning: `The vehicle leans ${short(most ?? LEAN_MOST)}° at most by its parameters: it was out of control, as after a mechanical failure, or it crashed.`,
    advice: 'Look for what failed just before: a motor, a propeller, a wire; then at battery and vibration.',
  });
}

/** Parameters that limit the lean, and what makes degrees of them. */
const LEAN_PARAMETERS: readonly (readonly [name: string, scale: number])[] = [
  ['ANGLE_MAX', 0.01],
  ['ATC_ANGLE_MAX', 1],
  ['MPC_TILTMAX_AIR', 1],
  ['MPC_MAN_TILT_MAX', 1],
];

/** The angle between what is up for the vehicle and what is up. */
function leanOf(roll: number, pitch: number): number {
  return Math.acos(Math.cos(roll / DEGREES) * Math.cos(pitch / DEGREES)) * DEGREES;
}

/** Roll and pitch in degrees, also from a quaternion. */
function wishesOf({
  values,
  times,
}: Reading<'roll' | 'pitch' | 'q0' | 'q1' | 'q2' | 'q3' | 'ignored'>):
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
function controlled(exam: Examination, times: Float64Array, isStick: boolean): Uint8Array {
  const mask = exam.flight.mask(times, TRIM);
  const { modes } = exam.ground;
  let k = 0;
  for (let row = 0; row < times.length; row++) {
    while (k < modes.length - 1 && times[row] >= modes[k + 1].start) k++;
    if (modes.length === 0) continue;
    const mode = modes[k].mode.toUpperCase();
    if (isStick ? !STICK_MODES.has(mode) : FREE_MODES.has(mode)) mask[row] = 0;
  }
  return mask;
}

/**
 * How far a value is from all that was asked for in the last moments: a vehicle needs time to follow, and that alone
 * is no fault. Two queues hold the lowest and the highest wish of the time that counts.
 */
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

const RATE: Quantity<'roll' | 'rollWish' | 'pitch' | 'pitchWish' | 'out'> = [
  [{ table: 'RATE', fields: { roll: 'R', rollWish: 'RDes', pitch: 'P', pitchWish: 'PDes', out: 'ROut' } }],
];

/** Outputs of controllers are from -1 to 1 in firmwares of today. */
const OUT_MOST = 2;

/** Whether rates of turn were as the controller asked for. */
export async function checkRates(exam: Examination): Promise<void> {
  const [rates] = await exam.read(RATE);
  exam.forget(RATE);
  if (!rates) return;
  const { times, values, names } = rates;
  const mask = exam.flight.mask(times, TRIM);
  const lag = Math.max(exam.micros('attitude', 'lag'), 2 * usualStep(times));
  // firmwares that count outputs to 4500 count hundredths of degrees
  const scale = values.out?.some((out) => Math.abs(out) > OUT_MOST) ? 0.01 : 1;
  for (const key of ['roll', 'pitch'] as const) {
    const [is, wish] = [values[key], values[`${key}Wish`]];
    if (!is || !wish) continue;
    judgeLevel(exam, {
      check: 'attitude',
      title: key === 'roll' ? 'Roll rate tracking' : 'Pitch rate tracking',
      times,
      lines: [
        {
          name: `the distance of ${names[key]} from ${names[`${key}Wish`]}`,
          values: beyondWish(times, is, wish, lag).map((rate) => rate * scale),
        },
      ],
      fields: [names[key] as string, names[`${key}Wish`] as string],
      mask,
      scope: exam.flight,
      unit: '°/s',
      warn: exam.rule('attitude', 'rateWarn'),
      hold: exam.micros('attitude', 'hold'),
      meaning: 'The vehicle turned otherwise than the controller asked for.',
      advice: 'Look at vibration, at loose parts and at the tuning of the rate controller.',
    });
  }
}
