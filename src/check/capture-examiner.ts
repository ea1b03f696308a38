import type { Fault } from '../core/fault.ts';
import { FlowTable } from '../formats/pcap/flow-table.ts';
import { Fragments, piecesOf, type Whole } from '../formats/pcap/fragments.ts';
import { FRAGMENT, Layers, OTHER, RETURNED, TCP } from '../formats/pcap/layers.ts';
import { CAPTURE_LIMITS } from '../formats/pcap/limits.ts';
import type { Packet, PacketSink } from '../formats/pcap/packet.ts';
import { PacketReader } from '../formats/pcap/reader.ts';
import { type Carried, TcpOrder, type Waits } from '../formats/pcap/tcp.ts';
import { MessageFlow } from './message-flow.ts';
import type { MessageJudgement } from './message-levels.ts';
import type { PacketStructure } from './packet-structure.ts';
import type { CheckLevel, Examiner, Violation } from './violation.ts';

/** The offset of the captured length in a record of a pcap file, and in a block of a pcapng file. */
const CAPTURED_IN_RECORD = 8;
const CAPTURED_IN_BLOCK = 20;
const SYN = 2;
const ACK = 16;

/** Looks at a capture: at the packets themselves, and at the MAVLink that they carry. */
export class CaptureExaminer implements Examiner, PacketSink {
  private readonly reader = new PacketReader(this);
  private readonly structure: PacketStructure;
  private readonly judgement: MessageJudgement;
  private readonly layers = new Layers();
  private readonly flows: FlowTable<MessageFlow>;
  private readonly fragments: Fragments;
  private readonly waits: Waits = { bytes: 0 };
  /** Bytes that came, and bytes before them in the reader but not in the file. */
  private size = 0;
  private shift = 0;
  private cutRecord = -1;

  constructor(judgement: MessageJudgement, structure: PacketStructure) {
    this.judgement = judgement;
    this.structure = structure;
    this.flows = new FlowTable((ends) => {
      const flow = new MessageFlow(judgement, ends);
      if (ends.kind === TCP) flow.order = new TcpOrder(flow, this.waits);
      return flow;
    });
    this.fragments = new Fragments((bytes, first) => this.loseFragments(bytes, first));
  }

  get packets(): number {
    return this.reader.packets;
  }

  /** The file lacks its header: it is this one. */
  begin(header: Uint8Array): void {
    this.shift = header.length;
    this.reader.push(header);
  }

  push(bytes: Uint8Array): void {
    this.size += bytes.length;
    this.reader.push(bytes);
  }

  end(): void {
    this.reader.end();
    this.fragments.finish();
    const { flows } = this.flows;
    for (const flow of flows) flow.order?.finish();
    // all that goes to or comes from where messages come from or go to should be messages
    const recognized = flows.filter((flow) => flow.isRecognized).map(({ ends }) => ends);
    const endpoints = new Set(recognized.flatMap(({ source, destination }) => [source, destination]));
    const isOnly = this.judgement.messages === 0 && this.judgement.wants('messages');
    for (const flow of flows) {
      const { source, destination } = flow.ends;
      const isExpected = endpoints.has(source) || endpoints.has(destination);
      if (!flow.isRecognized && (isOnly || isExpected)) flow.strayThroughout(isExpected ? undefined : ['messages']);
      flow.finish();
    }
  }

  /** What is known to be wrong before a place in the file, but not reported yet because more of it may come. */
  openViolation(level: CheckLevel, before: number): Violation | undefined {
    let first: Violation | undefined;
    for (const flow of this.flows.flows) {
      const found = flow.openViolation(level);
      if (found && found.offset < (first?.offset ?? before)) first = found;
    }
    return first;
  }

  packet(bytes: Uint8Array, packet: Packet, base: number): void {
    const file = base - this.shift;
    const captured = this.reader.format === 'pcap' ? CAPTURED_IN_RECORD : CAPTURED_IN_BLOCK;
    const { wants } = this.judgement;
    if (wants('structure') && base + packet.record !== this.cutRecord)
      this.structure.packet(bytes, packet, file, captured);
    this.examine(bytes, packet, file);
    // TCP segments that the other side has got and the capture has not will not come
    if (packet.number % CAPTURE_LIMITS.batchPackets === 0) for (const flow of this.flows.flows) flow.order?.settle();
  }

  /** Hands over what a packet carries; bytes[0] is at `base` in the file. */
  private examine(bytes: Uint8Array, packet: Packet, base: number): void {
    const { layers } = this;
    const { start, end, number, time } = packet;
    const kind = layers.read(bytes, start, end, packet.linkType, packet.length);
    // what ICMP gives back was sent before
    if (kind === OTHER || kind === RETURNED) return;
    const { from, to } = layers;
    const carried = { bytes, from, to, file: base + from, packet: number, time };
    if (kind === FRAGMENT) {
      const whole = this.fragments.add(layers, carried, packet.interface);
      if (whole) this.takeWhole(whole);
    } else {
      this.deliver(kind, packet.interface, [carried], layers.missing);
    }
  }

  /** A packet that came in fragments: each of them has its own place in the file. */
  private takeWhole(whole: Whole): void {
    const { layers } = this;
    const kind = layers.readWhole(whole);
    if (kind !== OTHER) this.deliver(kind, whole.interface, piecesOf(whole, layers.from, layers.to), 0);
  }

  /** Gives pieces of one packet, of which `missing` bytes more were sent, to the flow that the headers name. */
  private deliver(kind: number, captured: number, pieces: readonly Carried[], missing: number): void {
    if (pieces.length === 0) return;
    const { layers, flows, judgement } = this;
    const [{ bytes, from }] = pieces;
    const { sequence, flags, acknowledged } = layers;
    // of a capture with too many flows, the packets of the rest are looked at one by one
    const known = flows.find(bytes, layers, kind, captured);
    const flow = known ?? new MessageFlow(judgement, { source: '', destination: '', interface: captured, kind });
    if (kind === TCP && (flags & ACK) !== 0)
      flows.reverse(bytes, layers, TCP, captured)?.order?.acknowledge(acknowledged);
    for (const piece of pieces) {
      if (flow.order)
        flow.order.segment((sequence + piece.from - from) >>> 0, piece.from === from ? flags : 0, missing, piece);
      else if (piece.to > piece.from) flow.deliver(piece);
    }
    if (kind === TCP && (flags & SYN) !== 0) flow.isWhole = true;
    if (!known || (missing > 0 && !flow.order)) flow.finish();
  }

  private loseFragments(bytes: number, { packet, file }: Carried): void {
    if (!this.judgement.wants('structure')) return;
    const [expected, found] = ['all fragments of a packet', `${bytes} bytes of them`];
    this.judgement.report({
      level: 'structure',
      offset: file,
      record: packet,
      layer: 'ip header',
      field: 'flags and fragment offset',
      expected,
      found,
    });
  }

  fault({ code, offset, text }: Fault): void {
    const { judgement, shift } = this;
    const isCut = code === 'truncated';
    if (isCut) this.cutRecord = offset;
    if (!judgement.wants('structure')) return;
    judgement.report({
      level: 'structure',
      // what is missing would come after the last byte
      offset: isCut ? this.size : offset - shift,
      record: this.reader.packets + 1,
      layer: 'capture',
      field: '',
      expected: isCut ? 'the rest of the record' : 'whole records with right lengths',
      found: isCut ? 'the end of the file' : text.replace(/(?<=offset )\d+/g, (place) => String(Number(place) - shift)),
    });
  }
}
