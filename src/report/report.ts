import type { Log } from '../core/log.ts';
import { factsOf } from '../facts/facts.ts';
import type { ModeInterval } from '../facts/modes.ts';
import type { Phases } from '../facts/phases.ts';
import { keepPlanned, reportPlan } from '../facts/read-plan.ts';
import { coveredTime, partsOf } from '../facts/span.ts';
import type { Vehicle } from '../facts/vehicle.ts';
import { type ChainStep, chainOf } from './chain.ts';
import { CHECKS } from './checks/index.ts';
import { type Finding, type FindingParts, type Plot, SEVERITIES, type Severity, secondsOf, worst } from './finding.ts';
import { REPORT_LIMITS } from './limits.ts';
import { ReportBuilder } from './report-builder.ts';
import { DEFAULT_RULES, type Rules } from './rules.ts';
import { findVehicleFacts, type VehicleFacts } from './vehicle-facts.ts';

/** The health of a vehicle by its log: plain data. Times are microseconds of the log's clock. */
export interface Report {
  /** The worst of the findings: 'ok' also where there are notes only. */
  readonly verdict: 'fail' | 'warn' | 'ok' | 'no data';
  readonly counts: Readonly<Record<Severity, number>>;
  readonly format: string;
  readonly vehicle: Vehicle;
  /** Whose report it is in a log of messages, by the stream of its heartbeats: '1:1'; '' in others. */
  readonly stream: string;
  /** The streams of all vehicles that a log of messages heard, the one with most heartbeats first. */
  readonly vehicles: readonly string[];
  readonly start: number | null;
  readonly end: number | null;
  /** How long its parts last together, and how many there are: several after reboots, and where logs were joined. */
  readonly duration: number;
  readonly parts: number;
  /** Whether times are UTC; otherwise they count from boot. */
  readonly utc: boolean;
  /** Whether times are guessed, because no record has one. */
  readonly guessed: boolean;
  readonly phases: Phases;
  readonly modes: readonly ModeInterval[];
  /** The worst first. */
  readonly findings: readonly Finding[];
  /** How the flight went wrong, the first anomaly first; empty where nothing did. */
  readonly chain: readonly ChainStep[];
  /** How many checks could be made, of all that there are for such a log. */
  readonly checks: { readonly made: number; readonly possible: number };
  /** What was looked at, where plots were asked for. */
  readonly plots: readonly Plot[];
}

export interface ReportOptions {
  /** Lines to draw beside the findings. */
  readonly plots?: boolean | undefined;
  /** The vehicle that is meant where a log heard several, by the stream of its heartbeats: '1:1'. */
  readonly stream?: string | undefined;
  /** Bytes of columns that may be kept while the checks run: with fewer the log is gone through more often. */
  readonly columnBytes?: number | undefined;
}

/** A report for each vehicle that a log heard, the one with most heartbeats first; there are bounds to their number. */
export async function makeReports(
  log: Log,
  rules: Rules = DEFAULT_RULES,
  options: Omit<ReportOptions, 'stream'> = {},
): Promise<Report[]> {
  const autopilots = await factsOf(log).autopilots();
  const streams = autopilots.slice(0, REPORT_LIMITS.vehicles).map(({ table }) => table.stream);
  const reports: Report[] = [];
  for (const stream of streams.length === 0 ? [undefined] : streams)
    reports.push(await makeReport(log, rules, { ...options, stream }));
  return reports;
}

