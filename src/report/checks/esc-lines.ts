import { ESC_GROUP, ESC_INFO, ESC_STATUS, ESC_TELEMETRY } from '../../series/quantities.ts';
import type { Reading } from '../../series/quantity-rows.ts';
import type { Examination } from '../examination.ts';

/** One number that an ESC tells over time. */
export interface EscLine {
  /** From 1 on, as outputs are counted. */
  readonly number: number;
  /** The field in the log: 'ESC[0].RPM'. */
  readonly name: string;
  /** Microseconds. */
  readonly times: Float64Array;
  readonly values: Float64Array;
}

/** What ESCs tell: a line for each ESC that tells it. */
export interface EscLines {
  /** Revolutions a minute, whatever the direction. */
  readonly speed: readonly EscLine[];
  /** Degrees Celsius. */
  readonly temperature: readonly EscLine[];
  readonly motorTemperature: readonly EscLine[];
  /** Per cent of the telemetry frames that were bad. */
  readonly errorRate: readonly EscLine[];
  /** A counter of errors. */
  readonly errorCount: readonly EscLine[];
  /** ESC_FAILURE_FLAGS. */
  readonly failures: readonly EscLine[];
  /** Bits of extended DShot telemetry, as ArduPilot logs them. */
  readonly status: readonly EscLine[];
}

type Key = keyof EscLines;
const KEYS = ['speed', 'temperature', 'motorTemperature', 'errorRate', 'errorCount', 'failures', 'status'] as const;

/** Reads all that ESCs tell. */
export async function readEscs(exam: Examination): Promise<EscLines> {
  const found: Record<Key, EscLine[]> = {
    speed: [],
    temperature: [],
    motorTemperature: [],
    errorRate: [],
    errorCount: [],
    failures: [],
    status: [],
  };
  for (const quantity of [ESC_TELEMETRY, ESC_INFO, ESC_STATUS]) {
    for (const reading of await exam.read(quantity)) {
      if (reading.values.mixed) continue;
      for (const key of KEYS) found[key].push(...linesOf(reading, key));
    }
    exam.forget(quantity);
  }
  for (const key of KEYS) found[key].sort((a, b) => a.number - b.number);
  return found;
}

/** The lines of a reading: one of a log's own table, up to four of a message. */
function linesOf({ values, names, times, instance }: Reading<string>, key: Key): EscLine[] {
  // an instance may be anything in a file that is not well
  const first = values.index?.[0] || Number(instance) || 0;
  const own = values[key];
  if (own) {
    const told = key === 'speed' ? fresh(own, values.raw) : own;
    return [{ number: first + 1, name: names[key] as string, times, values: told }];
  }
  const lines: EscLine[] = [];
  for (let element = 0; element < ESC_GROUP; element++) {
    const all = values[`${key}${element}`];
    if (!all) continue;
    const told = key === 'speed' ? heard(all.map(Math.abs), values[`count${element}`]) : all;
    const number = first + element + 1;
    lines.push({ number, name: names[`${key}${element}`] as string, times, values: told });
  }
  return lines;
}

/** A speed of 0 beside a raw one that is none is that of an ESC from which no speed came lately. */
function fresh(speeds: Float64Array, raw: Float64Array | undefined): Float64Array {
  const told = new Float64Array(speeds.length);
  // a loop: ESCs may tell thousands of speeds a second
  for (let row = 0; row < told.length; row++)
    told[row] = raw && speeds[row] === 0 && raw[row] !== 0 ? Number.NaN : Math.abs(speeds[row]);
  return told;
}

/**
 * ArduPilot sends a speed of 0 for an ESC that it does not hear: such a row tells nothing where the counter of what
 * was heard stands still, unless it always does.
 */
function heard(speeds: Float64Array, counts: Float64Array | undefined): Float64Array {
  if (!counts || counts.every((count) => count === counts[0])) return speeds;
  return speeds.map((speed, row) => (speed === 0 && row > 0 && counts[row] === counts[row - 1] ? Number.NaN : speed));
}
