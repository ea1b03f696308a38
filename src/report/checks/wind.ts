import { words } from '../../core/text.ts';
import {
  chosen,
  type Exceedance,
  findExceedances,
  lastedInAll,
  peakOf,
  quantile,
  smoothed,
  valuesAt,
  valuesBefore,
} from '../../series/holds.ts';
import { AIRSPEED, GPS, type GpsKey, WIND } from '../../series/quantities.ts';
import type { QuantityRows } from '../../series/quantity-rows.ts';
import { secondsOf, short } from '../finding.ts';
import type { ReportBuilder } from '../report-builder.ts';
import { inModes, type VehicleFacts } from '../vehicle-facts.ts';
import { LEAN_PARAMETERS, leanOf, trackingOf } from './attitude.ts';
import { during, judgeLevel, lastingGroups, SHORT } from './judge.ts';

/** Automatic modes: no stick asks for a lean. */
const AUTOMATIC: ReadonlySet<string> = new Set(
  words(`
  AUTO GUIDED RTL SMART_RTL CIRCLE MISSION AUTO_RTL AUTO_MISSION AUTO_LOITER AUTO_LAND ORBIT OFFBOARD`),
);
/** Modes that hold a position, but lean where a stick says so. */
const HOLDING: ReadonlySet<string> = new Set([
  'LOITER',
  'POSHOLD',
  'BRAKE',
  'LAND',
  'HOLD',
  'POSITION',
  'POSCTL',
  'POSITION SLOW',
]);

const TITLE = 'Strong wind';
const MEANING = 'The wind was about as strong as the vehicle can handle.';
const ADVICE = 'Fly in less wind, or allow more lean if the vehicle has the thrust for it.';

/** Whether the wind took all that the vehicle can lean, or was strong by its own estimate. */
export async function checkWind(facts: VehicleFacts, report: ReportBuilder): Promise<void> {
  const isTold = [
    await checkEstimate(facts, report),
    await checkLimit(facts, report),
    await checkDrift(facts, report),
  ].some(Boolean);
  if (!isTold) report.noData('wind', TITLE, 'No wind estimate in the log, and no lean to derive it from.');
}

async function checkEstimate(facts: VehicleFacts, report: ReportBuilder): Promise<boolean> {
  const [reading] = await facts.read(WIND);
  facts.forget(WIND);
  if (!reading) return false;
  const { times, values, names } = reading;
  const { north, east, speed } = values;
  const winds = speed ?? (north && east && north.map((value, row) => Math.hypot(value, east[row])));
  // an estimator that does not look for the wind says 0
  if (!winds?.some((wind) => wind > 0)) return false;
  judgeLevel(report, {
    check: 'wind',
    title: 'Wind estimate',
    times,
    lines: [{ name: 'the wind', values: winds }],
    fields: Object.values(names),
    unit: 'm/s',
    warn: report.rule('wind', 'speed'),
    hold: report.micros('wind', 'speedHold'),
    meaning: 'In strong wind a vehicle may not come back.',
    advice: ADVICE,
  });
  return true;
}

/** The speed of a wing over ground is far from its airspeed in strong wind only. */
async function checkDrift(facts: VehicleFacts, report: ReportBuilder): Promise<boolean> {
  if (facts.vehicle.kind !== 'Plane') return false;
  const [air] = await facts.read(AIRSPEED);
  const [fixes] = (await facts.read(GPS)).filter(({ values }) => values.speed);
  const speed = air?.values.speed;
  if (!air || !fixes?.values.speed || !speed?.some((value) => value > 0)) return false;
  const { times } = air;
  const mask = facts.flight.mask(times, 5e6);
  const usual = quantile(chosen(speed, mask), 0.5);
  const ground = valuesAt(times, fixes.times, fixes.values.speed, 1e6);
  // an airspeed that no wing flies at is one of a bad sensor
  const isFlown = (value: number): boolean => value > report.limit('airspeed', 'low') * usual;
  const drift = speed.map((value, row) => (isFlown(value) ? Math.abs(ground[row] - value) / usual : Number.NaN));
  judgeLevel(report, {
    check: 'wind',
    title: TITLE,
    times,
    lines: [
      { name: 'the difference of speed over ground and airspeed, as a part of the usual airspeed,', values: drift },
    ],
    fields: [air.names.speed, fixes.names.speed],
    mask,
    unit: '',
    warn: report.rule('wind', 'drift'),
    hold: 3e6,
    meaning: 'The vehicle may be unable to fly against such wind.',
    advice: 'Fly in less wind.',
  });
  return true;
}

