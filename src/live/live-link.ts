import type { RecordBatch, Sink, Skipped, StreamStatistics } from '../core/decoder.ts';
import type { Fault, FaultCount } from '../core/fault.ts';
import { LIMITS } from '../core/limits.ts';
import type { Schema } from '../core/schema.ts';
import type { Catalog } from '../formats/mavlink/dialect/catalog.ts';
import { isUnknownSchema } from '../formats/mavlink/dialect/schema.ts';
import type { MavlinkDecoder } from '../formats/mavlink/frame.ts';
import { frameSize, Header, senderOf } from '../formats/mavlink/header.ts';
import { catalogOf, frameDecoder, type MavlinkOptions } from '../formats/mavlink/options.ts';
import { REFUSALS } from '../formats/mavlink/signatures.ts';
import { KeyFilter } from './frame-splitter.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { MessageSlot } from './message.ts';
import type { LinkSink } from './options.ts';
import type { Senders } from './senders.ts';
import type { Component, System } from './system.ts';

/** MAV_TYPE of ground stations. */
const STATION = 6;
/** The stream of senders beyond those that a decoder separates, and of small ones that are gone. */
const OTHERS = 'others';
/** Microseconds after which a decoder with more senders than it can separate is replaced. */
const RENEW = 10e6;
/** Microseconds for a vehicle to answer, between two checks of the signature counts, and between two notices. */
const ANSWER = 3e6;
const SECOND = 1e6;
const NOTICE = 10e6;

/** Bytes that are not whole frames, whole frames of components that have no other address, and of ones that have. */
const PARTIAL = 0;
const COMMON = 1;
const STRANGER = 2;

/** Received, lost and so on of one sender. */
export type StreamCounts = Omit<StreamStatistics, 'stream' | 'flow' | 'signatures'>;

/** Frames by what became of their signatures. */
export type SignatureCounts = Readonly<Record<string, number>>;

/**
 * The bytes of one link. Datagrams that hold whole frames need no memory of their sender, and nearly all do: one decoder
 * serves all of them. A sender gets its own decoder if its frames go on in its next datagram, or if it has the
 * system and component id of another sender: each component belongs to the address that it was first heard from.
 * Garbage gets none, so that a flood of it from thousands of addresses costs neither memory nor frames of others.
 */
export class LiveLink {
  readonly name: string;
  bytes = 0;
  packets = 0;
  messages = 0;
  /** Of them, those that came from more senders, or were of more kinds, than are kept. */
  notKept = 0;
  /** By their ids. */
  readonly systems: (System | undefined)[] = [];
  readonly faults: Map<string, FaultCount> = new Map();
  /** The latest RADIO_STATUS of any sender: a radio has its own system id. */
  radio: MessageSlot | undefined;
  /** Whether its bytes come in datagrams, each of which ends where its sender ended it. */
  isDatagrams = false;
  /** Who sent the bytes that are being read, and when bytes came last. */
  from = '';
  lastTime: number = Number.NaN;
  /** Whether it stays however long it is silent. */
  isKept = false;
  /** What is wrong with signatures, as a sentence; '' if nothing. */
  notice = '';
  /** Gets all bytes. */
  readonly sink: LinkSink | undefined;
  readonly senders: Senders;
  private readonly options: MavlinkOptions;
  private readonly catalog: Catalog;
  private readonly header = new Header();
  private common: LinkDecoder;
  /** Whole datagrams of senders with ids of others that lack their own decoder. */
  private strangers: LinkDecoder | undefined;
  private readonly decoders: Map<string, LinkDecoder> = new Map();
  /** What became of the streams of decoders that are gone. */
  private gone: Map<string, StreamCounts> = new Map();
  private goneSignatures: SignatureCounts = {};
  private renewedAt: number = Number.NaN;
  private lookedAt: number = Number.NaN;
  private uncheckedAt: number = Number.NaN;
  private noticeAt: number = Number.NaN;
  private noticeCount = 0;

