import type { Log } from '../core/log.ts';
import { factsOf } from '../facts/facts.ts';
import type { Flight } from '../facts/flights.ts';
import { diffParameters, type ParameterDifference } from '../facts/parameters.ts';
import { type ComparedPart, comparedLines, compareFields, type FieldComparison } from './compare-fields.ts';
import { type Finding, type PlotLine, SEVERITIES, type Severity, worst } from './finding.ts';
import { makeReport, type Report } from './report.ts';
import { DEFAULT_RULES, type Rules } from './rules.ts';

/** The moment that two flights share: take-off, arming, the same UTC, or seconds by which b is later. */
export type Alignment = 'takeoff' | 'arm' | 'utc' | number;

export interface CompareOptions {
  readonly align?: Alignment | undefined;
  /** The number of the flight in each log; by default the longest in the air. */
  readonly flightA?: number | undefined;
  readonly flightB?: number | undefined;
  readonly rules?: Rules | undefined;
  /** How many of the fields that differ most are drawn. */
  readonly plots?: number | undefined;
}

/** One of the two. Times are microseconds of its log's clock. */
export interface ComparedSide {
  readonly format: string;
  readonly utc: boolean;
  /** The flight that is compared; null for a log without one, of which all is. */
  readonly flight: Flight | null;
  readonly from: number;
  readonly to: number;
  /** The moment that both sides have. */
  readonly zero: number;
  /** How many parameters the log has. */
  readonly parameters: number;
  readonly report: Report;
}

/** What a check of the health report says of each. */
export interface CheckComparison {
  readonly check: string;
  readonly a: Severity;
  readonly b: Severity;
  /** What it found in each that is neither well nor untold. */
  readonly findingsA: readonly string[];
  readonly findingsB: readonly string[];
}

export interface FieldPlot {
  readonly field: FieldComparison;
  /** Microseconds since the moment that both have. */
  readonly lines: readonly PlotLine[];
}

/** Two logs, or a flight of each, beside each other. */
export interface Comparison {
  /** How they were aligned, as a sentence. */
  readonly alignment: string;
  /** Seconds that both have, over which fields were compared. */
  readonly seconds: number;
  readonly a: ComparedSide;
  readonly b: ComparedSide;
  /** Those that differ most first. */
  readonly fields: readonly FieldComparison[];
  /** Empty if one of the logs has no parameters. */
  readonly parameters: readonly ParameterDifference[];
  /** Checks on which the reports do not agree first. */
  readonly checks: readonly CheckComparison[];
  readonly plots: readonly FieldPlot[];
}

/** A comparison that cannot be made as it is asked for. */
export class CompareError extends Error {
  override readonly name = 'CompareError';
}

/** Compares two logs: fields over the time that both have, parameters, and the health reports. */
export async function compareLogs(a: Log, b: Log, options: CompareOptions = {}): Promise<Comparison> {
  const { align = 'takeoff', rules = DEFAULT_RULES } = options;
  const one = await chooseFlight(a, options.flightA, 'first');
  const two = await chooseFlight(b, options.flightB, 'second');
  const streams = [await streamOf(a, one), await streamOf(b, two)] as const;
  const { parts, alignment } = await alignParts([a, b], [one, two], streams, align);
  const fields = await compareFields(parts[0], parts[1]);
  const plots: FieldPlot[] = [];
  for (const field of differing(fields, options.plots ?? 0))
    plots.push({ field, lines: await comparedLines(field, parts) });
  const reports = [
    await makeReport(a, rules, { stream: streams[0] }),
    await makeReport(b, rules, { stream: streams[1] }),
  ];
  const valuesOf = async (log: Log, stream: string | undefined): Promise<Map<string, number>> =>
    new Map([...(await factsOf(log).parameters(stream))].map(([name, { value }]) => [name, value]));
  const values = [await valuesOf(a, streams[0]), await valuesOf(b, streams[1])] as const;
  return {
    alignment,
    seconds: (parts[0].to - parts[0].from) / 1e6,
    a: sideOf(parts[0], one, reports[0], values[0].size),
    b: sideOf(parts[1], two, reports[1], values[1].size),
    fields,
    parameters: values.every(({ size }) => size > 0) ? diffParameters(...values) : [],
    checks: compareReports(reports[0], reports[1]),
    plots,
  };
}

export function noFields(a: Pick<ComparedSide, 'format'>, b: Pick<ComparedSide, 'format'>): string {
  const why = a.format === b.format ? 'over this time' : `since ${a.format} and ${b.format} name theirs differently`;
  return `none is in both, ${why}`;
}

/** Why no parameters are compared: undefined if they are. */
export function noParameters(
  a: Pick<ComparedSide, 'parameters'>,
  b: Pick<ComparedSide, 'parameters'>,
): string | undefined {
  const missing = [...(a.parameters > 0 ? [] : ['A']), ...(b.parameters > 0 ? [] : ['B'])];
  return missing.length > 0 ? `not compared, none in ${missing.join(' and ')}` : undefined;
}

/** The fields that differ most, of several instances the one that does it most. */
function differing(fields: readonly FieldComparison[], count: number): FieldComparison[] {
  const seen = new Set<string>();
  return fields
    .filter(({ table, field }) => !seen.has(`${table}.${field}`) && seen.add(`${table}.${field}`))
    .slice(0, count);
}

