import type { Log } from '../core/log.ts';
import { rowFrom } from '../series/series.ts';
import { errorMeaning } from './error-codes.ts';
import { eventOf, type LogEvent } from './event.ts';
import { eventWords } from './event-codes.ts';
import { leaveOut } from './left-out.ts';
import { ANSWER_LIMITS } from './limits.ts';
import { modeName, type VehicleClass } from './mode-names.ts';
import { timed } from './neighbours.ts';
import type { Arming } from './phase-events.ts';
import type { Phases } from './phases.ts';
import { restartsOf } from './span.ts';
import { REBOOT } from './stretch.ts';

/** EV.Id that say what the phases say: arming, and taking off or landing where they agree with it. */
const ARMINGS: ReadonlySet<number> = new Set([10, 11]);
const MOVES: ReadonlySet<number> = new Set([16, 18, 28]);
/** Microseconds within which they agree. */
const SAME = 1_000_000;

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

/** ARM records: who armed and disarmed. */
export async function readArmings(log: Log): Promise<Arming[]> {
  return (await readNumbers(log, 'ARM', ['ArmState', 'Method', 'Forced'])).map(({ time, values }) => ({
    time,
    on: values[0] !== 0,
    method: Number.isNaN(values[1]) ? null : values[1],
    forced: values[2] > 0,
  }));
}

/** What EV and ERR records of ArduPilot tell beside the phases. */
export async function loggedEvents(
  log: Log,
  kind: VehicleClass | null,
  phases: Phases,
  end: number,
): Promise<LogEvent[]> {
  return [...(await otherEvents(log, phases)), ...(await errorEvents(log, kind, end))];
}

async function otherEvents(log: Log, { flying }: Phases): Promise<LogEvent[]> {
  const told = flying.flatMap(({ start, end }) => [start, end]);
  const events: LogEvent[] = [];
  for (const { time, values } of await readNumbers(log, 'EV', ['Id'])) {
    const [id] = values;
    if (Number.isNaN(id) || ARMINGS.has(id)) continue;
    if (MOVES.has(id) && told[rowFrom(told, time - SAME)] <= time + SAME) continue;
    const { text, severity } = eventWords(id);
    events.push(eventOf('event', time, text, { severity, table: 'EV', codes: { Id: id } }));
  }
  return events;
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
  const restarts = restartsOf(log);
  for (const { time, values } of await readNumbers(log, 'ERR', ['Subsys', 'ECode'])) {
    const [subsystem, code] = values;
    if (Number.isNaN(subsystem) || Number.isNaN(code)) continue;
    const restart = restarts.find((each) => each.time > now && each.time <= time);
    if (restart !== undefined || time < now - REBOOT) {
      // the vehicle rebooted: what was wrong before is over
      const until = restart?.until ?? now;
      for (const [each, error] of open)
        tell(each, error.code, error.time, Math.max(error.time, until), ', not cleared');
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