  constructor(name: string, senders: Senders, options: MavlinkOptions, sink?: LinkSink) {
    this.name = name;
    this.sink = sink;
    this.senders = senders;
    this.options = options;
    this.catalog = catalogOf(options.dialect);
    this.common = new LinkDecoder(this, '', options);
  }

  push(bytes: Uint8Array, time: number, from: string): void {
    this.bytes += bytes.length;
    this.packets++;
    this.lastTime = time;
    this.from = from;
    this.decoderOf(from, bytes, time).push(bytes, time, this.isDatagrams);
  }

  private decoderOf(from: string, bytes: Uint8Array, time: number): LinkDecoder {
    const known = this.decoders.size === 0 ? undefined : this.decoders.get(from);
    if (known) return known;
    if (from === '') return this.common;
    const owner = this.ownerOf(bytes, from);
    if (owner === COMMON) return this.common;
    if (owner === PARTIAL) {
      const isSender = this.isPlausible(bytes) && this.hasRoom(time);
      return isSender ? this.addDecoder(from) : this.common;
    }
    this.strangers ??= new LinkDecoder(this, '', this.options, false);
    return this.strangers;
  }

  /** A component rebooted: what its numbers showed as a loss was none. */
  rebooted({ system, id, address }: Component): void {
    (this.decoders.get(address) ?? this.common).rebooted(system.id, id);
  }

  private addDecoder(from: string): LinkDecoder {
    const decoder = new LinkDecoder(this, from, this.options);
    this.decoders.set(from, decoder);
    return decoder;
  }

  /** Whose frames the bytes are, by their lengths and ids. */
  private ownerOf(bytes: Uint8Array, from: string): number {
    let owner = COMMON;
    let at = 0;
    while (at < bytes.length) {
      const size = frameSize(bytes, at);
      if (size === 0 || at + size > bytes.length) return PARTIAL;
      const sender = senderOf(bytes, at);
      const component = this.systems[sender >> 8]?.components.get(sender & 0xff);
      if (component !== undefined && component.address !== from) owner = STRANGER;
      at += size;
    }
    return owner;
  }

  /** Whether the bytes begin with the header of a message that is known. */
  private isPlausible(bytes: Uint8Array): boolean {
    const { header, catalog } = this;
    if (!header.read(bytes, 0)) return false;
    return catalog.firstFit(catalog.find(header.id), header.length, header.version) !== 0;
  }

  /** Makes room for one more decoder: the one that is silent for longest goes, one that never said anything before others. */
  private hasRoom(time: number): boolean {
    if (this.decoders.size < LIVE_LIMITS.peers) return true;
    let oldest: LinkDecoder | undefined;
    for (const decoder of this.decoders.values()) {
      if (decoder.messages > 0 && time - decoder.lastTime < LIVE_LIMITS.silence) continue;
      if (!oldest || rank(decoder) < rank(oldest)) oldest = decoder;
    }
    if (oldest) this.remove(oldest);
    return oldest !== undefined;
  }

  private remove(decoder: LinkDecoder): void {
    decoder.end();
    this.decoders.delete(decoder.address);
    this.addGone(decoder);
    for (const system of decoder.systems) if (system) this.senders.dropSystem(system, decoder.systems);
  }

  private addGone(decoder: LinkDecoder): void {
    const streams = decoder.streams();
    for (const each of streams) add(this.gone, this.nameOf(decoder, each.stream), each);
    this.goneSignatures = sumOf(this.goneSignatures, decoder.signatureTotals());
    if (this.gone.size <= LIMITS.streams) return;
    // those of which most came stay by name
    const sorted = [...this.gone].sort(([, a], [, b]) => b.received - a.received);
    this.gone = new Map(sorted.slice(0, LIMITS.streams / 2));
    for (const [, each] of sorted.slice(LIMITS.streams / 2)) add(this.gone, OTHERS, each);
  }

