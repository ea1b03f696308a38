/** Caps, which can be overridden where they are used. Reaching one is a fault, never an exception. */
export interface Limits {
  /** Faults kept with their text; beyond it they are only counted by code. */
  readonly faultsKept: number;
  /** Different subjects (an undefined type, say) that are counted apart from each other. */
  readonly faultSubjects: number;
  /** Tables in one log: schemas times streams. */
  readonly tables: number;
  /** Schemas of one log: more than 256 only where logs of several firmwares were joined. */
  readonly schemas: number;
  /** Senders of one link with separate tables. */
  readonly streams: number;
  /** Bytes of a line of a text log. */
  readonly lineBytes: number;
  /** Bytes read from a source at a time. */
  readonly chunkBytes: number;
  readonly detectBytes: number;
  /** Bytes of what a container held that stay in memory; what is more goes where the caller says. */
  readonly piecesBytes: number;
  /** What compressed bytes may become: in all, and for each byte of them. */
  readonly unzippedBytes: number;
  readonly unzippedRatio: number;
  /** Bytes of a file that are kept in memory while its tables are read one after the other. */
  readonly heldBytes: number;
}

export const LIMITS: Limits = {
  faultsKept: 10_000,
  faultSubjects: 1_024,
  tables: 16_384,
  schemas: 4_096,
  streams: 1_024,
  lineBytes: 4_096,
  chunkBytes: 1 << 20,
  detectBytes: 64 << 10,
  piecesBytes: 256 << 20,
  unzippedBytes: 4 * 2 ** 30,
  unzippedRatio: 200,
  heldBytes: 256 << 20,
};
