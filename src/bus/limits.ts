/** What telemetry on a message bus may take up, on the side of senders and of readers. */
export interface BusLiveLimits {
  /** Frames of one vehicle are gathered for this time, or up to this number of bytes. */
  readonly batchMilliseconds: number;
  readonly batchBytes: number;
  /** Batches that are being gathered at a time. */
  readonly builders: number;
  /** Bytes of a message that is read at all. */
  readonly messageBytes: number;
  readonly linkCharacters: number;
  /** Messages on their way that the bus has not acknowledged. */
  readonly window: number;
  readonly acknowledgeMilliseconds: number;
  /** Before the next try, when the bus did not take a message. */
  readonly retryMilliseconds: number;
  /** How long the end of a collector waits for the bus to take the rest. */
  readonly lastMilliseconds: number;
  /** Bytes on the disk for what the bus has not taken, by default, and of one file of them. */
  readonly spoolBytes: number;
  readonly segmentBytes: number;
  /** Bytes that wait for the disk. */
  readonly queueBytes: number;
  /** Bytes of a spool file that are read at a time: no fewer than a file has. */
  readonly readBytes: number;
  /** What a stream keeps by default: seconds, bytes; and how long it remembers what it has. */
  readonly keepSeconds: number;
  readonly keepBytes: number;
  readonly rememberSeconds: number;
  /** Messages that a reader asks for at a time, and how long it waits for them. */
  readonly fetchMessages: number;
  readonly fetchMilliseconds: number;
  /** Messages that are read again after a break: a server that was killed may have lost its latest. */
  readonly overlap: number;
  /** Collectors that a reader distinguishes, starts and gaps of each that it remembers (no fewer than `overlap`), links of each at a time. */
  readonly collectors: number;
  readonly runs: number;
  readonly links: number;
  /** Vehicles whose board an archive remembers. */
  readonly boards: number;
  /** Links of collectors that a link to a bus shows. */
  readonly shownLinks: number;
  /** Bytes and milliseconds after which an archive brings what it has to the disk. */
  readonly commitBytes: number;
  readonly commitMilliseconds: number;
  /** Files that are written at a time. */
  readonly files: number;
  /** A recording ends with these bytes; after these microseconds on the ground, or in the air. */
  readonly recordingBytes: number;
  readonly recordingMicros: number;
  readonly flightMicros: number;
  /** Microseconds that are recorded after a vehicle was disarmed, and without a frame until its recording ends. */
  readonly afterwardsMicros: number;
  readonly silenceMicros: number;
}

const MINUTE = 60e6;

export const BUS_LIVE_LIMITS: BusLiveLimits = {
  batchMilliseconds: 200,
  batchBytes: 32 << 10,
  builders: 16_384,
  messageBytes: 256 << 10,
  linkCharacters: 200,
  window: 256,
  acknowledgeMilliseconds: 3000,
  retryMilliseconds: 500,
  lastMilliseconds: 3000,
  spoolBytes: 1 << 30,
  segmentBytes: 4 << 20,
  queueBytes: 16 << 20,
  readBytes: 8 << 20,
  keepSeconds: 7 * 24 * 3600,
  keepBytes: 10 * 2 ** 30,
  rememberSeconds: 600,
  fetchMessages: 256,
  fetchMilliseconds: 2000,
  overlap: 1000,
  collectors: 1024,
  runs: 1024,
  links: 64,
  boards: 16_384,
  shownLinks: 192,
  commitBytes: 8 << 20,
  commitMilliseconds: 1000,
  files: 16,
  recordingBytes: 256 << 20,
  recordingMicros: 60 * MINUTE,
  flightMicros: 6 * 60 * MINUTE,
  afterwardsMicros: 10e6,
  silenceMicros: 5 * MINUTE,
};

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
  /** Until a bus that does not answer is reported. */
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
  /** For reading one log: longer means that it hangs. */
  readonly jobMilliseconds: number;
  /** Time that the bus is asked to wait for a job when there is none. */
  readonly pullMilliseconds: number;
  /** Time without results after which ingest asks whether the jobs are still there. */
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
