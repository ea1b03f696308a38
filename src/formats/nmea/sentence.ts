import { words } from '../../core/text.ts';
import { type CellLayout, type CellSpec, type Group, parseLayout } from './notation.ts';

/** One kind of sentence: what its cells mean. */
export interface Sentence {
  /** GGA; for the sentences of makers the whole address with its kind: PGRME, PUBX00. */
  readonly name: string;
  readonly layout: CellLayout;
  /** What the cells of shorter sentences of this kind mean. */
  readonly short?: ShortForm | undefined;
  /** How many repetitions the cells of a sentence hold, if their number says it in another way. */
  readonly groups?: ((cells: number) => number) | undefined;
  /** From this size on a sentence may exceed the room of its fields, so that is checked; Infinity if never. */
  readonly growsFrom: number;
}

/** Another form of a sentence, which has fewer cells. */
export interface ShortForm {
  readonly cells: number;
  readonly layout: CellLayout;
  /** Where its fields are, by their names. */
  readonly cellOf: ReadonlyMap<string, number>;
  /** Fields that only this form has. */
  readonly extra: readonly CellSpec[];
}

interface SentenceOptions {
  readonly short?: readonly [cells: number, notation: string];
  readonly groups?: (cells: number) => number;
  readonly growsFrom?: number;
}

/** Texts that are longer than this hold names and may be of any length. */
const SHORT_TEXT = 8;

/**
 * A table of sentences.
 * @param lines the name of each, or those of all that have the same cells with `|` between them, and its cells
 * @param options by these names
 */
export function sentences(
  lines: readonly string[],
  options: Readonly<Record<string, SentenceOptions>> = {},
): readonly Sentence[] {
  return lines.flatMap((line) => {
    const [names, ...cells] = words(line);
    return names.split('|').map((name) => sentence(name, cells.join(' '), options[names]));
  });
}

export function sentence(name: string, notation: string, options: SentenceOptions = {}): Sentence {
  const layout = parseLayout(notation);
  const { short, groups } = options;
  const grows = layout.group?.open === true || layout.fields.some(({ width }) => width > SHORT_TEXT);
  return {
    name,
    layout,
    short: short && shortForm(layout, ...short),
    groups,
    growsFrom: options.growsFrom ?? (grows ? 0 : Number.POSITIVE_INFINITY),
  };
}

function shortForm(long: CellLayout, cells: number, notation: string): ShortForm {
  const layout = parseLayout(notation);
  const cellOf = new Map(layout.fields.map(({ name, cell }) => [name, cell]));
  const names = new Set(long.fields.map(({ name }) => name));
  return { cells, layout, cellOf, extra: layout.fields.filter(({ name }) => !names.has(name)) };
}

/** Repetitions in a sentence, by its number of cells. */
export function groupsIn({ groups }: Pick<Sentence, 'groups'>, group: Group, cells: number): number {
  if (groups) return Math.max(0, groups(cells));
  if (!group.open) return group.slots;
  return Math.max(0, Math.ceil((cells - group.first + 1) / group.size));
}
