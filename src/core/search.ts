/** The first index from which on a test holds, by halving; `length` if it holds for none. */
export function firstIndex(length: number, holds: (index: number) => boolean): number {
  let [from, to] = [0, length];
  while (from < to) {
    // below 2^53, where a shift would end at 2^31
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Letters that may differ in a word that was mistyped. */
const MISTYPED = 2;

/** The word of a list that was meant, if one of them is like it. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  // each letter that one has and the other lacks must be added: so only names of about its length are compared
  const near = known.filter((name) => Math.abs(name.length - word.length) <= MISTYPED);
  const [best] = near.map((name) => ({ name, far: distance(word, name) })).sort((a, b) => a.far - b.far);
  return best && best.far <= MISTYPED && best.far < word.length ? best.name : undefined;
}

/** `: did you mean X?`, or nothing if no known word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === undefined ? '' : `: did you mean ${meant}?`;
}

/** How many letters must be changed, added, taken away or swapped with their neighbour, whatever their case. */
function distance(a: string, b: string): number {
  const [from, to] = [a.toUpperCase(), b.toUpperCase()];
  const rows = [Array.from({ length: to.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= from.length; i++) {
    rows[i] = [i];
    for (let k = 1; k <= to.length; k++) {
      const isSame = from[i - 1] === to[k - 1];
      const isSwapped = i > 1 && k > 1 && from[i - 1] === to[k - 2] && from[i - 2] === to[k - 1];
      rows[i][k] = Math.min(
        rows[i - 1][k] + 1,
        rows[i][k - 1] + 1,
        rows[i - 1][k - 1] + (isSame ? 0 : 1),
        isSwapped ? rows[i - 2][k - 2] + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return rows[from.length][to.length];
}
