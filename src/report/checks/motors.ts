import {
  chosen,
  type Exceedance,
  findExceedances,
  lastedInAll,
  longestOf,
  mean,
  peakOf,
  smoothed,
  sortRow,
  valuesAt,
  valuesBefore,
} from '../../series/holds.ts';
import { ATTITUDE, CONTROL, MOTORS, OUTPUT_CHANNELS, OUTPUTS } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { secondsOf, short } from '../finding.ts';
import { REPORT_LIMITS } from '../limits.ts';
import { NO_FLIGHT, type ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { beyondWish, trackingOf } from './attitude.ts';
import { throttleOf } from './computed.ts';
import { during, graded, lastingGroups, SHORT, spanOf } from './judge.ts';

/** One motor: its number, its channel, its field in the log, and what was sent to it. */
interface Motor {
  readonly number: number;
  readonly channel: number;
  readonly name: string;
  readonly times: Float64Array;
  /** Pulse lengths, or their equivalent. */
  readonly values: Float64Array;
}

/** The motors of a multicopter with the ends of what is sent to them. */
export interface Motors {
  readonly motors: readonly Motor[];
  readonly low: number;
  readonly high: number;
  /** Where the channels are from. */
  readonly told: string;
}

/** FRAME_CLASS of frames that do not hover on equal motors: helicopters, single and coaxial copters, bicopters. */
const UNEQUAL_FRAMES: ReadonlySet<number> = new Set([6, 8, 9, 10, 11, 13]);

/** The number of a motor by SERVOn_FUNCTION, or undefined for other functions. */
export function motorNumber(servoFunction: number): number | undefined {
  if (servoFunction >= 33 && servoFunction <= 40) return servoFunction - 32;
  if (servoFunction >= 82 && servoFunction <= 85) return servoFunction - 73;
  if (servoFunction >= 160 && servoFunction <= 179) return servoFunction - 147;
  return undefined;
}

/** PX4: output functions 101 and on are motors; which family of parameters it is depends on the board. */
const PX4_FAMILIES: readonly string[] = ['PWM_MAIN_FUNC', 'HIL_ACT_FUNC', 'SIM_GZ_EC_FUNC'];

/** Which channels are motors, by number of the motor, and where that is from. */
interface MotorAssignment {
  readonly channels: ReadonlyMap<number, number>;
  readonly told: string;
}

/** The motors of the vehicle with what was sent to them, or a sentence why there are none. Its rows are kept. */
export async function motorOutputs(facts: VehicleFacts): Promise<Motors | string> {
  const frame = facts.parameter('FRAME_CLASS');
  if (frame !== undefined && UNEQUAL_FRAMES.has(frame))
    return 'Motors of this frame class do not share the load equally.';
  if (facts.parameter('H_SWASH_TYPE') !== undefined || facts.parameter('H_RSC_MODE') !== undefined)
    return 'A helicopter has no motors to compare.';
  const [own] = await facts.read(MOTORS);
  if (own) {
    const motors = Object.keys(own.values).flatMap((key) => motorOf(own, Number(key), Number(key)) ?? []);
    const range = own.table === 'MOT' ? ends(facts) : { low: 0, high: 1 };
    if (motors.length >= 3) return { motors, ...range, told: `by ${own.table}` };
  }
  const readings = await facts.read(OUTPUTS);
  if (readings.length === 0) return 'No motor outputs in the log (RCOU, MOT, SERVO_OUTPUT_RAW or actuator_outputs).';
  if (readings[0].table === 'actuator_outputs') return runningOutputs(facts, readings);
  const assigned = byFunction(facts) ?? byPx4(facts) ?? byHabit(facts, readings);
  if (!assigned) return 'Motor outputs unknown: no SERVOn_FUNCTION in the log.';
  const motors = [...assigned.channels].flatMap(([number, channel]) => {
    const reading = readings.find(({ values }) => values[`${channel}`]);
    return (reading && motorOf(reading, number, channel)) ?? [];
  });
  if (motors.length < 3) return `Only ${motors.length} motors are in the log.`;
  return { motors: motors.sort((a, b) => a.number - b.number), ...ends(facts), told: assigned.told };
}

function motorOf(reading: QuantityRows<string>, number: number, channel: number): Motor | undefined {
  const key = `${channel}`;
  const values = reading.values[key];
  if (!values?.some((value) => value > 0)) return undefined;
  const { port } = reading.values;
  // channels above 16 come under another port
  const own = port ? values.map((value, row) => (port[row] > 0 ? Number.NaN : value)) : values;
  return { number, channel, name: reading.names[key] as string, times: reading.times, values: own };
}

function byFunction(facts: VehicleFacts): MotorAssignment | undefined {
  const found = new Map<number, number>();
  for (let channel = 1; channel <= OUTPUT_CHANNELS; channel++) {
    const motor = motorNumber(facts.parameter(`SERVO${channel}_FUNCTION`) ?? 0);
    if (motor !== undefined) found.set(motor, channel);
  }
  return found.size > 0 ? { channels: found, told: 'by SERVOn_FUNCTION' } : undefined;
}

function byPx4(facts: VehicleFacts): MotorAssignment | undefined {
  for (const family of PX4_FAMILIES) {
    const found = new Map<number, number>();
    for (let channel = 1; channel <= 16; channel++) {
      const motor = (facts.parameter(`${family}${channel}`) ?? 0) - 100;
      if (motor >= 1 && motor <= 12) found.set(motor, channel);
    }
    if (found.size > 0) return { channels: found, told: `by ${family}n` };
  }
  return undefined;
}

/** What outputs of PX4 count to: a part, pulses in microseconds, numbers of CAN. */
const OUTPUT_RANGES: readonly { readonly most: number; readonly low: number; readonly high: number }[] = [
  { most: 1.5, low: 0, high: 1 },
  { most: 2600, low: 1000, high: 2000 },
  { most: 9000, low: 0, high: 8191 },
];

/** The motors of a PX4 before it logged them: of several drivers, those whose first channels run in flight. */
function runningOutputs(facts: VehicleFacts, readings: readonly QuantityRows<string>[]): Motors | string {
  for (const reading of readings) {
    const found = (byPx4(facts) ?? byHabit(facts, [reading]))?.channels ?? new Map<number, number>();
    const mask = facts.flight.mask(reading.times);
    const motors = [...found].flatMap(([number, channel]) =>
      isMoving(reading, `${channel}`, mask) ? (motorOf(reading, number, channel) ?? []) : [],
    );
    if (motors.length < 3) continue;
    const most = Math.max(...motors.flatMap(({ values }) => values.reduce((a, b) => Math.max(a, b), 0)));
    const range = OUTPUT_RANGES.find((each) => most <= each.most);
    if (!range) continue;
    const { low, high } = range.low === 1000 ? ends(facts) : range;
    return { motors, low, high, told: `assumed: the first channels of ${reading.title} that run` };
  }
  return 'Motor outputs unknown: none of actuator_outputs runs like motors.';
}

/**
 * Before SERVOn_FUNCTION the motors of a copter were its first channels, and those after the fourth had other uses
 * unless the frame had more motors: they are motors if no RCn_FUNCTION says otherwise and they run as the first
 * four do.
 */
function byHabit(facts: VehicleFacts, readings: readonly QuantityRows<string>[]): MotorAssignment | undefined {
  const [reading] = readings;
  const mask = facts.flight.mask(reading.times);
  const averageOf = (channel: number): number =>
    mean(chosen(reading.values[`${channel}`] ?? new Float64Array(0), mask));
  const first = [1, 2, 3, 4].map(averageOf);
  if (first.some((value) => !(value > 0))) return undefined;
  const middle = first.reduce((sum, value) => sum + value, 0) / first.length;
  const found = new Map([1, 2, 3, 4].map((channel) => [channel, channel]));
  for (const pair of [
    [5, 6],
    [7, 8],
  ]) {
    const isMotor = (channel: number): boolean =>
      !facts.parameter(`RC${channel}_FUNCTION`) &&
      Math.abs(averageOf(channel) - middle) < ALIKE &&
      isMoving(reading, `${channel}`, mask);
    if (!pair.every(isMotor)) break;
    for (const channel of pair) found.set(channel, channel);
  }
  return { channels: found, told: 'assumed, as in old firmware: the first channels' };
}

/** Microseconds of pulses within which the averages of motors are. */
const ALIKE = 150;
/** Microseconds by which what is sent to a motor changes at least. */
const MOVING = 20;

function isMoving({ values }: QuantityRows<string>, key: string, mask: Uint8Array): boolean {
  const rows = chosen(values[key] ?? new Float64Array(0), mask);
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of rows) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return high - low > MOVING;
}

