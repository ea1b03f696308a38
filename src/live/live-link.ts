import type { StreamStatistics } from '../core/decoder.ts';
import type { Fault, FaultCount } from '../core/fault.ts';
import { LIVE_LIMITS } from '../core/limits.ts';
import type { Schema } from '../core/schema.ts';
import type { Catalog } from '../formats/mavlink/catalog.ts';
import { Header } from '../formats/mavlink/header.ts';
import { catalogOf, type MavlinkOptions } from '../formats/mavlink/options.ts';
import type { MessageSlot } from './message-slot.ts';
import { Peer, type PeerOwner } from './peer.ts';

/** Microseconds after which a silent peer makes room for another one. */
const SILENT = 10e6;

/** Received, lost and so on of one sender. */
export type StreamCounts = Omit<StreamStatistics, 'stream' | 'signatures'>;

/** Who takes what comes on a link. */
export interface LinkOwner {
  slot(link: LiveLink, schema: Schema, stream: string): MessageSlot | undefined;
  message(
    link: LiveLink,
    slot: MessageSlot | undefined,
    bytes: Uint8Array,
    start: number,
    size: number,
    at: number,
  ): void;
}

/**
 * The bytes of one link, taken apart by who sent them. A sender whose datagrams begin like a frame gets a decoder of its
 * own; all others share one, so that a flood of garbage from thousands of addresses costs neither memory nor anybody
 * else's frames.
 */
export class LiveLink implements PeerOwner {
  readonly name: string;
  bytes = 0;
  packets = 0;
  messages = 0;
  /** Faults by code. */
  readonly faults: Map<string, FaultCount> = new Map();
  /** The latest RADIO_STATUS, whoever sent it: a radio has a system id of its own. */
  radio: MessageSlot | undefined;
  private readonly owner: LinkOwner;
  private readonly options: MavlinkOptions;
  private readonly catalog: Catalog;
  private readonly header = new Header();
  private readonly peers: Map<string, Peer> = new Map();
  private strangers: Peer | undefined;
  /** What became of the streams of peers that are gone. */
  private readonly gone: Map<string, StreamCounts> = new Map();
  /** The last one that sent: most of the time it is the next one too. */
  private lastFrom: string | undefined;
  private lastPeer: Peer | undefined;

  constructor(name: string, owner: LinkOwner, options: MavlinkOptions) {
    this.name = name;
    this.owner = owner;
    this.options = options;
    this.catalog = catalogOf(options.dialect);
  }

  push(bytes: Uint8Array, time: number, from: string): void {
    this.bytes += bytes.length;
    this.packets++;
    const peer = from === this.lastFrom && this.lastPeer ? this.lastPeer : this.peerOf(from, bytes, time);
    peer.push(bytes, time);
  }

  private peerOf(from: string, bytes: Uint8Array, time: number): Peer {
    const peer = this.peers.get(from) ?? this.admit(from, bytes, time);
    if (!peer) {
      this.strangers ??= new Peer(this, this.options);
      return this.strangers;
    }
    this.lastFrom = from;
    this.lastPeer = peer;
    return peer;
  }

  /** A decoder for a sender that has none; undefined where it does not seem to speak, or there is no room. */
  private admit(from: string, bytes: Uint8Array, time: number): Peer | undefined {
    // a link without addresses has one sender only
    if (from !== '' && !this.isPlausible(bytes)) return undefined;
    if (this.peers.size >= LIVE_LIMITS.peers && !this.makeRoom(time)) return undefined;
    const peer = new Peer(this, this.options);
    this.peers.set(from, peer);
    return peer;
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
    for (const each of oldest[1].streams()) add(this.gone, each);
    this.lastFrom = undefined;
    return true;
  }

  /** Received and lost by sender, of all peers together. */
  streams(): Map<string, StreamCounts> {
    const counts = new Map([...this.gone].map(([stream, each]) => [stream, { ...each }]));
    for (const peer of [...this.peers.values(), ...(this.strangers ? [this.strangers] : [])]) {
      for (const each of peer.streams()) add(counts, each);
    }
    return counts;
  }

  get peerCount(): number {
    return this.peers.size;
  }

  slot(schema: Schema, stream: string): MessageSlot | undefined {
    return this.owner.slot(this, schema, stream);
  }

  message(slot: MessageSlot | undefined, bytes: Uint8Array, start: number, size: number, at: number): void {
    this.messages++;
    this.owner.message(this, slot, bytes, start, size, at);
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
