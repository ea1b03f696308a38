import type { Log, Span } from '../core/log.ts';
import { readTrack, type Track } from '../geo/track.ts';
import { type Heights, readHeights, readSpeeds, type Speeds } from './airborne.ts';
import type { LogEvent } from './event.ts';
import { byTime, findEvents, gapEvent } from './events.ts';
import { byStart, type Flight, findFlights } from './flights.ts';
import { findLoggedGaps, findSentGaps, type Gap, seamsOf } from './gaps.ts';
import { type Autopilot, findAutopilots } from './heartbeat.ts';
import { informationOf } from './information.ts';
import { findMessages, type LoggedText } from './messages.ts';
import type { VehicleClass } from './mode-names.ts';
import { findModes, type ModeInterval } from './modes.ts';
import { findParameters, type Parameter } from './parameters.ts';
import { findPhases, joinedPhases, type Phases } from './phases.ts';
import { readAhead } from './read-plan.ts';
import { findLosses, type LossOf } from './senders.ts';
import { findSpan } from './span.ts';
import { findVehicle, type Vehicle } from './vehicle.ts';

const KNOWN = new WeakMap<Log, Facts>();

/** Facts that go through much of a log. */
const FAR_READING: ReadonlySet<string> = new Set(['phases', 'heights', 'speeds', 'gaps', 'flights', 'track']);

/**
 * The facts of a log, each found when first asked for and kept as long as the log: all answers share one.
 *
 * @example
 * const facts = factsOf(await openLog('flight.BIN'));
 * const { kind } = await facts.vehicle();
 * for (const { takeoff, maxHeight } of await facts.flights()) console.log(kind, takeoff, maxHeight);
 */
export function factsOf(log: Log): Facts {
  const facts = KNOWN.get(log) ?? new Facts(log);
  KNOWN.set(log, facts);
  return facts;
}

/** The facts of one log, shared: never change them. `stream` is a vehicle's heartbeats ('1:1'), by default the most. */
export class Facts {
  readonly log: Log;
  private readonly found = new Map<string, Promise<unknown>>();
  private readonly whole: Facts | undefined;
  private pieces: readonly Facts[] | undefined;

  constructor(log: Log, whole?: Facts) {
    this.log = log;
    this.whole = whole;
  }

  /** Those of each part of a log that has several: what was so in one is over in the next. */
  get parts(): readonly Facts[] {
    this.pieces ??= distinct(this.log.parts()).map((part) => new Facts(part, this));
    return this.pieces;
  }

  /** First and last time of the log. */
  span(): Promise<Span> {
    return this.once('span', () => findSpan(this.log));
  }

  /** One of each vehicle that a log of messages heard, that with most heartbeats first; none where a vehicle wrote it. */
  autopilots(): Promise<readonly Autopilot[]> {
    return this.once('autopilots', () => findAutopilots(this.log));
  }

  async autopilot(stream?: string): Promise<Autopilot | undefined> {
    const all = await this.autopilots();
    return stream === undefined ? all[0] : all.find(({ table }) => table.stream === stream);
  }

  /** The kind of each vehicle by its stream, which is undefined for the one that wrote the log itself. */
  kinds(): Promise<ReadonlyMap<string | undefined, VehicleClass | null>> {
    return this.once('kinds', async () => {
      const kinds = new Map<string | undefined, VehicleClass | null>();
      for (const { table, kind } of await this.autopilots()) kinds.set(table.stream, kind);
      return kinds.size > 0 ? kinds : kinds.set(undefined, (await this.vehicle()).kind);
    });
  }

  /** What a ULog says of itself, by key. */
  information(): Promise<ReadonlyMap<string, string>> {
    return this.once('information', () => informationOf(this.log));
  }

  vehicle(stream?: string): Promise<Vehicle> {
    return this.onceOf('vehicle', stream, async (own) => {
      const found = await findVehicle(this, own);
      // after a reboot it is the same, and need not say again what it is
      const isRebooted = found.kind === null && this.log.clock.parts?.[0].clock === undefined;
      return isRebooted && this.whole ? this.whole.vehicle(own) : found;
    });
  }

  modes(stream?: string): Promise<readonly ModeInterval[]> {
    return this.onceOf('modes', stream, async (own) => {
      return (await this.ofParts(own, (part) => part.modes(own)))?.flat() ?? findModes(this, own);
    });
  }

