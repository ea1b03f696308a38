import { joined } from '../core/bytes.ts';
import type { Log } from '../core/log.ts';
import type { RecordTable } from '../core/table.ts';
import { ANSWER_LIMITS } from './limits.ts';

/** The tables of a name that have rows, and all of some fields. @param stream of one sender only */
export function filledTables(log: Log, name: string, fields: readonly string[], stream?: string): RecordTable[] {
  return log
    .tablesNamed(name)
    .filter((table) => table.rows > 0 && fields.every((field) => table.field(field)))
    .filter((table) => stream === undefined || table.stream === stream);
}

/** The tables of a kind of ULog message. A topic, or a record of another format, may have the same name. */
export function messageTables(log: Log, name: string, fields: readonly string[] = []): RecordTable[] {
  return filledTables(log, name, fields, '');
}

/** What a ULog says of itself under one name; of several the last. Numbers are in decimal. */
export async function informationOf(log: Log): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const fields = ['key', 'value'];
  for (const table of messageTables(log, 'INFO', fields)) {
    const [keys, values] = await table.columns(fields, { to: ANSWER_LIMITS.told });
    for (let row = 0; row < keys.length; row++) found.set(String(keys.at(row)), String(values.at(row)));
  }
  return found;
}

/** Texts, or bytes, that come in pieces under one name: those that continue the one before are joined to it. */
export async function piecesOf(log: Log, name: string): Promise<Uint8Array[]> {
  const pieces: { readonly offset: number; readonly continued: boolean; readonly bytes: Uint8Array }[] = [];
  const fields = ['key', 'continued', 'value'];
  for (const table of [...messageTables(log, 'MULTI', fields), ...messageTables(log, 'MULTI_DATA', fields)]) {
    const [keys, continued, values] = await table.columns(fields, { to: ANSWER_LIMITS.told });
    for (let row = 0; row < keys.length; row++) {
      if (keys.at(row) !== name) continue;
      const value = values.at(row);
      const bytes = value instanceof Uint8Array ? value : new TextEncoder().encode(String(value));
      pieces.push({ offset: table.offsets.at(row), continued: continued.at(row) !== 0, bytes });
    }
  }
  const lists: Uint8Array[][] = [];
  for (const { continued, bytes } of pieces.sort((a, b) => a.offset - b.offset)) {
    const open = lists.at(-1);
    if (continued && open) open.push(bytes);
    else lists.push([bytes]);
  }
  return lists.map(joined);
}
