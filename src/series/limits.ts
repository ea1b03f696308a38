/** What an expression over fields may ask for. It may come with a link that someone else made. */
export interface ExpressionLimits {
  readonly characters: number;
  /** Parentheses, functions and signs inside each other. */
  readonly depth: number;
  /** Different fields of one expression. */
  readonly fields: number;
  /** Characters of a name for which one that is like it is looked for. */
  readonly nameCharacters: number;
  /** Ways to go on that are shown at a time. */
  readonly completions: number;
}

export const EXPRESSION_LIMITS: ExpressionLimits = {
  characters: 2_000,
  depth: 64,
  fields: 32,
  nameCharacters: 100,
  completions: 100,
};

interface SpectrumLimits {
  /** Samples at equal steps: in all, and for each sample that there was. */
  readonly samples: number;
  readonly samplesEach: number;
  /** Samples of a segment, powers of two. */
  readonly leastSize: number;
  readonly mostSize: number;
  /** Segments of a spectrogram. */
  readonly columns: number;
}

export const SPECTRUM_LIMITS: SpectrumLimits = {
  samples: 1 << 24,
  samplesEach: 4,
  leastSize: 8,
  mostSize: 1 << 16,
  columns: 2_000,
};

export const QUANTITY_LIMITS = {
  /** Instances of one message; later ones are not read. */
  instances: 64,
} as const;
