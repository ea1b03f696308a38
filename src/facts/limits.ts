/** Caps of what is told about logs; those of reading them are in `limits.ts`. */
export interface AnswerLimits {
  /** Bytes of a file of parameters, and of a line in it. */
  readonly paramFileBytes: number;
  readonly paramLineBytes: number;
  /**
   * Texts, changes of modes, events, errors, armings, parameters and their changes that are told of a log, of each the
   * first ones; of the others only how many there are.
   */
  readonly told: number;
  /** Gaps and reboots of one vehicle that are told; a clock that jumps to and fro has no end of them. */
  readonly interruptions: number;
  /** Stretches of time in which a vehicle was armed, or flew; and armings that are looked at for what was before them. */
  readonly stretches: number;
  readonly armings: number;
}

export const ANSWER_LIMITS: AnswerLimits = {
  paramFileBytes: 4 << 20,
  paramLineBytes: 200,
  told: 20_000,
  interruptions: 1_000,
  stretches: 10_000,
  armings: 1_000,
};
