import { chosen, findHolds, frozenHolds, type Hold, lastedInAll, quantile, valuesAt } from '../../series/holds.ts';
import { AIRSPEED, AIRSPEED_SENSOR, GPS } from '../../series/quantities.ts';
import type { Examination } from '../examination.ts';
import { secondsOf, short } from '../finding.ts';
import { rangesOf } from './judge.ts';

/** Microseconds after take-off and before landing. */
const TRIM = 5e6;
const TITLE = 'Airspeed';
const ADVICE = 'Look at the pitot tube and its hoses: blocked, leaking, wet or iced; then calibrate the sensor.';

/** Whether the airspeed of a wing can be true. */
export async function checkAirspeed(exam: Examination): Promise<void> {
  if (exam.ground.vehicle.kind !== 'Plane') return;
  const [air] = await exam.read(AIRSPEED);
  const [sensor] = await exam.read(AIRSPEED_SENSOR);
  const [fixes] = (await exam.read(GPS)).filter(({ values }) => values.speed);
  exam.forget(AIRSPEED_SENSOR);
  const speed = air?.values.speed;
  if (!air || !fixes?.values.speed || !speed?.some((value) => value > 0)) {
    exam.noData('airspeed', TITLE, 'The log has no airspeed, or no speed over ground to compare it with.');
    return;
  }
  const { times } = air;
  const mask = exam.flight.mask(times, TRIM);
  const ground = valuesAt(times, fixes.times, fixes.values.speed, 1e6);
  const [usual, usualGround] = [speed, ground].map((of) => quantile(chosen(of, mask), 0.5));
  const [low, rule] = [exam.limit('airspeed', 'low'), exam.rule('airspeed', 'ground')];
  const lost = speed.map((value, row) => (value < low * usual && ground[row] > rule.value * usualGround ? 1 : 0));
  const holds = [
    ...findHolds(times, lost, mask, 0.5, exam.micros('airspeed', 'hold')),
    ...(sensor ? unhealthy(exam, sensor.times, sensor.values) : []),
  ].sort((a, b) => a.from - b.from);
  const fields = [air.names.speed as string, fixes.names.speed as string];
  const common = { check: 'airspeed', title: TITLE, fields };
  if (holds.length === 0) {
    if (Number.isNaN(usual)) return;
    const { from, to } = exam.flight;
    exam.add({
      ...common,
      severity: 'ok',
      text: `The airspeed was ${short(usual)} m/s as a rule, and can be true.`,
      from,
      to,
    });
    return;
  }
  exam.add({
    ...common,
    severity: 'fail',
    text: `The airspeed sensor failed for ${secondsOf(lastedInAll(holds))} in flight: it was not healthy, frozen, or read less than a wing needs to fly.`,
    advice: ADVICE,
    from: holds[0].from,
    to: holds.reduce((last, { to }) => Math.max(last, to), 0),
    ranges: rangesOf(holds),
  });
}

/** When the sensor itself was not healthy, or gave the same speed over and over. */
function unhealthy(
  exam: Examination,
  times: Float64Array,
  { speed, health, used }: Partial<Record<'speed' | 'health' | 'used', Float64Array>>,
): Hold[] {
  const mask = exam.flight.mask(times, TRIM);
  const hold = exam.micros('airspeed', 'hold');
  // one that is never used is not missed
  if (used && !chosen(used, mask).some((value) => value > 0)) return [];
  const holds = health ? findHolds(times, health, mask, 0.5, hold, -1) : [];
  return speed ? [...holds, ...frozenHolds(times, [speed], mask, hold)] : holds;
}
