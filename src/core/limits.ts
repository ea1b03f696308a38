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
  piecesBytes: 256 << 20,
  unzippedBytes: 4 * 2 ** 30,
  unzippedRatio: 200,
  heldBytes: 256 << 20,
};

/** What an archive may ask for. What is more is not looked at. */
export const ARCHIVE_LIMITS = {
  /** Files that are listed, and bytes of the list. */
  entries: 4_096,
  directoryBytes: 4_194_304,
  nameBytes: 1_024,
  /** Files that are looked at for a log, the largest first. */
  looked: 64,
  /** Things that a log may be packed in, one in the other: gzip, an archive, gzip. */
  layers: 4,
} as const;

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

/** What a grammar of a user's own may ask for. What wants more is refused before a byte is read. */
export interface GrammarLimits {
  /** Characters of the file. */
  readonly characters: number;
  /** Parts inside parts, names of parts that stand for others included. */
  readonly depth: number;
  /** Characters of a name. */
  readonly nameCharacters: number;
  /** Most times that a part may be said to be repeated, and most bytes of an `any`. */
  readonly repeat: number;
  /** Parts after names and repetitions are written out: what it takes to read them all. */
  readonly parts: number;
  /** Places in a file that are told apart, after alternatives were put in step. */
  readonly states: number;
  /** Entries of the table that says where each byte leads. */
  readonly table: number;
  /** Steps that may be taken to make it. */
  readonly steps: number;
  /** Bytes that a record may say it has, where reading goes on behind one that is wrong. */
  readonly recordBytes: number;
}

