import { getOrAdd } from '../core/maps.ts';
import type { Mutable } from '../core/mutable.ts';
import type { Catalog } from '../formats/mavlink/dialect/catalog.ts';
import type { Dialect } from '../formats/mavlink/dialect/definition.ts';
import type { Header } from '../formats/mavlink/header.ts';
import { catalogOf } from '../formats/mavlink/options.ts';
import { SETUP_SIGNING } from './frame-splitter.ts';
import { ROUTER_LIMITS } from './limits.ts';
import { hostOf, MOVED } from './link-name.ts';
import { TargetReader } from './vehicle/target.ts';

export interface RoutedLink {
  readonly name: string;
  /** Whether ground stations are on it, and not vehicles. */
  readonly isStation: boolean;
  /** Whether it has several addresses, to each of which can be sent. */
  readonly hasAddresses: boolean;
  /** Its addresses, if the link itself knows them: the clients of a server. Otherwise those that sent something. */
  readonly addresses?: (() => Iterable<string>) | undefined;
}

export interface RouterOptions {
  readonly links: readonly RoutedLink[];
  /** Our own ids: answers to our requests stay here. */
  readonly system: number;
  readonly component: number;
  readonly dialect?: Dialect | undefined;
  /** Sends a frame, which may be kept: to one address, or to all of the link. */
  readonly send: (link: string, frame: Uint8Array, to: string | undefined) => void;
  /** With signing: whether a frame may show where its sender is. All do by default. */
  readonly isTrusted?: ((bytes: Uint8Array, header: Header) => boolean) | undefined;
}

/** Frames by what became of them. */
export interface RouterCounts {
  /** Sent on, to one place or several. */
  readonly routed: number;
  /** Seen a moment ago elsewhere. */
  readonly duplicates: number;
  /** For a target that no link has. */
  readonly unknownTargets: number;
  /** For us alone. */
  readonly ours: number;
  /** SETUP_SIGNING, which carries a key. */
  readonly secrets: number;
  readonly damaged: number;
}

/** Where a component of a system is. */
interface Place {
  readonly link: RoutedLink;
  /** '' where the link has one address. */
  readonly address: string;
  lastTime: number;
}

interface ComponentPlaces {
  readonly system: number;
  /** In the order in which they were met. */
  places: Place[];
  lastTime: number;
  /** When it was moved to the end of the table. */
  movedTime: number;
}

interface SeenFrame {
  readonly frame: Uint8Array;
  /** undefined for one that we sent. */
  readonly link: RoutedLink | undefined;
  readonly from: string;
  readonly time: number;
}

/** Microseconds after which a component that goes on sending is moved to the end of the table. */
const MOVE = 1_000_000;

/**
 * Routes frames between links by https://mavlink.io/en/guide/routing.html. It has no sockets and no clock.
 *
 * It learns which component of which system is on which link and at which address. A frame with a target goes only
 * where the target is, and nowhere if that is unknown; one for our own ids stays here. A frame without a target goes
 * to all links of stations, and from a station to those of vehicles too; not from one vehicle to another, whose radio
 * it would fill. A vehicle that is on several links gets a frame once, on the link where it was first and is not
 * silent; stations that share their ids get it all. No frame goes back to where it came from, and none twice: one that
 * was seen a moment ago at another place, or that we sent, is a duplicate and goes nowhere. A frame that carries a
 * signing key, or whose checksum is wrong, goes nowhere either.
 */
export class Router {
  readonly counts: RouterCounts;
  private readonly now: Mutable<RouterCounts>;
  private readonly options: RouterOptions;
  private readonly links: Map<string, RoutedLink>;
  private readonly catalog: Catalog;
  private readonly target: TargetReader;
  /** By system and component; those that were silent for longest come first. */
  private readonly components: Map<number, ComponentPlaces> = new Map();
  /** When each address of a link sent last, where the link does not know its addresses. */
  private readonly addresses: Map<RoutedLink, Map<string, number>> = new Map();
  /** By hash, the oldest first. */
  private readonly seen: Map<number, SeenFrame> = new Map();

