import type { Log } from '../core/log.ts';
import { filledTables, piecesOf } from './information.ts';
import { ANSWER_LIMITS, leaveOut } from './limits.ts';
import { timed } from './neighbours.ts';
import { type Px4Check, Px4EventDefinitions, type Px4Health, Px4HealthReader } from './px4-events.ts';
import { sentFiles } from './sent-files.ts';
import { unpackXz } from './xz.ts';

/** A numbered event of PX4, or a check of its health that failed or is well again. */
export interface LoggedPx4Event {
  /** Microseconds. */
  readonly time: number;
  readonly text: string;
  /** 0 emergency to 7 debug. */
  readonly level: number;
  readonly id: number;
  /** Whether it is about a check of the vehicle's health. */
  readonly isCheck: boolean;
}

/** Files that are tried: a log has one, each log of a file its own; a vehicle sends others, too. */
const FILES = 8;
/** Bytes that the definitions may have; real ones have 186,008. */
const MOST_BYTES = 4 << 20;
const XZ = 0xfd;

/** The definitions of events in a file; undefined if it is another file, or damaged. */
async function definitionsIn(packed: Uint8Array): Promise<Px4EventDefinitions | undefined> {
  try {
    const bytes = packed[0] === XZ ? await unpackXz(packed, MOST_BYTES) : packed;
    const definitions = new Px4EventDefinitions(new TextDecoder().decode(bytes));
    return definitions.size > 0 ? definitions : undefined;
  } catch {
    return undefined;
  }
}

/** The definitions that a log carries for its events: as information, or sent to a ground station. */
async function definitionsOf(log: Log, stream: string | undefined): Promise<Px4EventDefinitions | undefined> {
  let count = 0;
  const files = stream === undefined ? await piecesOf(log, 'metadata_events') : sentFiles(log, stream, MOST_BYTES);
  for await (const file of files) {
    const definitions = await definitionsIn(file);
    if (definitions || ++count >= FILES) return definitions;
  }
  return undefined;
}

/** The numbered events of PX4 in order, with changes of its health. @param stream the vehicle, in telemetry */
export async function findPx4Events(log: Log, stream?: string): Promise<LoggedPx4Event[]> {
  const { name, fields, shift } = stream === undefined ? LOGGED : SENT;
  const tables = filledTables(log, name, fields, stream);
  if (tables.length === 0) return [];
  const definitions = await definitionsOf(log, stream);
  // of those that are sent the vehicle sends texts, too
  if (!definitions && stream !== undefined) return [];
  const found: (LoggedPx4Event & { readonly offset: number })[] = [];
  for (const table of tables) {
    leaveOut(log, 'events of PX4', table.stream, table.rows - ANSWER_LIMITS.told);
    const { times, columns } = await table.timedColumns(fields, { to: ANSWER_LIMITS.told });
    const [ids, sequences, args, levels] = columns;
    const width = args.field.count;
    const health = new Px4HealthReader();
    const sent = new Map<string, number>();
    let before: Px4Health | undefined;
    for (let row = 0; row < times.length && found.length < ANSWER_LIMITS.told; row++) {
      const [id, sequence, told] = [Number(ids.at(row)), Number(sequences.at(row)), Number(levels.at(row))];
      // one that is sent again, as a ground station asked for
      const key = `${id} ${sequence}`;
      if (stream !== undefined && Math.abs(times[row] - (sent.get(key) ?? Number.NaN)) < AGAIN) continue;
      sent.set(key, times[row]);
      const level = (told >> shift) & 0xf;
      const event = definitions?.read(id, args.bits8.subarray(row * width, (row + 1) * width));
      const place = { time: times[row], offset: table.offsets.at(row), id };
      const add = (text: string, severity: number, isCheck: boolean): void => {
        found.push({ ...place, text, level: severity, isCheck });
      };
      if (!event) {
        if (level < PROTOCOL) add(`event ${id}`, INFO, false);
        continue;
      }
      if (event.group === 'default' && level < PROTOCOL) add(event.text, level, false);
      if (!health.push(event, sequence, told) || !health.health) continue;
      const now = health.health;
      for (const each of newIn(now, before)) add(`check failed: ${each.text}`, Math.max(each.level, WARNING), true);
      for (const each of newIn(before, now)) add(`check passed again: ${each.text}`, INFO, true);
      before = now;
    }
  }
  return timed(
    log,
    found.sort((a, b) => a.offset - b.offset),
  );
}

/** Where events are, and bits below their level: in logs the internal level, in messages the external one. */
const LOGGED = { name: 'event', fields: ['id', 'event_sequence', 'arguments', 'log_levels'], shift: 4 } as const;
const SENT = { name: 'EVENT', fields: ['id', 'sequence', 'arguments', 'log_levels'], shift: 0 } as const;
/** Microseconds within which an event comes again. */
const AGAIN = 60e6;
/** The first level that is for programs. */
const PROTOCOL = 8;
const WARNING = 4;
const INFO = 6;

/** The checks of a report that are not in another one. */
function newIn(health: Px4Health | undefined, other: Px4Health | undefined): Px4Check[] {
  return (health?.checks ?? []).filter(({ text }) => !other?.checks.some((each) => each.text === text));
}
