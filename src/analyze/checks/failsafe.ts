import type { LogEvent } from '../event.ts';
import { type Examination, isWithin } from '../examination.ts';
import type { Severity } from '../finding.ts';

/** What events of one text have in common. */
interface Group {
  readonly event: LogEvent;
  readonly severity: Severity;
  count: number;
  from: number;
  to: number;
}

/** EV.Id: the estimate of altitude or heading was set anew. */
const RESETS: ReadonlySet<number> = new Set([60, 62]);
/** Different texts that are told. */
const GROUPS = 50;

/** Failsafes and errors while the vehicle was armed, and messages that say that something is wrong. */
export async function checkFailsafe(exam: Examination): Promise<void> {
  const { events, phases } = exam.ground;
  const isArmed = (time: number): boolean =>
    Number.isNaN(time) ||
    phases.armedSource === null ||
    // disarming itself is told a moment after it
    isWithin(phases.armed, time, 1e6);
  const groups = new Map<string, Group>();
  for (const event of events) {
    const severity = severityOf(event);
    if (severity === undefined || !isArmed(event.time)) continue;
    const known = groups.get(event.text);
    if (known) {
      known.count++;
      known.to = event.end ?? event.time;
    } else if (groups.size < GROUPS)
      groups.set(event.text, { event, severity, count: 1, from: event.time, to: event.end ?? event.time });
  }
  for (const { event, severity, count, from, to } of groups.values()) {
    const times = count > 1 ? ` (${count} times)` : '';
    const isText = event.kind === 'text';
    exam.add({
      check: 'failsafe',
      severity,
      title: isText
        ? 'Message of the vehicle'
        : event.text.replace(/^[a-z](?=[a-z])/, (letter) => letter.toUpperCase()),
      text: isText ? `${event.text}${times}` : `The autopilot reported this while it was armed${times}.`,
      advice: isText ? '' : 'Look at what the log says of it in the moments before.',
      from,
      to,
      fields: event.table === '' ? [] : [event.table],
    });
  }
  if (groups.size === 0)
    exam.add({
      check: 'failsafe',
      severity: 'ok',
      title: 'Failsafes',
      text: 'No failsafe or error while the vehicle was armed.',
    });
}

function severityOf({ kind, severity }: LogEvent): Severity | undefined {
  if (severity !== 'error' && severity !== 'warning') return undefined;
  if (kind === 'failsafe' || kind === 'error' || kind === 'mode' || kind === 'event')
    return severity === 'error' ? 'fail' : 'warn';
  if (kind === 'text') return severity === 'error' ? 'warn' : 'info';
  return undefined;
}

/** Estimates of altitude and heading that were set anew in flight. */
export async function checkResets(exam: Examination): Promise<void> {
  const { events, phases } = exam.ground;
  const resets = events.filter(
    ({ table, codes, time }) => table === 'EV' && RESETS.has(codes.Id) && isWithin(phases.flying, time),
  );
  if (resets.length === 0) return;
  const rule = exam.rule('ekf', 'resets');
  const isMany = resets.length >= rule.value;
  exam.add({
    check: 'ekf',
    severity: isMany ? 'warn' : 'info',
    title: 'Estimator resets',
    text: `The estimate of heading or altitude was set anew ${resets.length === 1 ? 'once' : `${resets.length} times`} in flight${isMany ? '' : '; once after take-off is usual'}.`,
    advice: isMany ? 'Look at the compass and at vibration.' : '',
    from: resets[0].time,
    to: resets[resets.length - 1].time,
    value: resets.length,
    threshold: rule.value,
    source: rule.source,
    fields: ['EV.Id'],
  });
}
