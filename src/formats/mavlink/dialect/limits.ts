/** What message definitions may ask for. They come from anyone, so what wants more is refused, at once. */
export const DIALECT_LIMITS = {
  /** Characters of all files together. */
  characters: 8_388_608,
  /** Elements inside elements. */
  depth: 32,
  /** Characters between two tags, and inside one. */
  textCharacters: 65_536,
  files: 32,
  /** Files that include files. */
  includeDepth: 8,
  /** Of one file. */
  messages: 4_096,
  /** Entries of all enums of one file together. */
  entries: 8_192,
  nameCharacters: 100,
} as const;

export type DialectLimits = { readonly [K in keyof typeof DIALECT_LIMITS]: number };

/** What the protocol itself can carry. */
export const MAX_MESSAGE_ID = 0xff_ffff;
export const MAX_PAYLOAD = 255;
export const MAX_FIELDS = 64;
