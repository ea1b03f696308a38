import type { RecordBatch, Sink, StreamStatistics } from '../../core/decoder.ts';
import { type Fault, FaultList } from '../../core/fault.ts';
import type { Schema } from '../../core/schema.ts';
import type { FrameDecoder } from './frame.ts';
import { Header, isMagic } from './header.ts';
import { frameDecoder, type MavlinkOptions } from './options.ts';

/** What a frame says of itself; all zeros and no name where `valid` is false. */
export interface ParsedPacket {
  /** Whether there was a frame with a right checksum. */
  readonly valid: boolean;
  readonly system: number;
  readonly component: number;
  /** All 24 bits of it. */
  readonly messageId: number;
  /** Of the protocol. */
  readonly version: 0 | 1 | 2;
  /** Of the message: ATTITUDE, or UNKNOWN_7000 where no definition has the id. */
  readonly name: string;
  readonly sequence: number;
}

const NO_PACKET: ParsedPacket = {
  valid: false,
  system: 0,
  component: 0,
  messageId: 0,
  version: 0,
  name: '',
  sequence: 0,
};

/**
 * Tells whether bytes are MAVLink, and who speaks: for a serial port or a socket whose speaker is not known yet. Bytes
 * may come in any pieces; what is not decided at the end of one is decided by the next.
 */
export class MavlinkParser implements Sink {
  /** What was wrong so far. */
  readonly faults: FaultList = new FaultList();
  private readonly decoder: FrameDecoder;
  private readonly names: string[] = [];
  private readonly header = new Header();
  private found: ParsedPacket[] = [];

  constructor(options: MavlinkOptions = {}) {
    this.decoder = frameDecoder(this, options);
  }

  /** Whether a frame may begin with this byte: 0xFE for MAVLink 1, 0xFD for MAVLink 2. */
  static isMagicByte(byte: number): boolean {
    return isMagic(byte);
  }

  /** Takes the next bytes. Returns the first packet that they complete; `packets` has all of them. */
  parse(bytes: Uint8Array): ParsedPacket {
    this.found = [];
    this.decoder.push(bytes);
    return this.found[0] ?? NO_PACKET;
  }

  /** All packets that the last bytes completed. */
  get packets(): readonly ParsedPacket[] {
    return this.found;
  }

  /** How many packets of each sender came, and how many were lost, repeated or out of order. */
  statistics(): StreamStatistics[] {
    return this.decoder.streams();
  }

  table(id: number, schema: Schema): void {
    this.names[id] = schema.name;
  }

  records({ bytes, count, table, start }: RecordBatch): void {
    const { header } = this;
    for (let i = 0; i < count; i++) {
      header.read(bytes, start[i]);
      const { system, component, id, sequence } = header;
      const version = header.version === 1 ? 1 : 2;
      const name = this.names[table[i]];
      this.found.push({ valid: true, system, component, messageId: id, version, name, sequence });
    }
  }

  fault(fault: Fault): void {
    this.faults.add(fault);
  }
}
