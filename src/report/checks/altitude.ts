import { findExceedances, median, peakOf, valuesAt, valuesBefore } from '../../series/holds.ts';
import { BAROMETER, CLIMB_RATE, ESTIMATED_HEIGHT, GPS, type GpsKey } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { short } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import type { VehicleFacts } from '../vehicle-facts.ts';
import { during, judgeFrozen, judgeHealth, judgeLevel, type Level } from './judge.ts';

/** Microseconds before take-off whose median is the ground, and of flight that are left out at its ends. */
const GROUND_TIME = 5_000_000;
const TRIM = 1_000_000;

/** EK3_SRC1_POSZ and EK2_ALT_SOURCE: the barometer is what heights come from. */
const BY_BAROMETER = { EK3_SRC1_POSZ: 1, EK2_ALT_SOURCE: 0, EKF_ALT_SOURCE: 0 } as const;

/** Tables of what a barometer itself measured, with its noise. */
const RAW_HEIGHTS: ReadonlySet<string> = new Set(['BARO', 'vehicle_air_data']);

interface Height {
  readonly name: string;
  readonly times: Float64Array;
  /** Above where the vehicle took off. */
  readonly values: Float64Array;
}

/** How far the estimated height is from that of the barometer and that of the GPS, all above take-off. */
export async function checkAltitude(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const { kind } = facts.vehicle;
  if (kind === 'Rover' || kind === 'Sub' || kind === 'Tracker') {
    report.noData('altitude', 'Altitude', 'Height is judged for aircraft only.');
    return;
  }
  const [estimated] = await facts.read(ESTIMATED_HEIGHT);
  const estimate = estimated && heightOf(facts, estimated.times, estimated.values.height, estimated.names.height);
  facts.forget(ESTIMATED_HEIGHT);
  const [measured] = await facts.read(BAROMETER);
  const barometer = measured && barometerOf(facts, measured);
  if (measured) await checkBarometer(facts, report, measured);
  facts.forget(BAROMETER);
  const [fixes] = await facts.read(GPS);
  const isFixed = fixes?.values.alt?.map((alt, row) => ((fixes.values.status?.[row] ?? 3) >= 3 ? alt : Number.NaN));
  const satellites = fixes && heightOf(facts, fixes.times, isFixed, fixes.names.alt);
  if (barometer && fixes) checkParting(facts, report, barometer, fixes);
  if (!estimate || (!barometer && !satellites)) {
    report.noData('altitude', 'Altitude', 'No estimated height in the log, or nothing to compare it with.');
    return;
  }
  if (barometer) {
    compare(facts, report, estimate, barometer, {
      title: 'Altitude: barometer',
      warn: report.rule('altitude', 'warn'),
      fail: report.rule('altitude', 'fail'),
      advice: 'Check for vibration, and for propeller wash, wind or light on the barometer.',
      soften: (severity) =>
        severity === 'fail' && !isByBarometer(facts)
          ? { severity: 'warn', because: 'Its parameters take the height from another source.' }
          : undefined,
    });
  }
  if (satellites) {
    compare(facts, report, estimate, satellites, {
      title: 'Altitude: GPS',
      warn: report.rule('altitude', 'gpsWarn'),
      fail: report.rule('altitude', 'gpsFail'),
      advice: 'GPS heights drift by several metres; check the number of satellites, then the barometer.',
    });
  }
  report.plot(
    { check: 'altitude', title: 'Height above take-off', unit: 'm', limits: [] },
    [estimate, barometer, satellites].flatMap((height) => height ?? []),
  );
}

async function checkBarometer(
  facts: VehicleFacts,
  report: ReportBuilder,
  { table, times, instance, names, values }: QuantityRows<'height' | 'pressure' | 'health'>,
): Promise<void> {
  const sensor = { check: 'altitude', name: 'Barometer', instance, times, severity: 'fail' as const };
  judgeHealth(report, { ...sensor, fields: [names.health] }, values.health);
  if (!RAW_HEIGHTS.has(table)) return;
  const frozen = { ...sensor, fields: [names.height, names.pressure], isAveraged: table === 'vehicle_air_data' };
  judgeFrozen(report, frozen, [values.height, values.pressure], await climbing(facts, times, table));
}

/** Part of the limit within which a barometer is still with the climb of the GPS. */
const TOGETHER = 0.2;
/** Microseconds for which a climb of the GPS is that of the vehicle. */
const CLIMB_AGE = 1e6;

/**
 * A barometer rises by as much as the GPS climbs. Satellites measure a climb far better than a height, so a barometer
 * that jumps or drifts is found within seconds; wind and the ground move it by less than the limit.
 */
