import { bytesText, sentence } from '../shared/format.ts';
import type { OpenFile } from './open-file.svelte.ts';

/** Why there is nothing to plot, and what to do about it. */
export interface Nothing {
  readonly title: string;
  readonly text: string;
  readonly steps: readonly string[];
}

type Shown = Pick<OpenFile, 'name' | 'problem' | 'choices' | 'summary'>;

const COPY = 'Copy it again from the card or the autopilot, and compare the sizes.';
const KINDS =
  'Logs are .bin and .log of ArduPilot, .ulg and sdlog2 of PX4, .tlog and bare MAVLink, .pcap and .pcapng with telemetry in them, NMEA and Xsens XBUS; packed ones (.gz, .zip) too.';

/** What to say of a file without anything to plot; null while it is read, and where only the choice is missing. */
export function nothingOf({ name, problem, choices, summary }: Shown): Nothing | null {
  if (choices.length > 0) return { title: `${name} holds ${choices.length} logs`, text: 'Choose one.', steps: [] };
  if (problem !== '' && !summary)
    return { title: `${name} was not opened`, text: sentence(problem), steps: stepsFor(problem) };
  if (!summary) return null;
  const { size, format, records, tables, faults } = summary;
  if (size === 0)
    return {
      title: `${name} is empty`,
      text: 'It has 0 bytes: nothing was written to it, or the copy failed.',
      steps: [
        COPY,
        'Look for another log of the same flight: a card that was full or slow leaves empty ones.',
        'On ArduPilot, LOG_BACKEND_TYPE says where logs go, and LOG_DISARMED whether there is one before arming.',
      ],
    };
  if (format === 'blank')
    return {
      title: `${name} holds no data`,
      text: sentence(faults.kept[0]?.text ?? 'all of its bytes are the same'),
      steps: [COPY, 'Space was reserved on the card and never written: look for another log of the same flight.'],
    };
  if (tables.length === 0 && format === 'pcap')
    return {
      title: `${name} has no telemetry in it`,
      text: `It is a capture of ${packets(records)}, and MAVLink, NMEA or XBUS was found in none of them.`,
      steps: [
        'Capture where the telemetry passes, for example: tcpdump -i any -w flight.pcap udp port 14550',
        'Encrypted traffic cannot be read: capture before it is encrypted.',
      ],
    };
  if (tables.length === 0)
    return {
      title: `No record of ${name} could be read`,
      text: `${bytesText(faults.lostBytes)} of ${bytesText(size)} are damaged or miss what describes them.`,
      steps: ['The tab File below lists each fault with its place.', COPY],
    };
  if (summary.start === null)
    return {
      title: 'Nothing to plot over time',
      text: `No record of ${name} has a time.`,
      steps: ['The rows of each table are behind its name on the left, its bytes in the tab Raw below.'],
    };
  return null;
}

function packets(count: number): string {
  return count === 1 ? '1 packet' : `${count} packets`;
}

function stepsFor(problem: string): string[] {
  if (/web page|LFS pointer/.test(problem)) return ['Download the file itself, not the page around it.', KINDS];
  return /unknown binary data/.test(problem) ? [COPY, KINDS] : [KINDS];
}
