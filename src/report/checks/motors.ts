import { chosen, findHolds, type Hold, lastedInAll, longestOf, mean, valuesAt } from '../../series/holds.ts';
import { ATTITUDE, CONTROL } from '../../series/quantities.ts';
import { type Examination, NO_FLIGHT } from '../examination.ts';
import { secondsOf, short } from '../finding.ts';
import { REPORT_LIMITS } from '../limits.ts';
import { beyondWish, trackingOf } from './attitude.ts';
import { graded, rangesOf } from './level.ts';
import { type Motors, motorOutputs } from './outputs.ts';
import { throttleOf } from './throttle.ts';
import { smoothed } from './thrust.ts';

/** Microseconds around take-off and landing that are no hover. */
const TRIM = 3_000_000;
const SMOOTH = 1_000_000;

/** Whether motors work alike in hover, and whether one is at its end. */
export async function checkMotors(exam: Examination): Promise<void> {
  if (exam.ground.vehicle.kind !== 'Copter') {
    exam.noData('motors', 'Motors', 'Only motors of multicopters are compared, and this is not known to be one.');
    return;
  }
  const found = await motorOutputs(exam);
  if (typeof found === 'string') {
    exam.noData('motors', 'Motors', found);
    return;
  }
  await checkBalance(exam, found);
  await checkFull(exam, found);
  exam.plot(
    { check: 'motors', title: 'Motors', unit: 'µs', limits: [] },
    found.motors.map(({ name, times, values }) => ({ name, times, values })),
  );
}

/** Rows in which the vehicle hovers: level, neither climbing nor sinking, away from the ground. */
export async function hovering(exam: Examination, times: Float64Array): Promise<Uint8Array | undefined> {
  if (exam.flight.isGround) return undefined;
  const mask = exam.flight.mask(times, TRIM);
  const [attitude] = await exam.read(ATTITUDE);
  const control = (await exam.read(CONTROL)).find(({ values }) => values.climb);
  const { roll, pitch } = attitude?.values ?? {};
  const climb = control?.values.climb;
  if (!attitude || !roll || !pitch || !control || !climb) return undefined;
  const lean = valuesAt(
    times,
    attitude.times,
    roll.map((value, row) => Math.hypot(value, pitch[row])),
    1e6,
  );
  const rise = valuesAt(times, control.times, smoothed(control.times, climb, SMOOTH), 1e6);
  const turn =
    attitude.values.yaw && valuesAt(times, attitude.times, turnRates(attitude.times, attitude.values.yaw), 1e6);
  const [most, fastest] = [exam.limit('motors', 'hoverLean'), exam.limit('motors', 'hoverClimb')];
  const turning = exam.limit('motors', 'hoverTurn');
  return mask.map((isIn, row) =>
    isIn && lean[row] <= most && Math.abs(rise[row]) <= fastest && !(turn && Math.abs(turn[row]) > turning) ? 1 : 0,
  );
}

/** Degrees beyond what was asked for, from which a saturated motor is one that cannot hold the vehicle. */
const LOST = 20;

/** Whether the vehicle was far from the attitude that was asked for while motors were saturated. */
async function lostAttitude(exam: Examination, holds: readonly Hold[]): Promise<boolean> {
  const tracking = await trackingOf(exam);
  if (!tracking || holds.length === 0) return false;
  const first = holds.slice(0, REPORT_LIMITS.ranges);
  const { times, axes } = tracking;
  const lag = exam.micros('attitude', 'lag');
  return axes.some(({ is, wish }) =>
    beyondWish(times, is, wish, lag).some(
      (error, row) => error > LOST && first.some(({ from, to }) => times[row] >= from && times[row] <= to),
    ),
  );
}

/** Throttle below which a vehicle does not ask for all that its motors have. */
const PART_THROTTLE = 0.8;

/** Of motors that were saturated, those that were so for long while the throttle did not ask for it. */
async function unasked<T extends { readonly holds: readonly Hold[] }>(
  exam: Examination,
  held: readonly T[],
  least: number,
): Promise<(T & { readonly longest: number })[]> {
  const control = (await exam.read(CONTROL)).find(({ values }) => values.throttle);
  const throttle = control && throttleOf(control);
  const isAsked = ({ from, to }: Hold): boolean => {
    if (!control || !throttle) return false;
    const within = throttle.filter((_, row) => control.times[row] >= from && control.times[row] <= to);
    return within.length > 0 && mean(within) >= PART_THROTTLE;
  };
  return held.flatMap((each) => {
    const holds = each.holds.slice(0, REPORT_LIMITS.ranges).filter((hold) => hold.lasted >= least && !isAsked(hold));
    return holds.length === 0 ? [] : [{ ...each, holds, longest: longestOf(holds) }];
  });
}

/** Degrees a second by which a heading turned in the second before each row. */
function turnRates(times: Float64Array, yaw: Float64Array): Float64Array {
  const before = valuesAt(
    times.map((time) => time - SMOOTH),
    times,
    yaw,
    SMOOTH,
  );
  return yaw.map((angle, row) => ((((angle - before[row]) % 360) + 540) % 360) - 180);
}

