/** Items that make one piece of text: enough that pieces are few, so few that each stays small. */
const ITEMS = 512;

/** The texts of items 0 to count, with a separator between them, in pieces, so that none is ever the whole. */
export function* pieces(count: number, textOf: (index: number) => string, separator = ''): Generator<string> {
  for (let from = 0; from < count; from += ITEMS) {
    let piece = from > 0 ? separator : '';
    const to = Math.min(from + ITEMS, count);
    for (let i = from; i < to; i++) piece += i > from ? separator + textOf(i) : textOf(i);
    yield piece;
  }
}