/** The ends of what is sent to motors: by parameters of today, by those of the throttle channel, or as is usual. */
function ends(facts: VehicleFacts): { low: number; high: number } {
  const first = (...names: readonly string[]): number | undefined =>
    names.map((name) => facts.parameter(name)).find((value) => value !== undefined && value >= 500 && value <= 2500);
  const low = first('MOT_PWM_MIN', 'RC3_MIN', 'PWM_MAIN_MIN1', 'PWM_MIN') ?? 1000;
  const high = first('MOT_PWM_MAX', 'RC3_MAX', 'PWM_MAIN_MAX1', 'PWM_MAX') ?? 2000;
  if (!(high > low + 100)) return { low: 1000, high: 2000 };
  const spin = facts.parameter('MOT_SPIN_MAX');
  const curve = facts.parameter('MOT_TCRV_ENABLE') ? (facts.parameter('MOT_TCRV_MAXPCT') ?? 100) / 100 : 1;
  const part = spin ?? curve;
  // the part of the range that the firmware uses at most
  return { low, high: part > 0.5 && part < 1 ? low + part * (high - low) : high };
}

/** Whether a motor that ran in flight was switched off while the others went on, as PX4 does with one that failed. */
export async function checkSwitchedOff(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const found = await motorOutputs(facts);
  if (typeof found === 'string' || found.high !== 1 || facts.flight.isGround) return;
  const { motors } = found;
  const { times } = motors[0];
  const isOn = (value: number): boolean => value > 0;
  const off = motors.flatMap(({ number, name, values }) => {
    const isOff = values.map((value, row) =>
      Number.isNaN(value) && motors.some((other) => isOn(other.values[row])) ? 1 : 0,
    );
    const holds = findExceedances(times, isOff, facts.flight.mask(times), 0.5, 0).filter(({ first }) =>
      values.subarray(0, first).some(isOn),
    );
    return holds.length === 0 ? [] : [{ number, name, holds }];
  });
  if (off.length === 0) return;
  const all = off.flatMap(({ holds }) => holds).sort((a, b) => a.start - b.start);
  report.add({
    check: 'motors',
    severity: 'fail',
    title: 'Motor switched off',
    text: `The autopilot switched off motor ${off.map(({ number }) => number).join(', ')} ${facts.flight.words} while the others ran, for ${secondsOf(lastedInAll(all))}: it detected a failure.`,
    advice: 'Check that motor, its ESC, propeller and wires.',
    ...during(all),
    fields: off.map(({ name }) => name),
    instance: off.length === 1 ? String(off[0].number) : '',
  });
}

