/** Something with an offset in a source. */
interface Placed {
  readonly at: number;
}

/** What several generators give, each in the order of the source, as one in that order. */
export async function* byPlace<T extends Placed>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  if (sources.length === 1) {
    yield* sources[0];
    return;
  }
  const heads = await Promise.all(sources.map((source) => source.next()));
  for (;;) {
    let first = -1;
    for (let k = 0; k < heads.length; k++) {
      const head = heads[k];
      if (!head.done && (first < 0 || head.value.at < heads[first].value.at)) first = k;
    }
    if (first < 0) return;
    yield heads[first].value;
    heads[first] = await sources[first].next();
  }
}
