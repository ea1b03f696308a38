import { chosen, findExceedances, lastedInAll, median, valuesAt, valuesBefore } from '../../series/holds.ts';
import { DRIVE, STEERING } from '../../series/quantities.ts';
import { secondsOf, short } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { throttleOf } from './computed.ts';
import { during } from './judge.ts';

const TITLE = 'Drive';
const STEERING_TITLE = 'Steering';
/** Microseconds over which a vehicle must have become faster. */
const SPAN = 1e6;
/** Metres a second by which it must, and which it may miss without being slow. */
const FASTER = 0.05;
const SLOWER = 0.3;
/** Part of the speed asked for that a vehicle with a working drive may miss, and below which it is stuck. */
const MISSED = 0.2;
const STUCK = 0.5;
/** Times the usual throttle that asks for more, if the desired speed is not logged. */
const MORE = 1.2;
/** Metres a second from which steering turns a vehicle. */
const ROLLS = 0.5;
/** Microseconds after the last movement in which a vehicle may still try to go on. */
const AFTER = 10e6;

/** Whether a vehicle on wheels or on water goes as its throttle and its steering command. */
export async function checkDrive(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  if (facts.vehicle.kind !== 'Rover') return;
  const speeds = await checkSpeed(facts, report);
  await checkSteering(facts, report, speeds);
}

interface Speeds {
  readonly times: Float64Array;
  readonly speed: Float64Array;
}

/** With the throttle forward, what is slower than asked for becomes faster, or its drive does not work. */
async function checkSpeed(facts: VehicleFacts, report: ReportBuilder): Promise<Speeds | undefined> {
  const [reading] = await facts.read(DRIVE);
  const throttle = reading && throttleOf(reading);
  const { speed, wish } = reading?.values ?? {};
  if (!reading || !throttle || !speed || facts.flight.isGround) {
    report.noData('drive', TITLE, 'No throttle and speed in the log, or the vehicle did not drive.');
    return undefined;
  }
  const { times, names } = reading;
  const before = valuesBefore(times, speed, SPAN);
  const driving = facts.flight.mask(times);
  const [usual, usualThrottle] = [speed, throttle.map(Math.abs)].map((of) => median(chosen(of.map(Math.abs), driving)));
  const wanted = (row: number): number => {
    if (wish) return wish[row];
    return throttle[row] > MORE * usualThrottle ? usual : 0;
  };
  const slow = throttle.map((value, row) => {
    const [asked, way] = [wanted(row), Math.sign(wanted(row))];
    const missed = way * (asked - speed[row]);
    const gained = way * (speed[row] - before[row]);
    return way * value > 0 && missed > Math.max(SLOWER, MISSED * Math.abs(asked)) && gained < FASTER ? 1 : 0;
  });
  const isStuck = (row: number): boolean => Math.abs(speed[row]) < STUCK * Math.abs(wanted(row));
  const [rule, fail] = [report.rule('drive', 'hold'), report.micros('drive', 'fail')];
  const holds = findExceedances(times, slow, trying(facts, times), 0.5, rule.value * 1e6).filter(({ first, last }) =>
    slow.subarray(first, last + 1).some((_, i) => isStuck(first + i)),
  );
  const fields = [names.throttle, names.speed, names.wish];
  const common = { check: 'drive', title: TITLE, fields, rule };
  if (holds.length === 0) {
    const text = 'With the throttle forward the vehicle reached the desired speed.';
    report.add({ ...common, severity: 'ok', text, ...facts.flight.when });
    return { times, speed };
  }
  const lasted = lastedInAll(holds);
  const { first, last } = holds.reduce((a, b) => (b.lasted > a.lasted ? b : a));
  const most = throttle.subarray(first, last + 1).reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  report.add({
    ...common,
    severity: lasted >= fail ? 'fail' : 'warn',
    text:
      `With up to ${short(100 * most)} % throttle the vehicle did not reach the desired speed for ${secondsOf(lasted)}: ` +
      `speed ${short(speed[first])} to ${short(speed[last])} m/s, desired ${short(wanted(last))} m/s. The motor stopped, or the vehicle is stuck.`,
    advice: 'Check the motor, its ESC, gears and wheels or propeller, then the ground and the battery.',
    ...during(holds),
    value: lasted / 1e6,
    unit: 's',
  });
  return { times, speed };
}

/** From the first movement on until a little after the last one, while it was armed. */
function trying({ phases: { flying, armed } }: VehicleFacts, times: Float64Array): Uint8Array {
  return Uint8Array.from(times, (time) => {
    const isNear = flying.some(({ start, end }) => time >= start && time <= end + AFTER);
    return isNear && (armed.length === 0 || armed.some(({ start, end }) => time >= start && time <= end)) ? 1 : 0;
  });
}

/** At speed, a vehicle turns as its steering commands. */
async function checkSteering(facts: VehicleFacts, report: ReportBuilder, speeds: Speeds | undefined): Promise<void> {
  const [reading] = await facts.read(STEERING);
  const { turn, wish } = reading?.values ?? {};
  if (!reading || !turn || !wish || !speeds) {
    report.noData('drive', STEERING_TITLE, 'No measured turn rate in the log beside the desired one (STER).');
    return;
  }
  const { times, names } = reading;
  const at = valuesAt(times, speeds.times, speeds.speed, SPAN);
  const [most, share] = [report.limit('drive', 'turn'), report.limit('drive', 'turnShare')];
  const mask = facts.flight.mask(times).map((isIn, row) => (isIn && Math.abs(at[row]) > ROLLS ? 1 : 0));
  const errors = turn.map(
    (rate, row) => Math.abs(wish[row] - rate) / Math.max(most, (share * Math.abs(wish[row])) / 100),
  );
  const holds = findExceedances(times, errors, mask, 1, report.micros('drive', 'turnHold'));
  const fields = [names.turn, names.wish];
  const common = { check: 'drive', title: STEERING_TITLE, fields, rule: report.rule('drive', 'turn') };
  if (holds.length === 0) {
    const text = 'The vehicle turned as its steering commanded.';
    report.add({ ...common, severity: 'ok', text, ...facts.flight.when });
    return;
  }
  const worst = holds.reduce((a, b) => (b.peak > a.peak ? b : a));
  const row = times.indexOf(worst.peakAt);
  const lasted = lastedInAll(holds);
  report.add({
    ...common,
    severity: lasted >= report.micros('drive', 'fail') ? 'fail' : 'warn',
    text: `The vehicle turned at ${short(turn[row])}°/s instead of ${short(wish[row])}°/s; it did not follow its steering for ${secondsOf(lasted)}.`,
    advice: 'Check the steering servo, its linkage and power; with two motors, both of them.',
    ...during(holds),
    value: Math.abs(wish[row] - turn[row]),
    unit: '°/s',
  });
}