/** A multicopter leans against the wind: at the limit for seconds, it has no more to give. */
async function checkLimit(facts: VehicleFacts, report: ReportBuilder): Promise<boolean> {
  const { vehicle, modes } = facts;
  if (vehicle.kind !== 'Copter' || modes.length === 0) return false;
  const tracking = await trackingOf(facts);
  const [roll, pitch] = ['Roll', 'Pitch'].map((name) => tracking?.axes.find(({ axis }) => axis === name));
  const [fixes] = (await facts.read(GPS)).filter(({ values }) => values.speed);
  if (!tracking || !roll || !pitch || !fixes?.values.speed) return false;
  const { times } = tracking;
  const lean = times.map((_, row) => leanOf(roll.wish[row], pitch.wish[row]));
  const speed = valuesAt(times, fixes.times, fixes.values.speed, 1e6);
  const flight = facts.flight.mask(times, 2e6);
  const own = leanLimit(facts);
  // without parameters, the most that was asked for is the limit if it was asked for all the time
  const limit = own ?? quantile(chosen(lean, flight), 1);
  if (own === undefined && !(limit >= LIMIT_LEAST)) return false;
  const rest = report.limit('wind', 'rest');
  // at full speed a vehicle may lean to its limit in still air
  const fast = report.limit('wind', 'slowed') * quantile(chosen(speed, flight), 0.95);
  const isAutomatic = (mode: string): boolean => AUTOMATIC.has(mode.toUpperCase());
  const isHolding = (mode: string): boolean =>
    own !== undefined && (isAutomatic(mode) || HOLDING.has(mode.toUpperCase()));
  const slowerThan = (most: number, mask: Uint8Array): Uint8Array =>
    mask.map((isIn, row) => (speed[row] < most ? isIn : 0));
  const atLimit = slowerThan(fast, inModes(facts, times, flight, isAutomatic));
  const holding = inModes(facts, times, flight, isHolding);
  const resting = slowerThan(rest, holding);
  const rule = report.rule('wind', 'lean');
  const needed = report.micros('wind', 'hold');
  const limited = findExceedances(times, lean, atLimit, limit * rule.value, SHORT);
  const leaning = findExceedances(
    times,
    smoothed(times, lean, 1e6),
    resting,
    limit * report.limit('wind', 'hoverLean'),
    SHORT,
  );
  const stuck = stuckHolds(report, { times, lean, speed, mask: holding }, limit * rule.value);
  const pushed = pushedHolds(
    { times, roll: roll.is, pitch: pitch.is, yaw: tracking.yaw, fixes, mask: holding },
    { most: limit + BEYOND, limit: limit * report.limit('wind', 'hoverLean'), lasting: needed },
  );
  const all = united([...[limited, leaning].flatMap((each) => lastingGroups(each, needed)), ...pushed]);
  const freed = stuck.length > 0 ? stuck[0].start - PUSH_TIME : Number.POSITIVE_INFINITY;
  const holds = all.filter(({ start }) => start < freed);
  const fields = [roll.names[1], pitch.names[1], fixes.names.speed as string];
  const common = { check: 'wind', title: TITLE, fields, unit: '°', threshold: limit * rule.value, source: rule.source };
  if (stuck.length > 0)
    report.add({
      ...common,
      title: 'Stuck',
      severity: 'fail',
      text: `The vehicle tilted to its limit of ${short(limit)}° for ${secondsOf(lastedInAll(stuck))} and did not move. Something holds it: an obstacle, a tether or the ground.`,
      advice:
        'Look at the place and at the video; keep more distance from obstacles, and disarm when a vehicle is caught.',
      ...during(stuck),
      value: lastedInAll(stuck) / 1e6,
      unit: 's',
      threshold: needed / 1e6,
    });
  if (holds.length === 0) {
    const most = quantile(chosen(lean, flight), 1);
    if (Number.isNaN(most)) return false;
    const text = `Desired lean was at most ${short(most)}° of ${short(limit)}° allowed; never at its limit for long.`;
    report.add({ ...common, severity: 'ok', text, ...facts.flight.when, value: most });
    return true;
  }
  report.add({
    ...common,
    severity: 'warn',
    text: `${leanText(holds, limit)} ${MEANING}`,
    advice: ADVICE,
    ...during(holds),
    value: peakOf(holds),
  });
  return true;
}

