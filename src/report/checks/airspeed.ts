import {
  chosen,
  type Exceedance,
  findExceedances,
  findFrozen,
  lastedInAll,
  quantile,
  valuesAt,
} from '../../series/holds.ts';
import { AIRSPEED, AIRSPEED_SENSOR, GPS } from '../../series/quantities.ts';
import { secondsOf, short } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { during } from './judge.ts';

/** Microseconds after take-off and before landing. */
const TRIM = 5e6;
const TITLE = 'Airspeed';
const ADVICE = 'Check the pitot tube and its hoses: blocked, leaking, wet or iced; then calibrate the sensor.';

/** Whether the airspeed of a wing can be true. */
export async function checkAirspeed(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  if (facts.vehicle.kind !== 'Plane') return;
  const [air] = await facts.read(AIRSPEED);
  const [sensor] = await facts.read(AIRSPEED_SENSOR);
  const [fixes] = (await facts.read(GPS)).filter(({ values }) => values.speed);
  facts.forget(AIRSPEED_SENSOR);
  const speed = air?.values.speed;
  if (!air || !fixes?.values.speed || !speed?.some((value) => value > 0)) {
    report.noData('airspeed', TITLE, 'The log has no airspeed, or no speed over ground to compare it with.');
    return;
  }
  const { times } = air;
  const mask = facts.flight.mask(times, TRIM);
  const ground = valuesAt(times, fixes.times, fixes.values.speed, 1e6);
  const [usual, usualGround] = [speed, ground].map((of) => quantile(chosen(of, mask), 0.5));
  const [low, rule] = [report.limit('airspeed', 'low'), report.rule('airspeed', 'ground')];
  const lost = speed.map((value, row) => (value < low * usual && ground[row] > rule.value * usualGround ? 1 : 0));
  const holds = [
    ...findExceedances(times, lost, mask, 0.5, report.micros('airspeed', 'hold')),
    ...(sensor ? unhealthy(facts, report, sensor.times, sensor.values) : []),
  ].sort((a, b) => a.start - b.start);
  const fields = [air.names.speed, fixes.names.speed];
  const common = { check: 'airspeed', title: TITLE, fields };
  if (holds.length === 0) {
    if (Number.isNaN(usual)) return;
    const text = `The airspeed was ${short(usual)}  m/s as a rule, which is plausible.`;
    report.add({ ...common, severity: 'ok', text, ...facts.flight.when });
    return;
  }
  report.add({
    ...common,
    severity: 'fail',
    text: `The airspeed sensor failed for ${secondsOf(lastedInAll(holds))} in flight: unhealthy, frozen, or below what a wing needs to fly.`,
    advice: ADVICE,
    ...during(holds),
  });
}

/** When the sensor itself was not healthy, or gave the same speed over and over. */
function unhealthy(
  facts: VehicleFacts,
  report: ReportBuilder,
  times: Float64Array,
  { speed, health, used }: Partial<Record<'speed' | 'health' | 'used', Float64Array>>,
): Exceedance[] {
  const mask = facts.flight.mask(times, TRIM);
  const hold = report.micros('airspeed', 'hold');
  // one that is never used is not missed
  if (used && !chosen(used, mask).some((value) => value > 0)) return [];
  const holds = health ? findExceedances(times, health, mask, 0.5, hold, -1) : [];
  return speed ? [...holds, ...findFrozen(times, [speed], mask, hold)] : holds;
}
