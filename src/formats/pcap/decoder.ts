import type { Decoder, Sink, StreamStatistics } from '../../core/decoder.ts';
import type { Fault } from '../../core/fault.ts';
import type { Format } from '../../core/format.ts';
import type { Capture, CapturedFlow } from '../../core/log.ts';
import { firstIndex } from '../../core/search.ts';
import { type MakeSpill, Pieces, type Source } from '../../core/source.ts';
import type { MavlinkOptions } from '../mavlink/options.ts';
import { Verifier } from '../mavlink/signing.ts';
import { Flow, type FlowContext } from './flow.ts';
import type { FlowSink } from './flow-sink.ts';
import { FlowTable } from './flow-table.ts';
import { Fragments, piecesOf, type Whole } from './fragments.ts';
import { Harvest } from './harvest.ts';
import { BARE, FRAGMENT, Layers, OTHER, RETURNED, TCP, UDP } from './layers.ts';
import { CAPTURE_LIMITS } from './limits.ts';
import { isEncrypted, isReadLink, linkName } from './link.ts';
import type { Packet, PacketSink } from './packet.ts';
import { Places } from './places.ts';
import { PacketReader } from './reader.ts';
import { Room } from './room.ts';
import { type Carried, TcpOrder, type Waits } from './tcp.ts';

const BATCH_PACKETS = CAPTURE_LIMITS.batchPackets;
const BATCH_BYTES = CAPTURE_LIMITS.batchBytes;
const ACK = 16;
/** Microseconds by which the time of a packet follows the latest one: those of several interfaces come late. */
const STEP_BACK = 1e6;
const STEP_AHEAD = 3600e6;
/** Microseconds between two files or sections that are not pieces of one capture, and how many of them are kept. */
const APART = 60e6;
const FILES = 256;

/** What the kinds of flows are called. */
const PROTOCOLS: Readonly<Record<number, CapturedFlow['protocol']>> = {
  [UDP]: 'UDP',
  [TCP]: 'TCP',
  [BARE]: 'bare',
  [RETURNED]: 'ICMP',
};

export interface CaptureOptions extends MavlinkOptions {
  /** Where records go that are too many for the memory. */
  readonly spill?: MakeSpill | undefined;
}

/**
 * Finds the records in what the packets of a capture carry. Packets are taken apart, what they carry is gathered by flow,
 * and after a number of packets that depends on nothing but the file each flow's decoder gets its bytes at once. Records
 * are in a separate source, one after the other; where each came from is kept beside it.
 */
export class CaptureDecoder implements Decoder, PacketSink, FlowContext {
  readonly formats: readonly Format[];
  readonly harvest: Harvest;
  readonly room: Room = new Room();
  readonly others: Flow;
  private readonly sink: Sink;
  private readonly options: CaptureOptions;
  private readonly reader: PacketReader;
  private readonly layers = new Layers();
  private readonly pieces: Pieces;
  private readonly places = new Places();
  private readonly flows: FlowTable<Flow>;
  private readonly fragments: Fragments;
  private readonly waits: Waits = { bytes: 0 };
  private readonly verifierOf: (receiver: string) => Verifier | undefined;
  /** The bytes that the last packet lay in, and a view on them. */
  private viewed: Uint8Array | undefined;
  private view: DataView | undefined;
  private decoders = 0;
  private batchPackets = 0;
  private batchBytes = 0;
  /** Bytes of packets: headers and what fills them up, other traffic, fragments that never became whole. */
  private headerBytes = 0;
  private otherBytes = 0;
  private lostBytes = 0;
  private first = Number.POSITIVE_INFINITY;
  private last = Number.NEGATIVE_INFINITY;
  private encrypted = 0;
  private steady = true;
  /** The section of the last packet, and the first packet of each recording after the first. */
  private section = -1;
  private readonly firsts: number[] = [];

  constructor(sink: Sink, formats: readonly Format[], options: CaptureOptions = {}) {
    this.sink = sink;
    this.formats = formats;
    this.options = options;
    this.verifierOf = Verifier.perReceiver({ keys: options.keys ?? [], unsigned: options.unsigned });
    this.pieces = new Pieces(options.spill);
    this.harvest = new Harvest(sink, this.pieces, this.places);
    this.reader = new PacketReader(this);
    this.flows = new FlowTable((ends) => {
      const flow = new Flow(ends, this);
      if (ends.kind === TCP) flow.order = new TcpOrder(flow, this.waits);
      return flow;
    });
    this.others = new Flow({ source: '', destination: 'other flows', interface: -1, kind: UDP }, this);
    this.fragments = new Fragments((bytes, first) => this.loseFragments(bytes, first));
  }

