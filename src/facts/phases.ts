import type { Log } from '../core/log.ts';
import { byHeight, byMotion, byTwoHeights, offTheGround, type PhaseSource, settled } from './airborne.ts';
import type { Facts } from './facts.ts';
import { filledTables } from './information.ts';
import { ANSWER_LIMITS, leaveOut, mostOf } from './limits.ts';
import type { VehicleClass } from './mode-names.ts';
import { Neighbours, timed } from './neighbours.ts';
import { type Change, merged, overlapping, type Phase, phasesOf, within } from './phase.ts';

/** When a vehicle was armed, and in flight or moving, in the order of time; phases of one kind do not overlap. */
export interface Phases {
  readonly armed: readonly Phase[];
  /** In the air; for a rover in motion, for a submarine as long as it was armed. */
  readonly flying: readonly Phase[];
  /** Its table: 'EV', 'ARM', 'STAT', 'HEARTBEAT' ... ; null if the log has none. */
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

/** arming_state of PX4's own logs; it was another number for errors in each version. */
const PX4_ARMED = 2;

/** ArmState of PX4's sdlog2: armed, and armed with an error. */
const SDLOG2_ARMED: ReadonlySet<number> = new Set([2, 3]);

/** What ArduPilot says when it arms. */
const ARMING = /^(arming motors|throttle armed)/i;
/** What it says at the head of a log, and when it refuses to arm. */
const FIRMWARE = /\bV\d+\.\d+/;
const REFUSED = /^(PreArm|Arm): /;

/** Microseconds after which what says the state came late. */
const LATE = 5_000_000;

/** What is known before anything is asked. */
interface Context {
  readonly facts: Facts;
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
export async function findPhases(facts: Facts, stream?: string): Promise<Phases> {
  const { log } = facts;
  // parameters may be older than all else, by hours
  const neighbours = new Neighbours(log);
  const span = await neighbours.span();
  if (!span) return NOTHING;
  const { start, end } = span;
  const autopilot = await facts.autopilot(stream);
  const { kind } = await facts.vehicle(stream);
  const context = { facts, log, neighbours, start, end, kind };
  const isArmed = (mode: number): boolean => (mode & SAFETY_ARMED) !== 0;
  const armed = autopilot
    ? await sampled(context, 'HEARTBEAT', 'base_mode', isArmed, autopilot.table.stream)
    : await loggedArmed(context);
  const known = armed?.stretches ?? [{ start, end, open: true, begunBefore: true }];
  const flying = await flyingOf(context, known, armed, autopilot?.table.stream);
  return {
    armed: armed?.stretches ?? [],
    flying: flying?.stretches ?? [],
    armedSource: armed?.source ?? null,
    flyingSource: flying?.source ?? (known.length === 0 ? (armed?.source ?? null) : null),
  };
}

export function joinedPhases(parts: readonly Phases[]): Phases {
  const sourceOf = (of: (part: Phases) => string | null): string | null =>
    parts.map(of).find((each) => each !== null) ?? null;
  return {
    armed: merged(parts.flatMap(({ armed }) => armed)),
    flying: merged(parts.flatMap(({ flying }) => flying)),
    armedSource: sourceOf(({ armedSource }) => armedSource),
    flyingSource: sourceOf(({ flyingSource }) => flyingSource),
  };
}

async function flyingOf(
  context: Context,
  known: readonly Phase[],
  armed: PhaseSource | undefined,
  stream: string | undefined,
): Promise<PhaseSource | undefined> {
  const { facts, log, kind } = context;
  if (kind === 'Rover') return byMotion(facts, known, stream);
  if (kind === 'Sub') return armed;
  if (kind === 'Tracker') return undefined;
  const told =
    stream !== undefined
      ? await stateFlying(context, known, stream)
      : ((await eventFlying(context)) ??
        (await sampled(context, 'STAT', 'isFlying', (value) => value > 0)) ??
        (await sampled(context, 'STAT', 'Landed', (value) => value === 0)) ??
        (await sampled(context, 'vehicle_land_detected', 'landed', (value) => value === 0)));
  const found = told ?? (await byHeight(facts, known, armed !== undefined, stream));
  if (!found) return undefined;
  const inAir = merged(found.stretches);
  const claimed = known.flatMap((each) => settled(within(inAir, [each])));
  const flown = await offTheGround(log, claimed, stream);
  if (!told) return { ...found, stretches: flown };
  // an autopilot that says when it flies may have failed to say it
  const silent = known.filter((each) => overlapping(each, claimed).length === 0);
  const unsaid = settled(await byTwoHeights(log, silent, stream));
  return { ...found, stretches: merged([...flown, ...unsaid]) };
}

async function loggedArmed(context: Context): Promise<PhaseSource | undefined> {
  const { facts, log, neighbours, start, end } = context;
  const arm = await readChanges(facts, 'ARM', 'ArmState', (state) => ({ on: state !== 0, already: state === 0 }));
  const events = await readChanges(facts, 'EV', 'Id', (id) => {
    if (id === ARMED || id === DISARMED) return { on: id === ARMED, already: id === DISARMED };
    // only what is armed can take off
    return id === AUTO_ARMED || id === NOT_LANDED || id === TOOK_OFF ? { on: true, already: true } : undefined;
  });
  if (arm.length + events.length > 0) {
    const changes = await withPauses(neighbours, [...arm, ...events, ...(await armingTexts(context))]);
    const first = changes.find(({ time }) => !Number.isNaN(time));
    const since = first?.already ? await armedSince(context, first.time) : undefined;
    if (since !== undefined) changes.unshift({ time: since, on: true });
    return { source: events.length > 0 ? 'EV' : 'ARM', stretches: phasesOf(changes, start, end) };
  }
  const told =
    (await sampled(context, 'STAT', 'Armed', (value) => value > 0)) ??
    (await sampled(context, 'STAT', 'ArmState', (value) => SDLOG2_ARMED.has(value))) ??
    (await sampled(context, 'vehicle_status', 'arming_state', (value) => value === PX4_ARMED)) ??
    (await sampled(context, 'actuator_armed', 'armed', (value) => value > 0));
  if (told) return told;
  // a firmware that writes such records and wrote none was not armed
  const isNever = log.tablesNamed('EV').some(({ rows }) => rows > 0) || (await wasNeverArmed(context));
  return isNever ? { source: 'EV', stretches: [] } : undefined;
}

/** Whether a log without events is of a vehicle that never armed: it begins with a firmware's head of a log. */
async function wasNeverArmed({ facts, log, kind, start, end }: Context): Promise<boolean> {
  const definitions = log.table('FMT');
  if (end - start < LATE || !definitions?.field('Name')) return false;
  const names = await definitions.column('Name');
  if (!Array.from({ length: definitions.rows }, (__, row) => names.at(row)).includes('EV')) return false;
  const texts = await facts.messages();
  if (!texts.some(({ time, text }) => FIRMWARE.test(text) && Math.abs(time - start) < LATE)) return false;
  return kind === 'Copter' || texts.some(({ text }) => REFUSED.test(text));
}

/** What an autopilot says when it arms; the records of that may be missing, as they come before the file is there. */
async function armingTexts({ facts }: Context): Promise<PlacedChange[]> {
  const texts = (await facts.messages()).filter(({ text }) => ARMING.test(text));
  return texts.map(({ time, offset }) => ({ time, offset, on: true, isUntimed: false }));
}

/** When a vehicle armed that the log first shows armed: after the last pause, or at the start of the log. */
async function armedSince({ facts, start }: Context, time: number): Promise<number | undefined> {
  const pause = (await facts.gaps()).findLast(({ kind, end }) => kind === 'gap' && end <= time);
  if (pause) return pause.end;
  const [first] = (await facts.parameters()).get('LOG_DISARMED')?.changes ?? [];
  return first?.value === 0 && Math.abs(first.time - start) < LATE ? start : undefined;
}

async function eventFlying({ facts, neighbours, start, end }: Context): Promise<PhaseSource | undefined> {
  const changes = await readChanges(facts, 'EV', 'Id', (id) => {
    if (id === LANDED) return { on: false, already: true };
    if (id === ARMED || id === DISARMED) return { on: false };
    return id === NOT_LANDED || id === TOOK_OFF ? { on: true } : undefined;
  });
  // arming alone does not prove that a firmware would have logged more
  if (!changes.some(({ on, already }) => on || already)) return undefined;
  return { source: 'EV', stretches: phasesOf(await withPauses(neighbours, changes), start, end) };
}

/** Flying by EXTENDED_SYS_STATE. Some ground stations request it late: before, the height decides. */
async function stateFlying(
  context: Context,
  known: readonly Phase[],
  stream: string,
): Promise<PhaseSource | undefined> {
  const isKnown = (state: number): boolean => state > 0 && state <= LANDED_STATES;
  const source = 'EXTENDED_SYS_STATE';
  const changes = await readChanges(
    context.facts,
    source,
    'landed_state',
    (state) => (isKnown(state) ? { on: state !== ON_GROUND } : undefined),
    { stream, isState: true },
  );
  const first = changes.find(({ time }) => !Number.isNaN(time));
  if (!first) return undefined;
  const end = endOf(changes, context.end);
  const stretches = phasesOf(changes, first.time, end);
  const before = known.filter(({ start }) => start < first.time - LATE);
  if (before.length === 0) return { source, stretches };
  const told = await byHeight(context.facts, before, true, stream);
  const early = (told?.stretches ?? []).filter(({ start }) => start < first.time);
  return { source, stretches: merged([...early, ...stretches]) };
}

/** A state that records repeat again and again: on from the first that says so until the first that does not. */
async function sampled(
  { facts, start, end }: Context,
  source: string,
  field: string,
  isOn: (value: number) => boolean,
  stream?: string,
): Promise<PhaseSource | undefined> {
  const state = { stream, isState: true };
  const samples = await readChanges(facts, source, field, (value) => ({ on: isOn(value) }), state);
  const first = samples.findIndex(({ time }) => !Number.isNaN(time));
  if (first < 0) return undefined;
  // what is on when it is first heard was on before; one that is off says nothing of what was
  const isBegun = samples[first].on;
  const changes = samples.slice(first).map((each, i) => (i === 0 && isBegun ? { ...each, already: true } : each));
  const since = samples[first].time - start < LATE ? start : samples[first].time;
  return { source, stretches: phasesOf(changes, since, endOf(samples, end)) };
}

/** The end of the log, or the last that was heard of a vehicle that was not heard until then. */
function endOf(samples: readonly Change[], end: number): number {
  const last = samples.findLast(({ time }) => !Number.isNaN(time))?.time ?? end;
  return end - last > LATE ? last : end;
}

/** A change, and the offset of its record. */
interface PlacedChange extends Change {
  readonly offset: number;
  /** Whether the record has only the time of the record before it. */
  readonly isUntimed: boolean;
}

/** @param isState whether records repeat a state: then only those around a change of it count */
async function readChanges(
  facts: Facts,
  name: string,
  field: string,
  changeOf: (value: number) => Pick<Change, 'on' | 'already'> | undefined,
  { stream, isState = false }: { readonly stream?: string | undefined; readonly isState?: boolean } = {},
): Promise<PlacedChange[]> {
  const { log } = facts;
  const changes: PlacedChange[] = [];
  const most = mostOf((await facts.autopilots()).length);
  const tables = filledTables(log, name, [field], stream);
  for (const table of tables) {
    const { times, columns } = await table.timedColumns([field]);
    const values = columns[0].numbers();
    const isUntimed = log.clock.field(table) === undefined;
    const stateOf = (row: number): boolean | undefined => changeOf(values[row])?.on;
    const isRepeated = (row: number): boolean =>
      stateOf(row) === stateOf(row - 1) &&
      stateOf(row) === stateOf(row + 1) &&
      times[row - 1] <= times[row] &&
      times[row] <= times[row + 1];
    let left = 0;
    for (let row = 0; row < table.rows; row++) {
      const change = Number.isNaN(values[row]) ? undefined : changeOf(values[row]);
      if (!change || (isState && tables.length === 1 && row > 0 && row < table.rows - 1 && isRepeated(row))) continue;
      if (changes.length < most)
        changes.push({ ...change, time: times[row], offset: table.offsets.at(row), isUntimed });
      else left++;
    }
    leaveOut(log, `changes of ${name}.${field}`, table.stream, left);
  }
  return timed(
    log,
    changes.sort((a, b) => a.offset - b.offset),
  );
}

/**
 * Logs that are written only while armed often lack the record of disarming: a vehicle that is armed after a pause of
 * the log was disarmed in between. Records without a time are placed after the last before them, and what begins with
 * them begins with the next one.
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
