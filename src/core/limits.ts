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
  /** Bytes of what a container held that stay in memory; what is more goes where the caller says. */
  readonly piecesBytes: number;
  /** What compressed bytes may become: in all, and for each byte of them. */
  readonly unzippedBytes: number;
  readonly unzippedRatio: number;
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
  piecesBytes: 256 << 20,
  unzippedBytes: 4 * 2 ** 30,
  unzippedRatio: 200,
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

/** What a packet capture may ask for. It may come from anyone, and its content from everyone. */
export interface CaptureLimits {
  /** Bytes of a packet; a length beyond it is damage. */
  readonly packetBytes: number;
  /** Bytes of a block that is looked at as a whole; one without a packet may be longer, and is passed over. */
  readonly blockBytes: number;
  readonly longBlockBytes: number;
  readonly interfaces: number;
  /** Headers inside headers: VLANs, extension headers, tunnels. */
  readonly layers: number;
  /** Packets, and bytes of what they carry, that are gathered before any of it is decoded. */
  readonly batchPackets: number;
  readonly batchBytes: number;
  /** Flows that are told apart, and how many of them are decoded each by itself. */
  readonly flows: number;
  readonly flowDecoders: number;
  /** Bytes of a flow that are kept until it is known what they are. */
  readonly undecidedBytes: number;
  /** Bytes of a TCP stream that wait for what is missing before them, and of all streams. */
  readonly waitingBytes: number;
  readonly allWaitingBytes: number;
  /** Packets in fragments that wait for the rest of them, and their bytes. */
  readonly fragmented: number;
  readonly fragmentBytes: number;
}

export const CAPTURE_LIMITS: CaptureLimits = {
  packetBytes: 262_144,
  blockBytes: 1 << 20,
  longBlockBytes: 16 << 20,
  interfaces: 4_096,
  layers: 32,
  batchPackets: 2_048,
  batchBytes: 256 << 10,
  flows: 4_096,
  flowDecoders: 256,
  undecidedBytes: 8 << 10,
  waitingBytes: 256 << 10,
  allWaitingBytes: 8 << 20,
  fragmented: 256,
  fragmentBytes: 4 << 20,
};
