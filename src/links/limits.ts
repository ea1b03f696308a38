/** How recordings are sent. */
export const REPLAY_LIMITS = {
  /** Microseconds: longer pauses of a recording are shortened to this. */
  longestPause: 60_000_000,
  /** Records a second, where they have no times. */
  rate: 100,
  /** Records that are sent before others get their turn. */
  burst: 32,
} as const;
