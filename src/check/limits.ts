/** What a grammar of a user's own may ask for. What wants more is refused before a byte is read. */
export const GRAMMAR_LIMITS = {
  characters: 1_048_576,
  /** Parts inside parts, references by name included. */
  depth: 32,
  nameCharacters: 100,
  /** Most times that a part may be said to be repeated, and most bytes of an `any`. */
  repeat: 16_384,
  /** Parts after names and repetitions are written out: what it takes to read them all. */
  parts: 65_536,
  states: 16_384,
  /** Entries of the table that says where each byte leads. */
  table: 1_048_576,
  /** Steps that may be taken to make it. */
  steps: 4_194_304,
  /** Bytes that a record may say it has, where reading goes on after one that is wrong. */
  recordBytes: 1_048_576,
} as const;
