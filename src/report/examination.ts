import type { Log, Span } from '../core/log.ts';
import { firstIndex } from '../core/search.ts';
import type { LogEvent } from '../facts/event.ts';
import type { ModeSpan } from '../facts/modes.ts';
import type { Parameter } from '../facts/parameters.ts';
import type { Phases } from '../facts/phases.ts';
import type { Vehicle } from '../facts/vehicle.ts';
import type { Quantity } from '../series/quantities.ts';
import { type Reading, readSeries } from '../series/quantity-rows.ts';
import { Series } from '../series/series.ts';
import type { Impact } from './checks/impact.ts';
import { type Finding, type FindingParts, finding, type Plot, type Severity } from './finding.ts';
import { REPORT_LIMITS } from './limits.ts';
import type { Rule } from './rule-list.ts';
import type { Rules } from './rules.ts';

/** What is known of a log before its checks begin. */
export interface Ground {
  readonly log: Log;
  readonly rules: Rules;
  readonly span: Span;
  readonly vehicle: Vehicle;
  readonly modes: readonly ModeSpan[];
  readonly parameters: ReadonlyMap<string, Parameter>;
  readonly phases: Phases;
  /** What happened to this vehicle. */
  readonly events: readonly LogEvent[];
  /** The sender that a log of messages is about; undefined where there is none. */
  readonly stream: string | undefined;
  /** MAV_AUTOPILOT of it. */
  readonly autopilot: number | undefined;
  /** The impact that ended the last flight; nothing after it is judged. */
  readonly impact: Impact | undefined;
}

/** When a check looks: the words for it, and the rows that are in it. */
export interface Scope {
  readonly words: string;
  readonly from: number | null;
  readonly to: number | null;
  /** Whether there is any time in it. */
  readonly isEmpty: boolean;
  /** Whether the vehicle was armed and stayed on the ground, where little can fail. */
  readonly isGround: boolean;
  /** Whether two times are in the same flight, with no landing between. */
  isOne(a: number, b: number): boolean;
  /** 1 for each row in it, else 0; `trim` microseconds are left out after its beginnings and before its ends. */
  mask(times: Float64Array, trim?: number): Uint8Array;
}

/** What the checks of a report share: readings of the log, the rules, when the vehicle flew, and what they found. */
export class Examination {
  readonly ground: Ground;
  /** In flight; while armed where the vehicle did not fly; the whole log where it has no way to tell. */
  readonly flight: Scope;
  readonly findings: Finding[] = [];
  readonly plots: Plot[] = [];
  private readonly wantsPlots: boolean;
  private readonly readings = new Map<Quantity<string>, Promise<Reading<string>[]>>();

  constructor(ground: Ground, wantsPlots: boolean) {
    this.ground = ground;
    this.wantsPlots = wantsPlots;
    this.flight = scopeOf(ground.phases, ground.span, ground.impact);
  }

  /** Whether the log is that of a simulator, whose computer is not that of a vehicle. */
  get isSimulated(): boolean {
    const { log, parameters } = this.ground;
    return ['SIM', 'SIM2', 'SIMSTATE', 'SIM_STATE'].some((name) => log.table(name)) || parameters.has('SIM_OPOS_LAT');
  }

  /** Whether there is no vehicle: only a sensor sent or wrote this. */
  get isSensor(): boolean {
    const { log, stream } = this.ground;
    return stream === undefined && !log.isOnboard;
  }

  /** Rows of a quantity; those that were read stay for the next check. */
  read<K extends string>(quantity: Quantity<K>): Promise<Reading<K>[]> {
    const known = this.readings.get(quantity);
    if (known) return known as Promise<Reading<K>[]>;
    const reading = readSeries(this.ground.log, quantity, this.ground.stream);
    this.readings.set(quantity, reading);
    return reading;
  }

  /** Forgets rows that no later check needs. */
  forget(quantity: Quantity<string>): void {
    this.readings.delete(quantity);
  }

  /** A threshold with its source. */
  rule(check: string, key: string): Rule {
    const rule = this.ground.rules.get(check)?.get(key);
    if (!rule) throw new RangeError(`no rule ${check}.${key}`);
    return rule;
  }

