import { readFileSync } from 'node:fs';
import type { Value } from '../../../src/core/column.ts';
import { readRecords } from '../../../src/core/records.ts';
import { openInput } from '../../../src/formats/open.ts';
import type { GsvPart } from '../../../src/sensors/sky.ts';
import { readBytes } from '../../suite/sample.ts';

/** A sentence of a log as we read it. */
export interface Ours {
  readonly type: string;
  readonly talker: string;
  /** Microseconds since 1970. */
  readonly time: number;
  readonly data: Record<string, Value>;
}

/** What gpsd said, and the sentence that made it say so, with all before it. */
export interface Said {
  readonly report: Report;
  readonly ours: Ours;
  readonly line: string;
  /** Sentences since the last report, this one included. */
  readonly since: readonly Ours[];
}

/** A TPV or SKY report of gpsd. */
export interface Report {
  readonly class: string;
  readonly satellites?: readonly Readonly<Record<string, number>>[];
  readonly [name: string]: unknown;
}

/** Sentences that gpsd puts together though another stands in the middle of them: this receiver writes so. */
const INTERRUPTED = ['$GPGSV,4,1,15,02,11,115,36,05,34,060,48,07,00,023,,13,56,090,49*71'];

/**
 * The reports in a .chk file of gpsd's regression tests, each with the sentence right before it. That file also holds
 * sentences that gpsd made itself of other protocols: those do not stand in the log, and are counted.
 */
export async function readReports(path: string): Promise<{ said: Said[]; made: number }> {
  const bytes = readBytes(path);
  const text = Buffer.from(bytes).toString('latin1');
  const records: (Ours & { readonly line: string })[] = [];
  for await (const { table, time, data, offset } of readRecords(await openInput(bytes))) {
    const line = /^[^\r\n]*?\*[0-9A-Fa-f]{2}/.exec(text.slice(offset, offset + 300))?.[0] ?? '';
    records.push({ type: table.name, talker: table.stream, time, data, line });
  }
  const said: Said[] = [];
  let made = 0;
  let next = 0;
  let reported = 0;
  let last: Ours | undefined;
  for (const line of readFileSync(`${path}.chk`, 'latin1')
    .split('\n')
    .map((each) => each.trim())) {
    const isSentence = /^\$[A-Z]{5},[^*]*\*[0-9A-Fa-f]{2}$/.test(line) && isRight(line);
    if (isSentence && !text.includes(line)) made++;
    if (isSentence && text.includes(line)) {
      const index = records.findIndex((record, i) => i >= next && record.line === line);
      if (index < 0 && !INTERRUPTED.includes(line)) throw new Error(`${path}: no record for ${line}`);
      next = index < 0 ? next : index + 1;
      last = records[index];
    } else if (last && /^\{"class":"(TPV|SKY)"/.test(line)) {
      const since = records.slice(reported, next);
      said.push({ report: JSON.parse(line), ours: last, line: records[next - 1].line, since });
      reported = next;
      last = undefined;
    } else if (/^[$!]/.test(line)) {
      last = undefined;
    }
  }
  return { said, made };
}

function isRight(line: string): boolean {
  let sum = 0;
  for (const char of line.slice(1, line.lastIndexOf('*'))) sum ^= char.charCodeAt(0);
  return sum === Number.parseInt(line.slice(-2), 16);
}

type Numbers = readonly (number | null)[];

/** A GSV sentence as a sky takes it. */
export function gsvPart({ talker, data }: Ours): GsvPart {
  const { prn, elevation, azimuth, snr } = data as Record<string, Numbers>;
  const known = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);
  return {
    talker,
    messages: known(data.messages),
    message: known(data.message),
    signal: known(data.signal_id),
    system: known(data.system_id),
    satellites: prn.flatMap((number, k) =>
      number === null ? [] : [[number, known(elevation[k]), known(azimuth[k]), known(snr[k])] as const],
    ),
  };
}
