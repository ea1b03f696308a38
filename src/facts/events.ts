import { shortest } from '../core/text.ts';
import { rowFrom } from '../series/series.ts';
import { eventOf, type LogEvent } from './event.ts';
import { reasonWords } from './event-codes.ts';
import type { Facts } from './facts.ts';
import type { Interruption } from './gaps.ts';
import { loggedEvents, readArmings } from './logged-events.ts';
import type { LoggedText } from './messages.ts';
import type { VehicleClass } from './mode-names.ts';
import { isNoise } from './parameter-noise.ts';
import { phaseEvents } from './phase-events.ts';
import type { Phases } from './phases.ts';
import { isCovered } from './stretch.ts';
import { plainSenders, senderOf, textMeaning } from './text-meaning.ts';

/** Microseconds within which a text says what a record of an error says as well. */
const SAME = 1_500_000;

/** One vehicle of a log. */
interface Subject {
  readonly facts: Facts;
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
export async function findEvents(facts: Facts): Promise<LogEvent[]> {
  const { end } = await facts.span();
  const found: LogEvent[][] = [];
  for (const [stream, kind] of await facts.kinds()) {
    const phases = await facts.phases(stream);
    found.push(await vehicleEvents({ facts, end: end ?? Number.NaN, kind, stream, phases }));
  }
  found.unshift(textEvents(await facts.messages(), found.flat()));
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
  const { facts, kind, stream, phases, end } = subject;
  const { log } = facts;
  const isLogged = stream === undefined;
  const interruptions = await facts.interruptions(stream);
  // there may be more of them than a call can have arguments
  return [
    await modeEvents(subject),
    phaseEvents(phases, kind, stream ?? '', isLogged ? await readArmings(log) : []),
    isLogged ? await loggedEvents(log, kind, phases, end) : [],
    await parameterEvents(subject),
    interruptions.map((each) => interruptionEvent(each, stream ?? '', isLogged, phases)),
  ].flat();
}

async function modeEvents({ facts, stream }: Subject): Promise<LogEvent[]> {
  const table = stream === undefined ? 'MODE' : 'HEARTBEAT';
  return (await facts.modes(stream)).map(({ mode, start, reason }) => {
    const why = reason === null ? undefined : reasonWords(reason);
    return eventOf('mode', start, why ? `mode ${mode}, ${why.text}` : `mode ${mode}`, {
      severity: why?.severity ?? 'notice',
      table,
      stream: stream ?? '',
      codes: reason === null ? {} : { Rsn: reason },
    });
  });
}

/** Texts; those that tell what ERR records tell as well are only texts. */
function textEvents(texts: readonly LoggedText[], others: readonly LogEvent[]): LogEvent[] {
  const errors = others.flatMap(({ table, time }) => (table === 'ERR' ? [time] : [])).sort((a, b) => a - b);
  const plain = plainSenders(texts);
  return texts.map((each) => {
    const { time, severity, table, stream } = each;
    const text = each.text.trimEnd();
    const meaning = textMeaning(text, severity, plain.has(senderOf(each)));
    const isSerious = meaning.severity === 'error' || meaning.severity === 'warning';
    const isTold = isSerious && errors[rowFrom(errors, time - SAME)] <= time + SAME;
    return eventOf(isTold ? 'text' : meaning.kind, time, text, {
      severity: isTold ? 'notice' : meaning.severity,
      table,
      stream,
      codes: severity === null ? {} : { severity },
    });
  });
}

/** Values that differ from those before them. What a parameter was at first is no change. */
async function parameterEvents({ facts, stream }: Subject): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  const source = { table: stream === undefined ? 'PARM' : 'PARAM_VALUE', stream: stream ?? '' };
  for (const { name, changes } of (await facts.parameters(stream)).values()) {
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
    // dates do not go back by a reboot: the clock was set, or recordings are one after the other in the file
    if (end < time)
      return eventOf('event', end, `clock went back by ${seconds(time - end)} s`, { ...source, severity: 'notice' });
    const text = `rebooted: ${table === 'TIMESYNC' ? 'TIMESYNC' : 'boot time'} went back`;
    return eventOf('reboot', end, text, { ...source, severity: 'warning' });
  }
  // logs are often not written while the vehicle is disarmed
  const isArmed = isCovered(armed, time, end);
  const severity = isArmed ? 'warning' : 'info';
  const text = `nothing ${isLogged ? 'logged' : 'received'} for ${seconds(end - time)} s`;
  return eventOf('gap', time, isArmed ? `${text} while armed` : text, { ...source, end, severity });
}

function seconds(micros: number): string {
  return (micros / 1e6).toFixed(1);
}
