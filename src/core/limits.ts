/** Caps, which can be overridden where they are used. Reaching one is a fault, never an exception. */
export const LIMITS = {
  /** Faults kept with their text; beyond it they are only counted by code. */
  faultsKept: 10_000,
  /** Different subjects (an undefined type, say) that are counted apart from each other. */
  faultSubjects: 1_024,
  /** Tables in one log: schemas times streams. */
  tables: 16_384,
  /** Schemas of one log: more than 256 only where logs of several firmwares were joined. */
  schemas: 4_096,
  /** Senders of one link with separate tables. */
  streams: 1_024,
  /** Bytes of a line of a text log. */
  lineBytes: 4_096,
  /** Bytes read from a source at a time. */
  chunkBytes: 1_048_576,
  detectBytes: 65_536,
  /** Bytes of what a container held that stay in memory; what is more goes where the caller says. */
  piecesBytes: 268_435_456,
  /** What compressed bytes may become: in all, and for each byte of them. */
  unzippedBytes: 4_294_967_296,
  unzippedRatio: 200,
  /** Bytes of a file that are kept in memory while its tables are read one after the other. */
  heldBytes: 268_435_456,
} as const;
