import type { Log, Span } from '../core/log.ts';
import { firstIndex } from '../core/search.ts';
import { words } from '../core/text.ts';
import type { LogEvent } from '../facts/event.ts';
import { factsOf } from '../facts/facts.ts';
import { filledTables } from '../facts/information.ts';
import { ANSWER_LIMITS } from '../facts/limits.ts';
import type { ModeInterval } from '../facts/modes.ts';
import { timed as atNeighbours } from '../facts/neighbours.ts';
import type { Phases } from '../facts/phases.ts';
import type { Vehicle } from '../facts/vehicle.ts';
import { valuesAt } from '../series/holds.ts';
import { CLIMB_RATE, IMPACT_HEIGHT, type Quantity } from '../series/quantities.ts';
import { type QuantityRows, readSeries } from '../series/quantity-rows.ts';
import type { Interval } from '../series/series.ts';

/** The time that checks look at: the words for it, and the rows in it. */
interface Scope {
  readonly words: string;
  /** Its beginning and its end, as a finding has them; null if there is none. */
  readonly when: { readonly from: number | null; readonly to: number | null };
  /** Whether there is any time in it. */
  readonly isEmpty: boolean;
  /** Whether the vehicle was armed and stayed on the ground, where little can fail. */
  readonly isGround: boolean;
  /** Whether two times are in the same flight, with no landing between. */
  isOne(a: number, b: number): boolean;
  /** 1 for each row in it, less `trim` microseconds at both ends, else 0. Shared by all readers: never change it. */
  mask(times: Float64Array, trim?: number): Uint8Array;
}

/** What the checks of a report know: the facts of one vehicle, when it flew, and the rows of quantities. */
export interface VehicleFacts {
  readonly log: Log;
  readonly span: Span;
  readonly vehicle: Vehicle;
  readonly modes: readonly ModeInterval[];
  readonly phases: Phases;
  /** What happened to this vehicle. */
  readonly events: readonly LogEvent[];
  /** The sender that a log of messages is about; undefined if none. */
  readonly stream: string | undefined;
  readonly autopilot: number | undefined;
  /** The impact that ended the last flight; nothing after it is judged. */
  readonly impact: Impact | undefined;
  /** In flight; while armed if the vehicle did not fly; the whole log if it does not say. */
  readonly flight: Scope;
  /** When the writer of the log lost what was measured. */
  readonly dropouts: readonly Interval[];
  /** Whether the log is that of a simulator, whose computer is not that of a vehicle. */
  readonly isSimulated: boolean;
  /** Whether there is no vehicle: only a sensor sent or wrote this. */
  readonly isSensor: boolean;
  parameter(name: string): number | undefined;
  /** Rows of a quantity; they are kept for the next check. */
  read<K extends string>(quantity: Quantity<K>): Promise<QuantityRows<K>[]>;
  /** Forgets rows that no later check needs. */
  forget(quantity: Quantity<string>): void;
}

/**
 * @param stream of several vehicles the one that is meant, by the stream of its heartbeats
 * @param sink   metres a second from which the end of a fall is an impact; undefined if none is looked for
 */
export async function findVehicleFacts(
  log: Log,
  stream: string | undefined,
  sink: number | undefined,
): Promise<VehicleFacts> {
  const facts = factsOf(log);
  const autopilot = await facts.autopilot(stream);
  const own = autopilot?.table.stream;
  const sender = own ?? stream ?? loudest(log);
  const phases = timed(await facts.phases(stream));
  const span = await facts.span();
  const vehicle = await facts.vehicle(own);
  const parameters = await facts.parameters(own);
  const impact = sink === undefined ? undefined : await findImpact(log, phases, own ?? stream, sink);
  const readings = new Map<Quantity<string>, Promise<QuantityRows<string>[]>>();
  return {
    log,
    span,
    vehicle,
    dropouts: await findDropouts(log),
    modes: (await facts.modes(own)).filter(isTimed),
    phases,
    events: (await facts.events()).filter((event) => own === undefined || event.stream === own),
    stream: sender,
    autopilot: autopilot?.autopilot,
    impact,
    flight: scopeOf(phases, span, wordsOf(vehicle), impact),
    isSimulated:
      ['SIM', 'SIM2', 'SIMSTATE', 'SIM_STATE'].some((name) => log.table(name)) ||
      parameters.has('SIM_OPOS_LAT') ||
      /SITL/.test(vehicle.board ?? ''),
    isSensor: sender === undefined && !log.isOnboard,
    parameter: (name) => {
      const value = parameters.get(name)?.value;
      return value === undefined || Number.isNaN(value) ? undefined : value;
    },
    read: <K extends string>(quantity: Quantity<K>) => {
      const reading = readings.get(quantity) ?? readSeries(log, quantity, sender);
      readings.set(quantity, reading);
      return reading as Promise<QuantityRows<K>[]>;
    },
    forget: (quantity) => {
      readings.delete(quantity);
    },
  };
}

