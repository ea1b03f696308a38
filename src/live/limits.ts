/** What a live collector keeps. Senders decide how much comes, so all of it has a limit. */
export const LIVE_LIMITS = {
  links: 256,
  /** Senders of datagrams on one link with their own decoder; all others share one. */
  peers: 256,
  /** Microseconds of silence after which a sender makes room for others. */
  silence: 5_000_000,
  /** Components of systems, of all links. */
  senders: 4_096,
  /** Messages of components of which the latest is kept. */
  messages: 16_384,
  /** Messages beyond that, of vehicles that are heard, and of the autopilot of each of them. */
  reserve: 32_768,
  vehicleMessages: 400,
  vehicles: 1_024,
  /** Instances of one message, such as the packs of BATTERY_STATUS. */
  instances: 32,
  texts: 100,
  /** Texts of one component of which pieces are awaited, and pieces of one text. */
  openTexts: 8,
  textChunks: 32,
  /** Names of modes that a vehicle gives. */
  modes: 256,
  /** Commands sent in a second, to all vehicles together. */
  commandsPerSecond: 10,
  /** Times a second that a message is asked for at most. */
  requestRate: 1_000,
  noteCharacters: 500,
  /** Bytes of a metadata file of a vehicle, packed or not, and firmwares whose event texts are kept. */
  metadataBytes: 2_097_152,
  definitions: 8,
  /** Logs on a vehicle's card that are listed. */
  logs: 5_000,
  /** Events that wait for a slow reader. */
  events: 4_096,
} as const;

/** What links to vehicles and sensors may take up, and how patient they are. Times are microseconds. */
export const LINK_LIMITS = {
  /** Bytes that the system is asked to keep for a UDP socket until we read them. */
  receiveBuffer: 8_388_608,
  /** Bytes that wait to be sent; what comes beyond is dropped and counted. */
  sendBuffer: 1_048_576,
  /** Vehicles of one UDP link whose addresses are remembered, and clients of one listening link. */
  peers: 256,
  /** A link that gives no bytes for so long is silent. */
  silence: 5_000_000,
  /** The first and the longest wait before a link is opened again. */
  firstRetry: 250_000,
  longestRetry: 1_500_000,
  /** How long a connection may take. */
  connect: 5_000_000,
  webSocketMessage: 1_048_576,
} as const;

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
