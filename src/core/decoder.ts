import type { Fault } from './fault.ts';
import type { Capture } from './log.ts';
import type { OffsetLists } from './offsets.ts';
import type { Schema } from './schema.ts';
import type { Source } from './source.ts';

/** Finds records in bytes: no I/O, no clock, any chunking, bounded memory, linear time on any input. */
export interface Decoder {
  /** The next bytes of the stream; borrowed until the call returns. */
  push(bytes: Uint8Array): void;
  /** No more bytes will come: what is undecided is decided. */
  end(): void;
  /** After `end`: a decoder for a second reading, if it would find more (definitions after their records). */
  again?(sink: Sink): Decoder | undefined;
  /** Whether times never go back, if it checks. @param starts of further logs, whose times need not follow */
  isSteady?(starts?: readonly number[]): boolean;
  /** Places from which on the source may be another recording, ascending: after a pause, at the header of another file. */
  seams?(): readonly number[];
  /** What became of the records of each stream, where the protocol numbers them. */
  streams?(): StreamStatistics[];
  /** Bytes are missing here: decides what is undecided as at the end, and begins again at the next offset. */
  interrupt?(): void;
  /** The source that offsets of its records refer to, where that is not the one that was read: of a container. */
  source?(): Source;
  /** Of a container: where the record at an offset begins in the source, its packet (from 1), and microseconds. */
  placeOf?(offset: number): number;
  packetOf?(offset: number): number;
  timeOf?(offset: number): number;
  /** What else a packet capture says. */
  capture?(): Capture;
}

/** How many records of a stream came, and how many did not, by the numbers that they carry. */
export interface StreamStatistics {
  readonly stream: string;
  /** In a packet capture, its sender and receiver. */
  readonly flow?: string | undefined;
  /** All that came, repeated ones included: lost / (lost + received - duplicated) is the part that is lost. */
  readonly received: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly reordered: number;
  /** Times that the numbering began again: a reboot is not a loss. */
  readonly restarted: number;
  /** What became of the signatures, where the protocol has any: how many records had each outcome. */
  readonly signatures?: Readonly<Record<string, number>> | undefined;
}

/** Who listens to a decoder. */
export interface Sink {
  /** Where a decoder may write the offsets of records below 4 GiB itself, instead of handing them over in batches. */
  readonly lists?: OffsetLists | undefined;
  /** Records to come refer to the table by this number: records of one schema from one stream. */
  table(id: number, schema: Schema, stream: string): void;
  /** Records found, in the order of the source; everything in it is borrowed until the call returns. */
  records(batch: RecordBatch): void;
  /** The same for groups of records that are all alike; a sink that has no use for them gets them as records. */
  groups?(run: GroupRun): void;
  fault(fault: Fault): void;
  /**
   * Bytes [from, to) are not a record, in turn with the records: for a sink that keeps or hands on all that came. Decoders
   * of live links give them.
   * @param what `damaged` for a whole record that is damaged, `refused` for a good one that a signature refuses
   */
  skipped?(bytes: Uint8Array, from: number, to: number, what: Skipped): void;
  /** A fault will name this offset later: for sinks whose offsets are not places in a file. */
  keep?(offset: number): void;
}

/** What bytes are that are not a record. */
export type Skipped = 'other' | 'damaged' | 'refused';

/** Many records at once, as numbers: no object is made for a record. */
export class RecordBatch {
  /** The bytes that hold the records. */
  bytes: Uint8Array = new Uint8Array(0);
  /** Where bytes[0] is in the source. */
  base = 0;
  count = 0;
  readonly table: Uint16Array;
  /** Index into `bytes` of each record. */
  readonly start: Uint32Array;
  /** Bytes of each record. */
  readonly size: Uint32Array;

  constructor(capacity: number) {
    this.table = new Uint16Array(capacity);
    this.start = new Uint32Array(capacity);
    this.size = new Uint32Array(capacity);
  }
}

/** Groups of records in the order of the source, such as packets, all with the same records at the same places. */
export interface GroupRun {
  readonly bytes: Uint8Array;
  readonly base: number;
  /** Where each group begins in `bytes`, and how many there are. */
  readonly start: Uint32Array;
  readonly count: number;
  /** How many records a group has; of each the table and the place after the beginning of the group. */
  readonly width: number;
  readonly table: Int32Array;
  readonly place: Int32Array;
}
