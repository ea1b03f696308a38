/** SampleTimeFine counts tenths of milliseconds. */
export const TICK_MICROS = 100;

/** It begins again after a day on some devices, and after 32 bits on others. */
const DAY = 864_000_000;
const WORD = 2 ** 32;
/** A gap between two packets up to which a counter that fell is believed to have begun again: an hour. */
const GAP = 36_000_000;
/** A packet may come this much later than one that was made after it: ten seconds. */
const LATE = 100_000;

/** A counter of ticks, put on one line although it begins again now and then. */
export class Ticks {
  /** What was added up by all wraps. */
  private epoch = 0;
  private last = Number.NaN;
  /** Restarts of the device, each of which restarts the count: times are since the last. */
  restarts = 0;

  /** The ticks of the next packet, with all wraps before it added. */
  next(value: number): number {
    const { last } = this;
    if (value >= last || Number.isNaN(last)) {
      this.last = value;
    } else if (last - value > LATE) {
      const wrap = [DAY, WORD].find((each) => last < each && value + each - last <= GAP);
      if (wrap === undefined) {
        this.restarts++;
        this.epoch = 0;
      } else {
        this.epoch += wrap;
      }
      this.last = value;
    }
    return this.epoch + value;
  }

  /** Ticks of the same clock off this line: as near to it as a wrap can bring them, else as they are. */
  near(value: number): number {
    if (Number.isNaN(this.last)) return value;
    const line = this.epoch + this.last;
    for (const wrap of [0, -DAY, -WORD, DAY, WORD]) {
      const ticks = this.epoch + value + wrap;
      if (Math.abs(ticks - line) <= GAP) return ticks;
    }
    return line;
  }
}
