import { frameSize, messageIdOf, senderOf } from '../formats/mavlink/header.ts';
import type { SigningKey } from '../formats/mavlink/key.ts';
import { catalogOf } from '../formats/mavlink/options.ts';
import { FrameScan } from '../formats/mavlink/scan.ts';
import { isAccepted, Verifier } from '../formats/mavlink/signing.ts';
import { HEARTBEAT, heartbeatOf } from './heartbeat.ts';
import { LINK_LIMITS } from './limits.ts';

export interface PeerOptions {
  /** Microseconds that a vehicle's address must be silent before another one may take its place. */
  readonly timeout?: number | undefined;
  /** With keys, only a heartbeat that one of them signed counts. */
  readonly keys?: readonly SigningKey[] | undefined;
  readonly stamps?: ReadonlyMap<number, number> | undefined;
  /** Milliseconds since 1970, for the times of signatures. */
  readonly now?: (() => number) | undefined;
  /** Whose heartbeats count: vehicles by default, or all, for a link of ground stations. */
  readonly hears?: 'vehicles' | 'all' | undefined;
}

/** Where datagrams come from. */
export interface PeerAddress {
  readonly address: string;
  /** When anything came from there last, and which systems were heard there. */
  lastBytes: number;
  systems: readonly number[];
}

/** Places of one system that are remembered, and for how many microseconds. */
const MOST = 4;
const REMEMBERED = 3600e6;

/**
 * Where each vehicle of a link is. Any program can send a datagram, so only a valid heartbeat of an autopilot gives an
 * address, and only while the known addresses are silent. Of those that are not silent, the first known one counts: a
 * spoofed sender loses its place when the vehicle is back.
 */
export class Peers {
  /** Heartbeats from elsewhere while the vehicle was where it was. */
  refused = 0;
  /** The first known address comes first. There are at most 255 systems. */
  private readonly bySystem: Map<number, PeerAddress[]> = new Map();
  private readonly byAddress: Map<string, PeerAddress> = new Map();
  /** Where each system is, and each of these addresses once. */
  private readonly placed: Map<number, string> = new Map();
  private current: readonly string[] = [];
  private now = 0;
  private from: PeerAddress | undefined;
  private readonly frames: FrameScan;
  /** Bytes that were looked at, and what the current ones showed. */
  private scanned = 0;
  private isMoved = false;
  private readonly timeout: number;
  private readonly verifier: Verifier | undefined;
  private readonly hearsAll: boolean;

  constructor({ timeout = LINK_LIMITS.silence, keys = [], stamps, now, hears }: PeerOptions = {}) {
    this.hearsAll = hears === 'all';
    this.timeout = timeout;
    this.verifier = keys.length > 0 ? new Verifier({ keys, stamps, now }) : undefined;
    this.frames = new FrameScan({ frame: (bytes) => this.frame(bytes) }, {}, { catalog: catalogOf() });
  }

  /** An address, to be kept by a link that receives from it again and again. */
  addressOf(address: string): PeerAddress {
    return this.byAddress.get(address) ?? { address, lastBytes: Number.NaN, systems: [] };
  }

  receive(bytes: Uint8Array, from: string | PeerAddress, time: number): boolean {
    const place = typeof from === 'string' ? this.addressOf(from) : from;
    this.now = time;
    place.lastBytes = time;
    if (!this.hasNews(bytes, place)) return false;
    this.from = place;
    this.isMoved = false;
    this.frames.scan(bytes, 0, this.scanned, true);
    this.scanned += bytes.length;
    return this.isMoved;
  }

  /** The address of a vehicle. */
  of(system: number): string | undefined {
    return placeAt(this.bySystem.get(system) ?? [], this.now - this.timeout)?.address;
  }

  /** Each address once, that of the vehicle that was there first in front. */
  get addresses(): readonly string[] {
    return this.current;
  }

  /** Most datagrams are whole frames, by their lengths, without a heartbeat but from where the vehicle is known to be. */
  private hasNews(bytes: Uint8Array, place: PeerAddress): boolean {
    for (let at = 0; at < bytes.length; ) {
      const size = frameSize(bytes, at);
      if (size === 0 || at + size > bytes.length) return true;
      if (messageIdOf(bytes, at) === HEARTBEAT && !this.isKnown(senderOf(bytes, at) >> 8, place)) return true;
      at += size;
    }
    return false;
  }

  /** Whether a heartbeat changes nothing, even if its checksum is wrong. Signatures are checked each time. */
  private isKnown(system: number, { systems }: PeerAddress): boolean {
    return !this.verifier && systems.includes(system) && this.placed.get(system) === this.of(system);
  }

  /** A frame: a heartbeat may show where its vehicle is. */
  private frame(bytes: Uint8Array): void {
    const { header, kind } = this.frames.judge;
    if (kind !== 'ordinary' || !heartbeatOf(bytes, header, this.hearsAll)) return;
    if (this.verifier && !isAccepted(this.verifier.check(bytes, header))) return;
    if (this.from && this.place(header.system, this.from, this.now)) this.isMoved = true;
  }

  private place(system: number, from: PeerAddress, time: number): boolean {
    if (!from.systems.includes(system)) {
      const places = this.bySystem.get(system) ?? [];
      const place = placeAt(places, time - this.timeout);
      if (place && time - place.lastBytes <= this.timeout) {
        this.refused++;
        return false;
      }
      this.add(system, places, from);
    }
    const address = this.of(system) ?? from.address;
    if (this.placed.get(system) === address) return false;
    this.placed.set(system, address);
    this.current = [...new Set(this.placed.values())];
    return true;
  }

  private add(system: number, places: readonly PeerAddress[], from: PeerAddress): void {
    const kept = places.filter(({ lastBytes }) => from.lastBytes - lastBytes < REMEMBERED);
    if (kept.length >= MOST) kept.splice(1, 1);
    for (const gone of places) {
      if (kept.includes(gone)) continue;
      gone.systems = gone.systems.filter((each) => each !== system);
      if (gone.systems.length === 0) this.byAddress.delete(gone.address);
    }
    this.bySystem.set(system, [...kept, from]);
    from.systems = [...from.systems, system];
    this.byAddress.set(from.address, from);
  }
}

/** The first address that was heard since a time, or else the one that was heard last. */
function placeAt(places: readonly PeerAddress[], since: number): PeerAddress | undefined {
  const heard = places.find(({ lastBytes }) => lastBytes >= since);
  return heard ?? places.toSorted((a, b) => b.lastBytes - a.lastBytes)[0];
}
