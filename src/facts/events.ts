import type { Log } from '../core/log.ts';
import { shortest } from '../core/text.ts';
import { rowFrom } from '../series/series.ts';
import { eventOf, type LogEvent } from './event.ts';
import { errorMeaning, eventWords, methodWords, reasonWords } from './event-codes.ts';
import type { Facts } from './facts.ts';
import type { Gap } from './gaps.ts';
import { ANSWER_LIMITS, leaveOut } from './limits.ts';
import { type LoggedText, plainSenders, senderOf, textMeaning } from './messages.ts';
import { modeName, type VehicleClass } from './mode-names.ts';
import { timed } from './neighbours.ts';
import { isNoise } from './parameters.ts';
import { isCovered, type Phase, REBOOT } from './phase.ts';
import type { Phases } from './phases.ts';

/** Microseconds within which a text says what a record of an error says as well. */
const SAME_ERROR = 1_500_000;

/** One vehicle of a log. */
interface Context {
  readonly facts: Facts;
  readonly end: number;
  readonly kind: VehicleClass | null;
  /** Stream of the heartbeats; undefined for the vehicle's onboard log. */
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
  return byTime(found.flat());
}

/** By time; what has none stays after what was found before it. */
export function byTime(events: readonly LogEvent[]): LogEvent[] {
  let last = Number.NEGATIVE_INFINITY;
  const keyed = events.map((event) => {
    if (!Number.isNaN(event.time)) last = event.time;
    return { event, key: last };
  });
  return keyed.sort((a, b) => a.key - b.key || 0).map(({ event }) => event);
}

async function vehicleEvents(context: Context): Promise<LogEvent[]> {
  const { facts, kind, stream, phases, end } = context;
  const { log } = facts;
  const isLogged = stream === undefined;
  const gaps = await facts.gaps(stream);
  // there may be more of them than a call can have arguments
  return [
    await modeEvents(context),
    phaseEvents(phases, kind, stream ?? '', isLogged ? await readArmings(log) : []),
    isLogged ? await otherEvents(log, phases) : [],
    isLogged ? await errorEvents(log, kind, end) : [],
    await px4Events(log, stream),
    isLogged ? await failsafeEvents(log, end) : [],
    await parameterEvents(context),
    gaps.map((each) => gapEvent(each, stream ?? '', phases)),
  ].flat();
}

async function modeEvents({ facts, stream }: Context): Promise<LogEvent[]> {
  const table = stream !== undefined ? 'HEARTBEAT' : facts.log.table('vehicle_status') ? 'vehicle_status' : 'MODE';
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

/** Microseconds between a text of PX4 and the event that says the same. */
const SAME_EVENT = 100_000;

/** Texts; texts that repeat ERR records or PX4 events stay texts. */
function textEvents(texts: readonly LoggedText[], others: readonly LogEvent[]): LogEvent[] {
  const timesIn = (...names: readonly string[]): number[] =>
    others.flatMap(({ table, time }) => (names.includes(table) ? [time] : [])).sort((a, b) => a - b);
  const [errors, numbered] = [timesIn('ERR'), timesIn('event', 'EVENT')];
  const plain = plainSenders(texts);
  return texts.map((each) => {
    const { time, severity, table, stream } = each;
    const text = each.text.trimEnd();
    const meaning = textMeaning(text, severity, plain.has(senderOf(each)));
    const isSerious = meaning.severity === 'error' || meaning.severity === 'warning';
    const isTold =
      isSerious &&
      (errors[rowFrom(errors, time - SAME_ERROR)] <= time + SAME_ERROR ||
        (each.isEvent && numbered[rowFrom(numbered, time - SAME_EVENT)] <= time + SAME_EVENT));
    return eventOf(isTold ? 'text' : meaning.kind, time, text, {
      severity: isTold ? 'notice' : meaning.severity,
      table,
      stream,
      codes: severity === null ? {} : { severity },
    });
  });
}

/** Values that differ from those before them; the first value of a parameter is not a change. */
async function parameterEvents({ facts, stream }: Context): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  const source = { table: stream === undefined ? 'PARM' : 'PARAM_VALUE', stream: stream ?? '' };
  for (const { name, changes } of (await facts.parameters(stream)).values()) {
    for (const [i, { time, value }] of changes.entries()) {
      const before = changes[i - 1]?.value;
      // it may be set to what it was
      if (before === undefined || Object.is(before, value)) continue;
      const text = `${name} changed from ${shortest(before)} to ${shortest(value)}`;
      const severity = isNoise(name) ? 'info' : 'notice';
      events.push(eventOf('parameter', time, text, { severity, ...source, codes: { before, value } }));
    }
  }
  return events;
}

