import type { EventKind, EventSeverity } from './event.ts';
import type { LoggedText } from './messages.ts';

/** What a text of a vehicle is, by its words and by the severity that it was sent with. */
export interface TextMeaning {
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
export function textMeaning(text: string, severity: number | null, isPlain: boolean): TextMeaning {
  const sent = severity === null || isPlain ? undefined : (SEVERITIES[severity] ?? 'info');
  const kind = 'text';
  if (REFUSAL.test(text)) return { kind, severity: 'warning' };
  if (ROUTINE.test(text)) return { kind, severity: 'info' };
  const isFailsafe = FAILSAFE.test(text);
  if (OVER.test(text) && (isFailsafe || sent === undefined)) return { kind, severity: isFailsafe ? 'notice' : 'info' };
  // a landing on a target that is not seen any more is tried again
  if (isFailsafe) return { kind: 'failsafe', severity: /^PrecLand/.test(text) ? 'warning' : 'error' };
  if (ERRORS.test(text)) return { kind, severity: 'error' };
  if (WARNINGS.test(text)) return { kind, severity: sent === 'error' ? 'error' : 'warning' };
  return { kind, severity: sent ?? (TROUBLE.test(text) ? 'warning' : 'info') };
}
