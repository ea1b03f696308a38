import { findExceedances, lastedInAll, quantile } from '../../series/holds.ts';
import { SENSOR_STATUS } from '../../series/quantities.ts';
import { secondsOf } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { during, spanOf } from './judge.ts';

/** Bits without which a vehicle cannot fly: gyros, accelerometers, the attitude estimate. */
const VITAL: readonly number[] = [0, 1, 21];
/** Bits of controllers: firmwares that do not judge them never call them healthy. */
const CONTROLLERS: readonly number[] = [10, 11, 12, 13, 14];
/** Bits that say nothing of a flight: checks before arming, logging. */
const PASSED_OVER: readonly number[] = [24, 28];
/** Under water there are no satellites. */
const GPS_BIT = 5;
const BITS = 31;
/** Microseconds for which a sensor may be unwell without a word. */
const HOLD = 1_000_000;

/** Topics that PX4 logs as long as their sensor gives anything, and how bad it is if it does not. */
const TOPICS: readonly { readonly table: string; readonly name: string; readonly severity: 'fail' | 'warn' }[] = [
  { table: 'vehicle_air_data', name: 'Barometer', severity: 'fail' },
  { table: 'vehicle_magnetometer', name: 'Compass', severity: 'fail' },
  { table: 'vehicle_gps_position', name: 'GPS', severity: 'fail' },
  { table: 'sensor_combined', name: 'IMU', severity: 'fail' },
  { table: 'vehicle_visual_odometry', name: 'Visual odometry', severity: 'fail' },
  { table: 'airspeed', name: 'Airspeed sensor', severity: 'fail' },
  { table: 'battery_status', name: 'Battery monitor', severity: 'warn' },
];
/** Microseconds without a sample, and usual steps, from which a sensor is silent. */
const SILENT = 2e6;
const SILENT_STEPS = 10;
/** Part of the steps that are usual: some logs were thinned unevenly. */
const OFTEN = 0.9;
/** What is logged in any case. */
const ALWAYS = 'vehicle_attitude';

/** Sensors of PX4 that gave something in flight, and then nothing while the log went on. */
export async function checkSilence(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const { to } = facts.flight.when;
  const pulse = await facts.log.table(ALWAYS)?.times();
  if (!pulse || to === null || facts.flight.isEmpty) return;
  let isWell = true;
  for (const { table: name, severity, name: sensor } of TOPICS) {
    const table = facts.log.tablesNamed(name).find(({ rows }) => rows > 0);
    const times = await table?.times();
    if (!table || !times) continue;
    const mask = facts.flight.mask(times);
    const steps = times.subarray(1).map((time, row) => time - times[row]);
    const least = Math.max(
      SILENT,
      SILENT_STEPS *
        quantile(
          steps.filter((step) => step > 0),
          OFTEN,
        ),
    );
    const silences = [...mask.keys()].flatMap((row) => {
      if (mask[row] === 0 || Number.isNaN(times[row])) return [];
      const end = Math.min(times[row + 1] ?? to, facts.impact?.time ?? to, to);
      const isLong = end - times[row] >= least && facts.flight.isOne(times[row], end);
      // the log went on, so it is not a dropout
      const isLogged = isLong && pulse.filter((time) => time > times[row] && time < end).length > SILENT_STEPS;
      return isLogged ? [{ start: times[row], end }] : [];
    });
    if (silences.length === 0) continue;
    isWell = false;
    const longest = silences.reduce((most, { start, end }) => Math.max(most, end - start), 0);
    report.add({
      check: 'sensors',
      severity,
      title: `${sensor}: silent`,
      text: `${sensor} gave nothing for ${secondsOf(longest)} ${facts.flight.words}, after it did before.`,
      advice: 'Check its wires and connectors, and test it on the ground, warm and under vibration.',
      ...during(silences),
      value: longest / 1e6,
      unit: 's',
      fields: [`${name}.timestamp`],
    });
  }
  if (isWell)
    report.add({
      check: 'sensors',
      severity: 'ok',
      title: 'Sensors',
      text: `No sensor fell silent ${facts.flight.words}.`,
      ...facts.flight.when,
    });
}

/** What SYS_STATUS says of the sensors that are switched on. */
export async function checkSensors(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const [status] = await facts.read(SENSOR_STATUS);
  facts.forget(SENSOR_STATUS);
  if (!status) {
    // PX4's onboard log reports each dropout
    if (facts.log.table(ALWAYS)) return;
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
    if (CONTROLLERS.includes(bit) && !health.some((value) => isSet(value, bit))) continue;
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
      fields: [names.health],
    });
  }
  if (isWell && mask.includes(1)) {
    report.add({
      check: 'sensors',
      severity: 'ok',
      title: 'Sensors',
      text: `All enabled sensors were healthy ${facts.flight.words}.`,
      ...facts.flight.when,
      fields: [names.health],
    });
  }
}

function isSet(bits: number, bit: number): boolean {
  return Math.floor(bits / 2 ** bit) % 2 === 1;
}