  push(bytes: Uint8Array): void {
    this.reader.push(bytes);
  }

  end(): void {
    this.reader.end();
    this.fragments.finish();
    for (const flow of this.flows.flows) flow.order?.finish();
    this.decode(true);
    for (const flow of this.all()) flow.end();
    this.harvest.flush();
  }

  fault(fault: Fault): void {
    this.sink.fault(fault);
  }

  packet(bytes: Uint8Array, packet: Packet, base: number): void {
    const { layers } = this;
    const { start, end, number, time } = packet;
    const { section } = this.reader.interfaces[packet.interface];
    if (section !== this.section) this.enter(section, number, time);
    if (time > this.last + STEP_AHEAD ? this.first <= this.last : time < this.last - STEP_BACK) this.steady = false;
    if (time < this.first) this.first = time;
    if (time > this.last) this.last = time;
    const kind = layers.read(bytes, start, end, packet.linkType, packet.length);
    if (kind === UDP || kind === BARE || kind === RETURNED) {
      const { from, to, missing } = layers;
      this.headerBytes += end - start - (to - from);
      const flow = this.flowOf(bytes, kind, packet.interface, to - from, time);
      if (bytes !== this.viewed) this.look(bytes);
      if (to > from) flow.append(bytes, from, to, base + from, number, time, this.view);
      if (missing > 0) flow.cut(missing, number, base + packet.record);
      this.batchBytes += to - from;
    } else if (kind === TCP) {
      this.headerBytes += end - start - (layers.to - layers.from);
      this.takeSegment(bytes, packet.interface, base + layers.from, number, time);
    } else if (kind === FRAGMENT) {
      this.takeFragment(bytes, packet, base);
    } else {
      this.otherBytes += end - start;
      if (isEncrypted(bytes, start, end, packet.linkType)) this.encrypted++;
    }
    if (++this.batchPackets >= BATCH_PACKETS || this.batchBytes >= BATCH_BYTES) this.flush();
  }

  /** Another file or section begins. */
  private enter(section: number, packet: number, time: number): void {
    const isApart = time > this.last + APART || time < this.last - APART;
    if (isApart && this.first <= this.last && this.firsts.length < FILES) this.firsts.push(packet);
    this.section = section;
  }

