import type { Log } from '../core/log.ts';
import { piecesOf } from './information.ts';
import { ANSWER_LIMITS, leaveOut } from './limits.ts';
import { timed } from './neighbours.ts';
import { type Px4Check, Px4EventDefinitions, type Px4Health, Px4HealthReader } from './px4-events.ts';
import { unpackXz } from './xz.ts';

/** An event of PX4's own log, or a check of its health that failed or is well again. */
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

/** Bytes that the definitions may have; real ones have 186,008. */
const MOST_BYTES = 4 << 20;
/** Definitions that are tried: a log has one, each log of a file may have its own. */
const MOST_PIECES = 4;
const XZ = 0xfd;

/** The definitions that a log carries for its events; undefined if it has none that can be read. */
async function definitionsOf(log: Log): Promise<Px4EventDefinitions | undefined> {
  for (const packed of (await piecesOf(log, 'metadata_events')).slice(0, MOST_PIECES)) {
    try {
      const bytes = packed[0] === XZ ? await unpackXz(packed, MOST_BYTES) : packed;
      return new Px4EventDefinitions(new TextDecoder().decode(bytes));
    } catch {
      // damaged, and of no use
    }
  }
  return undefined;
}

/** The events of PX4's own log in order, with what appeared and went in its reports of health. */
export async function findPx4Events(log: Log): Promise<LoggedPx4Event[]> {
  const tables = log
    .tablesNamed('event')
    .filter((table) => table.rows > 0 && FIELDS.every((name) => table.field(name)));
  if (tables.length === 0) return [];
  const definitions = await definitionsOf(log);
  const found: (LoggedPx4Event & { readonly offset: number })[] = [];
  for (const table of tables) {
    leaveOut(log, 'events of PX4', table.stream, table.rows - ANSWER_LIMITS.told);
    const { times, columns } = await table.timedColumns(FIELDS, { to: ANSWER_LIMITS.told });
    const [ids, sequences, args, levels] = columns;
    const width = args.field.count;
    const health = new Px4HealthReader();
    let before: Px4Health | undefined;
    for (let row = 0; row < times.length && found.length < ANSWER_LIMITS.told; row++) {
      const [id, told] = [Number(ids.at(row)), Number(levels.at(row))];
      const level = told >> INTERNAL;
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
      if (!health.push(event, Number(sequences.at(row)), told) || !health.health) continue;
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

const FIELDS: readonly string[] = ['id', 'event_sequence', 'arguments', 'log_levels'];
/** Bits below the internal level; from `PROTOCOL` on it is for programs. */
const INTERNAL = 4;
const PROTOCOL = 8;
const WARNING = 4;
const INFO = 6;

/** The checks of a report that are not in another one. */
function newIn(health: Px4Health | undefined, other: Px4Health | undefined): Px4Check[] {
  return (health?.checks ?? []).filter(({ text }) => !other?.checks.some((each) => each.text === text));
}