/** Microseconds around take-off and landing that do not count as hover. */
const TRIM = 3_000_000;
const SMOOTH = 1_000_000;

/** Whether motors work alike in hover, and whether one is at its end. */
export async function checkMotors(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  if (facts.vehicle.kind !== 'Copter') {
    report.noData('motors', 'Motors', 'Only motors of multicopters are compared; this is not known to be one.');
    return;
  }
  const found = await motorOutputs(facts);
  if (typeof found === 'string') {
    report.noData('motors', 'Motors', found);
    return;
  }
  await checkBalance(facts, report, found);
  await checkFull(facts, report, found);
  checkAlone(facts, report, found);
  report.plot(
    { check: 'motors', title: 'Motors', unit: 'µs', limits: [] },
    found.motors.map(({ name, times, values }) => ({ name, times, values })),
  );
}

/** Rows in which the vehicle hovers: level, neither climbing nor sinking, away from the ground. */
export async function hovering(
  facts: VehicleFacts,
  report: ReportBuilder,
  times: Float64Array,
): Promise<Uint8Array | undefined> {
  if (facts.flight.isGround) return undefined;
  const mask = facts.flight.mask(times, TRIM);
  const [attitude] = await facts.read(ATTITUDE);
  const control = (await facts.read(CONTROL)).find(({ values }) => values.climb);
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
  const [most, fastest] = [report.limit('motors', 'hoverLean'), report.limit('motors', 'hoverClimb')];
  const turning = report.limit('motors', 'hoverTurn');
  return mask.map((isIn, row) =>
    isIn && lean[row] <= most && Math.abs(rise[row]) <= fastest && !(turn && Math.abs(turn[row]) > turning) ? 1 : 0,
  );
}

