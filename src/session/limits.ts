/** What recording may take up. */
export interface RecordLimits {
  /** Bytes of one file: then the next one is begun. */
  readonly segmentBytes: number;
  /** Bytes gathered before they are written, and milliseconds that they wait at most. */
  readonly blockBytes: number;
  readonly blockMilliseconds: number;
  /** Milliseconds after which what was written is on the disk too. */
  readonly syncMilliseconds: number;
  /** Bytes that wait for a disk that is slow or full; what comes beyond is dropped and counted. */
  readonly queueBytes: number;
  /** Milliseconds between two tries to write again. */
  readonly retryMilliseconds: number;
  /** Senders of one link whose bytes are kept apart. */
  readonly senders: number;
  /** Bytes an hour that are not frames, of a link that carries frames: noise must not fill the disk. */
  readonly restBytes: number;
  /** Files of recordings that are listed in the state. */
  readonly filesListed: number;
}

export const RECORD_LIMITS: RecordLimits = {
  segmentBytes: 256 << 20,
  blockBytes: 64 << 10,
  blockMilliseconds: 50,
  syncMilliseconds: 1000,
  queueBytes: 16 << 20,
  retryMilliseconds: 2000,
  senders: 64,
  restBytes: 16 << 20,
  filesListed: 1_000,
};
