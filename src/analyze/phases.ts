import { ANSWER_LIMITS } from '../core/answer-limits.ts';
import type { Log } from '../core/log.ts';
import { byHeight, byMotion, type Told } from './airborne.ts';
import { type Autopilot, findAutopilot } from './heartbeat.ts';
import type { VehicleClass } from './mode-names.ts';
import { Neighbours } from './neighbours.ts';
import { type Change, inOrder, type Stretch, stretchesOf, within } from './stretch.ts';
import { findVehicle } from './vehicle.ts';

/** When a vehicle was armed and when it was under way, in the order of time; stretches of one kind do not overlap. */
export interface Phases {
  readonly armed: readonly Stretch[];
  /** In the air; for a rover in motion, for a submarine as long as it was armed. */
  readonly flying: readonly Stretch[];
  /** The table that told it: 'EV', 'ARM', 'STAT', 'HEARTBEAT' ... ; null where the log has no way to tell. */
  readonly armedSource: string | null;
  /** The same: 'EV', 'STAT', 'EXTENDED_SYS_STATE', or where the height or speed comes from: 'CTUN', 'GPS' ... */
  readonly flyingSource: string | null;
}

const NOTHING: Phases = { armed: [], flying: [], armedSource: null, flyingSource: null };

/** EV.Id: what says that the vehicle was armed, and what can only happen to one that is. */
const ARMED = 10;
const DISARMED = 11;
const AUTO_ARMED = 15;
/** Copter until 3.1 said that it took off, later ones that it is not landed any more. */
const TOOK_OFF = 16;
const NOT_LANDED = 28;
const LANDED = 18;

/** base_mode of heartbeats, landed_state of EXTENDED_SYS_STATE. */
const SAFETY_ARMED = 128;
const ON_GROUND = 1;
const LANDED_STATES = 4;

/** ArmState of PX4's sdlog2: armed, and armed with an error. */
const SDLOG2_ARMED: ReadonlySet<number> = new Set([2, 3]);

/** Microseconds after which what says the state came late. */
const LATE = 5_000_000;

/** What is known before anything is asked. */
interface Ground {
  readonly log: Log;
  readonly neighbours: Neighbours;
  readonly start: number;
  readonly end: number;
  readonly kind: VehicleClass | null;
}

/**
 * When the vehicle was armed and flying.
 * @param stream of several vehicles in one log the one that is meant, by the stream of its heartbeats: '1:1'; by
 *   default the one that sent most of them
 */
export async function findPhases(log: Log, stream?: string): Promise<Phases> {
  // parameters may be older than all else, by hours
  const neighbours = new Neighbours(log);
  const span = await neighbours.span();
  if (!span) return NOTHING;
  const { start, end } = span;
  const autopilot = await findAutopilot(log, stream);
  const ground = { log, neighbours, start, end, kind: autopilot ? autopilot.kind : (await findVehicle(log)).kind };
  const armed = autopilot ? await heartbeatArmed(ground, autopilot) : await loggedArmed(ground);
  const known = armed?.stretches ?? [{ start, end, open: true, begunBefore: true }];
  const flying = await flyingOf(ground, known, armed, autopilot?.table.stream);
  return {
    armed: armed?.stretches ?? [],
    flying: inOrder(within(flying?.stretches ?? [], known)),
    armedSource: armed?.source ?? null,
    flyingSource: flying?.source ?? (known.length === 0 ? (armed?.source ?? null) : null),
  };
}

async function flyingOf(
  ground: Ground,
  known: readonly Stretch[],
  armed: Told | undefined,
  stream: string | undefined,
): Promise<Told | undefined> {
  const { log, kind } = ground;
  if (kind === 'Rover') return byMotion(log, known, stream);
  if (kind === 'Sub' || kind === 'Tracker') return kind === 'Sub' ? armed : undefined;
  const told =
    stream !== undefined
      ? await stateFlying(ground, known, stream)
      : ((await eventFlying(ground)) ??
        (await sampled(ground, 'STAT', 'isFlying', (value) => value > 0)) ??
        (await sampled(ground, 'STAT', 'Landed', (value) => value === 0)));
  return told ?? byHeight(log, known, armed !== undefined, stream);
}

async function heartbeatArmed(ground: Ground, { table }: Autopilot): Promise<Told | undefined> {
  return sampled(ground, 'HEARTBEAT', 'base_mode', (mode) => (mode & SAFETY_ARMED) !== 0, table.stream);
}

async function loggedArmed(ground: Ground): Promise<Told | undefined> {
  const { log, neighbours, start, end } = ground;
  const arm = await readChanges(log, 'ARM', 'ArmState', (state) => ({ on: state !== 0, already: state === 0 }));
  const events = await readChanges(log, 'EV', 'Id', (id) => {
    if (id === ARMED || id === DISARMED) return { on: id === ARMED, already: id === DISARMED };
    // only what is armed can take off
    return id === AUTO_ARMED || id === NOT_LANDED || id === TOOK_OFF ? { on: true, already: true } : undefined;
  });
  if (arm.length + events.length > 0) {
    const changes = await withPauses(neighbours, [...arm, ...events]);
    return { source: events.length > 0 ? 'EV' : 'ARM', stretches: stretchesOf(changes, start, end) };
  }
  const told =
    (await sampled(ground, 'STAT', 'Armed', (value) => value > 0)) ??
    (await sampled(ground, 'STAT', 'ArmState', (value) => SDLOG2_ARMED.has(value)));
  if (told) return told;
  // a firmware that writes such records and wrote none was not armed
  return log.tablesNamed('EV').some((table) => table.rows > 0) ? { source: 'EV', stretches: [] } : undefined;
}