  /** Advances time. Returns a notice about signatures when it is new or counts more frames; else ''. */
  tick(time: number): string {
    this.common.tick(time);
    for (const decoder of this.decoders.values()) decoder.tick(time);
    if (Math.abs(time - this.renewedAt) >= RENEW || Number.isNaN(this.renewedAt)) this.renew(time);
    if (Math.abs(time - this.lookedAt) < SECOND) return '';
    this.lookedAt = time;
    const unchecked = this.signatures().unchecked ?? 0;
    if (unchecked > 0 && Number.isNaN(this.uncheckedAt)) this.uncheckedAt = time;
    const count = unchecked + this.refused;
    this.notice = this.refusals() || (time - this.uncheckedAt >= ANSWER ? this.uncheckedText : '');
    const isQuiet = Math.abs(time - this.noticeAt) < NOTICE || count === this.noticeCount;
    if (this.notice === '' || isQuiet) return '';
    this.noticeAt = time;
    this.noticeCount = count;
    return this.notice;
  }

  /** No more bytes will come: those that wait for the rest of a frame are given up. */
  end(): void {
    for (const decoder of [this.common, this.strangers, ...this.decoders.values()]) decoder?.end();
  }

  /** Replaces a decoder with more senders than it can separate: the next one starts with the current senders. */
  private renew(time: number): void {
    this.renewedAt = time;
    if (this.strangers?.isFull) {
      this.strangers.end();
      this.strangers = undefined;
    }
    if (!this.common.isFull) return;
    this.common.end();
    this.addGone(this.common);
    this.common = new LinkDecoder(this, '', this.options);
  }

  private get uncheckedText(): string {
    for (const [system] of this.allSystems())
      for (const { name } of system.messages())
        if (name === 'COMMAND_ACK') return 'frames are signed but not verified: give the key with --key-file';
    return 'the vehicle signs its frames and ignores our requests: give its key with --key-file';
  }

  /** What one address sent is sent by another from now on. */
  move(system: System, from: string, to: string): void {
    // its counts stay those of the vehicle, and the numbers at the new address go on in the decoder there
    const former = this.decoders.get(from);
    if (former && !former.systems.some((each) => each !== undefined)) this.remove(former);
    for (const component of system.components.values()) if (component.address === from) component.address = to;
    this.forgetSlots();
    const decoder = this.decoders.get(to);
    const other = decoder?.systems[system.id];
    if (decoder && other) this.senders.dropSystem(other, decoder.systems);
  }

  /** Components are gone, or belong to another address. */
  forgetSlots(): void {
    for (const decoder of [this.common, ...this.decoders.values()]) decoder.forgetSlots();
  }

  /** Every system, with those whose ids another sender had before. */
  *allSystems(): Generator<[System, (System | undefined)[]]> {
    for (const systems of [this.systems, ...[...this.decoders.values()].map((decoder) => decoder.systems)])
      for (const system of systems) if (system) yield [system, systems];
  }

  /** Received and lost by sender, of all decoders together. */
  streams(): Map<string, StreamCounts> {
    const counts = new Map([...this.gone].map(([stream, each]) => [stream, { ...each }]));
    for (const decoder of [this.common, ...this.decoders.values()]) {
      for (const each of decoder.streams()) add(counts, this.nameOf(decoder, each.stream), each);
    }
    for (const [stream, each] of counts) if (this.isStation(stream)) counts.set(stream, { ...each, lost: 0 });
    return counts;
  }

  /** Whether a ground station sends a stream: a vehicle passes on only some of its messages, so gaps are not losses. */
  private isStation(stream: string): boolean {
    const [system, component] = stream.split(':').map((text) => Number.parseInt(text, 10));
    return this.systems[system]?.components.get(component)?.heartbeat?.type === STATION;
  }

