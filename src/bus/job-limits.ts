/** What is waited for on a message bus, how long, and how much may come from there. */
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
  /** Until a bus that does not answer is told of. */
  readonly silenceMilliseconds: number;
}

/** Jobs that are handed out over a bus. */
export interface JobLimits {
  /** Of a message: a job, its result, or why it was given up. */
  readonly messageBytes: number;
  /** Letters of a path, and of any other text in a message. */
  readonly pathLength: number;
  readonly textLength: number;
  /** Logs that one log may replace, as a message lists them. */
  readonly replaced: number;
  /** Time without a word from a worker after which its job goes to another. */
  readonly ackWaitMilliseconds: number;
  /** Times that a job is handed out. */
  readonly tries: number;
  /** Until a job that failed is handed out again: the first time, and the longest; it is three times as long each time. */
  readonly retryMilliseconds: number;
  readonly longestRetryMilliseconds: number;
  /** Jobs in a row that may fail at one worker before it makes a pause between them: others may be luckier. */
  readonly failuresInRow: number;
  readonly pauseMilliseconds: number;
  /** For reading one log. Who takes longer has come to a halt. */
  readonly jobMilliseconds: number;
  /** Time that the bus is asked to wait for a job when there is none. */
  readonly pullMilliseconds: number;
  /** Time without results after which those who wait for them ask whether the jobs are still there. */
  readonly idleMilliseconds: number;
  /** Between two looks at a lake that cannot be written to, and bytes that are written there to see whether it can. */
  readonly lakeMilliseconds: number;
  readonly lakeProbeBytes: number;
  /** Jobs that are put on the bus at a time, and asked for again at a time. */
  readonly offersAtOnce: number;
  readonly remindersAtOnce: number;
  /** How many workers' hands may hold jobs of one lake. */
  readonly inWork: number;
  /** How long and how much of results is kept, and how much of jobs that were given up. */
  readonly resultDays: number;
  readonly resultsOfJob: number;
  readonly resultBytes: number;
  readonly deadBytes: number;
}

export const BUS_LIMITS: BusLimits = {
  port: 4222,
  connectMilliseconds: 5000,
  retryMilliseconds: 500,
  pingMilliseconds: 5000,
  lostPings: 2,
  answerMilliseconds: 5000,
  drainMilliseconds: 5000,
  silenceMilliseconds: 2000,
};

export const JOB_LIMITS: JobLimits = {
  messageBytes: 64 << 10,
  pathLength: 4096,
  textLength: 2000,
  replaced: 1000,
  ackWaitMilliseconds: 15_000,
  tries: 4,
  retryMilliseconds: 1000,
  longestRetryMilliseconds: 30_000,
  failuresInRow: 3,
  pauseMilliseconds: 3000,
  jobMilliseconds: 2 * 60 * 60 * 1000,
  pullMilliseconds: 4000,
  idleMilliseconds: 10_000,
  lakeMilliseconds: 5000,
  lakeProbeBytes: 1 << 20,
  offersAtOnce: 64,
  remindersAtOnce: 1000,
  inWork: 10_000,
  resultDays: 7,
  resultsOfJob: 8,
  resultBytes: 256 << 20,
  deadBytes: 64 << 20,
};
