import type { StreamStatistics } from '../core/decoder.ts';
import type { Fault, FaultCount } from '../core/fault.ts';
import { LIVE_LIMITS } from '../core/limits.ts';
import type { Schema } from '../core/schema.ts';
import type { Catalog } from '../formats/mavlink/catalog.ts';
import { Header, onlyFrameId } from '../formats/mavlink/header.ts';
import { catalogOf, type MavlinkOptions } from '../formats/mavlink/options.ts';
import type { MessageSlot } from './message-slot.ts';
import { Peer, type PeerOwner } from './peer.ts';
import { System } from './system.ts';

/** What all senders share that are more than are told apart. */
const OTHERS = 'others';
/** Microseconds after which a silent peer makes room for another one. */
const SILENT = 10e6;

/** Received, lost and so on of one sender. */
export type StreamCounts = Omit<StreamStatistics, 'stream' | 'flow' | 'signatures'>;

/** Frames by what became of their signatures. */
export type SignatureCounts = Readonly<Record<string, number>>;

/** Who takes what comes on a link. */
export interface LinkOwner {
  /** A number among the rates for a system that is new. */
  rate(): number;
  /** The slot of a message of a system's component, or undefined where no more are kept. */
  slot(link: LiveLink, schema: Schema, system: number, component: number): MessageSlot | undefined;
  /** Whether messages of a component are kept even where those of others no longer are. */
  isKept(system: System, component: number): boolean;
  message(link: LiveLink, slot: MessageSlot, bytes: Uint8Array, start: number, size: number, at: number): void;
  /** A message that has no slot. */
  stray(link: LiveLink, schema: Schema, bytes: Uint8Array, start: number): void;
}

/**
 * The bytes of one link. Datagrams that hold whole frames need no memory of who sent them, and nearly all do: one decoder
 * serves all their senders. A sender whose frames go on in its next datagram gets a decoder of its own. Garbage gets
 * none, so that a flood of it from thousands of addresses costs neither memory nor anybody else's frames.
 */
export class LiveLink implements PeerOwner {
  readonly name: string;
  bytes = 0;
  packets = 0;
  messages = 0;
  /** Of them, those that came from more senders, or were of more kinds, than are kept. */
  notKept = 0;
  /** By their ids. */
  readonly systems: (System | undefined)[] = [];
  /** Faults by code. */
  readonly faults: Map<string, FaultCount> = new Map();
  /** The latest RADIO_STATUS, whoever sent it: a radio has a system id of its own. */
  radio: MessageSlot | undefined;
  private readonly owner: LinkOwner;
  private readonly options: MavlinkOptions;
  private readonly catalog: Catalog;
  private readonly header = new Header();
  private readonly common: Peer;
  private readonly peers: Map<string, Peer> = new Map();
  /** What became of the streams of peers that are gone. */
  private readonly gone: Map<string, StreamCounts> = new Map();
  private goneSignatures: SignatureCounts = {};
  constructor(name: string, owner: LinkOwner, options: MavlinkOptions) {
    this.name = name;
    this.owner = owner;
    this.options = options;
    this.catalog = catalogOf(options.dialect);
    this.common = new Peer(this, options);
  }

  push(bytes: Uint8Array, time: number, from: string): void {
    this.bytes += bytes.length;
    this.packets++;
    this.peerOf(from, bytes, time).push(bytes, time);
  }

  /** Who takes the bytes of a sender. */
  private peerOf(from: string, bytes: Uint8Array, time: number): Peer {
    const known = this.peers.size === 0 ? undefined : this.peers.get(from);
    if (known) return known;
    if (from === '' || onlyFrameId(bytes) >= 0 || this.isWhole(bytes) || !this.isPlausible(bytes)) return this.common;
    if (this.peers.size >= LIVE_LIMITS.peers && !this.makeRoom(time)) return this.common;
    const peer = new Peer(this, this.options);
    this.peers.set(from, peer);
    return peer;
  }

  /** Whether the bytes are frames and nothing else, by their lengths. */
  private isWhole(bytes: Uint8Array): boolean {
    const { header } = this;
    let at = 0;
    while (at < bytes.length && header.read(bytes, at)) at = header.end;
    return at === bytes.length;
  }

