import { median, valuesAt } from '../../series/holds.ts';
import { BAROMETER, ESTIMATED_HEIGHT, GPS } from '../../series/quantities.ts';
import type { Examination } from '../examination.ts';
import { judgeHealth, judgeLevel } from './judge.ts';

/** Microseconds before take-off whose median is the ground, and of flight that are left out at its ends. */
const GROUND_TIME = 5_000_000;
const TRIM = 1_000_000;

/** EK3_SRC1_POSZ and EK2_ALT_SOURCE: the barometer is what heights come from. */
const BY_BAROMETER = { EK3_SRC1_POSZ: 1, EK2_ALT_SOURCE: 0, EKF_ALT_SOURCE: 0 } as const;

interface Height {
  readonly name: string;
  readonly times: Float64Array;
  /** Above where the vehicle took off. */
  readonly values: Float64Array;
}

/** How far the estimated height is from that of the barometer and that of the GPS, all above take-off. */
export async function checkAltitude(exam: Examination): Promise<void> {
  const { kind } = exam.ground.vehicle;
  if (kind === 'Rover' || kind === 'Sub' || kind === 'Tracker') {
    exam.noData('altitude', 'Altitude', 'Heights are judged of what flies only.');
    return;
  }
  const [estimated] = await exam.read(ESTIMATED_HEIGHT);
  const estimate = estimated && heightOf(exam, estimated.times, estimated.values.height, estimated.names.height);
  exam.forget(ESTIMATED_HEIGHT);
  const [measured] = await exam.read(BAROMETER);
  const barometer = measured && barometerOf(exam, measured);
  if (measured)
    judgeHealth(
      exam,
      {
        check: 'altitude',
        name: 'Barometer',
        instance: measured.instance,
        times: measured.times,
        fields: [measured.names.health].flatMap((name) => name ?? []),
        severity: 'fail',
      },
      measured.values.health,
    );
  exam.forget(BAROMETER);
  const [fixes] = await exam.read(GPS);
  const isFixed = fixes?.values.alt?.map((alt, row) => ((fixes.values.status?.[row] ?? 3) >= 3 ? alt : Number.NaN));
  const satellites = fixes && heightOf(exam, fixes.times, isFixed, fixes.names.alt);
  if (!estimate || (!barometer && !satellites)) {
    exam.noData('altitude', 'Altitude', 'The log has no estimated height, or nothing to compare it with.');
    return;
  }
  if (barometer) {
    compare(exam, estimate, barometer, {
      title: 'Altitude: barometer',
      warn: 'warn',
      fail: 'fail',
      advice: 'Look for vibration, for air from propellers or wind on the barometer, and for light on it.',
      soften: !isByBarometer(exam),
    });
  }
  if (satellites) {
    compare(exam, estimate, satellites, {
      title: 'Altitude: GPS',
      warn: 'gpsWarn',
      fail: 'gpsFail',
      advice: 'GPS heights drift by several metres; look at the number of satellites, then at the barometer.',
      soften: false,
    });
  }
  exam.plot(
    { check: 'altitude', title: 'Height above take-off', unit: 'm', limits: [] },
    [estimate, barometer, satellites].flatMap((height) => height ?? []),
  );
}

/** A vehicle that takes its heights from elsewhere may part from a barometer that drifts. */
function isByBarometer(exam: Examination): boolean {
  return Object.entries(BY_BAROMETER).every(([name, value]) => (exam.parameter(name) ?? value) === value);
}

function barometerOf(
  exam: Examination,
  {
    times,
    values,
    names,
  }: {
    times: Float64Array;
    values: Partial<Record<'height' | 'pressure', Float64Array>>;
    names: Partial<Record<'height' | 'pressure', string>>;
  },
): Height | undefined {
  // the standard atmosphere
  const height = values.height ?? values.pressure?.map((pascal) => 44_330.77 * (1 - (pascal / 101_325) ** 0.190_263));
  return heightOf(exam, times, height, names.height ?? names.pressure);
}

/** Heights above the ground that the vehicle stood on before its first flight. */
function heightOf(
  exam: Examination,
  times: Float64Array,
  heights: Float64Array | undefined,
  name: string | undefined,
): Height | undefined {
  const { from } = exam.flight;
  if (!heights || name === undefined || from === null) return undefined;
  const near = (early: number, late: number): number =>
    median(heights.filter((height, row) => times[row] >= early && times[row] <= late && !Number.isNaN(height)));
  const before = near(from - GROUND_TIME, from);
  // logs that begin with the take-off have its first second only
  const ground = Number.isNaN(before) ? near(from, from + TRIM) : before;
  return Number.isNaN(ground) ? undefined : { name, times, values: heights.map((height) => height - ground) };
}

function compare(
  exam: Examination,
  estimate: Height,
  other: Height,
  { title, warn, fail, advice, soften }: { title: string; warn: string; fail: string; advice: string; soften: boolean },
): void {
  const at = valuesAt(other.times, estimate.times, estimate.values, 1e6);
  judgeLevel(exam, {
    check: 'altitude',
    title,
    times: other.times,
    lines: [
      {
        name: `the distance of ${estimate.name} from ${other.name}`,
        values: other.values.map((height, row) => Math.abs(height - at[row])),
      },
    ],
    fields: [estimate.name, other.name],
    mask: exam.flight.mask(other.times, TRIM),
    scope: exam.flight,
    unit: 'm',
    warn: exam.rule('altitude', warn),
    fail: exam.rule('altitude', fail),
    hold: exam.micros('altitude', 'hold'),
    meaning: 'Two ways to know the height contradict each other; one of them is wrong.',
    advice,
    soften: (severity) =>
      severity === 'fail' && soften
        ? { severity: 'warn', because: 'The vehicle takes its height from elsewhere, by its parameters.' }
        : undefined,
  });
}
