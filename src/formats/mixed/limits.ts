/** What a stream in which protocols are mixed may take. */
export const MIXED_LIMITS = {
  /** Bytes after which every protocol has decided what begins before them. */
  lookahead: 65_536,
} as const;