async function eventFlying({ log, neighbours, start, end }: Ground): Promise<Told | undefined> {
  const changes = await readChanges(log, 'EV', 'Id', (id) => {
    if (id === LANDED) return { on: false, already: true };
    if (id === ARMED || id === DISARMED) return { on: false };
    return id === NOT_LANDED || id === TOOK_OFF ? { on: true } : undefined;
  });
  const tells = await readChanges(log, 'EV', 'Id', (id) =>
    id === LANDED || id === NOT_LANDED || id === TOOK_OFF ? { on: true } : undefined,
  );
  if (tells.length === 0) return undefined;
  return { source: 'EV', stretches: stretchesOf(await withPauses(neighbours, changes), start, end) };
}

/**
 * What EXTENDED_SYS_STATE says. Some ground stations ask for it late: what was before follows from the height.
 */
async function stateFlying(ground: Ground, known: readonly Stretch[], stream: string): Promise<Told | undefined> {
  const isKnown = (state: number): boolean => state > 0 && state <= LANDED_STATES;
  const source = 'EXTENDED_SYS_STATE';
  const changes = await readChanges(
    ground.log,
    source,
    'landed_state',
    (state) => (isKnown(state) ? { on: state !== ON_GROUND } : undefined),
    stream,
  );
  const first = changes.find(({ time }) => !Number.isNaN(time));
  if (!first) return undefined;
  const end = endOf(changes, ground.end);
  const stretches = stretchesOf(changes, first.time, end);
  const before = known.filter(({ start }) => start < first.time - LATE);
  if (before.length === 0) return { source, stretches };
  const told = await byHeight(ground.log, before, true, stream);
  const early = (told?.stretches ?? []).filter(({ start }) => start < first.time);
  return { source, stretches: inOrder([...early, ...stretches]) };
}

/** A state that records repeat again and again: on from the first that says so until the first that does not. */
async function sampled(
  { log, start, end }: Ground,
  source: string,
  field: string,
  isOn: (value: number) => boolean,
  stream?: string,
): Promise<Told | undefined> {
  const samples = await readChanges(log, source, field, (value) => ({ on: isOn(value) }), stream);
  const first = samples.findIndex(({ time }) => !Number.isNaN(time));
  if (first < 0) return undefined;
  // a first sample that is off says nothing of what was before it
  const known = samples.slice(samples[first].on ? first : samples.findIndex(({ on }) => on));
  if (!known[0]?.on) return { source, stretches: [] };
  const began = first === 0 && known.length === samples.length && known[0].time - start < LATE;
  const changes = known.map((each, i) => (i === 0 && began ? { ...each, already: true } : each));
  return { source, stretches: stretchesOf(changes, start, endOf(samples, end)) };
}

/** The end of the log, or the last that was heard of a vehicle that was not heard until then. */
function endOf(samples: readonly Change[], end: number): number {
  const last = samples.findLast(({ time }) => !Number.isNaN(time))?.time ?? end;
  return end - last > LATE ? last : end;
}

/** A change, and where the record stands that says it. */
interface PlacedChange extends Change {
  readonly offset: number;
  /** Whether the record has no time of its own but that of a record before it. */
  readonly isUntimed: boolean;
}

async function readChanges(
  log: Log,
  name: string,
  field: string,
  changeOf: (value: number) => Pick<Change, 'on' | 'already'> | undefined,
  stream?: string,
): Promise<PlacedChange[]> {
  const changes: PlacedChange[] = [];
  for (const table of log.tablesNamed(name)) {
    if (table.rows === 0 || !table.field(field) || (stream !== undefined && table.stream !== stream)) continue;
    const { times, columns } = await table.timedColumns([field]);
    const values = columns[0].numbers();
    const isUntimed = log.clock.field(table) === undefined;
    for (let row = 0; row < table.rows; row++) {
      const change = Number.isNaN(values[row]) ? undefined : changeOf(values[row]);
      if (change) changes.push({ ...change, time: times[row], offset: table.offsets.at(row), isUntimed });
    }
  }
  return changes.sort((a, b) => a.offset - b.offset);
}

/**
 * Logs that are written only while the vehicle is armed often lack the record of its disarming: where nothing was
 * written for a while before it was armed, it was disarmed meanwhile. Records without a time of their own stand behind
 * the last before them, and what begins with them begins with the next one.
 */
async function withPauses(neighbours: Neighbours, changes: readonly PlacedChange[]): Promise<Change[]> {
  const out: Change[] = [];
  for (const [i, change] of changes.toSorted((a, b) => a.offset - b.offset).entries()) {
    const { on, already, offset, isUntimed } = change;
    if (i >= ANSWER_LIMITS.armings) {
      out.push(change);
      continue;
    }
    const near = isUntimed ? await (on ? neighbours.after(offset) : neighbours.before(offset)) : Number.NaN;
    const time = Number.isNaN(near) ? change.time : near;
    const pause = on && !already ? await neighbours.pauseBefore(offset, time) : Number.NaN;
    out.push({ time, on, already, offSince: Number.isNaN(pause) ? undefined : pause });
  }
  return out;
}
