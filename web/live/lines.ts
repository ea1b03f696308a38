import type { OtherEvent } from './wire.ts';

/** One line of the list of messages: what a vehicle said, or what happened to it. */
export interface Line {
  readonly id: string;
  readonly time: number;
  /** '' where it concerns none. */
  readonly vehicle: string;
  /** MAV_SEVERITY: 0 emergency to 7 debug. */
  readonly severity: number;
  readonly text: string;
  /** Whether the vehicle said it itself. */
  readonly isSaid: boolean;
}

export const SEVERITIES: readonly string[] = [
  ...['emergency', 'alert', 'critical', 'error', 'warning', 'notice', 'info', 'debug'],
];
export const ERROR = 3;
export const WARNING = 4;
const NOTICE = 5;
export const INFO = 6;

/** What is to be said of an event; undefined where nothing is. */
export function lineOf({ event, id, time, vehicle, data }: OtherEvent): Line | undefined {
  const line = (severity: number, text: string, isSaid = false): Line => ({
    id,
    time,
    vehicle,
    severity,
    text,
    isSaid,
  });
  switch (event) {
    case 'text': {
      const { severity, text } = (data.text ?? {}) as { severity?: unknown; text?: unknown };
      return line(typeof severity === 'number' ? severity : INFO, String(text ?? ''), true);
    }
    case 'mode':
      return line(NOTICE, `mode ${String(data.mode)}, before ${String(data.previous)}`);
    case 'armed':
      return line(NOTICE, data.armed === true ? 'armed' : 'disarmed');
    case 'lost':
      return line(WARNING, 'no heartbeats any more');
    case 'recovered':
      return line(NOTICE, `heartbeats again, after ${(Number(data.silence) / 1e6).toFixed(1)} s`);
    case 'reboot':
      return line(WARNING, 'was started again');
    case 'vehicle':
      return line(NOTICE, 'vehicle found');
    case 'mark':
      return line(NOTICE, `mark: ${String(data.text)}`);
    default:
      return undefined;
  }
}

/** How a severity looks. */
export function severityClass(severity: number): 'bad' | 'warn' | 'note' {
  return severity <= ERROR ? 'bad' : severity === WARNING ? 'warn' : 'note';
}
