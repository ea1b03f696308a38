import { words } from '../core/text.ts';
import { Series } from '../series/series.ts';
import { type Finding, type FindingParts, finding, type Plot, type Severity } from './finding.ts';
import { REPORT_LIMITS } from './limits.ts';
import type { Rule, Rules } from './rules.ts';
import type { VehicleFacts } from './vehicle-facts.ts';

/** Title of the one finding that fails a log of any kind. */
export const ALL_LOST = 'Most of the file is lost';

/** Title of an autopilot's crash record, which counts on the ground, too. */
export const HARD_FAULT = 'Hard fault';

/** What a check says that makes sense in flight only. */
export const NO_FLIGHT = 'The vehicle did not fly.';

/** Checks whose thresholds are those of a flight. */
const FLIGHT_CHECKS: ReadonlySet<string> = new Set(
  words(`
  gps compass attitude thrust vibration battery motors esc wind`),
);

/** Gathers what the checks find, and has the rules that they compare with. */
export class ReportBuilder {
  readonly facts: VehicleFacts;
  readonly rules: Rules;
  readonly findings: Finding[] = [];
  readonly plots: Plot[] = [];
  private readonly wantsPlots: boolean;

  constructor(facts: VehicleFacts, rules: Rules, wantsPlots: boolean) {
    this.facts = facts;
    this.rules = rules;
    this.wantsPlots = wantsPlots;
  }

  /** A threshold with its source. */
  rule(check: string, key: string): Rule {
    const rule = this.rules.get(check)?.get(key);
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

  add(parts: FindingParts): void {
    const count = this.findings.filter(({ check }) => check === parts.check).length;
    if (count >= REPORT_LIMITS.findings) return;
    this.findings.push(finding({ ...parts, severity: this.severityOf(parts) }));
  }

  /** What stays on the ground cannot fail as a flight does, and what was never armed was not used at all. */
  private severityOf({ check, severity, title }: FindingParts): Severity {
    const { isSensor, flight } = this.facts;
    // what does not fly fails no flight
    if (isSensor && severity === 'fail' && title !== ALL_LOST) return 'warn';
    if (title === HARD_FAULT) return severity;
    if (!flight.isGround || (severity !== 'fail' && severity !== 'warn') || title === ALL_LOST) return severity;
    if (flight.isEmpty || FLIGHT_CHECKS.has(check)) return 'info';
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