/** Runs every check that the rules do not leave out: for the vehicle that is meant, by default the one heard most. */
export async function makeReport(log: Log, rules: Rules = DEFAULT_RULES, options: ReportOptions = {}): Promise<Report> {
  await keepPlanned(log, reportPlan, options.columnBytes);
  const facts = await findVehicleFacts(log, options.stream, rules.get('ending')?.get('sink')?.value);
  const report = new ReportBuilder(facts, rules, options.plots === true);
  const isAutopilot = !facts.isSensor;
  if (!isAutopilot) {
    report.add({
      check: 'autopilot',
      severity: 'info',
      title: 'No autopilot',
      text: `No autopilot in this log (${log.format}): only its GPS receiver was judged.`,
    });
  }
  const vehicles = (await factsOf(log).autopilots()).map(({ table }) => table.stream);
  if (vehicles.length > 1) report.add(severalVehicles(vehicles, facts.stream));
  for (const { name, run, sensors } of CHECKS) {
    if (rules.get(name) === null || (!isAutopilot && !sensors)) continue;
    for (const each of run) await each(facts, report);
  }
  const told = report.findings.map((each) => withDropouts(each, facts));
  const findings = SEVERITIES.flatMap((severity) => told.filter((each) => each.severity === severity));
  const counts = Object.fromEntries(
    SEVERITIES.map((severity) => [severity, findings.filter((each) => each.severity === severity).length]),
  ) as Record<Severity, number>;
  const parts = partsOf(log, facts.span);
  const made = counts.fail + counts.warn + counts.ok;
  const checks = { made, possible: made + counts['no data'] };
  return {
    verdict: verdictOf(findings, checks, facts),
    counts,
    format: log.format,
    vehicle: facts.vehicle,
    stream: facts.stream ?? '',
    vehicles,
    start: facts.span.start,
    end: facts.span.end,
    duration: coveredTime(parts),
    parts: parts.length,
    utc: log.clock.utc,
    guessed: log.clock.guessed === true,
    phases: facts.phases,
    modes: facts.modes,
    findings,
    chain: chainOf(findings, facts.phases),
    checks,
    plots: report.plots,
  };
}

/** Microseconds between a finding and a dropout that may have to do with it. */
const NEAR = 1e6;

/** Says where records are missing next to what was found. */
function withDropouts(finding: Finding, { dropouts }: VehicleFacts): Finding {
  const { severity, from, to, overall } = finding;
  if (dropouts.length === 0 || overall || from === null || (severity !== 'fail' && severity !== 'warn')) return finding;
  const near = dropouts.filter(({ start, end }) => start <= (to ?? from) + NEAR && end >= from - NEAR);
  if (near.length === 0) return finding;
  const lost = near.reduce((sum, { start, end }) => sum + end - start, 0);
  return {
    ...finding,
    text: `${finding.text} The log lost ${secondsOf(lost)} of records then (${near.length} dropout${near.length === 1 ? '' : 's'}).`,
  };
}

/** Streams that are named in a text. */
const NAMED = 12;

function severalVehicles(vehicles: readonly string[], stream: string | undefined): FindingParts {
  const more = vehicles.length > NAMED ? ` and ${vehicles.length - NAMED} more` : '';
  return {
    check: 'vehicles',
    severity: 'info',
    title: 'Several vehicles',
    text: `${vehicles.length} vehicles in this log: ${vehicles.slice(0, NAMED).join(', ')}${more}. This report is about ${stream}.`,
    value: vehicles.length,
    fields: vehicles.slice(0, NAMED).map((each) => `HEARTBEAT[${each}]`),
  };
}

/** Microseconds of a log, or of flight, below which nothing is said to be well. */
const ENOUGH_TIME = 5e6;

/** Remarks do not make a flight bad; a log of which little could be judged is not good either. */
function verdictOf(
  findings: readonly Finding[],
  { made, possible }: Report['checks'],
  facts: VehicleFacts,
): Report['verdict'] {
  const severity = worst(findings.filter((each) => each.severity !== 'info' && each.severity !== 'no data'));
  if (severity === 'fail' || severity === 'warn') return severity;
  const { span, phases } = facts;
  const used = phases.flying.length > 0 ? phases.flying : phases.armed;
  const isKnown = phases.armedSource !== null || phases.flyingSource !== null;
  const time = isKnown
    ? used.reduce((sum, { start, end }) => sum + end - start, 0)
    : (span.end ?? 0) - (span.start ?? 0);
  return 2 * made >= possible && made > 0 && time >= ENOUGH_TIME ? 'ok' : 'no data';
}

/** The verdict in a few words: what was found, and by how many checks. */
export function verdictWords({
  verdict,
  counts,
  checks: { made, possible },
}: Pick<Report, 'verdict' | 'counts' | 'checks'>): string {
  const number = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
  const found = [
    ...(counts.fail > 0 ? [number(counts.fail, 'failure')] : []),
    ...(counts.warn > 0 ? [number(counts.warn, 'warning')] : []),
  ];
  if (found.length > 0) return found.join(', ');
  if (verdict === 'ok') return `No problem found by ${number(made, 'check')}`;
  return made === 0 ? 'Nothing could be judged' : `${made} of ${number(possible, 'check')} could be made: no verdict`;
}
