import type { Log } from '../core/log.ts';

/** A text that the vehicle logged. */
export interface Message {
  /** Microseconds. */
  readonly time: number;
  readonly text: string;
}

/** Records that carry texts: the fields of the text, of what its parts have in common, and of their order. */
const SOURCES: readonly (readonly [table: string, text: string, id: string, part: string])[] = [
  ['MSG', 'Message', 'ID', 'Seq'],
  ['STATUSTEXT', 'text', 'id', 'chunk_seq'],
];

/** What MSG and STATUSTEXT records say, in order; a text that is spread over several records is one again. */
export async function findMessages(log: Log): Promise<Message[]> {
  const messages: { time: number; text: string; offset: number }[] = [];
  const tables = SOURCES.flatMap(([name, ...fields]) => log.tablesNamed(name).map((table) => ({ table, fields })));
  for (const { table, fields } of tables) {
    const [text, id, part] = fields;
    if (table.rows === 0 || !table.field(text)) continue;
    const isChunked = table.field(id) !== undefined && table.field(part) !== undefined;
    const { times, columns } = await table.timedColumns(isChunked ? fields : [text]);
    const [texts, ids, parts] = columns;
    const open = new Map<unknown, { time: number; text: string; offset: number; next: number }>();
    for (let row = 0; row < table.rows; row++) {
      const piece = String(texts.at(row));
      const number = Number(parts?.at(row) ?? 0);
      const begun = number > 0 ? open.get(ids?.at(row)) : undefined;
      if (begun && begun.next === number) {
        begun.text += piece;
        begun.next++;
        continue;
      }
      const message = { time: times[row], text: piece, offset: table.offsets.at(row), next: 1 };
      if (isChunked) open.set(ids?.at(row), message);
      messages.push(message);
    }
  }
  return messages.sort((a, b) => a.offset - b.offset).map(({ time, text }) => ({ time, text }));
}
