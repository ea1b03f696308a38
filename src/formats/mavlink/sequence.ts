import type { StreamStatistics } from '../../core/decoder.ts';

/*
 * Each sender numbers its frames 0 to 255 and again from 0. What a number says depends on how far it is ahead of the
 * highest one so far, modulo 256:
 *
 *     1 ... 64         65 ... 191            192 ... 255, 0
 *     the next ones    nothing believable    late or repeated: the last 64 are remembered one by one
 *
 * A jump is settled by the frames after it. If they go on from there, then the sender rebooted (the numbers go on from
 * near 0, and nothing was lost) or more was lost than the numbers can say. If they do not, it was a single frame that
 * came very late. Numbers from before the first frame were never missed: they are a jump too, not late frames.
 *
 * After 244, 0 may be the next frame that was not lost, or the first one after a reboot. A reboot begins with 0 exactly,
 * a loss ends there once in 256 times. So 0 is a reboot where more would be lost than the link ever lost at once, twice
 * over, and 1 and 2 follow. What the numbers cannot say, the time since boot can: see `rebooted`.
 */
const AHEAD = 64;
const WINDOW = 64;
/** A sender that starts again does so from 0; the first few frames may be lost. */
const NEAR_ZERO = 8;
/** How far a number near 0 must be from the expected one to be taken for a new start. */
const FAR = 16;
/** Frames that a gap before 0 must have at least to be a reboot: a few may always be lost. */
const LEAST_GAP = 4;
/** Frames within which a reboot that is seen elsewhere belongs to what the numbers showed. */
const RECENT = 256;
/** Frames that must go on from a jump to settle it: from near 0, from there if they may also be late, and so on. */
const RESTART_PROOF = 2;
const LATE_RESTART_PROOF = 8;
const REPEAT_PROOF = 16;
const JUMP_PROOF = 1;
/** Frames lost between two of them that still let the second go on from the first. */
const STEP = 4;
/** No number: where the numbers begin again, before the first frame, and while a jump is being settled. */
const AGAIN = 256;
const NONE = 257;
const UNSETTLED = 258;

/** What the numbers of frames say about each of several senders, which are known by small numbers. */
export class Sequences {
  /** The next expected number. The fast path compares and, if equal, does what `pass` would do. */
  readonly next: Uint16Array;
  /** What was expected when `pass` last looked: from there on all came in turn. */
  private readonly expected: Uint8Array;
  private readonly received: Float64Array;
  private readonly lost: Float64Array;
  private readonly duplicated: Uint32Array;
  private readonly reordered: Uint32Array;
  private readonly restarted: Uint32Array;
  /** Which of the numbers before the expected one came, bit 0 for the one just before it. */
  private readonly low: Uint32Array;
  private readonly high: Uint32Array;
  /** Numbers before the expected one that there were since the first frame, or the last jump: at most the window. */
  private readonly span: Uint8Array;
  /** The most frames that were lost at once. */
  private readonly longest: Uint8Array;
  /** How many frames had come when a gap last led to near 0, and how many were lost in it: few senders have one. */
  private readonly gaps: Map<number, { readonly at: number; readonly count: number }> = new Map();
  /** How many frames had come at the last reboot. */
  private readonly rebootAt: Map<number, number> = new Map();
  private readonly jumps: (Jump | undefined)[] = [];

  constructor(senders: number) {
    this.next = new Uint16Array(senders).fill(NONE);
    this.expected = new Uint8Array(senders);
    this.received = new Float64Array(senders);
    this.lost = new Float64Array(senders);
    this.duplicated = new Uint32Array(senders);
    this.reordered = new Uint32Array(senders);
    this.restarted = new Uint32Array(senders);
    this.low = new Uint32Array(senders);
    this.high = new Uint32Array(senders);
    this.span = new Uint8Array(senders);
    this.longest = new Uint8Array(senders);
  }

  /** A frame came, with any number. */
  pass(sender: number, number: number): void {
    const { next, expected } = this;
    if (next[sender] === NONE) {
      expected[sender] = number + 1;
      this.low[sender] = 1;
      this.span[sender] = 1;
    } else {
      this.catchUp(sender);
      this.judge(sender, number);
    }
    this.received[sender]++;
    next[sender] = this.jumps[sender] ? UNSETTLED : expected[sender] || AGAIN;
  }

  /** Frames that came in turn since the last look are marked all at once. */
  private catchUp(sender: number): void {
    const count = this.inTurn(sender);
    if (count === 0) return;
    this.received[sender] += count;
    this.expected[sender] += count;
    this.shift(sender, count);
    this.low[sender] |= count >= 32 ? 0xffffffff : 2 ** count - 1;
    if (count > 32) this.high[sender] |= count >= 64 ? 0xffffffff : 2 ** (count - 32) - 1;
  }

  /** How many frames came since the last look: where the numbers begin again, there always is one. */
  private inTurn(sender: number): number {
    const next = this.next[sender];
    const expected = this.expected[sender] || AGAIN;
    return next > AGAIN || expected === AGAIN ? 0 : next - expected;
  }

