/**
 * A grammar: which files there may be, byte by byte. It is plain JSON, and describes a regular language: names may not
 * refer to themselves, so that every grammar becomes a table and every file is read once, in linear time.
 */
export interface Grammar {
  readonly name: string;
  /** What it is a grammar of, in a few words. */
  readonly title?: string;
  /** The whole file. */
  readonly start: GrammarNode;
  /** Parts that others use by their name. */
  readonly rules?: Readonly<Record<string, GrammarNode>>;
}

/** What a violation is said to be in. A part inside takes over what it does not say itself. */
interface Labels {
  readonly layer?: string;
  readonly field?: string;
  /** It is a record: records are numbered from 1 on. */
  readonly record?: true;
  /** Where a record says how long it is: to go on after one that breaks the grammar. */
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
export type GrammarNode = Labels &
  (BytesNode | SetNode | AnyNode | NumberNode | SequenceNode | ChoiceNode | OptionalNode | RepeatNode | RuleNode);

interface BytesNode {
  readonly bytes: string;
}

/** One byte of these: `"01 33 40-7f"`. */
interface SetNode {
  readonly set: string;
}

/** So many bytes, whatever they are. */
interface AnyNode {
  readonly any: number;
}

export type NumberType = 'int8' | 'uint8' | 'int16' | 'uint16' | 'int32' | 'uint32' | 'int64' | 'uint64';

/** A number from `min` to `max`. Beyond 2^53 they are texts. */
export interface NumberNode {
  readonly number: NumberType;
  /** Needed where the number has more than one byte. */
  readonly order?: ByteOrder;
  readonly min: number | string;
  readonly max: number | string;
}

interface SequenceNode {
  readonly sequence: readonly GrammarNode[];
}

/** One of these. They are followed together until the bytes distinguish them. */
interface ChoiceNode {
  readonly choice: readonly GrammarNode[];
}

interface OptionalNode {
  readonly optional: GrammarNode;
}

/** From `min` (0) to `max` (any number of) times. */
interface RepeatNode {
  readonly repeat: GrammarNode;
  readonly min?: number;
  readonly max?: number;
}

/** The part of this name. */
interface RuleNode {
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