/** Degrees beyond what was asked for, from which a saturated motor is one that cannot hold the vehicle. */
const LOST = 20;

/** Whether the vehicle was far from the attitude that was asked for while motors were saturated. */
async function lostAttitude(
  facts: VehicleFacts,
  report: ReportBuilder,
  holds: readonly Exceedance[],
): Promise<boolean> {
  const tracking = await trackingOf(facts);
  if (!tracking || holds.length === 0) return false;
  const first = holds.slice(0, REPORT_LIMITS.ranges);
  const { times, axes } = tracking;
  const lag = report.micros('attitude', 'lag');
  return axes.some(({ is, wish }) =>
    beyondWish(times, is, wish, lag).some(
      (error, row) => error > LOST && first.some(({ start, end }) => times[row] >= start && times[row] <= end),
    ),
  );
}

/** Throttle below which a vehicle does not ask for all that its motors have. */
const PART_THROTTLE = 0.8;

/** Of motors that were saturated, those that were so for long while the throttle did not ask for it. */
async function unasked<T extends { readonly holds: readonly Exceedance[] }>(
  facts: VehicleFacts,
  held: readonly T[],
  least: number,
): Promise<(T & { readonly longest: number })[]> {
  const control = (await facts.read(CONTROL)).find(({ values }) => values.throttle);
  const throttle = control && throttleOf(control);
  const isAsked = ({ start, end }: Exceedance): boolean => {
    if (!control || !throttle) return false;
    const within = throttle.filter((_, row) => control.times[row] >= start && control.times[row] <= end);
    return within.length > 0 && mean(within) >= PART_THROTTLE;
  };
  return held.flatMap((each) => {
    const holds = each.holds.slice(0, REPORT_LIMITS.ranges).filter((hold) => hold.lasted >= least && !isAsked(hold));
    return holds.length === 0 ? [] : [{ ...each, holds, longest: longestOf(holds) }];
  });
}

/** Degrees a second by which a heading turned in the second before each row. */
function turnRates(times: Float64Array, yaw: Float64Array): Float64Array {
  const before = valuesBefore(times, yaw, SMOOTH);
  return yaw.map((angle, row) => ((((angle - before[row]) % 360) + 540) % 360) - 180);
}

