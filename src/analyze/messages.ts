import type { Log } from '../core/log.ts';

/** A text that the vehicle logged. */
export interface Message {
  /** Microseconds. */
  readonly time: number;
  readonly text: string;
}

/** What MSG records say, in order; a text that newer firmwares spread over several records is one again. */
export async function findMessages(log: Log): Promise<Message[]> {
  const messages: { time: number; text: string; offset: number }[] = [];
  for (const table of log.tablesNamed('MSG')) {
    if (table.rows === 0 || !table.field('Message')) continue;
    const isChunked = table.field('ID') !== undefined && table.field('Seq') !== undefined;
    const { times, columns } = await table.timedColumns(isChunked ? ['Message', 'ID', 'Seq'] : ['Message']);
    const [texts, ids, parts] = columns;
    const open = new Map<unknown, { time: number; text: string; offset: number; next: number }>();
    for (let row = 0; row < table.rows; row++) {
      const text = String(texts.at(row));
      const part = Number(parts?.at(row) ?? 0);
      const begun = part > 0 ? open.get(ids?.at(row)) : undefined;
      if (begun && begun.next === part) {
        begun.text += text;
        begun.next++;
        continue;
      }
      const message = { time: times[row], text, offset: table.offsets.at(row), next: 1 };
      if (isChunked) open.set(ids?.at(row), message);
      messages.push(message);
    }
  }
  return messages.sort((a, b) => a.offset - b.offset).map(({ time, text }) => ({ time, text }));
}
