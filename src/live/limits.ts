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
