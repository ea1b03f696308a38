import type { Log } from '../core/log.ts';
import { eventOf, type LogEvent } from './event.ts';
import { piecesOf } from './information.ts';
import { ANSWER_LIMITS, leaveOut } from './limits.ts';
import { textMeaning } from './messages.ts';
import { Px4EventDefinitions } from './px4-events.ts';
import { unpackXz } from './xz.ts';

/** Bytes that the definitions of all events may have. */
const MOST_BYTES = 4 << 20;
/** Internal levels from this one on are for programs. */
const PROTOCOL = 8;
const XZ = 0xfd;

/**
 * What PX4 logged as numbered events, with the texts that the log has for them. Without them an event is shown by its
 * number. Checks before arming and reports of health are for programs, and not among them.
 */
export async function loggedPx4Events(log: Log): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  const tables = log.tablesNamed('event').filter((table) => table.rows > 0 && table.field('log_levels'));
  if (tables.length === 0) return events;
  const definitions = await definitionsIn(log);
  for (const table of tables) {
    const room = Math.max(0, ANSWER_LIMITS.told - events.length);
    leaveOut(log, 'events', table.stream, table.rows - room);
    const { times, columns } = await table.timedColumns(['id', 'arguments', 'log_levels'], { to: room });
    const [ids, given, levels] = columns;
    for (let row = 0; row < times.length; row++) {
      const id = Number(ids.at(row));
      const level = Number(levels.at(row)) >> 4;
      const known = definitions?.read(id, given.at(row) as number[]);
      if (level >= PROTOCOL || (known && known.group !== 'default')) continue;
      const text = known?.text ?? `event ${id}`;
      const { kind, severity } = textMeaning(text, level, false);
      events.push(
        eventOf(kind === 'text' ? 'event' : kind, times[row], text, {
          severity,
          table: table.name,
          stream: table.stream,
          codes: { id },
        }),
      );
    }
  }
  return events;
}

/** The texts of events that the log has itself; undefined where it has none that can be read. */
async function definitionsIn(log: Log): Promise<Px4EventDefinitions | undefined> {
  for (const packed of await piecesOf(log, 'metadata_events')) {
    try {
      const bytes = packed[0] === XZ ? await unpackXz(packed, MOST_BYTES) : packed;
      return new Px4EventDefinitions(new TextDecoder().decode(bytes));
    } catch {
      // damaged, and of no use
    }
  }
  return undefined;
}
