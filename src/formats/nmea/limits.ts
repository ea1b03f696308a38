/** What the sentences of NMEA 0183 may take. */
export interface NmeaLimits {
  /** Bytes of a sentence from its $ on. The standard allows 82; receivers have been seen to send 600. */
  readonly sentenceBytes: number;
  /** Bytes of a tag block, backslashes included; the standard allows 80. */
  readonly tagBytes: number;
  /** Bytes of a record: a tag block, a sentence, a checksum and a line break of three. */
  readonly recordBytes: number;
  /** Tables of one source: kinds of sentences times talkers. */
  readonly tables: number;
  /** Fields of all tables of one source together. */
  readonly fields: number;
  /** Sets of satellites in view that are kept at a time; a sky has a dozen. */
  readonly satelliteSets: number;
}

export const NMEA_LIMITS: NmeaLimits = {
  sentenceBytes: 1024,
  tagBytes: 256,
  recordBytes: 256 + 1024 + 8,
  tables: 1024,
  fields: 32_768,
  satelliteSets: 256,
};
