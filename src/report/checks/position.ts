import { chosen, type Exceedance, findExceedances, lastedInAll, median, peakOf, valuesAt } from '../../series/holds.ts';
import { LOCAL_POSITION, POSITION_WISH } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { type FieldNames, secondsOf, short } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import { inModes, type VehicleFacts } from '../vehicle-facts.ts';
import { during } from './judge.ts';

type PositionKey = 'north' | 'east' | 'down';

/** Microseconds around take-off and landing that are not judged, and for which a demand holds. */
const TRIM = 3e6;
const AGE = 500_000;
/** Modes in which demands come from elsewhere, in steps. */
const STEPPED: ReadonlySet<string> = new Set(['OFFBOARD']);

/** Whether a multicopter kept to the path of its controller, which begins where the vehicle is. */
export async function checkPosition(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const [is] = await facts.read(LOCAL_POSITION);
  const [wish] = await facts.read(POSITION_WISH);
  facts.forget(LOCAL_POSITION);
  facts.forget(POSITION_WISH);
  if (facts.vehicle.kind !== 'Copter' || facts.flight.isGround || !is || !wish) return;
  const { times } = wish;
  const mask = inModes(facts, times, facts.flight.mask(times, TRIM), (mode) => !STEPPED.has(mode));
  const off = (key: PositionKey): Float64Array | undefined => errorsOf(is, wish, key);
  const [north, east, down] = [off('north'), off('east'), off('down')];
  if (north && east)
    judge(facts, report, {
      title: 'Position off its path',
      words: 'away from where the controller wanted it',
      times,
      mask,
      errors: north.map((metres, row) => Math.hypot(metres, east[row])),
      limit: 'far',
      fields: [is.names.north, wish.names.north, is.names.east, wish.names.east],
    });
  if (down)
    judge(facts, report, {
      title: 'Height off its path',
      words: 'above or below where the controller wanted it',
      times,
      mask,
      errors: down.map(Math.abs),
      limit: 'high',
      fields: [is.names.down, wish.names.down],
    });
}

function errorsOf(
  is: QuantityRows<PositionKey>,
  wish: QuantityRows<PositionKey>,
  key: PositionKey,
): Float64Array | undefined {
  const [own, asked] = [is.values[key], wish.values[key]];
  if (!own || !asked) return undefined;
  const at = valuesAt(wish.times, is.times, own, AGE);
  return asked.map((metres, row) => at[row] - metres);
}

interface Errors {
  readonly title: string;
  readonly words: string;
  readonly times: Float64Array;
  readonly mask: Uint8Array;
  /** Metres. */
  readonly errors: Float64Array;
  readonly limit: 'far' | 'high';
  readonly fields: FieldNames;
}

/** Part of a flight at whose errors a path is kept. */
const KEPT = 0.5;

function judge(
  facts: VehicleFacts,
  report: ReportBuilder,
  { title, words, times, mask, errors, limit: key, fields }: Errors,
): void {
  const known = chosen(errors, mask);
  if (known.length === 0) return;
  const rule = report.rule('position', key);
  const isKept = (hold: Exceedance): boolean => {
    const before = errors.filter((metres, row) => mask[row] === 1 && row < hold.first && !Number.isNaN(metres));
    return before.length > 0 && median(before) < KEPT * rule.value;
  };
  const holds = findExceedances(times, errors, mask, rule.value, report.micros('position', 'hold')).filter(isKept);
  const common = { check: 'position', title, fields, unit: 'm', rule };
  if (holds.length === 0) {
    const most = known.reduce((a, b) => Math.max(a, b), 0);
    report.add({
      ...common,
      severity: most > rule.value ? 'info' : 'ok',
      text: `The vehicle was at most ${short(most)} m ${words}${most > rule.value ? ', or never near it' : ''}.`,
      ...facts.flight.when,
      value: most,
    });
    return;
  }
  const most = peakOf(holds);
  report.add({
    ...common,
    severity: 'warn',
    text: `The vehicle was up to ${short(most)} m ${words}, for ${secondsOf(lastedInAll(holds))} in all. It could not follow: wind, thrust, or a wrong estimate.`,
    advice: 'Look at what began just before it: lean and thrust at their limits, or a jump of the position.',
    ...during(holds),
    value: most,
  });
}