function checkParting(
  facts: VehicleFacts,
  report: ReportBuilder,
  { name, times, values }: Height,
  { times: fixTimes, values: { status, sink }, names }: QuantityRows<GpsKey>,
): void {
  // a receiver that does not measure it says 0
  if (!sink?.some((rate) => rate !== 0) || facts.flight.isGround) return;
  const sinks = valuesAt(
    times,
    fixTimes,
    sink.map((rate, row) => ((status?.[row] ?? 3) >= 3 ? rate : Number.NaN)),
    CLIMB_AGE,
  );
  const window = report.micros('altitude', 'window');
  const apart = new Float64Array(times.length).fill(Number.NaN);
  let [climbed, since] = [0, 0];
  for (let row = 1; row < times.length; row++) {
    const elapsed = times[row] - times[row - 1];
    if (Number.isNaN(sinks[row]) || !(elapsed >= 0 && elapsed <= CLIMB_AGE)) since = row;
    else climbed -= (sinks[row] * elapsed) / 1e6;
    apart[row] = since === row ? Number.NaN : values[row] - climbed;
  }
  const before = valuesBefore(times, apart, window, CLIMB_AGE);
  const parted = apart.map((metres, row) => Math.abs(metres - before[row]));
  const [warn, fail] = [report.rule('altitude', 'warn'), report.rule('altitude', 'fail')];
  const mask = facts.flight.mask(times, TRIM);
  const holds = findExceedances(times, parted, mask, warn.value, report.micros('altitude', 'hold'));
  if (holds.length === 0) return;
  const most = peakOf(holds);
  report.add({
    check: 'altitude',
    severity: most > fail.value && isByBarometer(facts) ? 'fail' : 'warn',
    title: 'Altitude: barometer jump or drift',
    text: `${name} parted from the climb of the GPS by up to ${short(most)} m in ${short(window / 1e6)} s ${facts.flight.words}: the barometer jumped or drifted, or the GPS did.`,
    advice: 'Check the barometer: light, wind, propeller wash, water, temperature; shield it with foam.',
    ...during(
      holds.map((hold) => {
        // it was with the GPS until then
        let row = hold.first;
        while (row > 0 && !(Math.abs(apart[row] - before[hold.first]) < TOGETHER * warn.value)) row--;
        return { start: times[Math.min(row + 1, hold.first)], end: hold.end };
      }),
    ),
    value: most,
    unit: 'm',
    rule: most > fail.value ? fail : warn,
    fields: [name, names.sink],
  });
}

/** Metres a second at which a barometer must change from sample to sample. */
const CLIMBS = 0.5;

/** Rows in flight in which a barometer cannot stay as it is: while it climbs or sinks; that of PX4 has noise always. */
async function climbing(facts: VehicleFacts, times: Float64Array, table: string): Promise<Uint8Array> {
  const mask = facts.flight.mask(times);
  if (table !== 'BARO') return mask;
  const [reading] = await facts.read(CLIMB_RATE);
  const rate = reading?.values.down ?? reading?.values.up;
  if (!reading || !rate) return new Uint8Array(times.length);
  const rates = valuesAt(times, reading.times, rate, 1e6);
  return mask.map((isIn, row) => (isIn && Math.abs(rates[row]) > CLIMBS ? 1 : 0));
}

/** A vehicle that takes its heights from elsewhere may part from a barometer that drifts. */
function isByBarometer(facts: VehicleFacts): boolean {
  return Object.entries(BY_BAROMETER).every(([name, value]) => (facts.parameter(name) ?? value) === value);
}

function barometerOf(
  facts: VehicleFacts,
  { times, values, names }: Pick<QuantityRows<'height' | 'pressure'>, 'times' | 'values' | 'names'>,
): Height | undefined {
  // the standard atmosphere
  const height = values.height ?? values.pressure?.map((pascal) => 44_330.77 * (1 - (pascal / 101_325) ** 0.190_263));
  return heightOf(facts, times, height, names.height ?? names.pressure);
}

/** Heights above the ground of the first take-off. */
function heightOf(
  facts: VehicleFacts,
  times: Float64Array,
  heights: Float64Array | undefined,
  name: string | undefined,
): Height | undefined {
  const { from } = facts.flight.when;
  if (!heights || name === undefined || from === null) return undefined;
  const near = (early: number, late: number): number =>
    median(heights.filter((height, row) => times[row] >= early && times[row] <= late && !Number.isNaN(height)));
  const before = near(from - GROUND_TIME, from);
  // logs that begin with the take-off have its first second only
  const ground = Number.isNaN(before) ? near(from, from + TRIM) : before;
  return Number.isNaN(ground) ? undefined : { name, times, values: heights.map((height) => height - ground) };
}

function compare(
  facts: VehicleFacts,
  report: ReportBuilder,
  estimate: Height,
  other: Height,
  level: Pick<Level, 'title' | 'warn' | 'fail' | 'advice' | 'soften'>,
): void {
  const at = valuesAt(other.times, estimate.times, estimate.values, 1e6);
  judgeLevel(report, {
    ...level,
    check: 'altitude',
    times: other.times,
    lines: [
      {
        name: `the difference between ${estimate.name} and ${other.name}`,
        values: other.values.map((height, row) => Math.abs(height - at[row])),
      },
    ],
    fields: [estimate.name, other.name],
    mask: facts.flight.mask(other.times, TRIM),
    unit: 'm',
    hold: report.micros('altitude', 'hold'),
    meaning: 'Two measurements of height contradict each other; one of them is wrong.',
  });
}