/** Where a position or a path asks for all the lean there is and the vehicle stays where it is: wind would move it. */
function stuckHolds(
  report: ReportBuilder,
  {
    times,
    lean,
    speed,
    mask,
  }: Readonly<Record<'times' | 'lean' | 'speed', Float64Array>> & { readonly mask: Uint8Array },
  limit: number,
): Exceedance[] {
  const still = report.limit('wind', 'still');
  const isStill = mask.map((flag, row) => (speed[row] < still ? flag : 0));
  return findExceedances(times, lean, isStill, limit, report.micros('wind', 'stuck'));
}

const GRAVITY = 9.80665;
const DEGREES = 180 / Math.PI;
/** Microseconds over which the push of the air is averaged. */
const PUSH_TIME = 5e6;
/** Microseconds before a moment until which the flight shows how the air resists. */
const BEFORE_PUSH = 10e6;
/** Spread of speeds, in (m/s)², that shows how the air resists to them. */
const SPREAD_LEAST = 2;
/** Metres a second below which the resistance of still air hardly takes lean. */
const SLOW = 3;

/** Degrees beyond the greatest lean, from which a vehicle is out of control and holds against nothing. */
const BEYOND = 5;

/** What the push of the air comes from. */
interface Motion {
  readonly times: Float64Array;
  /** Degrees. */
  readonly roll: Float64Array;
  readonly pitch: Float64Array;
  readonly yaw: Float64Array | undefined;
  readonly fixes: QuantityRows<GpsKey>;
  readonly mask: Uint8Array;
}

/**
 * Lean accelerates a multicopter, and what does not is held against the air. How it resists to speed shows in the
 * flight so far; what is left is the wind, and told as the lean that it takes at rest. Speeds above all before say nothing.
 */
