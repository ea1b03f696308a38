/** What clients of the server may ask for. They come from any program on the machine, and any page in its browser. */
export const SERVER_LIMITS = {
  /** Bytes of the head of a request. */
  headerBytes: 16_384,
  bodyBytes: 1_048_576,
  /** Connections without streams; beyond them the one that is idle for longest is closed. */
  connections: 64,
  /** WebSockets and event streams together. */
  streams: 256,
  /** Bytes of one message that a WebSocket sends us, and how many of them in a second. */
  streamMessageBytes: 65_536,
  streamMessages: 100,
  /** Events that wait for one client. */
  eventsWaiting: 512,
  /** Bytes that were handed to a client's socket and not yet taken; more are not handed to it. */
  bytesWaiting: 16_384,
  /** Milliseconds after which a client that takes nothing is closed. */
  stalled: 10_000,
  /** State events kept for clients that come back, and bytes of messages. */
  eventsKept: 1_000,
  backlogBytes: 16_777_216,
  /** Milliseconds of each turn in which they get what they missed: all others wait as long. */
  recallTime: 8,
  filterNames: 64,
  /** Files of the pages, and folders in folders. */
  pageFiles: 10_000,
  pageDepth: 16,
  /** Lines of the message counters among the metrics. */
  metrics: 5_000,
  /** Milliseconds for the head of a request, for all of it, and of silence between two. */
  headTime: 10_000,
  requestTime: 15_000,
  idleTime: 5_000,
} as const;

export type ServerLimits = { readonly [K in keyof typeof SERVER_LIMITS]: number };
