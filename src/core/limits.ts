/**
 * Every cap of the system in one place. Each can be overridden where it is used; each hit becomes a fault,
 * never an exception: a file that wants more than this is damaged, hostile, or worth a question.
 */
export interface Limits {
  /** Faults kept with their text; beyond it they are only counted by code. */
  readonly faultsKept: number;
  /** Different subjects (an undefined type, say) that are counted apart from each other. */
  readonly faultSubjects: number;
  /** Tables in one log: schemas times streams. */
  readonly tables: number;
  /** Schemas of one log: more than 256 only where logs of several firmwares were joined. */
  readonly schemas: number;
  /** Senders of one link that are told apart. */
  readonly streams: number;
  /** Bytes of a line of a text log. */
  readonly lineBytes: number;
  /** Bytes read from a source at a time. */
  readonly chunkBytes: number;
  /** Bytes looked at to tell the format. */
  readonly detectBytes: number;
  /** Bytes of a file that are kept in memory while its tables are read one after the other. */
  readonly heldBytes: number;
}

export const LIMITS: Limits = {
  faultsKept: 10_000,
  faultSubjects: 1_024,
  tables: 16_384,
  schemas: 4_096,
  streams: 1_024,
  lineBytes: 4_096,
  chunkBytes: 1 << 20,
  detectBytes: 64 << 10,
  heldBytes: 256 << 20,
};

/** What message definitions may ask for. They come from anyone, so what wants more is refused, at once. */
export interface DialectLimits {
  /** Characters of all files together. */
  readonly characters: number;
  /** Elements inside elements. */
  readonly depth: number;
  /** Characters between two tags, and inside one. */
  readonly textCharacters: number;
  readonly files: number;
  /** Files that include files. */
  readonly includeDepth: number;
  /** Of one file. */
  readonly messages: number;
  /** Entries of all enums of one file together. */
  readonly entries: number;
  /** Characters of a name. */
  readonly nameCharacters: number;
}

export const DIALECT_LIMITS: DialectLimits = {
  characters: 8 << 20,
  depth: 32,
  textCharacters: 64 << 10,
  files: 32,
  includeDepth: 8,
  messages: 4_096,
  entries: 8_192,
  nameCharacters: 100,
};

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

/** What a query may take, unless who asks says otherwise. */
export interface QueryLimits {
  readonly memoryBytes: number;
  readonly milliseconds: number;
}

export const QUERY_LIMITS: QueryLimits = {
  memoryBytes: 1 << 30,
  milliseconds: 30_000,
};
