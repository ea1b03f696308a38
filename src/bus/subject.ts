import { isBusToken } from '../live/link-name.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';

/*
 * Subjects of telemetry on a bus:
 *
 *     skein.live.<collector>.<system>.<message>     skein.live.base-2.1.all     skein.live.base-2.17.ATTITUDE
 *
 * The system is the id of the vehicle. `all` is for batches with the messages of a vehicle in the order in which
 * they came; a message has its own subject if the collector is set up so.
 */
const PREFIX = 'skein.live';
const ALL = 'all';

/** Everything that collectors send. */
export const LIVE_SUBJECTS: string = `${PREFIX}.>`;

/** What a collector is called on a machine of this name. */
export function collectorName(host: string): string {
  const name = host.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64);
  return isBusToken(name) ? name : 'collector';
}

/** @param message '' for all of a vehicle */
export function liveSubject(collector: string, system: number, message: string): string {
  return `${PREFIX}.${collector}.${system}.${isBusToken(message) ? message : ALL}`;
}

export function subjectsOf(collector: string): string {
  return `${PREFIX}.${collector}.>`;
}

export interface LiveSubject {
  readonly collector: string;
  readonly system: number;
}

export function parseSubject(subject: string): LiveSubject | undefined {
  const [, collector = '', system = '', message = ''] =
    /^skein\.live\.([^.]+)\.(\d{1,3})\.([^.]+)$/.exec(subject) ?? [];
  if (!isBusToken(collector) || !isBusToken(message) || Number(system) > 255) return undefined;
  return { collector, system: Number(system) };
}

/** Distinguishes collectors with one name by their ids: the first has the name, another one `name.1a2b3c4d`. */
export class CollectorNames {
  private readonly first: Map<string, string>;
  private readonly reported: Set<string> = new Set();
  private readonly conflict: (sentence: string) => void;

  /** @param first the id that had each name first */
  constructor(conflict: (sentence: string) => void, first: Readonly<Record<string, string>> = {}) {
    this.conflict = conflict;
    this.first = new Map(Object.entries(first));
  }

  /** @param id '' for collectors of earlier versions, which have none */
  of(name: string, id: string): string {
    const first = this.first.get(name);
    if (id === '') return name;
    // the name that was not used for longest makes room
    this.first.delete(name);
    this.first.set(name, first ?? id);
    if (this.first.size > BUS_LIVE_LIMITS.collectors) this.first.delete([...this.first.keys()][0]);
    if (first === undefined || first === id) return name;
    const label = `${name}.${id.slice(0, 8)}`;
    if (!this.reported.has(name))
      this.conflict(
        `two collectors are called ${name}, or its spool was removed: the second is shown as ${label}; give each its own --bus-name`,
      );
    this.reported.add(name);
    return label;
  }

  /** Names that two or more collectors have. */
  get conflicts(): number {
    return this.reported.size;
  }

  get names(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.first);
  }
}