function pushedHolds(
  { times, roll, pitch, yaw, fixes, mask }: Motion,
  { most, limit, lasting }: { readonly most: number; readonly limit: number; readonly lasting: number },
): Exceedance[] {
  const { speed, course, status } = fixes.values;
  if (!yaw || !speed || !course) return [];
  const known = (of: (row: number) => number): Float64Array =>
    valuesAt(
      times,
      fixes.times,
      speed.map((value, row) => ((status?.[row] ?? 3) >= 3 ? value * of(row) : Number.NaN)),
      SHORT,
    );
  const axes = [Math.cos, Math.sin].map((part, axis) => {
    const velocity = known((row) => part(course[row] / DEGREES));
    const lean = times.map((_, row) => {
      const forward = -Math.tan(pitch[row] / DEGREES);
      const right = Math.tan(roll[row] / DEGREES) / Math.cos(pitch[row] / DEGREES);
      const [cos, sin] = [Math.cos(yaw[row] / DEGREES), Math.sin(yaw[row] / DEGREES)];
      return GRAVITY * (axis === 0 ? forward * cos - right * sin : forward * sin + right * cos);
    });
    const before = valuesBefore(times, velocity, PUSH_TIME);
    const held = smoothed(times, lean, PUSH_TIME).map(
      (value, row) => value - (1e6 * (velocity[row] - before[row])) / PUSH_TIME,
    );
    return { held, speed: smoothed(times, velocity, PUSH_TIME) };
  });
  const [north, east] = axes;
  let [count, sumN, sumE, sumU, sumV, product, squares] = [0, 0, 0, 0, 0, 0, 0];
  let [fastest, old, fallen] = [SLOW, 0, Number.NEGATIVE_INFINITY];
  const speeds = times.map((_, row) => Math.hypot(north.speed[row], east.speed[row]));
  const needed = new Float64Array(times.length).fill(Number.NaN);
  const isKnown = times.map((time, row) => {
    if (leanOf(roll[row], pitch[row]) > most) fallen = time;
    const isThere = !Number.isNaN(north.held[row] + east.held[row] + speeds[row]);
    return mask[row] === 1 && isThere && time - fallen > PUSH_TIME ? 1 : 0;
  });
  for (let row = 0; row < times.length; row++) {
    // what a wind that rises adds is not taken for the resistance of the air
    for (; times[old] < times[row] - BEFORE_PUSH; old++) {
      if (isKnown[old] === 0) continue;
      const [n, e, u, v] = [north.held[old], east.held[old], north.speed[old], east.speed[old]];
      count++;
      [sumN, sumE, sumU, sumV] = [sumN + n, sumE + e, sumU + u, sumV + v];
      product += n * u + e * v;
      squares += u * u + v * v;
      fastest = Math.max(fastest, speeds[old]);
    }
    if (isKnown[row] === 0) continue;
    const spread = squares / count - (sumU / count) ** 2 - (sumV / count) ** 2;
    const together = product / count - (sumN * sumU + sumE * sumV) / count ** 2;
    const drag = spread > SPREAD_LEAST ? Math.max(0, together / spread) : 0;
    if (speeds[row] <= (drag > 0 ? fastest : SLOW)) {
      const push = Math.hypot(north.held[row] - drag * north.speed[row], east.held[row] - drag * east.speed[row]);
      needed[row] = Math.atan(push / GRAVITY) * DEGREES;
    }
  }
  return findExceedances(times, needed, mask, limit, lasting).map((hold) => ({
    ...hold,
    start: hold.start - PUSH_TIME * Math.min(1, limit / hold.peak),
  }));
}

/** Degrees that vehicles are allowed to lean at least. */
const LIMIT_LEAST = 20;

/** Holds as one where they overlap. */
function united(holds: readonly Exceedance[]): Exceedance[] {
  const out: Exceedance[] = [];
  for (const hold of holds.toSorted((a, b) => a.start - b.start)) {
    const last = out[out.length - 1];
    if (!last || hold.start > last.end) out.push(hold);
    else if (hold.end > last.end)
      out[out.length - 1] = {
        ...last,
        end: hold.end,
        lasted: hold.start + hold.lasted - last.start,
        peak: Math.max(last.peak, hold.peak),
      };
  }
  return out;
}

function leanText(holds: readonly Exceedance[], limit: number): string {
  return `The vehicle leaned ${short(peakOf(holds))}° of ${short(limit)}° allowed for ${secondsOf(lastedInAll(holds))} and was blown off or made little headway.`;
}

/** Degrees that a multicopter leans at most to hold its path. */
function leanLimit(facts: VehicleFacts): number | undefined {
  const own = facts.parameter('PSC_ANGLE_MAX');
  if (own && own > 0) return own;
  return LEAN_PARAMETERS.map(([name, scale]) => (facts.parameter(name) ?? 0) * scale).find((value) => value > 0);
}