  constructor(options: RouterOptions) {
    this.options = options;
    this.links = new Map(options.links.map((link) => [link.name, link]));
    this.catalog = catalogOf(options.dialect);
    this.target = new TargetReader(options.dialect);
    this.now = { routed: 0, duplicates: 0, unknownTargets: 0, ours: 0, secrets: 0, damaged: 0 };
    this.counts = this.now;
  }

  /**
   * Routes one frame, from header.start to header.end.
   * @param isVerified whether its checksum is right
   * @param from its sender on this link
   * @param time microseconds
   * @returns false for an echo: a frame of ours, or one that came on this link from another address a moment ago
   */
  receive(name: string, bytes: Uint8Array, header: Header, isVerified: boolean, from: string, time: number): boolean {
    const link = this.links.get(name);
    if (!link) return true;
    if (header.id === SETUP_SIGNING) {
      this.now.secrets++;
      return true;
    }
    // an id that no definition has may be of a newer dialect; one that is known must have the right checksum
    if (!isVerified && this.catalog.find(header.id) !== 0) {
      this.now.damaged++;
      return true;
    }
    // a copy: it waits in queues and among the frames that were seen
    const frame = new Uint8Array(bytes.subarray(header.start, header.end));
    const hash = hashOf(frame);
    const before = this.findSeen(hash, frame, time);
    if (before && (before.link !== link || before.from !== from)) {
      this.now.duplicates++;
      return before.link !== undefined && before.link !== link;
    }
    this.keepSeen(hash, { frame, link, from, time });
    if (isVerified) this.learn(link, bytes, header, from, time);
    this.target.read(bytes, header);
    const { system, component } = this.target;
    if (!isVerified || system === 0) this.broadcast(link, frame, from, time);
    else this.sendTo(system, component, link, frame, from, time);
    return true;
  }

  /** Notes a frame that we send ourselves, so that it is known when it comes back. */
  sent(frame: Uint8Array, time: number): void {
    this.keepSeen(hashOf(frame), { frame, link: undefined, from: '', time });
  }

  private findSeen(hash: number, frame: Uint8Array, time: number): SeenFrame | undefined {
    const found = this.seen.get(hash);
    if (!found || Math.abs(time - found.time) > ROUTER_LIMITS.duplicate) return undefined;
    return areEqual(found.frame, frame) ? found : undefined;
  }

  private keepSeen(hash: number, entry: SeenFrame): void {
    const { seen } = this;
    seen.delete(hash);
    seen.set(hash, entry);
    for (const [key, { time }] of seen) {
      if (seen.size <= ROUTER_LIMITS.frames && Math.abs(entry.time - time) <= ROUTER_LIMITS.duplicate) break;
      seen.delete(key);
    }
  }

  private learn(link: RoutedLink, bytes: Uint8Array, header: Header, from: string, time: number): void {
    const address = link.hasAddresses ? from : '';
    const key = keyOf(header.system, header.component);
    let component = this.components.get(key);
    let place = component?.places.find((each) => each.link === link && each.address === address);
    if (!place) {
      const { isTrusted } = this.options;
      if (isTrusted && !isTrusted(bytes, header)) return;
      place = { link, address, lastTime: time };
      component ??= { system: header.system, places: [], lastTime: time, movedTime: Number.NaN };
      if (component.places.length >= ROUTER_LIMITS.places) dropSilent(component);
      component.places.push(place);
    }
    if (!component) return;
    place.lastTime = time;
    component.lastTime = time;
    if (!(Math.abs(time - component.movedTime) < MOVE)) {
      component.movedTime = time;
      this.components.delete(key);
      this.components.set(key, component);
      this.forget(time);
    }
    if (link.isStation && link.hasAddresses && !link.addresses) this.keepAddress(link, address, time);
  }

