import type { Fault } from '../../core/fault.ts';

/** A packet of a capture. One object serves for all of them: nothing is made for a packet. */
export class Packet {
  /** Counted from 1 on, as other tools count them. */
  number = 0;
  /** Which of the reader's interfaces it came from. */
  interface = 0;
  /** What its bytes begin with, https://www.tcpdump.org/linktypes.html */
  linkType = 0;
  /** Microseconds since 1970, NaN if the capture has no time for it. */
  time: number = Number.NaN;
  /** In the current chunk: where its record or block begins, and where its bytes begin and end. */
  record = 0;
  start = 0;
  end = 0;
  /** How many bytes it had when it was sent: more than are here where the capture cut it. */
  length = 0;
}

export interface CaptureInterface {
  /** Which of the file's sections it belongs to, and its number there. */
  readonly section: number;
  readonly number: number;
  readonly linkType: number;
  /** The name that the capture gives it, '' if none. */
  readonly name: string;
  /** Bytes of a packet that were kept at most, 0 for all. */
  readonly snapLength: number;
  packets: number;
  /** Captured bytes of its packets. */
  bytes: number;
}

/** Who listens to a reader of packets. */
export interface PacketSink {
  /** The next packet. `bytes` is borrowed until the call returns; its first byte is at `base` in the file. */
  packet(bytes: Uint8Array, packet: Packet, base: number): void;
  fault(fault: Fault): void;
}

/** What readers of both kinds of captures share: the current packet, the interfaces, and bytes outside packets. */
export class Tally {
  readonly packet: Packet = new Packet();
  readonly interfaces: CaptureInterface[] = [];
  /** Headers of the file, its sections and interfaces, and blocks without a packet. */
  fileBytes = 0;
  /** What is around packets: headers of records, padding, options. */
  recordBytes = 0;
  /** Bytes that faults of the file itself name. */
  faultBytes = 0;
  packets = 0;
  readonly sink: PacketSink;

  constructor(sink: PacketSink) {
    this.sink = sink;
  }

  fault(code: string, offset: number, length: number, lost: boolean, text: string): void {
    this.faultBytes += length;
    this.sink.fault({ code, offset, length, lost, text });
  }

  /** Counts packets of an interface that were handed over, with their bytes and those around each. */
  count(from: number, packets: number, bytes: number, around: number): void {
    this.packets += packets;
    this.recordBytes += packets * around;
    this.interfaces[from].packets += packets;
    this.interfaces[from].bytes += bytes;
  }

  /** Hands over the packet, which is filled in but for its number; `around` are the bytes of its record beside it. */
  hand(bytes: Uint8Array, base: number, around: number): void {
    const { packet } = this;
    packet.number = this.packets + 1;
    this.count(packet.interface, 1, packet.end - packet.start, around);
    this.sink.packet(bytes, packet, base);
  }
}

/** An address as it is written: 10.0.0.1, fe80::1. */
function addressText(bytes: Uint8Array, at: number, length: number): string {
  if (length === 4) return bytes.subarray(at, at + 4).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[at + 2 * i] << 8) | bytes[at + 2 * i + 1]).toString(16));
  // the longest row of zeros is left out, https://www.rfc-editor.org/rfc/rfc5952
  let [first, most] = [0, 1];
  for (let i = 0; i < 8; i++) {
    let count = 0;
    while (i + count < 8 && groups[i + count] === '0') count++;
    if (count > most) [first, most] = [i, count];
  }
  if (most < 2) return groups.join(':');
  return `${groups.slice(0, first).join(':')}::${groups.slice(first + most).join(':')}`;
}

/** An address with its port: 10.0.0.1:14550, [fe80::1]:14550. */
export function endpointText(bytes: Uint8Array, at: number, length: number, port: number): string {
  if (length === 0) return '';
  const address = addressText(bytes, at, length);
  return `${length === 4 ? address : `[${address}]`}:${port}`;
}
