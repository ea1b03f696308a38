import type { Examination } from '../examination.ts';
import { secondsOf, short } from '../finding.ts';
import { chosen, findHolds, lastedInAll, longestOf, mean, valuesAt } from '../holds.ts';
import { graded, rangesOf } from './level.ts';
import { type Motors, motorOutputs } from './outputs.ts';
import { ATTITUDE, CONTROL } from './quantities.ts';
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
  checkFull(exam, found);
  exam.plot(
    { check: 'motors', title: 'Motors', unit: 'µs', limits: [] },
    found.motors.map(({ name, times, values }) => ({ name, times, values })),
  );
}

/** Rows in which the vehicle hovers: level, neither climbing nor sinking, away from the ground. */
export async function hovering(exam: Examination, times: Float64Array): Promise<Uint8Array | undefined> {
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
  const [most, fastest] = [exam.limit('motors', 'hoverLean'), exam.limit('motors', 'hoverClimb')];
  return mask.map((isIn, row) => (isIn && lean[row] <= most && Math.abs(rise[row]) <= fastest ? 1 : 0));
}

async function checkBalance(exam: Examination, { motors, low, high, told }: Motors): Promise<void> {
  const { times } = motors[0];
  const title = 'Motor balance';
  const hover = await hovering(exam, times);
  if (!hover) {
    exam.noData('motors', title, 'The log has no attitude and climb rate to tell hover by.');
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
      `In ${short(seconds)} s of hover the motors had on average: ${list} (told ${told}).` +
      (isFine ? '' : ` Motor ${most.number} works much harder than motor ${least.number}.`),
    advice: isFine
      ? ''
      : 'Look at the balance of weight, at bent arms and tilted motors, and at worn motors and propellers.',
    from: held[0].from,
    to: held[held.length - 1].to,
    value: spread,
    unit: 'µs',
    fields: motors.map(({ name }) => name),
  });
}

function checkFull(exam: Examination, { motors, low, high }: Motors): void {
  const end = low + exam.limit('motors', 'full') * (high - low);
  const [warn, fail] = [exam.rule('motors', 'fullWarn'), exam.rule('motors', 'fullFail')];
  const found = motors.flatMap((motor) => {
    const holds = findHolds(motor.times, motor.values, exam.flight.mask(motor.times), end, warn.value * 1e6);
    return holds.length === 0 ? [] : [{ motor, holds, longest: longestOf(holds) }];
  });
  const fields = motors.map(({ name }) => name);
  if (found.length === 0) {
    exam.add({
      check: 'motors',
      severity: 'ok',
      title: 'Motors at their end',
      text: `No motor was at its end for ${secondsOf(warn.value * 1e6)} or longer ${exam.flight.words}.`,
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
  const rule = longest >= fail.value * 1e6 ? fail : warn;
  const names = found.map(({ motor, longest }) => `motor ${motor.number} for ${secondsOf(longest)}`).join(', ');
  const all = found.flatMap(({ holds }) => holds).sort((a, b) => a.from - b.from);
  exam.add({
    check: 'motors',
    severity: rule === fail ? 'fail' : 'warn',
    title: 'Motors at their end',
    text:
      `Motors could not give more ${exam.flight.words}: ${names}. ` +
      (found.length < motors.length
        ? 'One that is at its end alone or with its neighbours makes up for another that gives too little.'
        : 'All of them: the vehicle has not enough thrust.'),
    advice:
      'Look at the motor opposite to the one at its end, its propeller and its speed controller, and at the weight.',
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