  private nameOf({ address }: LinkDecoder, stream: string): string {
    const [system, component] = stream.split(':');
    const home = this.systems[Number(system)]?.components.get(Number(component));
    return address === '' || !home || home.address === address ? stream : `${stream}@${address}`;
  }

  /** How many frames had which outcome, of all senders; those that are not signed count only where there is a key. */
  signatures(): SignatureCounts {
    const decoders = [this.common, ...this.decoders.values(), ...(this.strangers ? [this.strangers] : [])];
    return decoders.reduce((counts, decoder) => sumOf(counts, decoder.signatureTotals()), this.goneSignatures);
  }

  /** Senders that have their own decoder. */
  get peerCount(): number {
    return this.decoders.size;
  }

  /** The slot for a frame, of the sender whose bytes are being read. */
  slot(decoder: LinkDecoder, schema: Schema, bytes: Uint8Array, start: number): MessageSlot | undefined {
    const { header, from, systems } = this;
    header.read(bytes, start);
    const home = systems[header.system]?.components.get(header.component);
    const isHome = home === undefined || home.address === from;
    const owner = isHome ? systems : this.systemsOfStranger(decoder, schema);
    return owner && this.senders.slot(this, owner, schema, header);
  }

  /** The systems of a sender with ids of another; undefined if none are kept. */
  private systemsOfStranger(decoder: LinkDecoder, schema: Schema): (System | undefined)[] | undefined {
    const { from } = this;
    if (decoder.address === from) return decoder.systems;
    // a heartbeat with a right checksum is worth a decoder
    if (decoder !== this.strangers || schema.name !== 'HEARTBEAT') return undefined;
    const own = this.decoders.get(from) ?? (this.hasRoom(this.lastTime) ? this.addDecoder(from) : undefined);
    own?.counted(this.lastTime);
    return own?.systems;
  }

  /** A message has no slot: it is of a sender or a kind beyond those that are kept. */
  stray(schema: Schema, bytes: Uint8Array, start: number): void {
    this.notKept++;
    this.senders.stray(this, schema, bytes, start);
  }

  fault({ code, length }: Fault): void {
    const known = this.faults.get(code);
    if (known) {
      known.count++;
      known.bytes += length;
    } else this.faults.set(code, { count: 1, bytes: length });
  }

  private get refused(): number {
    return Object.keys(REFUSALS).reduce((sum, code) => sum + (this.faults.get(code)?.count ?? 0), 0);
  }

