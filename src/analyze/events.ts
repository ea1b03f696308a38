import type { Log } from '../core/log.ts';
import { shortest } from '../export/param.ts';
import { type EventSeverity, eventOf, type LogEvent } from './event.ts';
import { reasonWords } from './event-codes.ts';
import { type Interruption, loggedInterruptions, sentInterruptions } from './gaps.ts';
import { findAutopilots } from './heartbeat.ts';
import { loggedEvents, readArmings } from './logged-events.ts';
import { findTexts, type LoggedText } from './messages.ts';
import type { VehicleClass } from './mode-names.ts';
import { findModes } from './modes.ts';
import { isNoise } from './parameter-noise.ts';
import { findParameters } from './parameters.ts';
import { phaseEvents } from './phase-events.ts';
import { findPhases, type Phases } from './phases.ts';
import { findSpan } from './span.ts';
import { findVehicle } from './vehicle.ts';

/** MAV_SEVERITY by the four that there are here. */
const SEVERITIES: readonly EventSeverity[] = ['error', 'error', 'error', 'error', 'warning', 'notice', 'info', 'info'];
/** Texts that say what keeps a vehicle from flying, where the log has no severities. */
const REFUSAL = /^(PreArm|Arm): /;

/** One vehicle of a log. */
interface Subject {
  readonly log: Log;
  readonly end: number;
  readonly kind: VehicleClass | null;
  /** Whose heartbeats tell of it; undefined for a log that a vehicle wrote by itself. */
  readonly stream: string | undefined;
  readonly phases: Phases;
}

/**
 * What happened, in the order of time: modes, arming, take-offs and landings, errors and failsafes, texts, changes of
 * parameters, reboots, gaps, and what else the vehicle logged. Of several vehicles in one log, each event says whose it
 * is by its stream.
 */
export async function findEvents(log: Log): Promise<LogEvent[]> {
  const { end } = await findSpan(log);
  const autopilots = await findAutopilots(log);
  const kinds = new Map(autopilots.map(({ table, kind }) => [table.stream as string | undefined, kind]));
  if (kinds.size === 0) kinds.set(undefined, (await findVehicle(log)).kind);
  const found: LogEvent[][] = [(await findTexts(log)).map(textEvent)];
  for (const [stream, kind] of kinds) {
    const phases = await findPhases(log, stream);
    found.push(await vehicleEvents({ log, end: end ?? Number.NaN, kind, stream, phases }));
  }
  return inOrder(found.flat());
}

/** By time; what has none stays behind what was found before it. */
function inOrder(events: readonly LogEvent[]): LogEvent[] {
  let last = Number.NEGATIVE_INFINITY;
  const keyed = events.map((event) => {
    if (!Number.isNaN(event.time)) last = event.time;
    return { event, key: last };
  });
  return keyed.sort((a, b) => a.key - b.key || 0).map(({ event }) => event);
}

async function vehicleEvents(subject: Subject): Promise<LogEvent[]> {
  const { log, kind, stream, phases, end } = subject;
  const isLogged = stream === undefined;
  const interruptions = isLogged ? await loggedInterruptions(log) : await sentInterruptions(log, stream);
  // there may be more of them than a call can have arguments
  return [
    await modeEvents(subject),
    phaseEvents(phases, kind, stream ?? '', isLogged ? await readArmings(log) : []),
    isLogged ? await loggedEvents(log, kind, phases, end) : [],
    await parameterEvents(subject),
    interruptions.map((each) => interruptionEvent(each, stream ?? '', isLogged, phases)),
  ].flat();
}

async function modeEvents({ log, kind, end, stream }: Subject): Promise<LogEvent[]> {
  const table = stream === undefined ? 'MODE' : 'HEARTBEAT';
  return (await findModes(log, kind, end, stream)).map(({ mode, start, reason }) => {
    const why = reason === null ? undefined : reasonWords(reason);
    return eventOf('mode', start, why ? `mode ${mode}, ${why.text}` : `mode ${mode}`, {
      severity: why?.severity ?? 'notice',
      table,
      stream: stream ?? '',
      codes: reason === null ? {} : { Rsn: reason },
    });
  });
}

function textEvent({ time, text, severity, table, stream }: LoggedText): LogEvent {
  const byText: EventSeverity = REFUSAL.test(text) ? 'warning' : 'info';
  return eventOf('text', time, text.trimEnd(), {
    severity: severity === null ? byText : (SEVERITIES[severity] ?? 'info'),
    table,
    stream,
    codes: severity === null ? {} : { severity },
  });
}

/** Values that differ from those before them. What a parameter was at first is no change. */
async function parameterEvents({ log, stream }: Subject): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  const source = { table: stream === undefined ? 'PARM' : 'PARAM_VALUE', stream: stream ?? '' };
  for (const { name, changes } of (await findParameters(log, stream)).values()) {
    for (const [i, { time, value }] of changes.entries()) {
      if (i === 0) continue;
      const before = changes[i - 1].value;
      const text = `${name} changed from ${shortest(before)} to ${shortest(value)}`;
      const severity = isNoise(name) ? 'info' : 'notice';
      events.push(eventOf('parameter', time, text, { severity, ...source, codes: { before, value } }));
    }
  }
  return events;
}

function interruptionEvent(
  { kind, time, end, table }: Interruption,
  stream: string,
  isLogged: boolean,
  { armed }: Phases,
): LogEvent {
  const source = { table, stream };
  if (kind === 'reboot') {
    const text =
      end < time
        ? `started anew: the clock went back from ${seconds(time)} to ${seconds(end)} s`
        : 'started anew: the time since boot went back';
    return eventOf('reboot', end, text, { ...source, severity: 'warning' });
  }
  // logs are often not written while the vehicle is disarmed
  const isArmed = armed.some((each) => each.start < time && each.end > time);
  const severity = isArmed ? 'warning' : 'info';
  const text = `nothing ${isLogged ? 'logged' : 'received'} for ${seconds(end - time)} s`;
  return eventOf('gap', time, isArmed ? `${text} while armed` : text, { ...source, end, severity });
}

function seconds(micros: number): string {
  return (micros / 1e6).toFixed(1);
}
