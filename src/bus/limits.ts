/** What telemetry on a message bus may take up, on the side of who sends it and of who reads it. */
export interface BusLiveLimits {
  /** Frames of one vehicle are gathered for so long, or until they are so many bytes. */
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
  /** Bytes on the disk for what the bus has not taken, where nobody says otherwise, and of one file of them. */
  readonly spoolBytes: number;
  readonly segmentBytes: number;
  /** Bytes that wait for the disk. */
  readonly queueBytes: number;
  /** Bytes of a spool file that are read at a time: no fewer than a file has. */
  readonly readBytes: number;
  /** What a stream keeps where nobody says otherwise: seconds, bytes; and how long it remembers what it has. */
  readonly keepSeconds: number;
  readonly keepBytes: number;
  readonly rememberSeconds: number;
  /** Messages that a reader asks for at a time, and how long it waits for them. */
  readonly fetchMessages: number;
  readonly fetchMilliseconds: number;
  /** Messages that are read again after a break: a server that was killed may have lost its latest. */
  readonly overlap: number;
  /** Collectors that a reader tells apart, starts and gaps of each that it remembers (no fewer than `overlap`), links of each at a time. */
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
  /** A recording ends with these bytes; after so many microseconds on the ground, or in the air. */
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
