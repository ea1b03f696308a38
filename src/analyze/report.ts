import type { Log } from '../core/log.ts';
import { CHECKS } from './checks/index.ts';
import { findEvents } from './events.ts';
import { Examination, type Ground } from './examination.ts';
import { type Finding, type Plot, SEVERITIES, type Severity, worst } from './finding.ts';
import { findAutopilot } from './heartbeat.ts';
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

/** Runs every check that the rules do not leave out. */
export async function makeReport(log: Log, rules: Rules = DEFAULT_RULES, options: ReportOptions = {}): Promise<Report> {
  const ground = await groundOf(log, rules, options);
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
    start: ground.span.start,
    end: ground.span.end,
    utc: log.clock.utc,
    phases: ground.phases,
    modes: ground.modes,
    findings,
    plots: exam.plots,
  };
}

async function groundOf(log: Log, rules: Rules, { stream }: ReportOptions): Promise<Ground> {
  const { start, end } = await findSpan(log);
  // a clock that a damaged record set may give any number
  const span = Number.isFinite(start) && Number.isFinite(end) ? { start, end } : { start: null, end: null };
  const vehicle = await findVehicle(log);
  const autopilot = await findAutopilot(log, stream);
  const own = autopilot?.table.stream;
  return {
    log,
    rules,
    span,
    vehicle,
    modes: (await findModes(log, vehicle.kind, span.end ?? Number.NaN)).filter(isTimed),
    parameters: await findParameters(log),
    phases: timed(await findPhases(log, stream)),
    events: (await findEvents(log)).filter((event) => own === undefined || event.stream === own),
    stream: own ?? stream ?? loudest(log),
    autopilot: autopilot?.autopilot,
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
