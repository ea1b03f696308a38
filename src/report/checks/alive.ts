import { findHolds, frozenHolds, type Hold, lastedInAll } from '../../series/holds.ts';
import type { Series } from '../../series/series.ts';
import type { Examination } from '../examination.ts';
import { secondsOf } from '../finding.ts';
import { rangesOf } from './level.ts';

/** A sensor that logs what it measures. */
interface Sensor {
  readonly check: string;
  /** As a title calls it. */
  readonly name: string;
  readonly instance: string;
  readonly times: Float64Array;
  readonly fields: readonly string[];
  /** How bad its loss is. */
  readonly severity: 'fail' | 'warn';
}

/** Microseconds for which a sensor is not healthy before it counts. */
const UNHEALTHY = 1e6;

/** Says when a sensor was not healthy in flight; one that never was is not there. */
export function judgeHealth(exam: Examination, sensor: Sensor, health: Float64Array | undefined): void {
  if (!health?.some((value) => value > 0)) return;
  const mask = exam.flight.mask(sensor.times);
  const holds = findHolds(sensor.times, health, mask, 0.5, UNHEALTHY, -1);
  tell(exam, sensor, 'health', holds, 'was not healthy');
}

/** Microseconds for which each sample equals the one before it, from which a sensor is frozen: all have noise. */
const FROZEN = 2e6;
/** Samples that are needed for that. */
const FROZEN_ROWS = 8;

/**
 * Says when a sensor gave the same values over and over.
 * @param mask the rows in flight
 * @param isMoving whether the vehicle meanwhile did what changes them
 */
export function judgeFrozen(
  exam: Examination,
  sensor: Sensor,
  values: readonly (Float64Array | undefined)[],
  mask: Uint8Array,
  isMoving: (hold: Hold) => boolean = () => true,
): void {
  const { times } = sensor;
  const known = values.flatMap((each) => each ?? []);
  // numbers of messages are rounded: two that are equal say nothing
  if (known.length === 0 || !exam.ground.log.isOnboard) return;
  const holds = frozenHolds(times, known, mask, FROZEN).filter(
    (hold) => hold.last - hold.first >= FROZEN_ROWS && isMoving(hold),
  );
  tell(exam, sensor, 'frozen', holds, 'gave the same values over and over');
}

function tell(
  exam: Examination,
  { check, name, instance, fields, severity }: Sensor,
  what: string,
  holds: readonly Hold[],
  words: string,
): void {
  if (holds.length === 0) return;
  exam.add({
    check,
    severity,
    title: `${name}: ${what}`,
    instance,
    text: `${name} ${words} ${exam.flight.words}, for ${secondsOf(lastedInAll(holds))}.`,
    advice: 'Check its wires and plugs, and whether it fails on the ground, too, warm or shaken.',
    from: holds[0].from,
    to: holds[holds.length - 1].to,
    ranges: rangesOf(holds),
    fields,
  });
}

/** Whether values range over more than this while something held. */
export function rangedOver(series: Series, { from, to }: Hold, least: number): boolean {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  series.each(from, to, (value) => {
    low = Math.min(low, value);
    high = Math.max(high, value);
  });
  return high - low > least;
}
