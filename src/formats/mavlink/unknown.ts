/** Frames of an id in a row that must agree on a CRC_EXTRA before it is believed. */
const PROOF = 3;
/** Ids that are kept in mind: a hostile stream has millions. */
const MOST_IDS = 1024;

interface Guess {
  /** Which of the ids it is, by the order in which they were met. */
  readonly index: number;
  extra: number;
  agreeing: number;
}

/** Messages without a definition: each frame implies their CRC_EXTRA, which is known if frames of an id agree. */
export class Unknowns {
  private readonly guesses: Map<number, Guess> = new Map();
  /** Whether anything was learned at all: asked for every start in garbage. */
  private hasLearned = false;

  /** The most different ids that `add` takes. */
  static readonly most: number = MOST_IDS;

  learned(id: number): number {
    if (!this.hasLearned) return -1;
    const guess = this.guesses.get(id);
    return guess && guess.agreeing === PROOF ? guess.extra : -1;
  }

  /** Whether the last frame of the id implied the same byte. */
  agrees(id: number, extra: number): boolean {
    const guess = this.guesses.get(id);
    return guess !== undefined && guess.agreeing > 0 && guess.extra === extra;
  }

  /** Whether there is room for the id. */
  takes(id: number): boolean {
    return this.guesses.size < MOST_IDS || this.guesses.has(id);
  }

  /** A frame of the id, for which there is room, implies this byte, and none was learned yet. */
  add(id: number, extra: number): void {
    const guess = this.guesses.get(id);
    if (!guess) {
      this.guesses.set(id, { index: this.guesses.size, extra, agreeing: 1 });
    } else if (guess.extra === extra) {
      guess.agreeing++;
      if (guess.agreeing === PROOF) this.hasLearned = true;
    } else {
      guess.extra = extra;
      guess.agreeing = 1;
    }
  }

  /** A frame of the id implies no byte at all: damaged, so that those before it are worth less. */
  doubt(id: number): void {
    const guess = this.guesses.get(id);
    if (guess && guess.agreeing < PROOF) guess.agreeing = 0;
  }

  /** Which of the ids it is that were added, from 0 on. */
  indexOf(id: number): number {
    return this.guesses.get(id)?.index ?? 0;
  }
}