async function checkBalance(
  facts: VehicleFacts,
  report: ReportBuilder,
  { motors, low, high, told }: Motors,
): Promise<void> {
  const { times } = motors[0];
  const title = 'Motor balance';
  const hover = await hovering(facts, report, times);
  if (!hover) {
    const text = facts.flight.isGround ? NO_FLIGHT : 'No attitude and climb rate in the log to find hover.';
    report.noData('motors', title, text);
    return;
  }
  const held = findExceedances(times, Float64Array.from(hover), new Uint8Array(times.length).fill(1), 0.5, 0);
  const seconds = lastedInAll(held) / 1e6;
  const needed = report.limit('motors', 'hoverSeconds');
  if (!(seconds >= needed)) {
    report.noData('motors', title, `Only ${short(seconds)} s of hover; ${short(needed)} s are needed.`);
    return;
  }
  // as if the range were that of usual pulses
  const scale = 1000 / (high - low);
  const means = motors.map(({ number, values }) => ({ number, mean: mean(chosen(values, hover)) }));
  const sorted = means.toSorted((a, b) => a.mean - b.mean);
  const [least, most] = [sorted[0], sorted[sorted.length - 1]];
  const spread = (most.mean - least.mean) * scale;
  const grade = graded(spread, report.rule('motors', 'balanceWarn'), report.rule('motors', 'balanceFail'));
  const isFine = grade.severity === 'ok';
  const list = means.map(({ number, mean }) => `motor ${number} ${short(mean)}`).join(', ');
  report.add({
    check: 'motors',
    ...grade,
    title,
    text:
      `In ${short(seconds)} s of hover the motors averaged: ${list} (motors found ${told}).` +
      (isFine ? '' : ` Motor ${most.number} worked much harder than motor ${least.number}.`),
    advice: 'Check weight balance, bent arms, tilted motors, and worn motors and propellers.',
    ...spanOf(held),
    ...(isFine ? {} : { from: unevenFrom(motors, hover, grade.rule.value / scale) }),
    overall: true,
    value: spread,
    unit: 'µs',
    fields: motors.map(({ name }) => name),
  });
}

/** Since when motors in hover were so far apart: one that failed in flight was like the others before. */
function unevenFrom(motors: readonly Motor[], hover: Uint8Array, limit: number): number {
  const { times } = motors[0];
  const lines = motors.map(({ values }) =>
    smoothed(
      times,
      values.map((value, row) => (hover[row] === 1 ? value : Number.NaN)),
      TRIM,
    ),
  );
  const sorted = new Float64Array(lines.length);
  const row = hover.findIndex((isIn, at) => {
    const known = isIn === 1 ? sortRow(lines, at, sorted) : 0;
    return known === lines.length && sorted[known - 1] - sorted[0] > limit;
  });
  return times[row < 0 ? hover.indexOf(1) : row];
}

/** All motors saturated lack thrust; one alone counts if it lasts, and fails if the vehicle did not follow. */
async function checkFull(facts: VehicleFacts, report: ReportBuilder, { motors, low, high }: Motors): Promise<void> {
  const end = low + report.limit('motors', 'full') * (high - low);
  const [warn, fail] = [report.rule('motors', 'fullWarn'), report.rule('motors', 'fullFail')];
  const held = motors.flatMap((motor) => {
    const holds = findExceedances(motor.times, motor.values, facts.flight.mask(motor.times), end, warn.value * 1e6);
    return holds.length === 0 ? [] : [{ motor, holds, longest: longestOf(holds) }];
  });
  const lost = await lostAttitude(
    facts,
    report,
    held.flatMap(({ holds }) => holds),
  );
  const isAll = held.length === motors.length;
  const found = isAll || lost ? held : await unasked(facts, held, fail.value * 1e6);
  const fields = motors.map(({ name }) => name);
  if (found.length === 0) {
    report.add({
      check: 'motors',
      severity: 'ok',
      title: 'Motors saturated',
      text: `No motor was saturated for long ${facts.flight.words}.`,
      ...facts.flight.when,
      rule: warn,
      unit: 's',
      fields,
    });
    return;
  }
  const longest = Math.max(...found.map(({ longest }) => longest));
  const rule = (isAll && longest >= fail.value * 1e6) || lost ? fail : warn;
  const names = found.map(({ motor, longest }) => `motor ${motor.number} for ${secondsOf(longest)}`).join(', ');
  const every = found.flatMap(({ holds }) => holds).sort((a, b) => a.start - b.start);
  const lasting = every.filter(({ lasted }) => lasted >= fail.value * 1e6);
  // short ones before it are those of turns and climbs
  const all = lasting.length > 0 && !lost ? lasting : every;
  report.add({
    check: 'motors',
    severity: rule === fail ? 'fail' : 'warn',
    title: 'Motors saturated',
    text:
      `Saturated ${facts.flight.words}: ${names}. ` +
      (found.length < motors.length
        ? 'A motor that is saturated alone or with its neighbour compensates for a weak one.'
        : 'All of them: not enough thrust.'),
    advice: 'Check the saturated motor and the one opposite, their propellers and ESCs, and the weight.',
    ...during(all),
    value: longest / 1e6,
    unit: 's',
    rule,
    fields: found.map(({ motor }) => motor.name),
  });
}