export function gapEvent({ kind, start, end, table }: Gap, stream: string, phases?: Phases): LogEvent {
  const source = { table, stream };
  if (kind !== 'gap') {
    // dates do not go back by a reboot: the clock was set, or recordings are one after the other in the file
    if (end < start || kind === 'jump') {
      const step = Math.abs(end - start);
      const far = step < 2 * DAY ? `${seconds(step)} s` : `${Math.round(step / DAY)} days`;
      const what = table === 'FMT' ? 'another log begins: times go' : 'clock went';
      const text = `${what} ${end < start ? 'back' : 'ahead'} by ${far}`;
      return eventOf('event', end, text, { ...source, severity: 'notice' });
    }
    const text = `rebooted: ${table === 'TIMESYNC' ? 'TIMESYNC' : 'boot time'} went back`;
    return eventOf('reboot', end, text, { ...source, severity: 'warning' });
  }
  // logs are often not written while the vehicle is disarmed
  const isArmed = phases !== undefined && isCovered(phases.armed, start, end);
  const severity = isArmed ? 'warning' : 'info';
  const text = `nothing ${stream === '' ? 'logged' : 'received'} for ${seconds(end - start)} s`;
  return eventOf('gap', start, isArmed ? `${text} while armed` : text, { ...source, end, severity });
}

const DAY = 86_400e6;

function seconds(micros: number): string {
  return (micros / 1e6).toFixed(1);
}

/** Who armed or disarmed, by a record that says it. */
interface Arming {
  readonly time: number;
  readonly on: boolean;
  readonly method: number | null;
  readonly forced: boolean;
}

/** Microseconds between a change and the record with its details. */
const SAME_ARMING = 100_000;

/** Arming and disarming, take-offs and landings. Where a log begins or ends in a stretch, nothing happened. */
function phaseEvents(
  { armed, flying, armedSource, flyingSource }: Phases,
  kind: VehicleClass | null,
  stream: string,
  armings: readonly Arming[],
): LogEvent[] {
  const events: LogEvent[] = [];
  const byStep = new Map(armings.map((each) => [stepOf(each.time, each.on), each]));
  const armSource = { table: armedSource ?? '', stream, severity: 'notice' as const };
  for (const { start, end, begunBefore, open } of armed) {
    if (!begunBefore) events.push(armEvent('arm', start, byStep, armSource));
    if (!open) events.push(armEvent('disarm', end, byStep, armSource));
  }
  // a submarine counts as moving while it is armed
  if (kind === 'Sub') return events;
  const words = kind === 'Rover' ? ['began to move', 'stopped'] : ['took off', 'landed'];
  const source = { table: flyingSource ?? '', stream, severity: 'notice' as const };
  const disarmings = new Set(armed.map(({ end }) => end));
  for (const stretch of flying) {
    if (!stretch.begunBefore) events.push(eventOf('takeoff', stretch.start, words[0], source));
    if (!stretch.open)
      events.push(eventOf('landing', stretch.end, landingWords(stretch, disarmings, words[1]), source));
  }
  return events;
}

function armEvent(
  kind: 'arm' | 'disarm',
  time: number,
  armings: ReadonlyMap<number, Arming>,
  source: Pick<LogEvent, 'table' | 'stream' | 'severity'>,
): LogEvent {
  const told = nearArming(armings, time, kind === 'arm');
  const method = told?.method ?? null;
  const words = [kind === 'arm' ? 'armed' : 'disarmed', method === null ? '' : methodWords(method)];
  if (told?.forced) words.push('by force');
  return eventOf(kind, time, words.filter((each) => each !== '').join(' '), {
    ...source,
    codes: method === null ? {} : { Method: method },
  });
}