  /** Whether the bytes begin with the header of a message that is known. */
  private isPlausible(bytes: Uint8Array): boolean {
    const { header, catalog } = this;
    if (!header.read(bytes, 0)) return false;
    return catalog.firstFit(catalog.find(header.id), header.length, header.version) !== 0;
  }

  /** Lets the peer go that is silent for longest, one that never said anything before others. */
  private makeRoom(time: number): boolean {
    let oldest: [string, Peer] | undefined;
    for (const entry of this.peers) {
      const [, { messages, lastTime }] = entry;
      if (messages > 0 && time - lastTime < SILENT) continue;
      if (!oldest || rank(entry[1]) < rank(oldest[1])) oldest = entry;
    }
    if (!oldest) return false;
    this.peers.delete(oldest[0]);
    const streams = oldest[1].streams();
    for (const each of streams) add(this.gone, each);
    this.goneSignatures = signaturesOf(streams, this.goneSignatures);
    return true;
  }

  /** The system of an id, a new one if it was not met before. */
  system(id: number): System {
    let system = this.systems[id];
    if (!system) {
      system = new System(this.name, id, this.owner.rate());
      this.systems[id] = system;
    }
    return system;
  }

  /** Received and lost by sender, of all peers together. */
  streams(): Map<string, StreamCounts> {
    const counts = new Map([...this.gone].map(([stream, each]) => [stream, { ...each }]));
    for (const peer of [this.common, ...this.peers.values()]) {
      for (const each of peer.streams()) add(counts, each);
    }
    return counts;
  }

  /** How many frames had which outcome, of all senders; those that are not signed count only where there is a key. */
  signatures(): SignatureCounts {
    const peers = [this.common, ...this.peers.values()];
    return peers.reduce((counts, peer) => signaturesOf(peer.streams(), counts), this.goneSignatures);
  }

  /** Senders that have a decoder of their own. */
  get peerCount(): number {
    return this.peers.size;
  }

  slot(schema: Schema, stream: string): MessageSlot | undefined {
    if (stream === OTHERS) return undefined;
    const colon = stream.indexOf(':');
    return this.owner.slot(this, schema, Number(stream.slice(0, colon)), Number(stream.slice(colon + 1)));
  }

  message(slot: MessageSlot, bytes: Uint8Array, start: number, size: number, at: number): void {
    this.messages++;
    this.owner.message(this, slot, bytes, start, size, at);
  }

  /** Of a sender beyond those that are told apart, or a kind beyond those that are kept: known vehicles have theirs. */
  stray(schema: Schema, bytes: Uint8Array, start: number, size: number, at: number): void {
    this.header.read(bytes, start);
    const { component } = this.header;
    const system = this.systems[this.header.system];
    const isKept = system !== undefined && this.owner.isKept(system, component);
    const slot = isKept ? this.owner.slot(this, schema, system.id, component) : undefined;
    if (slot) {
      this.message(slot, bytes, start, size, at);
    } else {
      this.messages++;
      this.notKept++;
      this.owner.stray(this, schema, bytes, start);
    }
  }

  fault({ code, length }: Fault): void {
    const known = this.faults.get(code);
    if (known) {
      known.count++;
      known.bytes += length;
    } else this.faults.set(code, { count: 1, bytes: length });
  }
}

function rank({ messages, lastTime }: Peer): number {
  return messages > 0 ? lastTime : lastTime - 1e15;
}

function add(counts: Map<string, StreamCounts>, { stream, ...each }: StreamStatistics): void {
  const known = counts.get(stream);
  const sum = (name: keyof StreamCounts): number => (known?.[name] ?? 0) + each[name];
  counts.set(stream, {
    received: sum('received'),
    lost: sum('lost'),
    duplicated: sum('duplicated'),
    reordered: sum('reordered'),
    restarted: sum('restarted'),
  });
}

function signaturesOf(streams: readonly StreamStatistics[], before: SignatureCounts): SignatureCounts {
  const counts: Record<string, number> = { ...before };
  for (const { signatures = {} } of streams) {
    for (const [outcome, count] of Object.entries(signatures)) counts[outcome] = (counts[outcome] ?? 0) + count;
  }
  return counts;
}
