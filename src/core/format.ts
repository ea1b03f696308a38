import type { Decoder, Sink } from './decoder.ts';

/** What a decoder may be told beforehand. */
export interface DecodeOptions {
  /** Keep numbers that the protocol marks as invalid, instead of calling them missing. */
  readonly keepInvalid?: boolean | undefined;
  /** Whether records of a protocol whose checksum may be left out need one: 'optional' takes and remarks them. */
  readonly checksum?: 'required' | 'optional' | undefined;
}

/** One kind of file or stream: how to tell it, and how to read it. */
export interface Format {
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  /**
   * How sure it is that bytes are of this kind, from 0 (not at all) to 1, by their content alone. They may begin
   * anywhere in a source.
   */
  detect(bytes: Uint8Array): number;
  /** The tables that the time of such a log is found by; where this is not said, it may be any. */
  readonly clockTables?: readonly string[] | undefined;
  decoder(sink: Sink, options?: DecodeOptions): Decoder;
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
