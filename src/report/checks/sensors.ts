import { findExceedances, lastedInAll } from '../../series/holds.ts';
import { SENSOR_STATUS } from '../../series/quantities.ts';
import { secondsOf } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { spanOf } from './judge.ts';

/** Bits without which a vehicle cannot fly: gyros, accelerometers, the attitude estimate. */
const VITAL: readonly number[] = [0, 1, 21];
/** Bits that say nothing of a flight: checks before arming, logging. */
const PASSED_OVER: readonly number[] = [24, 28];
/** Under water there are no satellites. */
const GPS_BIT = 5;
const BITS = 31;
/** Microseconds for which a sensor may be unwell without a word. */
const HOLD = 1_000_000;

/** What SYS_STATUS says of the sensors that are switched on. */
export async function checkSensors(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const [status] = await facts.read(SENSOR_STATUS);
  facts.forget(SENSOR_STATUS);
  if (!status) {
    report.noData('sensors', 'Sensors', 'No SYS_STATUS in the log, which reports sensor health.');
    return;
  }
  const { times, values, names } = status;
  const { present, enabled, health } = values;
  if (!present || !enabled || !health) return;
  const mask = facts.flight.mask(times);
  const bitNames = facts.log.table('SYS_STATUS')?.field('onboard_control_sensors_health')?.enumeration?.names;
  let isWell = true;
  for (let bit = 0; bit <= BITS; bit++) {
    if (PASSED_OVER.includes(bit) || (bit === GPS_BIT && facts.vehicle.kind === 'Sub')) continue;
    const unwell = health.map((value, row) =>
      isSet(present[row], bit) && isSet(enabled[row], bit) && !isSet(value, bit) ? 1 : 0,
    );
    const holds = findExceedances(times, unwell, mask, 0.5, HOLD);
    if (holds.length === 0) continue;
    isWell = false;
    const name = (bitNames?.get(2 ** bit) ?? `bit ${bit}`)
      .replace(/^MAV_SYS_STATUS_(SENSOR_)?/, '')
      .replaceAll('_', ' ')
      .toLowerCase();
    report.add({
      check: 'sensors',
      severity: VITAL.includes(bit) ? 'fail' : 'warn',
      title: `Sensor: ${name}`,
      text: `The autopilot reported ${name} unhealthy ${facts.flight.words}, for ${secondsOf(lastedInAll(holds))} in total.`,
      advice: 'See the messages at that time, and the check of what this sensor measures.',
      ...spanOf(holds),
      fields: [names.health as string],
    });
  }
  if (isWell && mask.includes(1)) {
    report.add({
      check: 'sensors',
      severity: 'ok',
      title: 'Sensors',
      text: `All enabled sensors were healthy ${facts.flight.words}.`,
      ...facts.flight.when,
      fields: [names.health as string],
    });
  }
}

/** Whether a bit is set, also the highest of 32. */
function isSet(bits: number, bit: number): boolean {
  return Math.floor(bits / 2 ** bit) % 2 === 1;
}
