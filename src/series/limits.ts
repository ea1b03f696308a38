/** What an expression over fields may ask for. It may come with a link that someone else made. */
export const EXPRESSION_LIMITS = {
  characters: 2_000,
  /** Parentheses, functions and signs inside each other. */
  depth: 64,
  /** Different fields of one expression. */
  fields: 32,
  /** Characters of a name for which one that is like it is looked for. */
  nameCharacters: 100,
  /** Ways to go on that are shown at a time. */
  completions: 100,
} as const;

export type ExpressionLimits = { readonly [K in keyof typeof EXPRESSION_LIMITS]: number };

export const SPECTRUM_LIMITS = {
  /** Samples at equal steps: in all, and for each sample that there was. */
  samples: 16_777_216,
  samplesEach: 4,
  /** Samples of a segment, powers of two. */
  leastSize: 8,
  mostSize: 65_536,
  /** Segments of a spectrogram. */
  columns: 2_000,
} as const;

export const QUANTITY_LIMITS = {
  /** Instances of one message; later ones are not read. */
  instances: 64,
} as const;