  limit(check: string, key: string): number {
    return this.rule(check, key).value;
  }

  /** A rule in seconds, in microseconds. */
  micros(check: string, key: string): number {
    return this.limit(check, key) * 1e6;
  }

  parameter(name: string): number | undefined {
    const value = this.ground.parameters.get(name)?.value;
    return value === undefined || Number.isNaN(value) ? undefined : value;
  }

  add(parts: FindingParts): void {
    const count = this.findings.filter(({ check }) => check === parts.check).length;
    if (count >= REPORT_LIMITS.findings) return;
    this.findings.push(finding({ ...parts, severity: this.severityOf(parts) }));
  }

  /** What stays on the ground cannot fail as a flight does, and what was never armed was not used at all. */
  private severityOf({ check, severity, title }: FindingParts): Severity {
    // what does not fly fails no flight
    if (this.isSensor && severity === 'fail' && title !== ALL_LOST) return 'warn';
    if (!this.flight.isGround || (severity !== 'fail' && severity !== 'warn') || title === ALL_LOST) return severity;
    if (this.flight.isEmpty || FLIGHT_CHECKS.has(check)) return 'info';
    return 'warn';
  }

  /** Says that a check could not be made, and what it would have needed. */
  noData(check: string, title: string, text: string): void {
    this.add({ check, severity: 'no data', title, text });
  }

  plot(
    parts: Omit<Plot, 'lines'>,
    lines: readonly { name: string; times: Float64Array; values: Float64Array }[],
  ): void {
    if (!this.wantsPlots) return;
    const drawn = lines
      .slice(0, REPORT_LIMITS.plotLines)
      .map(({ name, times, values }) => ({ name, ...new Series(times, values).thin(REPORT_LIMITS.plotPoints) }));
    this.plots.push({ ...parts, lines: drawn });
  }
}

/** Title of the one finding that fails a log of any kind. */
export const ALL_LOST = 'Most of the file is lost';

/** What is said by a check that makes sense in flight only. */
export const NO_FLIGHT = 'The vehicle did not fly.';

/** Checks whose thresholds are those of a flight. */
const FLIGHT_CHECKS: ReadonlySet<string> = new Set([
  'gps',
  'compass',
  'attitude',
  'thrust',
  'vibration',
  'battery',
  'motors',
  'esc',
  'wind',
]);

function scopeOf({ armed, flying, armedSource, flyingSource }: Phases, span: Span, impact?: Impact): Scope {
  if (flying.length > 0) {
    const until = impact?.time ?? Number.POSITIVE_INFINITY;
    return stretchScope(
      'in flight',
      flying.flatMap((each) => (each.start >= until ? [] : [each.end > until ? { ...each, end: until } : each])),
    );
  }
  if (armed.length > 0) return stretchScope('while armed', armed, true);
  const isKnown = armedSource !== null || flyingSource !== null;
  return {
    words: isKnown ? 'in flight' : 'in the whole log',
    from: isKnown ? null : span.start,
    to: isKnown ? null : span.end,
    isEmpty: isKnown,
    isGround: isKnown,
    isOne: () => !isKnown,
    mask: (times) => new Uint8Array(times.length).fill(isKnown ? 0 : 1),
  };
}

function stretchScope(words: string, stretches: Phases['flying'], isGround = false): Scope {
  return {
    words,
    from: stretches[0].start,
    to: stretches[stretches.length - 1].end,
    isEmpty: false,
    isGround,
    isOne: (a, b) => stretchAt(stretches, a) === stretchAt(stretches, b),
    mask: (times, trim = 0) => {
      const mask = new Uint8Array(times.length);
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
  return Math.max(0, firstIndex(stretches.length, (i) => stretches[i].start > time) - 1);
}

function stretchAt(stretches: Phases['flying'], time: number): Phases['flying'][number] {
  return stretches[stretchIndex(stretches, time)];
}

/** Whether a time lies in one of the stretches, or at most so long behind it. */
export function isWithin(stretches: Phases['flying'], time: number, behind = 0): boolean {
  if (stretches.length === 0) return false;
  const { start, end } = stretchAt(stretches, time);
  return time >= start && time <= end + behind;
}