function sideOf(part: ComparedPart, flight: Flight | null, report: Report, parameters: number): ComparedSide {
  const { log, from, to, zero } = part;
  return { format: log.format, utc: log.clock.utc, flight, from, to, zero, parameters, report };
}

/** Whose messages are compared: those of the vehicle that flew, or of the one that was heard most. */
async function streamOf(log: Log, flight: Flight | null): Promise<string | undefined> {
  if (flight === null) return (await factsOf(log).autopilot())?.table.stream;
  return flight.stream === '' ? undefined : flight.stream;
}

async function chooseFlight(log: Log, number: number | undefined, which: string): Promise<Flight | null> {
  const flights = await factsOf(log).flights();
  if (number === undefined) {
    return flights.reduce<Flight | null>(
      (best, each) => (best === null || each.inAir > best.inAir ? each : best),
      null,
    );
  }
  const found = flights.find((each) => each.number === number);
  if (!found) throw new CompareError(`the ${which} log has no flight ${number}: it has ${flights.length}`);
  return found;
}

type Pair<T> = readonly [T, T];

/** A range of time with a moment that counts as 0. */
interface ComparedWindow {
  readonly from: number;
  readonly to: number;
  readonly zero: number;
}

async function alignParts(
  logs: Pair<Log>,
  flights: Pair<Flight | null>,
  streams: Pair<string | undefined>,
  align: Alignment,
): Promise<{ parts: Pair<ComparedPart>; alignment: string }> {
  const spans = [await windowOf(logs[0], flights[0]), await windowOf(logs[1], flights[1])] as const;
  const { zeros, alignment } = momentsOf(logs, flights, spans, align);
  // what both have before and after the moment
  const before = Math.min(zeros[0] - spans[0].from, zeros[1] - spans[1].from);
  const behind = Math.min(spans[0].to - zeros[0], spans[1].to - zeros[1]);
  if (!(behind + before > 0)) throw new CompareError(`${alignment}: the two have no time in common`);
  // comparing begins at a moment of both: before a take-off there is no flight
  const lead = align === 'takeoff' || align === 'arm' ? 0 : before;
  const part = (i: 0 | 1): ComparedPart => ({
    log: logs[i],
    stream: streams[i],
    from: zeros[i] - lead,
    to: zeros[i] + behind,
    zero: zeros[i],
  });
  return { parts: [part(0), part(1)], alignment };
}

/** A flight in the air, from arming to disarming; the whole log if none. */
async function windowOf(log: Log, flight: Flight | null): Promise<Omit<ComparedWindow, 'zero'>> {
  if (flight) return { from: flight.start, to: flight.landing ?? flight.end };
  const { start, end } = await factsOf(log).span();
  if (start === null || end === null) throw new CompareError('a log without times cannot be compared');
  return { from: start, to: end };
}

function momentsOf(
  logs: Pair<Log>,
  flights: Pair<Flight | null>,
  spans: Pair<Omit<ComparedWindow, 'zero'>>,
  align: Alignment,
): { zeros: Pair<number>; alignment: string } {
  if (align === 'utc') {
    if (!logs[0].clock.utc || !logs[1].clock.utc)
      throw new CompareError('aligned by UTC: one of the logs does not know it');
    const zero = Math.max(spans[0].from, spans[1].from);
    return { zeros: [zero, zero], alignment: 'aligned by UTC' };
  }
  if (typeof align === 'number') {
    const zero = Math.max(spans[0].from, spans[1].from - align * 1e6);
    return {
      zeros: [zero, zero + align * 1e6],
      alignment: `aligned with the second log ${align} s later than the first`,
    };
  }
  const moments = flights.map((flight, i) => {
    if (!flight) return spans[i].from;
    return align === 'arm' ? flight.start : (flight.takeoff ?? flight.start);
  });
  const words = flights.map((flight) => momentWords(flight, align));
  const alignment =
    words[0] === words[1]
      ? `aligned at ${words[0]}`
      : `aligned at ${words[0]} of the first and ${words[1]} of the second`;
  return { zeros: [moments[0], moments[1]], alignment };
}

function momentWords(flight: Flight | null, align: 'takeoff' | 'arm'): string {
  if (!flight) return 'the start of the log';
  if (align === 'arm') return flight.begunBefore ? 'the start of the log' : 'arming';
  return flight.takeoff === null ? 'the start of the log' : 'take-off';
}

/** The reports check by check: those that do not agree first, then the worst. */
function compareReports(a: Report, b: Report): CheckComparison[] {
  const names = [...new Set([...a.findings, ...b.findings].map(({ check }) => check))];
  const order = (severity: Severity): number => SEVERITIES.indexOf(severity);
  return names
    .map((check) => {
      const [one, two] = [a, b].map(({ findings }) => findings.filter((each) => each.check === check));
      return { check, a: severityOf(one), b: severityOf(two), findingsA: titles(one), findingsB: titles(two) };
    })
    .sort(
      (x, y) =>
        Number(x.a === x.b) - Number(y.a === y.b) ||
        Math.min(order(x.a), order(x.b)) - Math.min(order(y.a), order(y.b)) ||
        (x.check < y.check ? -1 : 1),
    );
}

function severityOf(findings: readonly Finding[]): Severity {
  return findings.length === 0 ? 'no data' : worst(findings);
}

function titles(findings: readonly Finding[]): string[] {
  const grave = findings.filter(({ severity }) => severity !== 'ok' && severity !== 'no data');
  return [...new Set(grave.map(({ title }) => title))];
}
