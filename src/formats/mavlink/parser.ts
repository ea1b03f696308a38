import type { RecordBatch, Sink, StreamStatistics } from '../../core/decoder.ts';
import { type Fault, FaultList } from '../../core/fault.ts';
import type { Schema } from '../../core/schema.ts';
import { isUnknownSchema } from './dialect/schema.ts';
import type { FrameDecoder } from './frame.ts';
import { Header, isMagic } from './header.ts';
import { frameDecoder, type MavlinkOptions } from './options.ts';

/** What a frame says of itself; all zeros and no name where there was none. */
export interface ParsedPacket {
  /** Whether there was a frame, and its checksum is right. */
  readonly valid: boolean;
  /**
   * Whether a definition says so. The checksum of a frame of an unknown id depends on a byte that only its definition
   * has. Three frames that imply the same byte make it likely and no more: any sender can send three such frames.
   */
  readonly verified: boolean;
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
  verified: false,
  system: 0,
  component: 0,
  messageId: 0,
  version: 0,
  name: '',
  sequence: 0,
};

/**
 * Tells whether bytes are MAVLink, and their sender: for a serial port or a socket with an unknown sender. Bytes
 * may come in any pieces; what is not decided at the end of one is decided by the next.
 */
export class MavlinkParser implements Sink {
  /** What was wrong so far. */
  readonly faults: FaultList = new FaultList();
  private readonly decoder: FrameDecoder;
  private readonly schemas: Schema[] = [];
  private readonly header = new Header();
  private found: ParsedPacket[] = [];

  constructor(options: MavlinkOptions = {}) {
    this.decoder = frameDecoder(this, options);
  }

  /** Whether a frame may begin with this byte: 0xFE for MAVLink 1, 0xFD for MAVLink 2. */
  static isMagicByte(byte: number): boolean {
    return isMagic(byte);
  }

  /** The same for one parser. */
  isMagicByte(byte: number): boolean {
    return isMagic(byte);
  }

  /**
   * Takes the next bytes. Returns the first valid packet that they complete, or else the first one; `packets` has all of
   * them.
   */
  parse(bytes: Uint8Array): ParsedPacket {
    this.found = [];
    this.decoder.push(bytes);
    return this.first;
  }

  private get first(): ParsedPacket {
    return this.found.find(({ valid }) => valid) ?? this.found[0] ?? NO_PACKET;
  }

  /**
   * No more bytes will come: what is unfinished is decided. Returns the first packet that lay behind it; `packets` has
   * all of them.
   */
  end(): ParsedPacket {
    this.found = [];
    this.decoder.end();
    return this.first;
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
    this.schemas[id] = schema;
  }

  records({ bytes, count, table, start }: RecordBatch): void {
    const { header } = this;
    for (let i = 0; i < count; i++) {
      header.read(bytes, start[i]);
      const { system, component, id, sequence } = header;
      const version = header.version === 1 ? 1 : 2;
      const schema = this.schemas[table[i]];
      const verified = !isUnknownSchema(schema);
      const { name } = schema;
      this.found.push({ valid: verified, verified, system, component, messageId: id, version, name, sequence });
    }
  }

  fault(fault: Fault): void {
    this.faults.add(fault);
  }
}
