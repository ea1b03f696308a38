import { REPORT_LIMITS } from '../core/limits.ts';
import type { Log, Span } from '../core/log.ts';
import { CHECKS } from './checks/index.ts';
import type { LogEvent } from './event.ts';
import { findEvents } from './events.ts';
import { Examination, type Ground } from './examination.ts';
import { type Finding, type FindingParts, type Plot, SEVERITIES, type Severity, worst } from './finding.ts';
import { type Autopilot, findAutopilots } from './heartbeat.ts';
import { findModes, type ModeSpan } from './modes.ts';
import { findParameters } from './parameters.ts';
import { findPhases, type Phases } from './phases.ts';
import { DEFAULT_RULES, type Rules } from './rules.ts';
import { findSpan } from './span.ts';
import { findVehicle, type Vehicle } from './vehicle.ts';

/** The health of a vehicle as far as a log tells it: plain data. Times are microseconds of the log's clock. */
export interface Report {
  /** The worst of the findings: 'ok' also where there are remarks only. */
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
  /** Whether times are UTC; otherwise they count from boot. */
  readonly utc: boolean;
  readonly phases: Phases;
  readonly modes: readonly ModeSpan[];
  /** The worst first. */
  readonly findings: readonly Finding[];
  /** What was looked at, where plots were asked for. */
  readonly plots: readonly Plot[];
}

export interface ReportOptions {
  /** Lines to draw beside the findings. */
  readonly plots?: boolean | undefined;
  /** The vehicle that is meant where a log heard several, by the stream of its heartbeats: '1:1'. */
  readonly stream?: string | undefined;
}

/** What all vehicles of a log have in common. */
interface Scene {
  readonly log: Log;
  readonly rules: Rules;
  readonly span: Span;
  readonly events: readonly LogEvent[];
  readonly autopilots: readonly Autopilot[];
}

/** Runs every check that the rules do not leave out: for the vehicle that is meant, by default the one heard most. */
export async function makeReport(log: Log, rules: Rules = DEFAULT_RULES, options: ReportOptions = {}): Promise<Report> {
  return reportOf(await sceneOf(log, rules), options);
}

/** A report for each vehicle that a log heard, the one with most heartbeats first; there are bounds to their number. */
export async function makeReports(
  log: Log,
  rules: Rules = DEFAULT_RULES,
  options: Omit<ReportOptions, 'stream'> = {},
): Promise<Report[]> {
  const scene = await sceneOf(log, rules);
  const streams = scene.autopilots.slice(0, REPORT_LIMITS.vehicles).map(({ table }) => table.stream);
  const reports: Report[] = [];
  for (const stream of streams.length === 0 ? [undefined] : streams)
    reports.push(await reportOf(scene, { ...options, stream }));
  return reports;
}

async function sceneOf(log: Log, rules: Rules): Promise<Scene> {
  const { start, end } = await findSpan(log);
  // a clock that a damaged record set may give any number
  const span = Number.isFinite(start) && Number.isFinite(end) ? { start, end } : { start: null, end: null };
  return { log, rules, span, events: await findEvents(log), autopilots: await findAutopilots(log) };
}

async function reportOf(scene: Scene, options: ReportOptions): Promise<Report> {
  const { log, rules, autopilots } = scene;
  const ground = await groundOf(scene, options);
  const exam = new Examination(ground, options.plots === true);
  const isAutopilot = hasAutopilot(ground);
  if (!isAutopilot) {
    exam.add({
      check: 'autopilot',
      severity: 'info',
      title: 'No autopilot',
      text: `There is no autopilot in this log (${log.format}): only what satellite receivers tell was judged.`,
    });
  }
  const vehicles = autopilots.map(({ table }) => table.stream);
  if (vehicles.length > 1) exam.add(severalVehicles(vehicles, ground.stream));
  for (const { name, run, sensors } of CHECKS) {
    if (rules.get(name) === null || (!isAutopilot && !sensors)) continue;
    for (const each of run) await each(exam);
  }
  const findings = SEVERITIES.flatMap((severity) => exam.findings.filter((each) => each.severity === severity));
  const counts = Object.fromEntries(
    SEVERITIES.map((severity) => [severity, findings.filter((each) => each.severity === severity).length]),
  ) as Record<Severity, number>;
  return {
    verdict: verdictOf(findings),
    counts,
    format: log.format,
    vehicle: ground.vehicle,
    stream: ground.stream ?? '',
    vehicles,
    start: ground.span.start,
    end: ground.span.end,
    utc: log.clock.utc,
    phases: ground.phases,
    modes: ground.modes,
    findings,
    plots: exam.plots,
  };
}

async function groundOf({ log, rules, span, events, autopilots }: Scene, { stream }: ReportOptions): Promise<Ground> {
  const autopilot = stream === undefined ? autopilots[0] : autopilots.find(({ table }) => table.stream === stream);
  const own = autopilot?.table.stream;
  const vehicle = await findVehicle(log, own);
  return {
    log,
    rules,
    span,
    vehicle,
    modes: (await findModes(log, vehicle.kind, span.end ?? Number.NaN, own)).filter(isTimed),
    parameters: await findParameters(log, own),
    phases: timed(await findPhases(log, stream)),
    events: events.filter((event) => own === undefined || event.stream === own),
    stream: own ?? stream ?? loudest(log),
    autopilot: autopilot?.autopilot,
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
    text: `The log heard ${vehicles.length} vehicles: ${vehicles.slice(0, NAMED).join(', ')}${more}. This is the report of ${stream}.`,
    value: vehicles.length,
    fields: vehicles.slice(0, NAMED).map((each) => `HEARTBEAT[${each}]`),
  };
}

function isTimed({ start, end }: { readonly start: number; readonly end: number }): boolean {
  return Number.isFinite(start) && Number.isFinite(end);
}

function timed(phases: Phases): Phases {
  return { ...phases, armed: phases.armed.filter(isTimed), flying: phases.flying.filter(isTimed) };
}

/** The sender of most messages, for logs in which nobody sends heartbeats. */
function loudest(log: Log): string | undefined {
  const rows = new Map<string, number>();
  for (const { stream, rows: count, name } of log.tables) {
    if (/^\d+:\d+$/.test(stream) && AUTOPILOT_MESSAGES.has(name)) rows.set(stream, (rows.get(stream) ?? 0) + count);
  }
  return [...rows].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** Messages that only an autopilot sends. */
const AUTOPILOT_MESSAGES: ReadonlySet<string> = new Set([
  'ATTITUDE',
  'GLOBAL_POSITION_INT',
  'SYS_STATUS',
  'VFR_HUD',
  'GPS_RAW_INT',
  'RAW_IMU',
  'SERVO_OUTPUT_RAW',
]);

function hasAutopilot({ log, stream }: Ground): boolean {
  return stream !== undefined || log.format.startsWith('dataflash');
}

/** Remarks do not make a flight bad; a log of which nothing could be judged is not good either. */
function verdictOf(findings: readonly Finding[]): Report['verdict'] {
  const severity = worst(findings.filter((each) => each.severity !== 'info' && each.severity !== 'no data'));
  if (severity === 'fail' || severity === 'warn') return severity;
  return findings.some((each) => each.severity === 'ok') ? 'ok' : 'no data';
}
