import { LINK_LIMITS } from '../core/limits.ts';
import type { SigningKey } from '../formats/mavlink/key.ts';
import { isAccepted, Verifier } from '../formats/mavlink/signing.ts';
import { type Heartbeat, HeartbeatFinder } from './heartbeat.ts';

export interface PeerOptions {
  /** Microseconds that a vehicle's address must be silent before another one may take its place. */
  readonly timeout?: number | undefined;
  /** With keys, only a heartbeat that one of them signed counts. */
  readonly keys?: readonly SigningKey[] | undefined;
  /** Milliseconds since 1970, for the times of signatures. */
  readonly now?: (() => number) | undefined;
  /** Whose heartbeats count: those of vehicles by default, or also those of ground stations, for who plays a vehicle. */
  readonly hears?: 'vehicles' | 'all' | undefined;
  /** Vehicles that are remembered. */
  readonly most?: number | undefined;
}

interface Peer {
  address: string;
  lastBytes: number;
}

/**
 * Where each vehicle of a link is. Anybody can send a datagram, so an address is taken from a valid heartbeat of an
 * autopilot only, and it changes only when the old one has fallen silent: nobody can draw to himself what is meant for
 * a vehicle that is there.
 */
export class Peers {
  /** Heartbeats from elsewhere while the vehicle was where it was. */
  refused = 0;
  private readonly bySystem: Map<number, Peer> = new Map();
  private readonly byAddress: Map<string, Peer[]> = new Map();
  private readonly finder = new HeartbeatFinder();
  private readonly timeout: number;
  private readonly most: number;
  private readonly verifier: Verifier | undefined;
  private readonly hearsAll: boolean;

  constructor({ timeout = LINK_LIMITS.silence, keys = [], now, hears, most = LINK_LIMITS.peers }: PeerOptions = {}) {
    this.hearsAll = hears === 'all';
    this.timeout = timeout;
    this.most = most;
    this.verifier = keys.length > 0 ? new Verifier({ keys, now }) : undefined;
  }

  /** Takes what came from an address; true if a vehicle is at another place than before. */
  receive(bytes: Uint8Array, from: string, time: number): boolean {
    const here = this.byAddress.get(from);
    if (here) for (const peer of here) peer.lastBytes = time;
    if (this.finder.isOther(bytes)) return false;
    let moved = false;
    this.finder.find(bytes, (heartbeat) => {
      if (this.counts(bytes, heartbeat)) moved = this.hear(heartbeat.header.system, from, time) || moved;
    });
    return moved;
  }

  /** The address of a vehicle. */
  of(system: number): string | undefined {
    return this.bySystem.get(system)?.address;
  }

  /** Each address once, that of the vehicle that was there first in front. */
  get addresses(): readonly string[] {
    return [...this.byAddress.keys()];
  }

  private counts(bytes: Uint8Array, { isVehicle, header }: Heartbeat): boolean {
    return (isVehicle || this.hearsAll) && (!this.verifier || isAccepted(this.verifier.check(bytes, header)));
  }

  private hear(system: number, from: string, time: number): boolean {
    const known = this.bySystem.get(system);
    if (!known) {
      if (this.bySystem.size >= this.most) return false;
      this.place(system, from, time);
      return true;
    }
    if (known.address === from) return false;
    if (time - known.lastBytes <= this.timeout) {
      this.refused++;
      return false;
    }
    this.leave(known);
    this.place(system, from, time);
    return true;
  }

  private place(system: number, address: string, lastBytes: number): void {
    const peer = { address, lastBytes };
    this.bySystem.set(system, peer);
    const here = this.byAddress.get(address);
    if (here) here.push(peer);
    else this.byAddress.set(address, [peer]);
  }

  private leave(peer: Peer): void {
    const others = (this.byAddress.get(peer.address) ?? []).filter((other) => other !== peer);
    if (others.length > 0) this.byAddress.set(peer.address, others);
    else this.byAddress.delete(peer.address);
  }
}
