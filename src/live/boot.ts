/*
 * A vehicle says in many messages how many milliseconds it runs. Going back means that it was started again, but
 * messages may also come late, and 32 bits are full after 49.7 days:
 *
 *     0 ........ last - LATE ........ last .................. 2^32
 *     started    late, or a message   goes on
 *     again      of a slower task
 */
const LATE = 3_000;
const FULL = 2 ** 32;
/** Numbers this near to the end of 32 bits go on from 0. */
const NEAR_FULL = 600_000;

/** The time since boot of one component, and how often it was started again. */
export class Boot {
  /** Milliseconds, as the component said last; NaN before it did. */
  milliseconds: number = Number.NaN;
  /** When it said so. */
  time: number = Number.NaN;
  reboots = 0;
  /** Whether the last message said an earlier time, which the next one may confirm. */
  private isSuspect = false;

  /** Takes what a message says; true where it shows that the component was started again. */
  take(milliseconds: number, time: number): boolean {
    const last = this.milliseconds;
    if (!(milliseconds < last - LATE)) {
      if (!(milliseconds < last)) this.set(milliseconds, time);
      this.isSuspect = false;
      return false;
    }
    if (last > FULL - NEAR_FULL && milliseconds < NEAR_FULL) {
      this.set(milliseconds, time);
      return false;
    }
    // one message may be very late or of another sender: the second in a row decides
    if (!this.isSuspect) {
      this.isSuspect = true;
      return false;
    }
    this.isSuspect = false;
    this.reboots++;
    this.set(milliseconds, time);
    return true;
  }

  private set(milliseconds: number, time: number): void {
    this.milliseconds = milliseconds;
    this.time = time;
  }
}
