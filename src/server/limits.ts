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
