import { type Group, type Layout, parseLayout } from './notation.ts';

/** One kind of sentence: what its cells mean. */
export interface Sentence {
  /** GGA; for the sentences of makers the whole address with its kind: PGRME, PUBX00. */
  readonly name: string;
  readonly layout: Layout;
  /** What the cells of shorter sentences of this kind mean: those that have at most so many. */
  readonly short?: { readonly cells: number; readonly layout: Layout } | undefined;
  /** How many repetitions the cells of a sentence hold, where their number tells it in a way of its own. */
  readonly groups?: ((cells: number) => number) | undefined;
  /**
   * Sentences of at least so many bytes may have more than was seen before (longer texts, more repetitions), so the
   * room that their fields have is looked at; none where it is Infinity.
   */
  readonly growsFrom: number;
}

export interface SentenceOptions {
  readonly short?: readonly [cells: number, notation: string];
  readonly groups?: (cells: number) => number;
  readonly growsFrom?: number;
}

/** Texts that are longer than this hold names and may be of any length. */
const SHORT_TEXT = 8;

export function sentence(name: string, notation: string, options: SentenceOptions = {}): Sentence {
  const layout = parseLayout(notation);
  const { short, groups } = options;
  const grows = layout.group?.open === true || layout.fields.some(({ width }) => width > SHORT_TEXT);
  return {
    name,
    layout,
    short: short && { cells: short[0], layout: parseLayout(short[1]) },
    groups,
    growsFrom: options.growsFrom ?? (grows ? 0 : Number.POSITIVE_INFINITY),
  };
}

/** Repetitions in a sentence of so many cells. */
export function groupsIn({ groups }: Pick<Sentence, 'groups'>, group: Group, cells: number): number {
  if (groups) return Math.max(0, groups(cells));
  if (!group.open) return group.slots;
  return Math.max(0, Math.ceil((cells - group.first + 1) / group.size));
}