  private judge(sender: number, number: number): void {
    const jump = this.jumps[sender];
    if (jump && this.settle(sender, number, jump)) return;
    const ahead = (number - this.expected[sender] + 1) & 0xff;
    const behind = (256 - ahead) & 0xff;
    const isKnown = behind < WINDOW && this.has(sender, behind);
    const isReboot = number === 0 && ahead <= FAR && ahead > Math.max(LEAST_GAP, 2 * this.longest[sender]);
    const proof = isReboot ? RESTART_PROOF : proofFor(number, ahead, behind, isKnown, this.span[sender]);
    if (proof > 0 && !this.jumps[sender]) this.jumps[sender] = this.jumpFrom(sender, number, ahead, proof);
    if (ahead >= 1 && ahead <= AHEAD) {
      this.miss(sender, number, ahead - 1, isReboot);
      this.shift(sender, ahead);
      this.low[sender] |= 1;
      this.expected[sender] = number + 1;
    } else if (behind >= WINDOW || isKnown) {
      this.duplicated[sender]++;
    } else {
      this.mark(sender, behind);
      this.reordered[sender]++;
      this.lost[sender] = Math.max(0, this.lost[sender] - 1);
    }
  }

  /** Frames before this number did not come. */
  private miss(sender: number, number: number, count: number, mayBeReboot: boolean): void {
    this.lost[sender] += count;
    if (!mayBeReboot) this.longest[sender] = Math.max(this.longest[sender], count);
    if (count === 0 || number >= NEAR_ZERO || number >= count) return;
    this.gaps.set(sender, { at: this.received[sender], count });
  }

  /** A sender rebooted a moment ago, by its time since boot: a loss that its numbers showed was none. */
  rebooted(sender: number): void {
    const received = this.received[sender] + this.inTurn(sender);
    const rebootAt = this.rebootAt.get(sender);
    if (rebootAt !== undefined && received - rebootAt <= RECENT) return;
    const gap = this.gaps.get(sender);
    if (gap && received - gap.at <= RECENT) this.lost[sender] = Math.max(0, this.lost[sender] - gap.count);
    this.gaps.delete(sender);
    this.rebootAt.set(sender, received);
    this.restarted[sender]++;
  }

  private jumpFrom(sender: number, number: number, ahead: number, proof: number): Jump {
    return {
      first: number,
      ahead,
      left: proof,
      count: 1,
      last: number,
      gaps: 0,
      lost: this.lost[sender],
      duplicated: this.duplicated[sender],
      reordered: this.reordered[sender],
    };
  }

  /** Follows a jump: true once it is settled as one, and this frame counted with it. */
  private settle(sender: number, number: number, jump: Jump): boolean {
    const step = (number - jump.last) & 0xff;
    if (step < 1 || step > STEP) {
      this.jumps[sender] = undefined;
      // it was a loss after all
      if (jump.ahead <= AHEAD) this.longest[sender] = Math.max(this.longest[sender], jump.ahead - 1);
      return false;
    }
    jump.last = number;
    jump.gaps += step - 1;
    jump.count++;
    if (--jump.left > 0) return false;
    // from here on it was a jump all along: what its frames were taken for is taken back
    this.jumps[sender] = undefined;
    this.duplicated[sender] = jump.duplicated;
    this.reordered[sender] = jump.reordered;
    const isRestart = jump.first < NEAR_ZERO;
    if (isRestart) {
      this.restarted[sender]++;
      this.rebootAt.set(sender, this.received[sender]);
      this.gaps.delete(sender);
    }
    this.lost[sender] = jump.lost + jump.gaps + (isRestart ? 0 : jump.ahead - 1);
    this.expected[sender] = number + 1;
    this.low[sender] = jump.gaps === 0 ? 2 ** jump.count - 1 : 1;
    this.high[sender] = 0;
    this.span[sender] = Math.min(WINDOW, jump.count + jump.gaps);
    return true;
  }

  private has(sender: number, behind: number): boolean {
    return ((behind < 32 ? this.low[sender] >>> behind : this.high[sender] >>> (behind - 32)) & 1) === 1;
  }

  private mark(sender: number, behind: number): void {
    if (behind < 32) this.low[sender] |= 1 << behind;
    else this.high[sender] |= 1 << (behind - 32);
  }

  /** Moves the window on by a count of numbers. */
  private shift(sender: number, by: number): void {
    const { low, high, span } = this;
    span[sender] = Math.min(WINDOW, span[sender] + by);
    if (by >= 32) {
      high[sender] = by >= 64 ? 0 : low[sender] << (by - 32);
      low[sender] = 0;
    } else {
      high[sender] = (high[sender] << by) | (low[sender] >>> (32 - by));
      low[sender] <<= by;
    }
  }

  statistics(sender: number, stream: string): StreamStatistics {
    return {
      stream,
      received: this.received[sender] + this.inTurn(sender),
      lost: this.lost[sender],
      duplicated: this.duplicated[sender],
      reordered: this.reordered[sender],
      restarted: this.restarted[sender],
    };
  }
}

/** How many frames must go on from this number before it is taken for a jump; 0 if it is nothing unusual. */
function proofFor(number: number, ahead: number, behind: number, isKnown: boolean, span: number): number {
  const isFar = ahead > FAR && behind > FAR;
  if (number < NEAR_ZERO && isFar) return behind < span ? LATE_RESTART_PROOF : RESTART_PROOF;
  if (ahead > AHEAD && isFar && behind >= span) return JUMP_PROOF;
  return isKnown && isFar ? REPEAT_PROOF : 0;
}

/** A number out of turn, until the frames after it say what it was; and the counts as they were before. */
interface Jump {
  readonly first: number;
  /** How far it was ahead of the last frame, modulo 256. */
  readonly ahead: number;
  /** Frames that are still wanted to settle it. */
  left: number;
  count: number;
  last: number;
  /** Numbers left out since the jump. */
  gaps: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly reordered: number;
}
