import type { Interval } from '../series/series.ts';
import type { Facts } from './facts.ts';
import { customModeName } from './heartbeat.ts';
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

/** What the heartbeats of the autopilot say, for a log of messages. */
async function heartbeatModes(facts: Facts, stream: string | undefined, most: number): Promise<ModeChange[]> {
  const autopilot = await facts.autopilot(stream);
  if (!autopilot?.table.field('custom_mode')) return [];
  const { table } = autopilot;
  const { times, columns } = await table.timedColumns(['custom_mode']);
  const modes = columns[0].numbers();
  const changes: ModeChange[] = [];
  let left = 0;
  for (let row = 0; row < table.rows; row++) {
    if (row > 0 && modes[row] === modes[row - 1]) continue;
    const mode = customModeName(autopilot, modes[row]);
    if (changes.length >= most) left++;
    else changes.push({ mode, time: times[row], reason: null, offset: table.offsets.at(row) });
  }
  leaveOut(facts.log, MODES, table.stream, left);
  return changes;
}

/** What PX4 says in its own log: the state that flies, which need not be the one that was asked for. */
async function stateModes(facts: Facts, most: number): Promise<ModeChange[]> {
  const changes: ModeChange[] = [];
  const version = (await facts.vehicle()).firmware?.version ?? null;
  for (const table of facts.log.tablesNamed('vehicle_status')) {
    if (table.rows === 0 || !table.field('nav_state')) continue;
    const { times, columns } = await table.timedColumns(['nav_state']);
    const states = columns[0].numbers();
    let left = 0;
    for (let row = 0; row < table.rows; row++) {
      if (row > 0 && states[row] === states[row - 1]) continue;
      if (changes.length >= most) left++;
      else
        changes.push({
          mode: px4StateName(states[row], version),
          time: times[row],
          reason: null,
          offset: table.offsets.at(row),
        });
    }
    leaveOut(facts.log, MODES, table.name, left);
  }
  return changes;
}

/** The flight modes of a log in order, without repeats. @param stream the vehicle's heartbeat stream, if several */
export async function findModes(facts: Facts, stream?: string): Promise<ModeInterval[]> {
  const { log } = facts;
  const { kind } = await facts.vehicle(stream);
  const end = (await facts.span()).end ?? Number.NaN;
  const most = mostOf((await facts.autopilots()).length);
  const changes = [...(await heartbeatModes(facts, stream, most)), ...(await stateModes(facts, most))];
  for (const table of log.tablesNamed('MODE')) {
    if (table.rows === 0 || !table.field('Mode')) continue;
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
