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