  /** How many frames were refused by their signatures, and why. */
  private refusals(): string {
    const reasons = Object.keys(REFUSALS)
      .map((code) => ({ reason: code.replaceAll('-', ' '), count: this.faults.get(code)?.count ?? 0 }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count)
      .map(({ reason, count }, _, all) => (all.length === 1 ? reason : `${count} ${reason}`));
    const { refused } = this;
    return refused === 0 ? '' : `${refused} ${refused === 1 ? 'frame' : 'frames'} refused: ${reasons.join(', ')}`;
  }
}

function rank({ messages, lastTime }: LinkDecoder): number {
  return messages > 0 ? lastTime : lastTime - 1e15;
}

function add(counts: Map<string, StreamCounts>, stream: string, each: StreamCounts): void {
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

function sumOf(a: SignatureCounts, b: SignatureCounts): SignatureCounts {
  const sums: Record<string, number> = { ...a };
  for (const [outcome, count] of Object.entries(b)) sums[outcome] = (sums[outcome] ?? 0) + count;
  return sums;
}

/** A decoder of a link: of one sender, whose frames may go on in its next datagram, or of all that send whole ones. */
export class LinkDecoder implements Sink {
  /** The sender, '' for several. */
  readonly address: string;
  /** By their ids: systems whose ids another sender had before. */
  readonly systems: (System | undefined)[] = [];
  /** When bytes came last, and how many messages were in them all. */
  lastTime: number = Number.NaN;
  messages = 0;
  /** Whether it had more senders than it can separate. */
  isFull = false;
  private readonly link: LiveLink;
  /** Who sent its last bytes. */
  private from = '';
  private readonly decoder: MavlinkDecoder;
  /** For a sink that gets all bytes: it gets them from here, so that each is looked at once. */
  private readonly filter: KeyFilter | undefined;
  readonly skipped?: NonNullable<Sink['skipped']>;
  private readonly isSure: boolean[] = [];
  private readonly schemas: Schema[] = [];
  private readonly streamOf: string[] = [];
  private slots: (MessageSlot | undefined)[] = [];
  private readonly keepsSlots: boolean;

  /** @param keepsSlots whether the ids of a frame are enough to know its sender */
  constructor(link: LiveLink, address: string, options: MavlinkOptions, keepsSlots = true) {
    this.link = link;
    this.address = address;
    this.keepsSlots = keepsSlots;
    const { sink } = link;
    if (sink) {
      const filter = new KeyFilter({
        frame: (bytes, header, isSure) => sink.frame(link.name, this.from, bytes, header, isSure, this.lastTime),
        rest: (bytes) => sink.rest(link.name, this.from, bytes, this.lastTime),
        secret: () => sink.secret(link.name),
      });
      this.filter = filter;
      this.skipped = (bytes: Uint8Array, from: number, to: number, what: Skipped) =>
        filter.skipped(bytes, from, to, what);
    }
    this.decoder = frameDecoder(this, options);
  }

  /** A message of it was found by another decoder. */
  counted(time: number): void {
    this.lastTime = time;
    this.messages++;
  }

  /** @param isDatagram whether the bytes end where the sender ended them, not anywhere */
  push(bytes: Uint8Array, time: number, isDatagram: boolean): void {
    this.from = this.link.from;
    this.lastTime = time;
    this.decoder.push(bytes);
    this.decoder.settle(isDatagram ? undefined : time);
  }

  /** Time goes by: frames are held back by what is unfinished for a moment only. */
  tick(time: number): void {
    this.link.from = this.from;
    this.decoder.settle(time);
  }

  rebooted(system: number, component: number): void {
    this.decoder.rebooted(system, component);
  }

  /** Received and lost by sender. */
  streams(): StreamStatistics[] {
    return this.decoder.streams();
  }

  signatureTotals(): SignatureCounts {
    return this.decoder.signatureTotals();
  }

  /** Looks for all slots again: some are gone, or belong to another sender now. */
  forgetSlots(): void {
    this.slots = [];
  }

  table(id: number, schema: Schema, stream: string): void {
    this.schemas[id] = schema;
    if (this.filter) this.isSure[id] = !isUnknownSchema(schema);
    this.streamOf[id] = stream;
    if (stream === OTHERS) this.isFull = true;
  }

  records({ bytes, base, count, table, start, size }: RecordBatch): void {
    const { link, filter } = this;
    const { senders } = link;
    this.messages += count;
    for (let i = 0; i < count; i++) {
      if (filter && !filter.frame(bytes, start[i], start[i] + size[i], this.isSure[table[i]])) continue;
      const slot = this.slots[table[i]] ?? this.find(table[i], bytes, start[i]);
      link.messages++;
      if (slot) senders.receive(link, slot, bytes, start[i], size[i], base + start[i]);
      else link.stray(this.schemas[table[i]], bytes, start[i]);
    }
  }

  private find(table: number, bytes: Uint8Array, start: number): MessageSlot | undefined {
    const slot = this.link.slot(this, this.schemas[table], bytes, start);
    if (this.keepsSlots && this.streamOf[table] !== OTHERS) this.slots[table] = slot;
    return slot;
  }

  fault(fault: Fault): void {
    this.link.fault(fault);
  }

  /** Bytes that wait for the rest of a frame are given up. */
  end(): void {
    this.decoder.interrupt();
  }
}
