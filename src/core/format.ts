import type { Clock } from './clock.ts';
import type { Decoder, Sink } from './decoder.ts';
import type { Fault, FaultList } from './fault.ts';
import type { RecordTable } from './table.ts';

export interface DecodeOptions {
  /** Keep numbers that the protocol marks as invalid, instead of calling them missing. */
  readonly keepInvalid?: boolean | undefined;
  /** Whether NMEA sentences need a checksum; 'optional' accepts those without one, with a note. */
  readonly checksum?: 'required' | 'optional' | undefined;
}

export interface ClockOptions {
  /** GPS is this many seconds ahead of UTC, whatever the date; by default the count of the date. */
  readonly leapSeconds?: number | undefined;
  /** (default 0) Adds N x 1,024 weeks to NMEA dates (GPS week rollover): old receivers are off by one. */
  readonly weekRollovers?: number | undefined;
}

export interface ClockInput {
  readonly tables: readonly RecordTable[];
  readonly options: ClockOptions;
  /** The decoder that read the log: that of a container knows when each record came. */
  readonly decoder?: Pick<Decoder, 'timeOf' | 'capture' | 'isSteady' | 'seams'> | undefined;
  /** Of a complete log: implausible times are added to its faults. Without them all times are believed. */
  readonly faults?: FaultList | undefined;
}

export type Protocol = 'mavlink' | 'nmea' | 'xbus' | 'ubx' | 'rtcm';

/** One kind of file or stream: how to detect it, what it is, and how to read it. */
export interface Format {
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  /** Whether the vehicle itself writes such logs. All others are recordings of a link. */
  readonly isOnboard: boolean;
  /** Of a recording of a link: the protocols that it may contain. */
  readonly protocols: readonly Protocol[];
  /** What a part of such a log can be written as: 'bin', 'tlog', 'raw', 'pcap'. */
  readonly writes: readonly string[];
  /** How sure it is, by content alone, that bytes from anywhere in a source are of this kind: 0 (not at all) to 1. */
  detect(bytes: Uint8Array): number;
  /** The tables that the clock reads; any table if undefined. */
  readonly clockTables?: readonly string[] | undefined;
  decoder(sink: Sink, options?: DecodeOptions): Decoder;
  /** Of a container: finds its packets, whatever they contain. */
  packets?(sink: { packet(): void; fault(fault: Fault): void }): Decoder;
  /** The clock that puts the records on one time; its code is loaded here. */
  clock(input: ClockInput): Promise<Clock>;
}

/** A kind of file that is not read. */
export interface ForeignFile {
  /** What people call it. */
  readonly name: string;
  /** What to do, in words that follow its name and a colon. */
  readonly advice: string;
}

/** The source holds nothing that Skein reads. The message says what it is and what to do. */
export class UnknownFormatError extends Error {
  override readonly name = 'UnknownFormatError';
  /** What the file is: 'PNG image', 'PX4 ULog'. */
  readonly kind: string;
  /** What to do with it. */
  readonly advice: string;

  constructor({ name, advice }: ForeignFile) {
    super(`${name}: ${advice}`);
    this.kind = name;
    this.advice = advice;
  }
}
