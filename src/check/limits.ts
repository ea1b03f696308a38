/** What a grammar of a user's own may ask for. What wants more is refused before a byte is read. */
export interface GrammarLimits {
  readonly characters: number;
  /** Parts inside parts, references by name included. */
  readonly depth: number;
  readonly nameCharacters: number;
  /** Most times that a part may be said to be repeated, and most bytes of an `any`. */
  readonly repeat: number;
  /** Parts after names and repetitions are written out: what it takes to read them all. */
  readonly parts: number;
  readonly states: number;
  /** Entries of the table that says where each byte leads. */
  readonly table: number;
  /** Steps that may be taken to make it. */
  readonly steps: number;
  /** Bytes that a record may say it has, where reading goes on behind one that is wrong. */
  readonly recordBytes: number;
}

export const GRAMMAR_LIMITS: GrammarLimits = {
  characters: 1 << 20,
  depth: 32,
  nameCharacters: 100,
  repeat: 16_384,
  parts: 65_536,
  states: 16_384,
  table: 1 << 20,
  steps: 1 << 22,
  recordBytes: 1 << 20,
};
