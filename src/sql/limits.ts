/** What a query may use by default. */
export const QUERY_LIMITS = {
  /** Beside what the opened logs take; as much again may go to a temporary folder. */
  memoryBytes: 1_073_741_824,
  milliseconds: 30_000,
  answerBytes: 33_554_432,
  /** Of a query itself, in characters. */
  textLength: 262_144,
} as const;

export type QueryLimits = { readonly [K in keyof typeof QUERY_LIMITS]: number };
