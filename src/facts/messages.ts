import type { Log } from '../core/log.ts';
import { leaveOut } from './left-out.ts';
import { ANSWER_LIMITS } from './limits.ts';
import { timed } from './neighbours.ts';

/** A text that the vehicle logged. */
export interface Message {
  /** Microseconds. */
  readonly time: number;
  readonly text: string;
}

/** A text, how much it matters, and the table that it stands in. */
export interface LoggedText extends Message {
  /** MAV_SEVERITY, 0 emergency to 7 debug; null where the log does not say. */
  readonly severity: number | null;
  readonly table: string;
  readonly stream: string;
  /** Where its record is in the file. */
  readonly offset: number;
}

interface OpenText extends LoggedText {
  text: string;
  /** The number of the piece that comes next. */
  next: number;
}

interface TextSource {
  readonly table: string;
  readonly text: string;
  /** What the pieces of a text have in common, and their order. */
  readonly id: string;
  readonly part: string;
  readonly severity?: string;
}

const SOURCES: readonly TextSource[] = [
  { table: 'MSG', text: 'Message', id: 'ID', part: 'Seq' },
  { table: 'STATUSTEXT', text: 'text', id: 'id', part: 'chunk_seq', severity: 'severity' },
];

/** What MSG and STATUSTEXT records say, in order; a text that is spread over several records is one again. */
export async function findMessages(log: Log): Promise<LoggedText[]> {
  const found: OpenText[] = [];
  for (const source of SOURCES) {
    for (const table of log.tablesNamed(source.table)) {
      if (table.rows === 0 || !table.field(source.text)) continue;
      const has = (name: string | undefined): name is string => name !== undefined && table.field(name) !== undefined;
      const isChunked = has(source.id) && has(source.part);
      const names = [source.text, ...(isChunked ? [source.id, source.part] : [])];
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
          severity: severity?.[row] ?? null,
          table: table.name,
          stream: table.stream,
          offset: table.offsets.at(row),
          next: 1,
        };
        if (isChunked) open.set(ids?.at(row), text);
        found.push(text);
      }
      leaveOut(log, 'texts', `${table.name} ${table.stream}`, table.rows - row);
    }
  }
  // PX4 ends texts with a tab where an event says the same
  for (const each of found) each.text = each.text.replace(/\t+$/, '');
  return timed(
    log,
    found.sort((a, b) => a.offset - b.offset),
  );
}
