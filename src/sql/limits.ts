/** What a query may use by default. */
export interface QueryLimits {
  /** Beside what the opened logs take; as much again may go to a temporary folder. */
  readonly memoryBytes: number;
  readonly milliseconds: number;
  readonly answerBytes: number;
  /** Of a query itself, in characters. */
  readonly textLength: number;
}

export const QUERY_LIMITS: QueryLimits = {
  memoryBytes: 1 << 30,
  milliseconds: 30_000,
  answerBytes: 32 << 20,
  textLength: 256 << 10,
};
