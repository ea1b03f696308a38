/** What is waited for on a message bus, and how long. */
export interface BusLimits {
  /** Of a server whose address names none. */
  readonly port: number;
  readonly connectMilliseconds: number;
  /** Between two attempts to come back. */
  readonly retryMilliseconds: number;
  /** Between two questions whether the server is there, and how many may stay without an answer. */
  readonly pingMilliseconds: number;
  readonly lostPings: number;
  /** For the answer to a request. */
  readonly answerMilliseconds: number;
  /** For the last words at the end. */
  readonly drainMilliseconds: number;
}

export const BUS_LIMITS: BusLimits = {
  port: 4222,
  connectMilliseconds: 5000,
  retryMilliseconds: 500,
  pingMilliseconds: 5000,
  lostPings: 2,
  answerMilliseconds: 5000,
  drainMilliseconds: 5000,
};
