import { chosen, findExceedances, lastedInAll, median, smoothed, valuesAt, valuesBefore } from '../../series/holds.ts';
import { AIRSPEED, CLIMB_HEIGHT, CONTROL } from '../../series/quantities.ts';
import { secondsOf, short } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import { inModes, type VehicleFacts } from '../vehicle-facts.ts';
import { throttleOf } from './computed.ts';
import { during } from './judge.ts';

const GRAVITY = 9.80665;
/** Microseconds over which energy is compared. */
const SPAN = 2e6;
/** Microseconds after take-off and before landing: a wing on the ground rolls. */
const TRIM = 3e6;
/** Part of the usual airspeed below which no wing flies. */
const SLOWEST = 0.4;
const TITLE = 'Engine';

/** Whether full throttle drove a fixed wing: with it, height plus speed (as height) must not fall. */
export async function checkEngine(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  if (facts.vehicle.kind !== 'Plane') return;
  const control = (await facts.read(CONTROL)).find(({ values }) => values.throttle);
  const throttle = control && (control.values.push ?? throttleOf(control));
  const [air] = await facts.read(AIRSPEED);
  const [up] = await facts.read(CLIMB_HEIGHT);
  facts.forget(CLIMB_HEIGHT);
  const [speed, height] = [air?.values.speed, up?.values.height];
  if (!control || !throttle || !air || !speed?.some((value) => value > 0) || !up || !height) {
    report.noData('engine', TITLE, 'No throttle, airspeed and height in the log to judge the engine.');
    return;
  }
  const { times } = control;
  const speeds = valuesAt(times, air.times, speed, 1e6);
  const heights = valuesAt(times, up.times, smoothed(up.times, height, 5e5), 1e6);
  const energy = heights.map((metres, row) => metres + speeds[row] ** 2 / (2 * GRAVITY));
  const before = valuesBefore(times, energy, SPAN);
  const full = report.rule('engine', 'full');
  const loss = report.limit('engine', 'loss');
  const falling = throttle.map((value, row) =>
    value >= full.value && (energy[row] - before[row]) / (SPAN / 1e6) < -loss ? 1 : 0,
  );
  const flight = facts.flight.mask(times, TRIM);
  const cruise = median(chosen(speeds, flight));
  // a hover is not wing flight, and below the slowest flight of a wing it is on the ground
  const mask = inModes(facts, times, flight, (mode) => !/^Q[A-Z]/.test(mode)).map((isIn, row) =>
    speeds[row] > SLOWEST * cruise ? isIn : 0,
  );
  const holds = findExceedances(times, falling, mask, 0.5, report.micros('engine', 'hold'));
  const fields = [control.names.throttle, air.names.speed, up.names.height];
  const common = { check: 'engine', title: TITLE, fields, rule: full };
  if (holds.length === 0) {
    if (chosen(throttle, mask).length === 0) {
      report.noData('engine', TITLE, `The log has no throttle ${facts.flight.words}.`);
      return;
    }
    const text = 'Height and speed did not fall together at full throttle.';
    report.add({ ...common, severity: 'ok', text, ...facts.flight.when });
    return;
  }
  const lasted = lastedInAll(holds);
  const [{ first }] = holds;
  const last = holds[holds.length - 1].last;
  report.add({
    ...common,
    severity: lasted >= report.micros('engine', 'fail') ? 'fail' : 'warn',
    text:
      `At full throttle the vehicle lost height and speed for ${secondsOf(lasted)}: airspeed ${short(speeds[first])} to ${short(speeds[last])} m/s, ` +
      `height ${short(heights[first])} to ${short(heights[last])} m. The engine was too weak, or stopped.`,
    advice: 'Check the engine or motor, its propeller, ESC, fuel or battery; then ice and strong sink.',
    ...during(holds),
    value: throttle[first],
  });
}
