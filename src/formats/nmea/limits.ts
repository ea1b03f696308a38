/** What the sentences of NMEA 0183 may take. */
export const NMEA_LIMITS = {
  /** Bytes of a sentence from its $ on. The standard allows 82; receivers have been seen to send 600. */
  sentenceBytes: 1024,
  /** Bytes of a tag block, backslashes included; the standard allows 80. */
  tagBytes: 256,
  /** Bytes of a record: a tag block, a sentence, a checksum and a line break of three. */
  recordBytes: 1288,
  /** Tables of one source: kinds of sentences times talkers. */
  tables: 1024,
  /** Fields of all tables of one source together. */
  fields: 32_768,
  /** Sets of satellites in view that are kept at a time; a sky has a dozen. */
  satelliteSets: 256,
} as const;
