/** What telemetry on a message bus may take up, on the side of senders and of readers. */
export const BUS_LIVE_LIMITS = {
  /** Frames of one vehicle are gathered for this time, or up to this number of bytes. */
  batchMilliseconds: 200,
  batchBytes: 32_768,
  /** Batches that are being gathered at a time. */
  builders: 16_384,
  /** Bytes of a message that is read at all. */
  messageBytes: 262_144,
  linkCharacters: 200,
  /** Messages on their way that the bus has not acknowledged. */
  window: 256,
  acknowledgeMilliseconds: 3000,
  /** Before the next try, when the bus did not take a message. */
  retryMilliseconds: 500,
  /** How long the end of a collector waits for the bus to take the rest. */
  lastMilliseconds: 3000,
  /** Bytes on the disk for what the bus has not taken, by default, and of one file of them. */
  spoolBytes: 1_073_741_824,
  segmentBytes: 4_194_304,
  /** Bytes that wait for the disk. */
  queueBytes: 16_777_216,
  /** Bytes of a spool file that are read at a time: no fewer than a file has. */
  readBytes: 8_388_608,
  /** What a stream keeps by default: seconds, bytes; and how long it remembers what it has. */
  keepSeconds: 604_800,
  keepBytes: 10_737_418_240,
  rememberSeconds: 600,
  /** Messages that a reader asks for at a time, and how long it waits for them. */
  fetchMessages: 256,
  fetchMilliseconds: 2000,
  /** Messages that are read again after a break: a server that was killed may have lost its latest. */
  overlap: 1000,
  /** Collectors that a reader distinguishes, starts and gaps of each that it remembers (no fewer than `overlap`), links of each at a time. */
  collectors: 1024,
  runs: 1024,
  links: 64,
  /** Vehicles whose board an archive remembers. */
  boards: 16_384,
  /** Links of collectors that a link to a bus shows. */
  shownLinks: 192,
  /** Bytes and milliseconds after which an archive brings what it has to the disk. */
  commitBytes: 8_388_608,
  commitMilliseconds: 1000,
  /** Files that are written at a time. */
  files: 16,
  /** A recording ends with these bytes; after these microseconds on the ground, or in the air. */
  recordingBytes: 268_435_456,
  recordingMicros: 3_600_000_000,
  flightMicros: 21_600_000_000,
  /** Microseconds that are recorded after a vehicle was disarmed, and without a frame until its recording ends. */
  afterwardsMicros: 10_000_000,
  silenceMicros: 300_000_000,
} as const;

/** What is waited for on a message bus, how long, and how much may come from there. */
export const BUS_LIMITS = {
  /** Of a server whose address names none. */
  port: 4222,
  connectMilliseconds: 5000,
  /** Between two attempts to come back. */
  retryMilliseconds: 500,
  /** Between two questions whether the server is there, and how many may stay without an answer. */
  pingMilliseconds: 5000,
  lostPings: 2,
  /** For the answer to a request. */
  answerMilliseconds: 5000,
  /** For the last words at the end. */
  drainMilliseconds: 5000,
  /** Until a bus that does not answer is reported. */
  silenceMilliseconds: 2000,
} as const;

/** Jobs that are handed out over a bus. */
export const JOB_LIMITS = {
  /** Of a message: a job, its result, or why it was given up. */
  messageBytes: 65_536,
  /** Letters of a path, and of any other text in a message. */
  pathLength: 4096,
  textLength: 2000,
  /** Logs that one log may replace, as a message lists them. */
  replaced: 1000,
  /** Time without a word from a worker after which its job goes to another. */
  ackWaitMilliseconds: 15_000,
  /** Times that a job is handed out. */
  tries: 4,
  /** Until a job that failed is handed out again: the first time, and the longest; it is three times as long each time. */
  retryMilliseconds: 1000,
  longestRetryMilliseconds: 30_000,
  /** Jobs in a row that may fail at one worker before it makes a pause between them: others may be luckier. */
  failuresInRow: 3,
  pauseMilliseconds: 3000,
  /** For reading one log: longer means that it hangs. */
  jobMilliseconds: 7_200_000,
  /** Time that the bus is asked to wait for a job when there is none. */
  pullMilliseconds: 4000,
  /** Time without results after which ingest asks whether the jobs are still there. */
  idleMilliseconds: 10_000,
  /** Between two looks at a lake that cannot be written to, and bytes that are written there to see whether it can. */
  lakeMilliseconds: 5000,
  lakeProbeBytes: 1_048_576,
  /** Jobs that are put on the bus at a time, and asked for again at a time. */
  offersAtOnce: 64,
  remindersAtOnce: 1000,
  /** How many workers' hands may hold jobs of one lake. */
  inWork: 10_000,
  /** How long and how much of results is kept, and how much of jobs that were given up. */
  resultDays: 7,
  resultsOfJob: 8,
  resultBytes: 268_435_456,
  deadBytes: 67_108_864,
} as const;
