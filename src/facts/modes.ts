import type { RecordTable } from '../core/table.ts';
import type { Interval } from '../series/series.ts';
import type { Facts } from './facts.ts';
import { customModeName } from './heartbeat.ts';
import { filledTables } from './information.ts';
import { leaveOut, mostOf } from './limits.ts';
import { modeName, px4StateName } from './mode-names.ts';
import { timed } from './neighbours.ts';

/** When a flight mode was on: until the next mode begins, or the log ends. */
export interface ModeInterval extends Interval {
  readonly mode: string;
  /** Why it was entered, as the firmware counts reasons; null where the log does not say. */
  readonly reason: number | null;
}

const MODES = 'mode changes';

interface ModeChange {
  readonly mode: string;
  readonly time: number;
  readonly reason: number | null;
  readonly offset: number;
}

/** The flight modes of a log in order, without repeats. @param stream the vehicle's heartbeat stream, if several */
export async function findModes(facts: Facts, stream?: string): Promise<ModeInterval[]> {
  const { log } = facts;
  const { kind } = await facts.vehicle(stream);
  const end = (await facts.span()).end ?? Number.NaN;
  const most = mostOf((await facts.autopilots()).length);
  const changes: ModeChange[] = [];
  /** Adds where a number that records repeat changes. */
  const addChanges = async (table: RecordTable, field: string, of: string, nameOf: (mode: number) => string) => {
    const { times, columns } = await table.timedColumns([field]);
    const modes = columns[0].numbers();
    let left = 0;
    for (let row = 0; row < table.rows; row++) {
      if (row > 0 && modes[row] === modes[row - 1]) continue;
      if (changes.length >= most) left++;
      else changes.push({ mode: nameOf(modes[row]), time: times[row], reason: null, offset: table.offsets.at(row) });
    }
    leaveOut(log, MODES, of, left);
  };
  const autopilot = await facts.autopilot(stream);
  if (autopilot?.table.field('custom_mode')) {
    const { table } = autopilot;
    await addChanges(table, 'custom_mode', table.stream, (mode) => customModeName(autopilot, mode));
  }
  // the state that flies, which need not be the one that was asked for
  const version = (await facts.vehicle()).firmware?.version ?? null;
  for (const table of filledTables(log, 'vehicle_status', ['nav_state']))
    await addChanges(table, 'nav_state', table.name, (state) => px4StateName(state, version));
  for (const table of filledTables(log, 'MODE', ['Mode'])) {
    leaveOut(log, MODES, `MODE ${table.stream}`, table.rows - most);
    const to = Math.min(table.rows, most);
    const { times, columns } = await table.timedColumns(
      table.fields.map(({ name }) => name),
      { to },
    );
    const byName = (name: string): (typeof columns)[number] | undefined =>
      columns.find((column) => column.field.name === name);
    for (let row = 0; row < to; row++) {
      const mode = byName('ModeNum')?.at(row) ?? byName('Mode')?.at(row);
      const name = typeof mode === 'number' ? modeName(kind, mode) : String(mode);
      const reason = byName('Rsn')?.at(row);
      const offset = table.offsets.at(row);
      changes.push({ mode: name, time: times[row], reason: typeof reason === 'number' ? reason : null, offset });
    }
  }
  changes.sort((a, b) => a.offset - b.offset);
  const spans = await timed(
    log,
    changes.filter(({ mode }, i) => mode !== changes[i - 1]?.mode),
  );
  const modes = spans.map(({ mode, time, reason }, i) => {
    const until = spans[i + 1]?.time ?? end;
    return { mode, start: time, end: until < time ? time : until, reason };
  });
  return modes.some(({ start }, i) => start < modes[i - 1]?.start) ? apart(modes) : modes;
}

/** In the order of time and without overlap: what is twice in a file was flown once. */
export function apart(modes: readonly ModeInterval[]): ModeInterval[] {
  let until = Number.NEGATIVE_INFINITY;
  return modes
    .toSorted((a, b) => a.start - b.start)
    .flatMap((mode) => {
      const start = Math.max(mode.start, until);
      until = Math.max(until, mode.end);
      return mode.end > start ? [{ ...mode, start }] : [];
    });
}
