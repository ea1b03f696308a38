export const RECORD_LIMITS = {
  /** Bytes of one file: then the next one is begun. */
  segmentBytes: 268_435_456,
  /** Bytes gathered before they are written, and milliseconds that they wait at most. */
  blockBytes: 65_536,
  blockMilliseconds: 50,
  /** Milliseconds after which what was written is on the disk too. */
  syncMilliseconds: 1000,
  /** Bytes that wait for a disk that is slow or full; what comes beyond is dropped and counted. */
  queueBytes: 16_777_216,
  /** Milliseconds between two tries to write again. */
  retryMilliseconds: 2000,
  /** Senders of one link whose bytes are kept apart. */
  senders: 64,
  /** Bytes an hour that are not frames, of a link that carries frames: noise must not fill the disk. */
  restBytes: 16_777_216,
  filesListed: 1_000,
} as const;
