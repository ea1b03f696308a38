/** In another order. What is not known (null, NaN) comes last, whichever way it is sorted. */
export function sortedBy<T>(all: readonly T[], keyOf: (each: T) => number | string | null, isDown: boolean): T[] {
  const sign = isDown ? -1 : 1;
  const keyed = all.map((each) => ({ each, key: keyOf(each) }));
  keyed.sort((a, b) => {
    if (!isKnown(a.key) || !isKnown(b.key)) return Number(isKnown(b.key)) - Number(isKnown(a.key));
    return a.key < b.key ? -sign : a.key > b.key ? sign : 0;
  });
  return keyed.map(({ each }) => each);
}

function isKnown(key: number | string | null): key is number | string {
  return key !== null && !Number.isNaN(key);
}