/** Armings by when they were, in steps of what counts as the same time. */
function stepOf(time: number, on: boolean): number {
  return Math.round(time / SAME_ARMING) * 2 + (on ? 1 : 0);
}

function nearArming(armings: ReadonlyMap<number, Arming>, time: number, on: boolean): Arming | undefined {
  for (const step of [0, -SAME_ARMING, SAME_ARMING]) {
    const found = armings.get(stepOf(time + step, on));
    if (found && Math.abs(found.time - time) <= SAME_ARMING) return found;
  }
  return undefined;
}

/** What ended with the disarming may have been a landing, or not. */
function landingWords({ end }: Phase, disarmings: ReadonlySet<number>, landed: string): string {
  return disarmings.has(end) ? `${landed} or disarmed` : landed;
}

/** EV.Id that say what the phases say: arming, and taking off or landing where they agree with it. */
const ARMINGS: ReadonlySet<number> = new Set([10, 11]);
const MOVES: ReadonlySet<number> = new Set([16, 18, 28]);
/** Microseconds within which they agree. */
const SAME_MOVE = 1_000_000;

/** Rows of some numeric fields, in the order of the log; a field that a table lacks is NaN. */
interface NumberRow {
  readonly time: number;
  readonly offset: number;
  readonly values: readonly number[];
}

async function readNumbers(log: Log, name: string, fields: readonly string[]): Promise<NumberRow[]> {
  const rows: NumberRow[] = [];
  for (const table of log.tablesNamed(name)) {
    const known = fields.filter((field) => table.field(field));
    if (table.rows === 0 || known[0] !== fields[0]) continue;
    const room = ANSWER_LIMITS.told - rows.length;
    leaveOut(log, `${name} records`, table.stream, table.rows - room);
    const count = Math.min(table.rows, room);
    const { times, columns } = await table.timedColumns(known, { to: count });
    const numbers = fields.map((field) => columns[known.indexOf(field)]?.numbers());
    for (let row = 0; row < count; row++) {
      const values = numbers.map((each) => each?.[row] ?? Number.NaN);
      rows.push({ time: times[row], offset: table.offsets.at(row), values });
    }
  }
  return timed(
    log,
    rows.sort((a, b) => a.offset - b.offset),
  );
}

/** ARM records: the source of arming and disarming. */
async function readArmings(log: Log): Promise<Arming[]> {
  return (await readNumbers(log, 'ARM', ['ArmState', 'Method', 'Forced'])).map(({ time, values }) => ({
    time,
    on: values[0] !== 0,
    method: Number.isNaN(values[1]) ? null : values[1],
    forced: values[2] > 0,
  }));
}

/** EV records of ArduPilot, beyond the phases. */
async function otherEvents(log: Log, { flying }: Phases): Promise<LogEvent[]> {
  const told = flying.flatMap(({ start, end }) => [start, end]);
  const events: LogEvent[] = [];
  for (const { time, values } of await readNumbers(log, 'EV', ['Id'])) {
    const [id] = values;
    if (Number.isNaN(id) || ARMINGS.has(id)) continue;
    if (MOVES.has(id) && told[rowFrom(told, time - SAME_MOVE)] <= time + SAME_MOVE) continue;
    const { text, severity } = eventWords(id);
    events.push(eventOf('event', time, text, { severity, table: 'EV', codes: { Id: id } }));
  }
  return events;
}

