import type { StateEventWire } from '../../src/server/wire.ts';

/** A line of the messages: a text of a vehicle, or an event. */
export interface Line {
  readonly id: string;
  readonly time: number;
  /** '' if it concerns none. */
  readonly vehicle: string;
  /** MAV_SEVERITY: 0 emergency to 7 debug. */
  readonly severity: number;
  readonly text: string;
  /** Whether the vehicle sent the text. */
  readonly isSaid: boolean;
}

export const SEVERITIES: readonly string[] = [
  ...['emergency', 'alert', 'critical', 'error', 'warning', 'notice', 'info', 'debug'],
];
export const ERROR = 3;
export const WARNING = 4;
const NOTICE = 5;
export const INFO = 6;

/** The line for an event; undefined if it has none. */
export function lineOf({ event, id, time, vehicle, data }: StateEventWire): Line | undefined {
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
      return line(WARNING, 'heartbeat lost');
    case 'recovered':
      return line(NOTICE, `heartbeat regained after ${Number(data.silence).toFixed(1)} s`);
    case 'reboot':
      return line(WARNING, `rebooted${data.cause ? `: ${String(data.cause)}` : ''}`);
    case 'vehicle':
      return line(NOTICE, 'vehicle found');
    case 'log':
      return data.error === ''
        ? line(NOTICE, `log saved: ${String(data.name)}`)
        : line(WARNING, `log not saved: ${String(data.error)}`);
    case 'conflict':
      return line(ERROR, String(data.text));
    case 'signatures':
      return line(WARNING, `${String(data.link)}: ${String(data.text)}`);
    case 'recorder':
      return data.state === 'failed' ? line(ERROR, String(data.error)) : line(NOTICE, `recorder ${String(data.state)}`);
    case 'mark':
      return line(NOTICE, `mark: ${String(data.text)}`);
    default:
      return undefined;
  }
}

export function severityClass(severity: number): 'bad' | 'warn' | 'note' {
  return severity <= ERROR ? 'bad' : severity === WARNING ? 'warn' : 'note';
}

const TONE_SECONDS = 0.18;

/** A short tone. Silent if the browser does not allow it. */
export function beep(): void {
  // nothing is heard before the first click, and the browser would complain
  if (!navigator.userActivation.hasBeenActive) return;
  try {
    const context = new AudioContext();
    const tone = context.createOscillator();
    const loudness = context.createGain();
    tone.frequency.value = 880;
    loudness.gain.value = 0.15;
    tone.connect(loudness).connect(context.destination);
    tone.onended = () => void context.close();
    tone.start();
    tone.stop(context.currentTime + TONE_SECONDS);
  } catch {
    // no sound available
  }
}
