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

/** What a live collector keeps. Whoever sends decides how much there is of it, so all of it has an end. */
export interface LiveLimits {
  readonly links: number;
  /** Senders of datagrams on one link that have a decoder of their own; all others share one. */
  readonly peers: number;
  /** Messages of components of which the latest is kept. */
  readonly messages: number;
  /** Vehicles that may add messages beyond that: the ones that were found first. */
  readonly firstVehicles: number;
  /** Messages of the autopilot of one of these. */
  readonly vehicleMessages: number;
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
  /** Events that wait for a reader who is too slow. */
  readonly events: number;
}

export const LIVE_LIMITS: LiveLimits = {
  links: 64,
  peers: 256,
  messages: 16_384,
  firstVehicles: 64,
  vehicleMessages: 400,
  instances: 32,
  texts: 100,
  openTexts: 8,
  textChunks: 32,
  modes: 256,
  commandsPerSecond: 10,
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
  /** Bytes that are no frames, of a link that carries frames: whoever sends noise must not fill the disk with it. */
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
export interface ReplayLimits {
  /** Microseconds: longer pauses of a recording are shortened to this. */
  readonly longestPause: number;
  /** Records a second, where they have no times. */
  readonly rate: number;
  /** Records that are sent before others get their turn. */
  readonly burst: number;
}

export const REPLAY_LIMITS: ReplayLimits = {
  longestPause: 60_000_000,
  rate: 100,
  burst: 32,
};

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
  /** State events kept for clients that come back. */
  readonly eventsKept: number;
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
  filterNames: 64,
  pageFiles: 10_000,
  pageDepth: 16,
  metrics: 5_000,
  headTime: 10_000,
  requestTime: 15_000,
  idleTime: 5_000,
};
