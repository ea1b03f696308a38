import type { Log } from '../core/log.ts';
import type { EventKind, EventSeverity } from './event.ts';
import { filledTables } from './information.ts';
import { ANSWER_LIMITS, leaveOut } from './limits.ts';
import { timed } from './neighbours.ts';

/** A text that the vehicle logged. */
export interface Message {
  /** Microseconds. */
  readonly time: number;
  readonly text: string;
}

/** A text, its severity, and its table. */
export interface LoggedText extends Message {
  /** MAV_SEVERITY, 0 emergency to 7 debug; null where the log does not say. */
  readonly severity: number | null;
  readonly table: string;
  readonly stream: string;
  /** Where its record is in the file. */
  readonly offset: number;
  /** Whether PX4 says the same by an event: such texts end with a tab. */
  readonly isEvent: boolean;
}

interface OpenText extends LoggedText {
  text: string;
  isEvent: boolean;
  /** The number of the piece that comes next. */
  next: number;
}

interface TextSource {
  readonly table: string;
  readonly text: string;
  /** What the pieces of a text have in common, and their order. */
  readonly id?: string;
  readonly part?: string;
  readonly severity?: string;
}

const SOURCES: readonly TextSource[] = [
  { table: 'MSG', text: 'Message', id: 'ID', part: 'Seq' },
  { table: 'STATUSTEXT', text: 'text', id: 'id', part: 'chunk_seq', severity: 'severity' },
  { table: 'LOG', text: 'text', severity: 'level' },
  { table: 'LOG_TAGGED', text: 'text', severity: 'level' },
];

/** ULog writes levels as digits. */
const DIGIT = 48;

/** What records of texts say, in order; a text that is spread over several records is one again. */
export async function findMessages(log: Log): Promise<LoggedText[]> {
  const found: OpenText[] = [];
  for (const source of SOURCES) {
    for (const table of filledTables(log, source.table, [source.text])) {
      const has = (name: string | undefined): name is string => name !== undefined && table.field(name) !== undefined;
      const { id, part } = source;
      const isChunked = has(id) && has(part);
      const names = [source.text, ...(isChunked ? [id, part] : [])];
      const severity = has(source.severity) ? (await table.column(source.severity)).numbers() : undefined;
      const { times, columns } = await table.timedColumns(names);
      const [texts, ids, parts] = columns;
      const open = new Map<unknown, OpenText>();
      let row = 0;
      for (; row < table.rows && found.length < ANSWER_LIMITS.told; row++) {
        const piece = String(texts.at(row));
        const number = Number(parts?.at(row) ?? 0);
        const begun = number > 0 ? open.get(ids?.at(row)) : undefined;
        if (begun && begun.next === number) {
          begun.text += piece;
          begun.next++;
          continue;
        }
        const text: OpenText = {
          time: times[row],
          text: piece,
          severity: severity ? severity[row] - (severity[row] < DIGIT ? 0 : DIGIT) : null,
          table: table.name,
          stream: table.stream,
          offset: table.offsets.at(row),
          isEvent: false,
          next: 1,
        };
        if (isChunked) open.set(ids?.at(row), text);
        found.push(text);
      }
      leaveOut(log, 'texts', `${table.name} ${table.stream}`, table.rows - row);
    }
  }
  for (const each of found) {
    each.isEvent = each.text.endsWith('\t');
    each.text = each.text.replace(/\t+$/, '');
  }
  return timed(
    log,
    found.sort((a, b) => a.offset - b.offset),
  );
}

/** What a text of a vehicle is, by its words and by the severity that it was sent with. */
interface TextMeaning {
  readonly kind: Extract<EventKind, 'text' | 'failsafe'>;
  readonly severity: EventSeverity;
}

/** MAV_SEVERITY by the four that there are here. */
const SEVERITIES: readonly EventSeverity[] = ['error', 'error', 'error', 'error', 'warning', 'notice', 'info', 'info'];

/** What keeps a vehicle from flying, and what is over. */
const REFUSAL =
  /^(PreArm|Arm|Preflight( Fail)?): |^(Arming|Disarming|Takeoff) denied\b|^Switching to .* not available|^Mode change to .* failed/i;
const OVER = /\b(cleared|off|ended|recovered|regained|resumed|resolved|disabled|complete)\b/i;
const FAILSAFE = /\bfailsafe\b/i;
/** What a vehicle says that goes down. */
export const DOWN: RegExp = /\bcrash(ed)?\b|thrust loss|parachute: released/i;
/** What needs attention in flight although it is sent as less. */
export const NOTABLE: RegExp =
  /emergency yaw reset|vibration compensation on|EKF primary changed|lane switch|airspeed sensor \d+ failure|\b(is low|is critical|low battery)\b/i;
/** What is serious whatever severity it was sent with. */
const ERRORS = either(
  DOWN,
  /^(config|internal) error|\bEKF variance|GPS glitch|fence breach|critical battery|\bterminat(ed|ing)\b|motor \d+ fail/i,
);
const WARNINGS = either(NOTABLE, /mag anomaly|stopped aiding|deactivated: bad/i);
/** Words of trouble, for texts without a severity. */
const TROUBLE = /\b(error|fail(ed|ure)?|lost|not healthy|unhealthy|inconsistent|timeout|denied|rejected|no sensor)\b/i;
/** What every start and every mission says. */
const ROUTINE =
  /\bV\d+\.\d+|^(Reached (command|waypoint)|Initiali[sz]ing|Calibrating|Ground start|Frame: |Beginning INS|<startup_ground>|Warming up|Ready to )|calibration complete/i;

function either(a: RegExp, b: RegExp): RegExp {
  return new RegExp(`${a.source}|${b.source}`, 'i');
}

/** Of which senders the severities say nothing, by table and stream: routine is sent as an error, as before 2015. */
export function plainSenders(texts: readonly LoggedText[]): ReadonlySet<string> {
  const senders = new Set<string>();
  for (const each of texts) {
    if (each.severity !== null && each.severity < 4 && OLD.test(each.text)) senders.add(senderOf(each));
  }
  return senders;
}

/** Routine that has been sent as information since severities are those of MAVLink. */
const OLD = /\bV\d+\.\d+|^(Reached Command|Initialising APM|Ground start$|Frame: )|^barometer calibration complete/i;

export function senderOf({ table, stream }: LoggedText): string {
  return `${table} ${stream}`;
}

/** @param isPlain whether the severity says nothing */
export function textMeaning(told: string, severity: number | null, isPlain: boolean): TextMeaning {
  // PX4 logs which module says it
  const text = told.replace(/^\[\w+\] /, '');
  const sent = severity === null || isPlain ? undefined : (SEVERITIES[severity] ?? 'info');
  const kind = 'text';
  if (REFUSAL.test(text)) return { kind, severity: 'warning' };
  if (ROUTINE.test(text)) return { kind, severity: 'info' };
  const isFailsafe = FAILSAFE.test(text);
  if (OVER.test(text) && (isFailsafe || sent === undefined)) return { kind, severity: isFailsafe ? 'notice' : 'info' };
  // an event of PX4 before it does anything
  if (/^Failsafe warning/.test(text)) return { kind, severity: 'warning' };
  // a landing on a target that is not seen any more is tried again
  if (isFailsafe) return { kind: 'failsafe', severity: /^PrecLand/.test(text) ? 'warning' : 'error' };
  if (ERRORS.test(text)) return { kind, severity: 'error' };
  if (WARNINGS.test(text)) return { kind, severity: sent === 'error' ? 'error' : 'warning' };
  return { kind, severity: sent ?? (TROUBLE.test(text) ? 'warning' : 'info') };
}
