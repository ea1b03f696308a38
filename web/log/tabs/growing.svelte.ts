/** Rows that are added at a time: more than a drawer shows, few enough to be laid out within a frame or two. */
const STEP = 150;

/** A long list of which the page shows the beginning, and more at its end. */
export class Growing<T> {
  private readonly list: () => readonly T[];
  private count = $state(STEP);
  readonly shown: readonly T[] = $derived.by(() => this.list().slice(0, this.count));
  readonly left: number = $derived.by(() => Math.max(0, this.list().length - this.count));

  /** Made while a component is made: the list that the function returns is observed. */
  constructor(list: () => readonly T[]) {
    this.list = list;
    // another list is read from its beginning
    $effect.pre(() => {
      this.list();
      this.count = STEP;
    });
  }

  more(): void {
    this.count += STEP;
  }
}