  private forget(time: number): void {
    const { components } = this;
    for (const [key, { lastTime }] of components) {
      if (components.size <= ROUTER_LIMITS.components && time - lastTime <= ROUTER_LIMITS.forget) return;
      components.delete(key);
    }
  }

  private keepAddress(link: RoutedLink, address: string, time: number): void {
    const known = getOrAdd(this.addresses, link, () => new Map<string, number>());
    // in the order in which they sent last
    known.delete(address);
    known.set(address, time);
    for (const [oldest, lastTime] of known) {
      if (known.size <= ROUTER_LIMITS.addresses && time - lastTime <= ROUTER_LIMITS.forget) return;
      known.delete(oldest);
    }
  }

  private broadcast(source: RoutedLink, frame: Uint8Array, from: string, time: number): void {
    const { send } = this.options;
    let isSent = false;
    for (const link of this.links.values()) {
      if (!link.isStation && !source.isStation) continue;
      if (link.isStation && link.hasAddresses) {
        for (const address of link.addresses?.() ?? this.liveAddresses(link, time)) {
          if (link === source && address === from) continue;
          send(link.name, frame, address);
          isSent = true;
        }
      } else if (link !== source) {
        send(link.name, frame, undefined);
        isSent = true;
      }
    }
    if (isSent) this.now.routed++;
  }

  private *liveAddresses(link: RoutedLink, time: number): Generator<string> {
    for (const [address, lastTime] of this.addresses.get(link) ?? []) {
      if (time - lastTime <= ROUTER_LIMITS.forget) yield address;
    }
  }

  private sendTo(
    system: number,
    component: number,
    source: RoutedLink,
    frame: Uint8Array,
    from: string,
    time: number,
  ): void {
    const { options } = this;
    const places = this.placesOf(system, component, time);
    const address = source.hasAddresses ? from : '';
    let isSent = false;
    for (const { link, address: to } of places) {
      if (link === source && to === address) continue;
      options.send(link.name, frame, link.hasAddresses ? to : undefined);
      isSent = true;
    }
    if (isSent) this.now.routed++;
    else if (system === options.system && (component === 0 || component === options.component)) this.now.ours++;
    else if (places.length === 0) this.now.unknownTargets++;
  }

  /** Where a target is, each place once. */
  private placesOf(system: number, component: number, time: number): Place[] {
    const places: Place[] = [];
    const add = (found: ComponentPlaces): void => {
      if (time - found.lastTime > ROUTER_LIMITS.forget) return;
      const home = homeOf(found.places, time);
      for (const place of found.places) {
        if (!place.link.isStation && place !== home) continue;
        if (!places.some(({ link, address }) => link === place.link && address === place.address)) places.push(place);
      }
    };
    if (component === 0) {
      for (const found of this.components.values()) if (found.system === system) add(found);
    } else {
      const found = this.components.get(keyOf(system, component));
      if (found) add(found);
    }
    return places;
  }
}

function keyOf(system: number, component: number): number {
  return (system << 8) | component;
}

/** Where a vehicle is: its first place that is not silent, else the one silent for the shortest time. */
function homeOf(all: readonly Place[], time: number): Place | undefined {
  const places = all.filter(({ link }) => !link.isStation);
  const silence = ({ lastTime, link, address }: Place): number => {
    const host = hostOf(address);
    const hasMoved = places.some(
      (other) => other.lastTime > lastTime && other.link === link && host !== '' && hostOf(other.address) === host,
    );
    return Math.max(0, time - lastTime - (hasMoved ? MOVED : ROUTER_LIMITS.silence));
  };
  return places.toSorted((a, b) => silence(a) - silence(b))[0];
}

function dropSilent(component: ComponentPlaces): void {
  const oldest = component.places.reduce((a, b) => (b.lastTime < a.lastTime ? b : a));
  component.places = component.places.filter((place) => place !== oldest);
}

/** FNV-1a over all bytes. */
function hashOf(frame: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < frame.length; i++) hash = Math.imul(hash ^ frame[i], 0x01000193);
  return hash;
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