  private look(bytes: Uint8Array): void {
    this.viewed = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  private flowOf(bytes: Uint8Array, kind: number, from: number, length: number, time: number): Flow {
    const flow = this.flows.find(bytes, this.layers, kind, from) ?? this.others;
    if (flow.packets++ === 0) flow.first = time;
    flow.bytes += length;
    flow.last = time;
    return flow;
  }

  private takeSegment(bytes: Uint8Array, from: number, file: number, packet: number, time: number): void {
    const { layers } = this;
    const { flags, sequence, acknowledged, missing } = layers;
    const flow = this.flowOf(bytes, TCP, from, layers.to - layers.from, time);
    if ((flags & ACK) !== 0) this.flows.reverse(bytes, layers, TCP, from)?.order?.acknowledge(acknowledged);
    const carried = { bytes, from: layers.from, to: layers.to, file, packet, time };
    if (flow.order) flow.order.segment(sequence, flags, missing, carried);
    else flow.deliver(carried);
    this.batchBytes += layers.to - layers.from;
  }

  private takeFragment(bytes: Uint8Array, { start, end, interface: from, number, time }: Packet, base: number): void {
    const { layers } = this;
    this.headerBytes += end - start - (layers.to - layers.from);
    const carried = { bytes, from: layers.from, to: layers.to, file: base + layers.from, packet: number, time };
    this.batchBytes += layers.to - layers.from;
    const whole = this.fragments.add(layers, carried, from);
    if (whole) this.takeWhole(whole);
  }

  /** A packet that came in fragments: each of them has its own place in the file. */
  private takeWhole(whole: Whole): void {
    const { layers } = this;
    const { length } = whole.bytes;
    const content = 2 * whole.addressBytes;
    const kind = layers.readWhole(whole);
    if (kind === OTHER) {
      this.otherBytes += length - content;
      return;
    }
    const { from, to, sequence, flags } = layers;
    this.headerBytes += length - content - (to - from);
    const flow = this.flowOf(whole.bytes, kind, whole.interface, to - from, whole.parts[0].carried.time);
    for (const piece of piecesOf(whole, from, to)) {
      if (flow.order)
        flow.order.segment((sequence + piece.from - from) >>> 0, piece.from === from ? flags : 0, 0, piece);
      else flow.deliver(piece);
    }
  }

  private loseFragments(bytes: number, { packet, file }: Carried): void {
    this.lostBytes += bytes;
    const text = `packet ${packet} at offset ${file} is a fragment, and others of it are not in the capture: ${bytes} bytes`;
    this.sink.fault({ code: 'lost-fragments', offset: file, length: bytes, lost: true, text });
  }

  private flush(): void {
    for (const flow of this.flows.flows) flow.order?.settle();
    this.decode(false);
    this.harvest.flush();
    this.batchPackets = 0;
    this.batchBytes = 0;
  }

  /** Each flow decodes what it gathered; the one for others last, since others may add to it. */
  private decode(isLast: boolean): void {
    for (const flow of [...this.flows.flows, this.others]) if (flow.isWaiting || isLast) flow.flush(isLast);
  }

  decoder(flow: Flow, format: Format, sink: FlowSink): Decoder | undefined {
    if (flow !== this.others && this.decoders >= CAPTURE_LIMITS.flowDecoders) return undefined;
    this.decoders++;
    const verifier = this.options.verifier ?? this.verifierOf(flow.ends.destination);
    return format.decoder(sink, verifier ? { ...this.options, verifier } : this.options);
  }

  private all(): readonly Flow[] {
    return this.others.packets > 0 || this.others.sink ? [...this.flows.flows, this.others] : this.flows.flows;
  }

  source(): Source {
    return this.pieces;
  }

  placeOf(offset: number): number {
    return this.places.fileAt(offset);
  }

  packetOf(offset: number): number {
    return this.places.packetAt(offset);
  }

  timeOf(offset: number): number {
    return this.places.timeAt(offset);
  }

  seams(): readonly number[] {
    const { firsts, places, pieces } = this;
    return firsts.map((packet) => firstIndex(pieces.size, (offset) => places.packetAt(offset) >= packet));
  }

  isSteady(): boolean {
    return this.steady;
  }

  streams(): StreamStatistics[] {
    return this.all().flatMap((flow) => flow.statistics());
  }

  capture(): Capture {
    const { reader } = this;
    const flows = this.all();
    const { file, records: around, faults } = reader.overhead;
    const sum = (of: (flow: Flow) => number): number => flows.reduce((total, flow) => total + of(flow), 0);
    return {
      kind: reader.format,
      isHeadless: reader.isHeadless,
      packets: reader.packets,
      start: this.first <= this.last ? this.first : Number.NaN,
      end: this.first <= this.last ? this.last : Number.NaN,
      encrypted: this.encrypted,
      interfaces: reader.interfaces.map((each) => ({
        ...each,
        link: linkName(each.linkType),
        isRead: isReadLink(each.linkType),
      })),
      flows: flows.map((flow) => ({
        protocol: PROTOCOLS[flow.ends.kind],
        source: flow.ends.source,
        destination: flow.ends.destination,
        interface: flow.ends.interface,
        packets: flow.packets,
        bytes: flow.bytes,
        start: flow.first,
        end: flow.last,
        carries: flow.format?.name ?? '',
        records: flow.sink?.recordCount ?? 0,
        faults: flow.sink?.faultCount ?? 0,
        missing: flow.missing,
        streams: flow.statistics(),
      })),
      bytes: {
        file,
        headers: around + this.headerBytes,
        other: this.otherBytes + sum((flow) => flow.unclaimed),
        repeated: this.fragments.repeated + sum((flow) => flow.order?.repeated ?? 0),
        records: this.harvest.bytes,
        faults: faults + this.lostBytes + sum((flow) => flow.sink?.faultBytes ?? 0),
      },
    };
  }
}