/** Dropouts of a ULog: the lost data is before the record of the dropout. */
async function findDropouts(log: Log): Promise<Interval[]> {
  const found: Interval[] = [];
  for (const table of filledTables(log, 'DROPOUT', ['duration'])) {
    const { times, columns } = await table.timedColumns(['duration'], { to: ANSWER_LIMITS.told });
    const rows = Array.from(columns[0].numbers(), (duration, row) => ({
      time: times[row],
      offset: table.offsets.at(row),
      duration,
    }));
    for (const { time, duration } of await atNeighbours(log, rows))
      found.push({ start: time - duration * 1000, end: time });
  }
  return found.filter(isTimed);
}

function isTimed({ start, end }: { readonly start: number; readonly end: number }): boolean {
  return Number.isFinite(start) && Number.isFinite(end);
}

function timed(phases: Phases): Phases {
  return { ...phases, armed: phases.armed.filter(isTimed), flying: phases.flying.filter(isTimed) };
}

/** The sender of most messages, for logs without heartbeats. */
function loudest(log: Log): string | undefined {
  const rows = new Map<string, number>();
  for (const { stream, rows: count, name } of log.tables) {
    if (/^\d+:\d+$/.test(stream) && AUTOPILOT_MESSAGES.has(name)) rows.set(stream, (rows.get(stream) ?? 0) + count);
  }
  return [...rows].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** Messages that only an autopilot sends. */
const AUTOPILOT_MESSAGES: ReadonlySet<string> = new Set(
  words('ATTITUDE GLOBAL_POSITION_INT SYS_STATUS VFR_HUD GPS_RAW_INT RAW_IMU SERVO_OUTPUT_RAW'),
);

/** What the time is called in which a vehicle does what it is made for. */
function wordsOf({ kind }: Vehicle): string {
  return kind === 'Rover' ? 'while driving' : kind === 'Sub' ? 'while armed' : 'in flight';
}

function scopeOf(
  { armed, flying, armedSource, flyingSource }: Phases,
  span: Span,
  words: string,
  impact?: Impact,
): Scope {
  if (flying.length > 0) {
    const until = impact?.time ?? Number.POSITIVE_INFINITY;
    return stretchScope(
      words,
      flying.flatMap((each) => (each.start >= until ? [] : [each.end > until ? { ...each, end: until } : each])),
    );
  }
  if (armed.length > 0) return stretchScope('while armed', armed, true);
  const isKnown = armedSource !== null || flyingSource !== null;
  return {
    words: isKnown ? words : 'in the whole log',
    when: isKnown ? { from: null, to: null } : { from: span.start, to: span.end },
    isEmpty: isKnown,
    isGround: isKnown,
    isOne: () => !isKnown,
    mask: (times) => new Uint8Array(times.length).fill(isKnown ? 0 : 1),
  };
}

function stretchScope(words: string, stretches: Phases['flying'], isGround = false): Scope {
  const known = new WeakMap<Float64Array, Map<number, Uint8Array>>();
  return {
    words,
    when: { from: stretches[0].start, to: stretches[stretches.length - 1].end },
    isEmpty: false,
    isGround,
    isOne: (a, b) => stretchAt(stretches, a) === stretchAt(stretches, b),
    mask: (times, trim = 0) => {
      const masks = known.get(times) ?? new Map<number, Uint8Array>();
      known.set(times, masks);
      let mask = masks.get(trim);
      if (mask) return mask;
      mask = new Uint8Array(times.length);
      masks.set(trim, mask);
      // the next row is mostly in the stretch of the one before it
      let [from, to, first, last] = [0, 0, 0, 0];
      for (let row = 0; row < times.length; row++) {
        const time = times[row];
        if (!(time >= from && time < to)) {
          const index = stretchIndex(stretches, time);
          const { start, end, open } = stretches[index];
          from = index === 0 ? Number.NEGATIVE_INFINITY : start;
          to = stretches[index + 1]?.start ?? Number.POSITIVE_INFINITY;
          [first, last] = [start + trim, end - (open ? 0 : trim)];
        }
        if (time >= first && time <= last) mask[row] = 1;
      }
      return mask;
    },
  };
}

/** The last stretch that began before a time, else the first: of thousands, it is found at once. */
function stretchIndex(stretches: Phases['flying'], time: number): number {
  return stretches.length < 2 ? 0 : Math.max(0, firstIndex(stretches.length, (i) => stretches[i].start > time) - 1);
}

function stretchAt(stretches: Phases['flying'], time: number): Phases['flying'][number] {
  return stretches[stretchIndex(stretches, time)];
}

/** Whether a time is in one of the intervals, or at most `behind` after it. */
export function isWithin(stretches: Phases['flying'], time: number, behind = 0): boolean {
  if (stretches.length === 0) return false;
  const { start, end } = stretchAt(stretches, time);
  return time >= start && time <= end + behind;
}

/** The rows of a mask in modes that are judged; all of them if no modes are known. */
export function inModes(
  { modes }: VehicleFacts,
  times: Float64Array,
  mask: Uint8Array,
  isJudged: (mode: string) => boolean,
): Uint8Array {
  const judged = modes.map(({ mode }) => isJudged(mode));
  let k = 0;
  return mask.map((isIn, row) => {
    while (k < modes.length - 1 && times[row] >= modes[k + 1].start) k++;
    return judged[k] === false ? 0 : isIn;
  });
}

/** The vehicle hit the ground: a fast sink that ended at once, after which it never rose again. */
interface Impact {
  /** Microseconds. */
  readonly time: number;
  /** Metres a second in the second before. */
  readonly sink: number;
  /** Its field. */
  readonly field: string;
}

/** Microseconds over which the sink is measured, and for which the log must go on. */
const BEFORE = 1e6;
const AFTER = 1e6;
/** Metres a second that nothing falls: heights with other units, or damage. */
const FASTEST = 70;
/** Metres by which a height may change on the ground: a barometer feels the shock and the propellers. */
const GROUND = 3;

/** The impact that ended a flight, if one did. */
async function findImpact(
  log: Log,
  { flying }: Pick<Phases, 'flying'>,
  stream: string | undefined,
  sinkLimit: number,
): Promise<Impact | undefined> {
  const last = flying[flying.length - 1];
  if (!last) return undefined;
  const [reading] = await readSeries(log, IMPACT_HEIGHT, stream);
  const { height } = reading?.values ?? {};
  if (!reading || !height) return undefined;
  const { times } = reading;
  const rows = [...times.keys()].filter((row) => times[row] >= last.start && !Number.isNaN(height[row]));
  // the highest and the lowest that follow each row
  const [highest, lowest] = [new Float64Array(rows.length), new Float64Array(rows.length)];
  for (let i = rows.length - 1; i >= 0; i--) {
    highest[i] = Math.max(height[rows[i]], highest[i + 1] ?? Number.NEGATIVE_INFINITY);
    lowest[i] = Math.min(height[rows[i]], lowest[i + 1] ?? Number.POSITIVE_INFINITY);
  }
  const sinks = await sinksAt(log, stream, times);
  let back = 0;
  for (let i = 0; i < rows.length; i++) {
    const [row, time] = [rows[i], times[rows[i]]];
    while (times[rows[back + 1]] <= time - BEFORE) back++;
    const elapsed = time - times[rows[back]];
    const sink = ((height[rows[back]] - height[row]) / elapsed) * 1e6;
    if (elapsed < BEFORE || elapsed > 2 * BEFORE || !(sink >= sinkLimit && sink < FASTEST) || time > last.end + AFTER)
      continue;
    if (sinks && !sinks.subarray(rows[back], row + 1).some((each) => each >= sinkLimit / 2)) continue;
    const isDown = highest[i] < height[row] + GROUND && lowest[i] > height[row] - GROUND;
    // unknown if the log ends with the fall
    if (isDown && times[rows[rows.length - 1]] - time >= AFTER)
      return { time, sink, field: reading.names.height as string };
  }
  return undefined;
}

/** What the vehicle says of its sink at some times; undefined where it says nothing. */
async function sinksAt(log: Log, stream: string | undefined, times: Float64Array): Promise<Float64Array | undefined> {
  const [reading] = await readSeries(log, CLIMB_RATE, stream);
  const { up, down } = reading?.values ?? {};
  const sinks = down ?? up?.map((climb) => -climb);
  return reading && sinks && valuesAt(times, reading.times, sinks, BEFORE);
}
