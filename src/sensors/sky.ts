import { NMEA_LIMITS } from '../formats/nmea/limits.ts';
import { CONSTELLATIONS, type SatelliteId, satelliteOf } from './constellation.ts';

/** A satellite in view as GSV describes it; what it does not say is NaN. */
export interface SatelliteView extends SatelliteId {
  /** The number that the sentence has for it. */
  readonly prn: number;
  readonly elevation: number;
  readonly azimuth: number;
  readonly snr: number;
}

/** One GSV sentence as numbers. */
export interface GsvPart {
  readonly talker: string;
  readonly messages: number;
  readonly message: number;
  /** NaN if the sentence has none. */
  readonly signal: number;
  readonly system: number;
  /** Four numbers a satellite: prn, elevation, azimuth, snr; NaN if they are missing. */
  readonly satellites: readonly (readonly [prn: number, elevation: number, azimuth: number, snr: number])[];
}

/** All satellites that one talker sees by one signal, from one or more sentences. */
export interface SatelliteSet {
  readonly talker: string;
  readonly signal: number;
  /** Microseconds: when the last sentence of it came. */
  readonly time: number;
  readonly satellites: readonly SatelliteView[];
}

interface Collecting {
  next: number;
  readonly satellites: SatelliteView[];
}

/** Seconds that a set is valid: some receivers send it every five seconds only. */
const EXPIRY = 10;
const SECOND = 1e6;
const MOST = NMEA_LIMITS.satelliteSets;

/** What is known of the sky: GSV parts are put together per talker and signal, and what grows old is forgotten. */
export class Sky {
  private readonly collecting: Map<string, Collecting> = new Map();
  private readonly sets: Map<string, SatelliteSet> = new Map();
  private readonly uses: Map<string, { readonly time: number; readonly ids: ReadonlySet<number> }> = new Map();
  private readonly expiry: number;

  /** @param expiry seconds after which a set counts no more */
  constructor(expiry: number = EXPIRY) {
    this.expiry = expiry * SECOND;
  }

  /** Adds a sentence and returns the set that it completes; a set with a missing part is dropped. */
  gsv(part: GsvPart, time: number): SatelliteSet | undefined {
    const { talker, signal, system, message, messages } = part;
    const key = `${talker} ${signal} ${system}`;
    if (message === 1 && (this.collecting.has(key) || this.collecting.size < MOST))
      this.collecting.set(key, { next: 1, satellites: [] });
    const open = this.collecting.get(key);
    if (!open) return undefined;
    if (message !== open.next) {
      this.collecting.delete(key);
      return undefined;
    }
    for (const [prn, elevation, azimuth, snr] of part.satellites) {
      const id = satelliteOf(prn, talker, system);
      if (id) open.satellites.push({ ...id, prn, elevation, azimuth, snr });
    }
    open.next++;
    if (message < messages) return undefined;
    this.collecting.delete(key);
    const set = { talker, signal, time, satellites: open.satellites };
    this.forget(time);
    if (this.sets.has(key) || this.sets.size < MOST) this.sets.set(key, set);
    return set;
  }

  /** Takes the satellites that GSA says are used. Several GSA of one time are for one system each. */
  gsa(talker: string, system: number, prns: readonly number[], time: number): void {
    const ids = new Set<number>();
    for (const prn of prns) {
      const id = satelliteOf(prn, talker, system);
      if (id) ids.add(keyOf(id));
    }
    const [first = 0] = ids;
    // without a system id, the satellites show whose list it is
    const key = Number.isNaN(system) ? `${talker} ${Math.floor(first / 1000)}` : `system ${system}`;
    if (this.uses.has(key) || this.uses.size < MOST) this.uses.set(key, { time, ids });
  }

  /** Whether a satellite is one that the receiver uses. */
  isUsed(id: SatelliteId, time: number): boolean {
    const key = keyOf(id);
    for (const use of this.uses.values()) if (this.holds(use.time, time) && use.ids.has(key)) return true;
    return false;
  }

  /** Sets that hold at a time. */
  current(time: number): SatelliteSet[] {
    return [...this.sets.values()].filter((set) => this.holds(set.time, time));
  }

  /** How many satellites are in view: each once, by whatever signals and talkers. */
  visible(time: number): number {
    const ids = new Set<number>();
    for (const { satellites } of this.current(time)) for (const satellite of satellites) ids.add(keyOf(satellite));
    return ids.size;
  }

  /** Whether anything is known of the sky at a time. */
  isKnown(time: number): boolean {
    return this.current(time).length > 0;
  }

  private holds(then: number, now: number): boolean {
    return !(Math.abs(now - then) > this.expiry);
  }

  private forget(time: number): void {
    for (const [key, set] of this.sets) if (!this.holds(set.time, time)) this.sets.delete(key);
    for (const [key, use] of this.uses) if (!this.holds(use.time, time)) this.uses.delete(key);
  }
}

function keyOf({ constellation, svid }: SatelliteId): number {
  return CONSTELLATIONS.indexOf(constellation) * 1000 + svid;
}
