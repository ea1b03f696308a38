import { joined } from '../core/bytes.ts';
import type { Log } from '../core/log.ts';
import type { RecordTable } from '../core/table.ts';
import { words } from '../core/text.ts';
import { bootTimeMessage, messageLength, withoutAppended } from '../formats/ulog/encode.ts';
import { FieldClock } from '../time/field-clock.ts';
import { isLimited, recordWindows, type TrimOptions } from './records.ts';

/** What a log cannot be read without, or would lose what it says of itself. */
const ALWAYS: ReadonlySet<string> = new Set(
  words(`
  HEADER FLAGS FORMAT INFO INFO_DATA MULTI MULTI_DATA PARM PARM_DEFAULT SUBSCRIPTION UNSUBSCRIPTION`),
);
/** Of these, what holds only from when it was set. */
const PARAMETERS = 'PARM';
/** Where definitions end. */
const DATA: ReadonlySet<string> = new Set(['SUBSCRIPTION', 'LOG', 'LOG_TAGGED']);

/**
 * Part of a ULog as a new one, byte for byte as the messages were. Formats, subscriptions, information and parameters stay
 * whatever the choice, but for parameters that were set later; appended parts become part of the rest. Where GPS put the
 * log on UTC, the part says when the vehicle was started, so that it has the same times without GPS records.
 */
export async function* trimUlog(log: Log, options: TrimOptions = {}): AsyncGenerator<Uint8Array> {
  if (!log.kind?.writes.includes('ulg')) throw new TypeError(`a ${log.format} log cannot be written as ULog`);
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = options;
  const isTimed = isLimited(options);
  const tables = log.tables.filter((table) => table.rows > 0 && isKept(table, options));
  const needsTime = ({ name }: RecordTable): boolean => isTimed && (!ALWAYS.has(name) || name === PARAMETERS);
  let boot = bootTime(log);
  for await (const window of recordWindows(log, tables, needsTime)) {
    const pieces: Uint8Array[] = [];
    for (const { table, time, start } of window.records()) {
      // a parameter that was set before the part holds in it
      const isIn = time === undefined || ((time >= from || table.name === PARAMETERS) && time < to);
      if (!isIn) continue;
      if (boot && DATA.has(table.name)) {
        pieces.push(boot);
        boot = undefined;
      }
      const bytes = window.bytes.subarray(start, start + messageLength(window.bytes, start, table.name === 'HEADER'));
      pieces.push(table.name === 'FLAGS' ? withoutAppended(bytes) : bytes);
    }
    if (pieces.length > 0) yield joined(pieces);
  }
}

/** What is lost before the data, and what helps to find them, stays with any choice. */
function isKept(table: RecordTable, { tables }: TrimOptions): boolean {
  return ALWAYS.has(table.name) || /^(SYNC|DROPOUT)$/.test(table.name) || !tables || tables.has(table);
}

/** What says in the log itself when the vehicle was started, where only GPS records do. */
function bootTime({ clock }: Log): Uint8Array | undefined {
  return clock instanceof FieldClock && clock.kind === 'gps' ? bootTimeMessage(clock.base) : undefined;
}
