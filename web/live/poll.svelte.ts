import type {
  LinkCountsWire,
  LinkWire,
  MessageCountWire,
  RecorderWire,
  RecordingWire,
  VehicleDetailWire,
  VehicleWire,
} from '../../src/server/wire.ts';
import { getJson, NoAccess } from '../shared/server.ts';

/** What a link carries a second. */
interface LinkRate {
  readonly messages: number;
  readonly messagesOut: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

interface Counted {
  readonly at: number;
  readonly links: readonly LinkWire[];
  readonly counts: readonly LinkCountsWire[];
}

/** What the poll is to ask for. */
interface Wanted {
  /** The vehicle to ask about; '' for none. */
  readonly vehicle: string;
  readonly isOpen: boolean;
}

const EVERY = 1000;
const EVERY_UNSEEN = 5000;
const SOON = 200;
/** Polls after which recordings are listed again: the folder may hold many. */
const RECORDINGS_EVERY = 3;

/** What the server does not push, polled once a second: states of vehicles, links, recorder. */
export class Poll {
  vehicles: readonly VehicleWire[] = $state.raw([]);
  detail: VehicleDetailWire | undefined = $state.raw();
  counts: readonly MessageCountWire[] = $state.raw([]);
  links: readonly LinkWire[] = $state.raw([]);
  linkCounts: readonly LinkCountsWire[] = $state.raw([]);
  linkRates: ReadonlyMap<string, LinkRate> = $state.raw(new Map());
  recorder: RecorderWire | undefined = $state.raw();
  recordings: readonly RecordingWire[] = $state.raw([]);
  /** Whether the server takes the token of this browser. */
  hasToken: boolean = $state(true);
  /** Names of what may be done. */
  actions: readonly string[] = $state.raw([]);
  private readonly wanted: () => Wanted;
  private readonly autopilots = new Map<string, number>();
  /** Vehicles of the server before this one, until it has them too. */
  private ghosts: readonly VehicleWire[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isAsking = false;
  private isWantedAgain = false;
  private isStopped = false;
  private turns = 0;
  /** What the rates are counted from. */
  private counted: Counted = { at: 0, links: [], counts: [] };

  /** The log that is written now, or the last one: not the bytes beside it that are not frames. */
  readonly recording: RecordingWire | undefined = $derived(
    [...this.recordings.filter(({ open }) => open), ...this.recordings].find(({ name }) => name.endsWith('.tlog')),
  );

  constructor(wanted: () => Wanted) {
    this.wanted = wanted;
  }

  /** Asks now, and then periodically. */
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

  /** The server sent its vehicles. A restarted one may not have received all yet. */
  greeted(vehicles: readonly VehicleWire[], isNew: boolean): void {
    if (isNew) {
      this.ghosts = this.vehicles.map((vehicle) => ({ ...vehicle, lost: true }));
      this.turns = 0;
    }
    this.setVehicles(vehicles);
    this.soon();
  }

  private setVehicles(vehicles: readonly VehicleWire[]): void {
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
      // without the token there may be no connection: ask whether it is valid
      else if (this.turns > 0) await this.askToken();
    } catch (error) {
      // the connection reports that the server is gone
      if (error instanceof NoAccess) this.hasToken = false;
    }
    this.isAsking = false;
    // asked for meanwhile
    this.schedule(this.isWantedAgain ? SOON : document.hidden ? EVERY_UNSEEN : EVERY);
  }

  private async askAll(): Promise<void> {
    const { vehicle } = this.wanted();
    const [{ vehicles }, detail, { links }, statistics, recorder] = await Promise.all([
      getJson<{ vehicles: VehicleWire[] }>('v1/vehicles'),
      this.askVehicle(vehicle),
      getJson<{ links: LinkWire[] }>('v1/links'),
      getJson<{ links: LinkCountsWire[] }>('v1/statistics'),
      getJson<RecorderWire>('v1/recorder').catch(() => undefined),
    ]);
    // chip and cards show one moment: the list takes the vehicle of the detail answer
    this.setVehicles(vehicles.map((each) => (each.id === detail?.id ? detail : each)));
    // a vehicle that was not there before is asked for at once; of one that is gone the last is kept
    this.detail = detail ?? (await this.askVehicle(this.wanted().vehicle)) ?? this.detail;
    this.setLinks(links, statistics.links);
    this.recorder = recorder;
    if (this.turns++ % RECORDINGS_EVERY === 0) await this.askSeldom();
  }

  private async askSeldom(): Promise<void> {
    const [{ recordings }] = await Promise.all([
      getJson<{ recordings: RecordingWire[] }>('v1/recordings'),
      this.askToken(),
    ]);
    this.recordings = recordings;
  }

  private async askToken(): Promise<void> {
    const { actions, token } = await getJson<{ actions: { name: string }[]; token: boolean }>('v1/actions');
    this.hasToken = token;
    this.actions = actions.map(({ name }) => name);
  }

  /** Whether the server knows a vehicle: a restarted one may not yet. */
  private isServed(vehicle: string): boolean {
    return this.vehicles.some(({ id }) => id === vehicle) && !this.ghosts.some(({ id }) => id === vehicle);
  }

  private async askVehicle(id: string): Promise<VehicleDetailWire | undefined> {
    if (!this.isServed(id)) return undefined;
    const path = `v1/vehicles/${encodeURIComponent(id)}`;
    try {
      const [detail, { messages }] = await Promise.all([
        getJson<VehicleDetailWire>(path),
        getJson<{ messages: MessageCountWire[] }>(`${path}/messages`),
      ]);
      this.counts = messages;
      return detail;
    } catch {
      return undefined;
    }
  }

  /** What a link does, in a word: of a forward it matters whether it sends. */
  linkWord({ name, forward, state }: LinkWire): string {
    if (!forward || !['waiting', 'receiving', 'silent'].includes(state)) return state;
    return (this.linkRates.get(name)?.messagesOut ?? 0) > 0 ? 'sending' : 'open';
  }

  private setLinks(links: readonly LinkWire[], counts: readonly LinkCountsWire[]): void {
    const now: Counted = { at: performance.now() / 1000, links, counts };
    if (now.at - this.counted.at > 1.8) {
      this.linkRates = new Map(links.map(({ name }) => [name, rateOf(name, this.counted, now)]));
      this.counted = now;
    }
    this.links = links;
    this.linkCounts = counts;
  }
}

/** What a link carried a second from one count to the next; 0 if it is new or was counted from 0 again. */
function rateOf(name: string, before: Counted, after: Counted): LinkRate {
  const rate = (of: (counted: Counted) => number | undefined): number => {
    const [earlier, later] = [of(before), of(after)];
    if (earlier === undefined || later === undefined || later < earlier) return 0;
    return (later - earlier) / (after.at - before.at);
  };
  const link = ({ links }: Counted): LinkWire | undefined => links.find((each) => each.name === name);
  return {
    messages: rate(({ counts }) => counts.find((each) => each.link === name)?.messages),
    messagesOut: rate((counted) => link(counted)?.packetsOut),
    bytesIn: rate((counted) => link(counted)?.bytesIn),
    bytesOut: rate((counted) => link(counted)?.bytesOut),
  };
}