/** Microseconds of flight before a moment that tell what motors needed, and between them and the moment. */
const BEFORE = 20e6;
const BETWEEN = 2e6;
/** Part of them that a log must have. */
const BEFORE_LEAST = 5e6;

/** Whether one motor had to work harder while the others did not: it gives less thrust. */
function checkAlone(facts: VehicleFacts, report: ReportBuilder, { motors, low, high }: Motors): void {
  const title = 'Motor lost thrust';
  const { times } = motors[0];
  if (facts.flight.isGround || motors.length < 4 || motors.some((each) => each.times !== times)) return;
  const flight = facts.flight.mask(times, TRIM);
  const begun = valuesBefore(times, Float64Array.from(flight), BETWEEN + BEFORE_LEAST, SMOOTH);
  const mask = flight.map((isIn, row) => (isIn && begun[row] === 1 ? 1 : 0));
  const changes = motors.map(({ values }) => {
    const flown = values.map((value, row) => (flight[row] === 1 ? (1000 * value) / (high - low) : Number.NaN));
    const before = valuesBefore(times, smoothed(times, flown, BEFORE), BETWEEN, SMOOTH);
    return smoothed(times, flown, SMOOTH).map((value, row) => value - before[row]);
  });
  const rule = report.rule('motors', 'alone');
  const found = motors.flatMap((motor, i) => {
    const others = changes.filter((_, k) => k !== i);
    const rest = new Float64Array(others.length);
    const alone = changes[i].map((change, row) =>
      sortRow(others, row, rest) < rest.length
        ? Number.NaN
        : change - rest[rest.length >> 1] - (rest[rest.length - 1] - rest[0]),
    );
    const holds = lastingGroups(
      findExceedances(times, alone, mask, rule.value, SHORT),
      report.micros('motors', 'aloneHold'),
    );
    return holds.length === 0 ? [] : [{ motor, holds }];
  });
  const fields = motors.map(({ name }) => name);
  if (found.length === 0) {
    const text = `No motor alone had to work harder than before ${facts.flight.words}.`;
    if (mask.includes(1))
      report.add({ check: 'motors', severity: 'ok', title, text, ...facts.flight.when, rule, fields });
    return;
  }
  const holds = found.flatMap((each) => each.holds).sort((a, b) => a.start - b.start);
  const most = peakOf(holds);
  report.add({
    check: 'motors',
    severity: 'warn',
    title,
    text: `${found.map(({ motor }) => `Motor ${motor.number}`).join(', ')} needed up to ${short(most)} µs more than before ${facts.flight.words} while the others did not: it gives less thrust.`,
    advice: 'Check that motor, its ESC, propeller and wires.',
    // an average passes the limit late
    ...during(holds.map((hold) => ({ ...hold, start: hold.start - SMOOTH * Math.min(1, rule.value / hold.peak) }))),
    value: most,
    unit: 'µs',
    rule,
    fields: found.map(({ motor }) => motor.name),
    instance: found.length === 1 ? String(found[0].motor.number) : '',
  });
}
