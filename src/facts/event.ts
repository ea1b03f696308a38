/** What kind of thing happened. */
export type EventKind = (typeof EVENT_KINDS)[number];

export const EVENT_KINDS = [
  'mode',
  'arm',
  'disarm',
  'takeoff',
  'landing',
  'error',
  'failsafe',
  'text',
  'parameter',
  'reboot',
  'gap',
  'event',
] as const;

/** How much it matters, the worst first. */
export type EventSeverity = 'error' | 'warning' | 'notice' | 'info';

export const EVENT_SEVERITIES: readonly EventSeverity[] = ['error', 'warning', 'notice', 'info'];

/** Something that happened. */
export interface LogEvent {
  readonly kind: EventKind;
  /** Microseconds of the log's clock; NaN in a log without times. */
  readonly time: number;
  /** When it was over, for what lasted; null for what is a point in time. */
  readonly end: number | null;
  readonly severity: EventSeverity;
  /** What happened, in plain words. */
  readonly text: string;
  /** The table with the event, and its vehicle: '1:1' for MAVLink, '' in a log of one vehicle. */
  readonly table: string;
  readonly stream: string;
  /** The numbers behind the words, by the names that the records give them; none for most. */
  readonly codes: Readonly<Record<string, number>>;
}

export function eventOf(
  kind: EventKind,
  time: number,
  text: string,
  more: Partial<Omit<LogEvent, 'kind' | 'time' | 'text'>>,
): LogEvent {
  const end = more.end ?? null;
  const isTimed = end !== null && end >= time;
  return { kind, time, severity: 'info', text, table: '', stream: '', codes: {}, ...more, end: isTimed ? end : null };
}