  /** When it was armed and in flight, or moving. */
  phases(stream?: string): Promise<Phases> {
    return this.onceOf('phases', stream, async (own) => {
      const found = await this.ofParts(own, (part) => part.phases(own));
      return found ? joinedPhases(found) : findPhases(this, own);
    });
  }

  parameters(stream?: string): Promise<ReadonlyMap<string, Parameter>> {
    return this.onceOf('parameters', stream, (own) => findParameters(this, own));
  }

  /** The best heights that the log has. */
  heights(stream?: string): Promise<Heights | undefined> {
    return this.onceOf('heights', stream, (own) => readHeights(this.log, own));
  }

  /** The best speeds over ground that the log has. */
  speeds(stream?: string): Promise<Speeds | undefined> {
    return this.onceOf('speeds', stream, (own) => readSpeeds(this.log, own));
  }

  /** Where nothing was recorded, and reboots: of the log that a vehicle wrote, or of what one sent. */
  gaps(stream?: string): Promise<readonly Gap[]> {
    return this.onceOf('gaps', stream, async (own) => {
      const found = await this.ofParts(own, (part) => part.gaps(own));
      if (found) return [...found.flat(), ...seamsOf(this.log)];
      return own === undefined ? findLoggedGaps(this.log) : findSentGaps(this.log, own);
    });
  }

  /** Texts of all vehicles. */
  messages(): Promise<readonly LoggedText[]> {
    return this.once('messages', () => findMessages(this.log));
  }

  /** What happened to all vehicles. */
  events(): Promise<readonly LogEvent[]> {
    return this.once('events', async () => {
      if (this.parts.length === 0) return findEvents(this);
      const found = await Promise.all(this.parts.map((part) => part.events()));
      const stream = (await this.autopilot())?.table.stream ?? '';
      return byTime([...found.flat(), ...seamsOf(this.log).map((seam) => gapEvent(seam, stream))]);
    });
  }

  flights(): Promise<readonly Flight[]> {
    return this.once('flights', async () => {
      if (this.parts.length === 0 || isTwice(this.log)) return findFlights(this);
      return byStart((await Promise.all(this.parts.map((part) => part.flights()))).flat());
    });
  }

  /** The path by the best receiver, or by a source that is named. */
  track(source?: string): Promise<Track> {
    return this.once(`track ${source ?? ''}`, () => readTrack(this.log, { source }));
  }

  /** How many messages of a sender were lost. */
  losses(): Promise<LossOf> {
    return this.once('losses', () => findLosses(this.log));
  }

  /** What is found of a vehicle in each part that has it; undefined for a log of a single part. */
  private async ofParts<T>(
    stream: string | undefined,
    find: (part: Facts) => Promise<T>,
  ): Promise<readonly T[] | undefined> {
    if (this.parts.length === 0) return undefined;
    const found: T[] = [];
    for (const part of this.parts)
      if (stream === undefined || (await part.autopilot(stream))) found.push(await find(part));
    return found;
  }

  /** What is found of one vehicle; the default one is the same as the first when that is named. */
  private async onceOf<T>(
    name: string,
    stream: string | undefined,
    find: (stream: string | undefined) => Promise<T>,
  ): Promise<T> {
    const own = stream ?? (await this.autopilot())?.table.stream;
    return this.once(`${name} ${own ?? ''}`, () => find(own));
  }

  private once<T>(name: string, find: () => Promise<T>): Promise<T> {
    const known = this.found.get(name);
    if (known) return known as Promise<T>;
    const found = FAR_READING.has(name.split(' ')[0]) ? readAhead(this.log).then(find) : find();
    this.found.set(name, found);
    // a source that could not be read may be read later
    found.catch(() => this.found.delete(name));
    return found;
  }
}

/** Whether parts of one log have some time in common: what was recorded twice was flown once. */
function isTwice({ clock: { parts = [] } }: Log): boolean {
  const sorted = parts.toSorted((a, b) => a.start - b.start);
  return sorted.some((part, i) => i > 0 && part.start < sorted[i - 1].end && part.clock === sorted[i - 1].clock);
}

/** Without repeated parts. */
function distinct(parts: readonly Log[]): Log[] {
  const known = new Set<string>();
  return parts.filter(({ clock, records }) => {
    const [{ start, end }] = clock.parts ?? [];
    const key = `${clock.utc} ${start} ${end} ${records}`;
    return !known.has(key) && known.add(key);
  });
}
