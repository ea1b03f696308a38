import type { RecordBatch, Sink, StreamStatistics } from '../../core/decoder.ts';
import { type Fault, FaultList } from '../../core/fault.ts';
import type { Schema } from '../../core/schema.ts';
import { isUnknownSchema } from './dialect/schema.ts';
import type { MavlinkDecoder } from './frame.ts';
import { Header, isMagic } from './header.ts';
import { frameDecoder, type MavlinkOptions } from './options.ts';

/** What a frame says of itself; all zeros and no name where there was none. */
export interface ParsedPacket {
  /** Whether there was a frame, and its checksum is right. */
  readonly valid: boolean;
  /** Whether a definition confirms it. Three frames that imply one CRC_EXTRA are likely, but can be forged. */
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

/** Detects MAVLink and its sender on a port with an unknown device; bytes come in any pieces. */
export class MavlinkParser implements Sink {
  /** What was wrong so far. */
  readonly faults: FaultList = new FaultList();
  private readonly decoder: MavlinkDecoder;
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

  /** Takes bytes; returns the first valid packet that they complete, else the first one. `packets` has all. */
  parse(bytes: Uint8Array): ParsedPacket {
    this.found = [];
    this.decoder.push(bytes);
    return this.first;
  }

  private get first(): ParsedPacket {
    return this.found.find(({ valid }) => valid) ?? this.found[0] ?? NO_PACKET;
  }

  /** No more bytes will come: decides what is unfinished. Returns the first packet after it; `packets` has all. */
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
