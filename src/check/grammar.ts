/**
 * A grammar: which files there may be, byte by byte. It is plain JSON, and describes a regular language: names may not
 * refer to themselves, so that every grammar becomes a table and every file is read once, in linear time.
 */
export interface Grammar {
  readonly name: string;
  /** What it is a grammar of, in a few words. */
  readonly title?: string;
  /** The whole file. */
  readonly start: Part;
  /** Parts that others use by their name. */
  readonly rules?: Readonly<Record<string, Part>>;
}

/** What a violation is said to be in. A part inside takes over what it does not say itself. */
interface Labels {
  readonly layer?: string;
  readonly field?: string;
  /** It is a record: records are numbered from 1 on. */
  readonly record?: true;
  /** Where a record says how long it is: to go on behind one that breaks the grammar. */
  readonly length?: RecordLength;
}

/** Bytes of a record = the number at `at` from its beginning + `plus`. */
export interface RecordLength {
  readonly at: number;
  readonly number: 'uint8' | 'uint16' | 'uint32';
  readonly order: ByteOrder;
  readonly plus: number;
}

type ByteOrder = 'little' | 'big';

/** One of these, with labels or without. */
export type Part = Labels &
  (BytesPart | SetPart | AnyPart | NumberPart | SequencePart | ChoicePart | OptionalPart | RepeatPart | RulePart);

/** Exactly these bytes: `"02 00 00 00"`. */
interface BytesPart {
  readonly bytes: string;
}

/** One byte of these: `"01 33 40-7f"`. */
interface SetPart {
  readonly set: string;
}

/** So many bytes, whatever they are. */
interface AnyPart {
  readonly any: number;
}

export type NumberType = 'int8' | 'uint8' | 'int16' | 'uint16' | 'int32' | 'uint32' | 'int64' | 'uint64';

/** A number from `min` to `max`. Beyond 2^53 they are texts. */
export interface NumberPart {
  readonly number: NumberType;
  /** Needed where the number has more than one byte. */
  readonly order?: ByteOrder;
  readonly min: number | string;
  readonly max: number | string;
}

interface SequencePart {
  readonly sequence: readonly Part[];
}

/** One of these. They are followed in step until the bytes tell them apart. */
interface ChoicePart {
  readonly choice: readonly Part[];
}

interface OptionalPart {
  readonly optional: Part;
}

/** From `min` (0) to `max` (any number of) times. */
interface RepeatPart {
  readonly repeat: Part;
  readonly min?: number;
  readonly max?: number;
}

/** The part of this name. */
interface RulePart {
  readonly rule: string;
}

/** A grammar that cannot be used: where in it, and why. */
export class GrammarError extends Error {
  override readonly name = 'GrammarError';
  /** The place in the JSON: `start.sequence[2].bytes`. */
  readonly path: string;

  constructor(path: string, text: string) {
    super(path === '' ? text : `${path}: ${text}`);
    this.path = path;
  }
}