async function checkBalance(exam: Examination, { motors, low, high, told }: Motors): Promise<void> {
  const { times } = motors[0];
  const title = 'Motor balance';
  const hover = await hovering(exam, times);
  if (!hover) {
    const text = exam.flight.isGround ? NO_FLIGHT : 'The log has no attitude and climb rate to find hover by.';
    exam.noData('motors', title, text);
    return;
  }
  const held = findHolds(times, Float64Array.from(hover), new Uint8Array(times.length).fill(1), 0.5, 0);
  const seconds = lastedInAll(held) / 1e6;
  const needed = exam.limit('motors', 'hoverSeconds');
  if (!(seconds >= needed)) {
    exam.noData('motors', title, `The vehicle hovered for ${short(seconds)} s only; ${short(needed)} s are needed.`);
    return;
  }
  // as if the range were that of usual pulses
  const scale = 1000 / (high - low);
  const means = motors.map(({ number, values }) => ({ number, mean: mean(chosen(values, hover)) }));
  const sorted = means.toSorted((a, b) => a.mean - b.mean);
  const [least, most] = [sorted[0], sorted[sorted.length - 1]];
  const spread = (most.mean - least.mean) * scale;
  const grade = graded(spread, exam.rule('motors', 'balanceWarn'), exam.rule('motors', 'balanceFail'));
  const isFine = grade.severity === 'ok';
  const list = means.map(({ number, mean }) => `motor ${number} ${short(mean)}`).join(', ');
  exam.add({
    check: 'motors',
    ...grade,
    title,
    text:
      `In ${short(seconds)} s of hover the motors averaged: ${list} (motors found ${told}).` +
      (isFine ? '' : ` Motor ${most.number} worked much harder than motor ${least.number}.`),
    advice: isFine
      ? ''
      : 'Look at the balance of weight, at bent arms and tilted motors, and at worn motors and propellers.',
    from: held[0].from,
    to: held[held.length - 1].to,
    overall: true,
    value: spread,
    unit: 'µs',
    fields: motors.map(({ name }) => name),
  });
}

/**
 * All motors saturated is a lack of thrust. One alone for a moment is a quick turn or a climb; it counts where it lasts,
 * and fails where the vehicle did not do what was asked of it meanwhile.
 */
async function checkFull(exam: Examination, { motors, low, high }: Motors): Promise<void> {
  const end = low + exam.limit('motors', 'full') * (high - low);
  const [warn, fail] = [exam.rule('motors', 'fullWarn'), exam.rule('motors', 'fullFail')];
  const held = motors.flatMap((motor) => {
    const holds = findHolds(motor.times, motor.values, exam.flight.mask(motor.times), end, warn.value * 1e6);
    return holds.length === 0 ? [] : [{ motor, holds, longest: longestOf(holds) }];
  });
  const lost = await lostAttitude(
    exam,
    held.flatMap(({ holds }) => holds),
  );
  const isAll = held.length === motors.length;
  const found = isAll || lost ? held : await unasked(exam, held, fail.value * 1e6);
  const fields = motors.map(({ name }) => name);
  if (found.length === 0) {
    exam.add({
      check: 'motors',
      severity: 'ok',
      title: 'Motors saturated',
      text: `No motor was saturated for long ${exam.flight.words}.`,
      from: exam.flight.from,
      to: exam.flight.to,
      threshold: warn.value,
      unit: 's',
      source: warn.source,
      fields,
    });
    return;
  }
  const longest = Math.max(...found.map(({ longest }) => longest));
  const rule = (isAll && longest >= fail.value * 1e6) || lost ? fail : warn;
  const names = found.map(({ motor, longest }) => `motor ${motor.number} for ${secondsOf(longest)}`).join(', ');
  const every = found.flatMap(({ holds }) => holds).sort((a, b) => a.from - b.from);
  const lasting = every.filter(({ lasted }) => lasted >= fail.value * 1e6);
  // short ones before it are those of turns and climbs
  const all = lasting.length > 0 && !lost ? lasting : every;
  exam.add({
    check: 'motors',
    severity: rule === fail ? 'fail' : 'warn',
    title: 'Motors saturated',
    text:
      `Saturated ${exam.flight.words}: ${names}. ` +
      (found.length < motors.length
        ? 'A motor that is saturated alone or with its neighbour makes up for another that gives too little.'
        : 'All of them: not enough thrust.'),
    advice: 'Look at the saturated motor and the one opposite to it, their propellers and ESCs, and at the weight.',
    from: all[0].from,
    to: all.reduce((last, { to }) => Math.max(last, to), Number.NEGATIVE_INFINITY),
    ranges: rangesOf(all),
    value: longest / 1e6,
    unit: 's',
    threshold: rule.value,
    source: rule.source,
    fields: found.map(({ motor }) => motor.name),
  });
}
