/** How the times of a recording become times to send. */
export interface PacerOptions {
  /** How much faster than it was recorded; infinite for as fast as possible. */
  readonly speed: number;
  /** Records a second where they have no times. */
  readonly rate: number;
  /** Microseconds: longer pauses are shortened to this. */
  readonly longestPause: number;
  /**
   * Whether all times are of one clock. Times since the start of several senders are not: then the one that is furthest
   * tells the time.
   */
  readonly isOneClock: boolean;
}

/** Tells when each record of a recording is due, from its time and those before it. */
export class Pacer {
  /** Pauses that were shortened, and times that stepped back. */
  shortened = 0;
  steps = 0;
  private readonly options: PacerOptions;
  private last = Number.NaN;
  private elapsed = 0;

  constructor(options: PacerOptions) {
    this.options = options;
  }

  /** Microseconds after the first record at which this one is due. */
  due(time: number): number {
    const { speed, rate, longestPause, isOneClock } = this.options;
    if (Number.isNaN(time)) {
      // beside records that have times, one without is sent with the one before it
      if (Number.isNaN(this.last)) this.elapsed += 1e6 / rate;
      return this.elapsed / speed;
    }
    const pause = time - this.last;
    if (pause < 0) {
      if (!isOneClock) return this.elapsed / speed;
      this.steps++;
    }
    this.last = time;
    if (pause > longestPause) this.shortened++;
    if (pause > 0) this.elapsed += Math.min(pause, longestPause);
    return this.elapsed / speed;
  }
}