/** Numbered events of PX4 beside its texts, and its health checks. */
async function px4Events(log: Log, stream: string | undefined): Promise<LogEvent[]> {
  const source = stream === undefined ? { table: 'event' } : { table: 'EVENT', stream };
  if (log.tablesNamed(source.table).length === 0) return [];
  // loaded only for logs that have some
  const { findPx4Events } = await import('./logged-px4-events.ts');
  return (await findPx4Events(log, stream)).map(({ time, text, level, id, isCheck }) => {
    const { kind, severity } = textMeaning(text, level, false);
    const codes = { id, severity: level };
    // a failed arming check is not a fault
    return isCheck
      ? eventOf('event', time, text, { severity: 'info', ...source, codes })
      : eventOf(kind, time, text, { severity, ...source, codes });
  });
}

/** When the failsafe of PX4 was on, by its own log. */
async function failsafeEvents(log: Log, logEnd: number): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  let on = Number.NaN;
  const close = (end: number): void => {
    events.push(eventOf('failsafe', on, 'failsafe', { end, severity: 'error', table: 'vehicle_status' }));
    on = Number.NaN;
  };
  for (const { time, values } of await readStates(log, 'vehicle_status', 'failsafe')) {
    if (values[0] > 0 && Number.isNaN(on)) on = time;
    else if (values[0] === 0 && !Number.isNaN(on)) close(time);
  }
  if (!Number.isNaN(on)) close(Math.max(on, logEnd));
  return events;
}

/** Rows of a field that differ from the row before. */
async function readStates(log: Log, name: string, field: string): Promise<NumberRow[]> {
  const table = log.table(name);
  if (!table?.field(field) || table.rows === 0) return [];
  const { times, columns } = await table.timedColumns([field]);
  const values = columns[0].numbers();
  const rows: NumberRow[] = [];
  for (let row = 0; row < values.length && rows.length < ANSWER_LIMITS.told; row++) {
    if (row === 0 || values[row] !== values[row - 1])
      rows.push({ time: times[row], offset: table.offsets.at(row), values: [values[row]] });
  }
  return timed(log, rows);
}

interface OpenError {
  readonly code: number;
  readonly time: number;
  /** The latest time at which it is known to have been there. */
  last: number;
}

/** Errors from their beginning to their clearing. One that nothing cleared lasted until the log or its clock ended. */
async function errorEvents(log: Log, kind: VehicleClass | null, logEnd: number): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  const open = new Map<number, OpenError>();
  const seen = new Set<number>();
  const nameOf = (mode: number): string => modeName(kind, mode);
  const tell = (subsystem: number, code: number, time: number, end: number | null, more = ''): void => {
    const { kind: eventKind, severity, text } = errorMeaning(subsystem, code, nameOf);
    const codes = { Subsys: subsystem, ECode: code };
    events.push(eventOf(eventKind, time, `${text}${more}`, { end, severity, table: 'ERR', codes }));
  };
  let now = Number.NEGATIVE_INFINITY;
  for (const { time, values } of await readNumbers(log, 'ERR', ['Subsys', 'ECode'])) {
    const [subsystem, code] = values;
    if (Number.isNaN(subsystem) || Number.isNaN(code)) continue;
    if (time < now - REBOOT) {
      // the vehicle rebooted: what was wrong before is over
      for (const [each, error] of open) tell(each, error.code, error.time, Math.max(error.time, now), ', not cleared');
      open.clear();
    }
    now = time;
    const meaning = errorMeaning(subsystem, code, nameOf);
    const error = open.get(subsystem);
    if (!meaning.isCleared) tell(subsystem, code, time, null);
    else if (error && error.code !== code) {
      tell(subsystem, error.code, error.time, Math.max(error.time, time));
      open.delete(subsystem);
      if (code !== 0) open.set(subsystem, { code, time, last: time });
    } else if (code !== 0) {
      if (error) error.last = time;
      else open.set(subsystem, { code, time, last: time });
    } else if (!error && !seen.has(subsystem)) {
      const cleared = { severity: 'info', table: 'ERR', codes: { Subsys: subsystem, ECode: 0 } } as const;
      events.push(eventOf(meaning.kind, time, `${meaning.name}: cleared`, cleared));
    }
    seen.add(subsystem);
  }
  for (const [subsystem, { code, time, last }] of open) {
    tell(subsystem, code, time, Math.max(last, logEnd), ', not cleared');
  }
  return events;
}
