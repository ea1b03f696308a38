import type { Fault } from '../core/fault.ts';
import { LIMITS } from '../core/limits.ts';
import { BARE, Layers, UDP } from '../formats/pcap/layers.ts';
import type { Packet, PacketSink } from '../formats/pcap/packet.ts';
import { PacketReader } from '../formats/pcap/reader.ts';
import { MessageFlow } from './message-flow.ts';
import type { MessageJudgement } from './message-levels.ts';
import type { PacketStructure } from './packet-structure.ts';
import type { Examiner } from './violation.ts';

/** Where the captured length stands in a record of a pcap file, and in a block of a pcapng file. */
const CAPTURED_IN_RECORD = 8;
const CAPTURED_IN_BLOCK = 20;

/** Looks at a capture: at the packets themselves, and at the MAVLink that they carry. */
export class CaptureExaminer implements Examiner, PacketSink {
  private readonly reader = new PacketReader(this);
  private readonly structure: PacketStructure;
  private readonly judgement: MessageJudgement;
  private readonly layers = new Layers();
  /** By addresses and ports. */
  private readonly flows: Map<string, MessageFlow> = new Map();
  /** Bytes that came, and bytes that stand before them in the reader but not in the file. */
  private size = 0;
  private shift = 0;
  private cutRecord = -1;

  constructor(judgement: MessageJudgement, structure: PacketStructure) {
    this.judgement = judgement;
    this.structure = structure;
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
    for (const flow of this.flows.values()) flow.finish();
  }

  packet(bytes: Uint8Array, packet: Packet, base: number): void {
    const file = base - this.shift;
    const captured = this.reader.format === 'pcap' ? CAPTURED_IN_RECORD : CAPTURED_IN_BLOCK;
    const { wants } = this.judgement;
    if (wants('structure') && base + packet.record !== this.cutRecord)
      this.structure.packet(bytes, packet, file, captured);
    const { layers } = this;
    const kind = layers.read(bytes, packet.start, packet.end, packet.linkType, packet.length);
    if (kind !== UDP && kind !== BARE) return;
    const { from, to } = layers;
    this.flow(keyOf(bytes, layers)).push({ bytes, from, to, file: file + from, packet: packet.number });
  }

  fault({ code, offset, text }: Fault): void {
    const { judgement, shift } = this;
    const isCut = code === 'truncated';
    if (isCut) this.cutRecord = offset;
    if (!judgement.wants('structure')) return;
    judgement.report({
      level: 'structure',
      // what is missing would stand behind the last byte
      offset: isCut ? this.size : offset - shift,
      record: this.reader.packets + 1,
      layer: 'capture',
      field: '',
      expected: isCut ? 'the rest of the record' : 'whole records with right lengths',
      found: isCut ? 'the end of the file' : text.replace(/(?<=offset )\d+/g, (place) => String(Number(place) - shift)),
    });
  }

  private flow(key: string): MessageFlow {
    const known = this.flows.get(key);
    if (known) return known;
    const flow = new MessageFlow(this.judgement);
    // of a capture with too many of them, the first that came goes: what it holds is judged now
    for (const [oldest, first] of this.flows) {
      if (this.flows.size < LIMITS.streams) break;
      first.finish();
      this.flows.delete(oldest);
    }
    this.flows.set(key, flow);
    return flow;
  }
}

function keyOf(bytes: Uint8Array, { addressBytes, source, destination, sourcePort, destinationPort }: Layers): string {
  let key = '';
  for (let i = 0; i < addressBytes; i++) key += String.fromCharCode(bytes[source + i], bytes[destination + i]);
  return key + String.fromCharCode(sourcePort, destinationPort);
}
