import { getJson } from './server.ts';
import type { LinkCounts, LinkLine, MessageCount, Recorder, Recording, VehicleDetail, VehicleSummary } from './wire.ts';

/** What a link carries a second. */
export interface LinkRate {
  readonly messages: number;
  readonly messagesOut: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** What the poll is to ask for. */
interface Wanted {
  /** The vehicle of which all is wanted; '' for none. */
  readonly vehicle: string;
  readonly isOpen: boolean;
}

const EVERY = 1000;
const EVERY_UNSEEN = 5000;
const SOON = 200;
/** Polls after which recordings are listed again: the folder may hold many. */
const RECORDINGS_EVERY = 3;

/** What the server knows and does not tell by itself, asked for once a second: states of vehicles, links, recorder. */
export class Poll {
  vehicles: readonly VehicleSummary[] = $state.raw([]);
  detail: VehicleDetail | undefined = $state.raw();
  counts: readonly MessageCount[] = $state.raw([]);
  links: readonly LinkLine[] = $state.raw([]);
  linkCounts: readonly LinkCounts[] = $state.raw([]);
  linkRates: ReadonlyMap<string, LinkRate> = $state.raw(new Map());
  recorder: Recorder | undefined = $state.raw();
  recordings: readonly Recording[] = $state.raw([]);
  /** Names of what may be done. */
  actions: readonly string[] = $state.raw([]);
  private readonly wanted: () => Wanted;
  private readonly autopilots = new Map<string, number>();
  /** Vehicles of the server before this one, until it hears them too. */
  private ghosts: readonly VehicleSummary[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isAsking = false;
  private isWantedAgain = false;
  private isStopped = false;
  private turns = 0;
  private counted: {
    readonly at: number;
    readonly links: readonly LinkLine[];
    readonly counts: readonly LinkCounts[];
  } = {
    ...{ at: 0, links: [], counts: [] },
  };

  constructor(wanted: () => Wanted) {
    this.wanted = wanted;
  }

  /** Asks a first time, and from then on by itself. */
  async start(): Promise<void> {
    await this.ask(true);
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** Something changed that is worth asking for. */
  soon(): void {
    // a poll that is near is not put off: events may come without end
    if (!this.isWantedAgain && !this.isAsking) this.schedule(SOON);
    this.isWantedAgain = true;
  }

  autopilotOf(vehicle: string): number {
    return this.autopilots.get(vehicle) ?? 1;
  }

  /** The server told who is there. Another one than before may not have heard all yet. */
  greeted(vehicles: readonly VehicleSummary[], isNew: boolean): void {
    if (isNew) {
      this.ghosts = this.vehicles.map((vehicle) => ({ ...vehicle, lost: true }));
      this.turns = 0;
    }
    this.setVehicles(vehicles);
    this.soon();
  }

  private setVehicles(vehicles: readonly VehicleSummary[]): void {
    this.ghosts = this.ghosts.filter(({ id }) => !vehicles.some((each) => each.id === id));
    this.vehicles = [...vehicles, ...this.ghosts];
    for (const { id, component } of vehicles) this.autopilots.set(id, component);
  }

  private schedule(wait: number): void {
    clearTimeout(this.timer);
    if (!this.isStopped) this.timer = setTimeout(() => void this.ask(this.wanted().isOpen), wait);
  }

  private async ask(isOpen: boolean): Promise<void> {
    this.isAsking = true;
    this.isWantedAgain = false;
    try {
      if (isOpen) await this.askAll();
    } catch {
      // the connection tells that the server is gone
    }
    this.isAsking = false;
    // asked for meanwhile
    this.schedule(this.isWantedAgain ? SOON : document.hidden ? EVERY_UNSEEN : EVERY);
  }

  private async askAll(): Promise<void> {
    const { vehicle } = this.wanted();
    const [{ vehicles }, detail, { links }, statistics, recorder] = await Promise.all([
      getJson<{ vehicles: VehicleSummary[] }>('v1/vehicles'),
      this.askVehicle(vehicle),
      getJson<{ links: LinkLine[] }>('v1/links'),
      getJson<{ links: LinkCounts[] }>('v1/statistics'),
      getJson<Recorder>('v1/recorder').catch(() => undefined),
    ]);
    // chip and cards show one moment: the vehicle stands in the list as its own answer has it
    this.setVehicles(vehicles.map((each) => (each.id === detail?.id ? detail : each)));
    // a vehicle that was not there before is asked for at once; of one that is gone the last is kept
    this.detail = detail ?? (await this.askVehicle(this.wanted().vehicle)) ?? this.detail;
    this.setLinks(links, statistics.links);
    this.recorder = recorder;
    if (this.turns++ % RECORDINGS_EVERY === 0) await this.askSeldom();
  }

  private async askSeldom(): Promise<void> {
    const [{ recordings }, { actions }] = await Promise.all([
      getJson<{ recordings: Recording[] }>('v1/recordings'),
      getJson<{ actions: { name: string }[] }>('v1/actions'),
    ]);
    this.recordings = recordings;
    this.actions = actions.map(({ name }) => name);
  }

  /** Whether the server knows a vehicle: one that was started anew may not yet. */
  private isServed(vehicle: string): boolean {
    return this.vehicles.some(({ id }) => id === vehicle) && !this.ghosts.some(({ id }) => id === vehicle);
  }

  private async askVehicle(id: string): Promise<VehicleDetail | undefined> {
    if (!this.isServed(id)) return undefined;
    const path = `v1/vehicles/${encodeURIComponent(id)}`;
    try {
      const [detail, { messages }] = await Promise.all([
        getJson<VehicleDetail>(path),
        getJson<{ messages: MessageCount[] }>(`${path}/messages`),
      ]);
      this.counts = messages;
      return detail;
    } catch {
      return undefined;
    }
  }

  private setLinks(links: readonly LinkLine[], counts: readonly LinkCounts[]): void {
    const now = performance.now() / 1000;
    const before = this.counted;
    const span = now - before.at;
    if (span > 0.5) {
      const rate = (after: number | undefined, earlier: number | undefined): number =>
        earlier === undefined || after === undefined || after < earlier ? 0 : (after - earlier) / span;
      this.linkRates = new Map(
        links.map((link) => {
          const old = before.links.find(({ name }) => name === link.name);
          const messagesOf = (all: readonly LinkCounts[]): number | undefined =>
            all.find((each) => each.link === link.name)?.messages;
          return [
            link.name,
            {
              messages: rate(messagesOf(counts), messagesOf(before.counts)),
              messagesOut: rate(link.packetsOut, old?.packetsOut),
              bytesIn: rate(link.bytesIn, old?.bytesIn),
              bytesOut: rate(link.bytesOut, old?.bytesOut),
            },
          ];
        }),
      );
      this.counted = { at: now, links, counts };
    }
    this.links = links;
    this.linkCounts = counts;
  }
}