export const GRAMMAR_LIMITS: GrammarLimits = {
  characters: 1 << 20,
  depth: 32,
  nameCharacters: 100,
  repeat: 16_384,
  parts: 65_536,
  states: 16_384,
  table: 1 << 20,
  steps: 1 << 22,
  recordBytes: 1 << 20,
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

/** What a stream of UBX and RTCM 3 may take. */
export const UBX_LIMITS = {
  /** Bytes of a frame: raw measurements of 255 satellites. Longer ones are not frames. */
  frameBytes: 8192,
  /** Bytes that are summed in vain for each byte that comes. */
  triesPerByte: 8,
  /** Messages that have a table; what is more is in the table OTHER. u-blox documents about 200, RTCM 150. */
  tables: 1024,
  /** Payloads beyond this have a table apart, so that one long message does not make room for itself in all rows. */
  shortBytes: 1024,
} as const;

/** What a stream in which protocols are mixed may take. */
export const MIXED_LIMITS = {
  /** Bytes after which every protocol has told what begins before them. */
  lookahead: 65_536,
} as const;

/** What an XBUS stream may ask for. */
export const XBUS_LIMITS = {
  /** Bytes of data of a frame. The protocol stops at 2,048, the maker's own library at this. */
  dataBytes: 8_192,
  /** Kinds of records that are told apart: items and messages, each by its length. The protocol has about a hundred. */
  kinds: 2_048,
  /** Devices that are told apart: twice as many as there is room for behind a master. */
  devices: 64,
} as const;

/** What a live collector keeps. Whoever sends decides how much there is of it, so all of it has an end. */
export interface LiveLimits {
  readonly links: number;
  /** Senders of datagrams on one link that have a decoder of their own; all others share one. */
  readonly peers: number;
  /** Microseconds of silence after which a sender gives way to others, where there is no room. */
  readonly silence: number;
  /** Components of systems, of all links. */
  readonly senders: number;
  /** Messages of components of which the latest is kept. */
  readonly messages: number;
  /** Messages beyond that, of vehicles that are heard, and of the autopilot of each of them. */
  readonly reserve: number;
  readonly vehicleMessages: number;
  readonly vehicles: number;
  /** Instances of one message, such as the packs of BATTERY_STATUS. */
  readonly instances: number;
  /** Texts of one vehicle. */
  readonly texts: number;
  /** Texts of one component of which pieces are awaited, and pieces of one text. */
  readonly openTexts: number;
  readonly textChunks: number;
  /** Names of modes that a vehicle gives. */
  readonly modes: number;
  /** Commands sent in a second, to all vehicles together. */
  readonly commandsPerSecond: number;
  /** Times a second that a message is asked for at most. */
  readonly requestRate: number;
  /** Characters of a note in a recording. */
  readonly noteCharacters: number;
  /** Bytes of a metadata file of a vehicle, packed or not, and firmwares whose event texts are kept. */
  readonly metadataBytes: number;
  readonly definitions: number;
  /** Events that wait for a reader who is too slow. */
  readonly events: number;
}

export const LIVE_LIMITS: LiveLimits = {
  links: 256,
  peers: 256,
  silence: 5_000_000,
  senders: 4_096,
  messages: 16_384,
  reserve: 32_768,
  vehicleMessages: 400,
  vehicles: 1_024,
  instances: 32,
  texts: 100,
  openTexts: 8,
  textChunks: 32,
  modes: 256,
  commandsPerSecond: 10,
  requestRate: 1_000,
  noteCharacters: 500,
  metadataBytes: 2 << 20,
  definitions: 8,
  events: 4_096,
};

/** What links to vehicles and sensors may take up, and how patient they are. Times are microseconds. */
export interface LinkLimits {
  /** Bytes that the system is asked to keep for a UDP socket until we read them. */
  readonly receiveBuffer: number;
  /** Bytes that wait to be sent; what comes beyond is dropped and counted. */
  readonly sendBuffer: number;
  /** Vehicles of one UDP link whose addresses are remembered, and clients of one listening link. */
  readonly peers: number;
  /** A link that gives no bytes for so long is silent. */
  readonly silence: number;
  /** The first and the longest wait before a link is opened again. */
  readonly firstRetry: number;
  readonly longestRetry: number;
  /** How long a connection may take. */
  readonly connect: number;
  /** Bytes of one WebSocket message. */
  readonly webSocketMessage: number;
}

export const LINK_LIMITS: LinkLimits = {
  receiveBuffer: 8 << 20,
  sendBuffer: 1 << 20,
  peers: 256,
  silence: 5_000_000,
  firstRetry: 250_000,
  longestRetry: 1_500_000,
  connect: 5_000_000,
  webSocketMessage: 1 << 20,
};

/** What routing between links keeps. Times are microseconds. */
export const ROUTER_LIMITS = {
  /** Components of systems whose places are known; the one that was silent for longest makes room for another. */
  components: 1_024,
  /** Places of one component: links, and addresses on them. */
  places: 8,
  /** Addresses of one listening link. */
  addresses: 256,
  /** Senders whose unfinished frames are kept. */
  senders: 64,
  /** A frame that came again from elsewhere within this time is a duplicate. */
  duplicate: 2_000_000,
  /** Frames that are kept to find duplicates; a flood makes the time shorter. */
  frames: 16_384,
  /** A component that was silent for this long is at another place, if there is one. */
  silence: 5_000_000,
  /** A component that was silent for this long is forgotten. */
  forget: 600_000_000,
} as const;

/** What recording may take up. */
export interface RecordLimits {
  /** Bytes of one file: then the next one is begun. */
  readonly segmentBytes: number;
  /** Bytes gathered before they are written, and milliseconds that they wait at most. */
  readonly blockBytes: number;
  readonly blockMilliseconds: number;
  /** Milliseconds after which what was written is on the disk too. */
  readonly syncMilliseconds: number;
  /** Bytes that wait for a disk that is slow or full; what comes beyond is dropped and counted. */
  readonly queueBytes: number;
  /** Milliseconds between two tries to write again. */
  readonly retryMilliseconds: number;
  /** Senders of one link whose bytes are kept apart. */
  readonly senders: number;
  /** Bytes an hour that are not frames, of a link that carries frames: noise must not fill the disk. */
  readonly restBytes: number;
  /** Files of recordings that are listed in the state. */
  readonly filesListed: number;
}

export const RECORD_LIMITS: RecordLimits = {
  segmentBytes: 256 << 20,
  blockBytes: 64 << 10,
  blockMilliseconds: 50,
  syncMilliseconds: 1000,
  queueBytes: 16 << 20,
  retryMilliseconds: 2000,
  senders: 64,
  restBytes: 16 << 20,
  filesListed: 1_000,
};

/** How recordings are sent. */
export const REPLAY_LIMITS = {
  /** Microseconds: longer pauses of a recording are shortened to this. */
  longestPause: 60_000_000,
  /** Records a second, where they have no times. */
  rate: 100,
  /** Records that are sent before others get their turn. */
  burst: 32,
} as const;

/** What clients of the server may ask for. They come from any program on the machine, and any page in its browser. */
export interface ServerLimits {
  /** Bytes of the head of a request. */
  readonly headerBytes: number;
  readonly bodyBytes: number;
  /** Connections that are no streams; one more, and the one that has been idle for longest is closed. */
  readonly connections: number;
  /** WebSockets and event streams together. */
  readonly streams: number;
  /** Bytes of one message that a WebSocket sends us, and how many of them in a second. */
  readonly streamMessageBytes: number;
  readonly streamMessages: number;
  /** Events that wait for one client. */
  readonly eventsWaiting: number;
  /** Bytes that were handed to a client's socket and not yet taken; more are not handed to it. */
  readonly bytesWaiting: number;
  /** Milliseconds after which a client that takes nothing is closed. */
  readonly stalled: number;
  /** State events kept for clients that come back, and bytes of messages. */
  readonly eventsKept: number;
  readonly backlogBytes: number;
  /** Milliseconds of each turn in which they are told what they missed: all others wait as long. */
  readonly recallTime: number;
  /** Names in one list of a filter. */
  readonly filterNames: number;
  /** Files of the pages, and folders in folders. */
  readonly pageFiles: number;
  readonly pageDepth: number;
  /** Lines of the message counters among the metrics. */
  readonly metrics: number;
  /** Milliseconds for the head of a request, for all of it, and of silence between two. */
  readonly headTime: number;
  readonly requestTime: number;
  readonly idleTime: number;
}

export const SERVER_LIMITS: ServerLimits = {
  headerBytes: 16 << 10,
  bodyBytes: 1 << 20,
  connections: 64,
  streams: 256,
  streamMessageBytes: 64 << 10,
  streamMessages: 100,
  eventsWaiting: 512,
  bytesWaiting: 16 << 10,
  stalled: 10_000,
  eventsKept: 1_000,
  backlogBytes: 16 << 20,
  recallTime: 8,
  filterNames: 64,
  pageFiles: 10_000,
  pageDepth: 16,
  metrics: 5_000,
  headTime: 10_000,
  requestTime: 15_000,
  idleTime: 5_000,
};

/** What a query may take, unless who asks says otherwise. */
export interface QueryLimits {
  /** Beside what the opened logs take; as much again may go to a temporary folder. */
  readonly memoryBytes: number;
  readonly milliseconds: number;
  /** Of the text of an answer. */
  readonly answerBytes: number;
  /** Of a query itself, in characters. */
  readonly textLength: number;
}

export const QUERY_LIMITS: QueryLimits = {
  memoryBytes: 1 << 30,
  milliseconds: 30_000,
  answerBytes: 32 << 20,
  textLength: 256 << 10,
};

/** Those of what is computed from fields, in a file of their own for its length only. */
export { EXPRESSION_LIMITS, type ExpressionLimits, REPORT_LIMITS, SPECTRUM_LIMITS } from './analysis-limits.ts';
