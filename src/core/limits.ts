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

/** What an XBUS stream may ask for. */
export interface XbusLimits {
  /** Bytes of data of a frame. The protocol stops at 2,048, the maker's own library at this. */
  readonly dataBytes: number;
  /** Kinds of records that are told apart: items and messages, each by its length. The protocol has about a hundred. */
  readonly kinds: number;
  /** Devices that are told apart: twice as many as there is room for behind a master. */
  readonly devices: number;
}

export const XBUS_LIMITS: XbusLimits = {
  dataBytes: 8_192,
  kinds: 2_048,
  devices: 64,
};
