import { crc32 } from '../core/checksum.ts';
import { payloadAt } from '../formats/mavlink/header.ts';
import { frameNumber } from './message.ts';

/*
 * How a reboot of a vehicle shows. Alone:
 *
 *     time since boot    goes back in two messages in a row: one may be very late. 32 bits are full after 49.7 days.
 *                        By less than 3 s it goes back only with the sequence, and for half a second
 *     TIMESYNC           its time goes back to less than what passed since the one before
 *
 * ArduPilot sends nothing with a time since boot until it is asked, and TIMESYNC every 10 s. Any two of these within some
 * seconds show it sooner, unless the time since boot goes on meanwhile:
 *
 *     sequence           starts again from 0, where it was elsewhere, and goes on from there
 *     address            the frames come from another UDP port
 *     heartbeat          says that the vehicle boots, where it was up before
 *     text               one that is said at boot only
 *     silence            messages with a time since boot came until then, and none since
 *
 * None of it does while two senders share the ids of the component.
 */

/** Milliseconds by which a message may be late, or of a slower task than others. */
const LATE = 3_000;
const BACK = 1_000;
const FULL = 2 ** 32;
/** Microseconds for which a second path, slower by some seconds, does not send alone. */
const LASTING = 0.5e6;
/** Milliseconds by which clocks may differ where 32 bits were full and began again. */
const NEAR_FULL = 600_000;
/** Microseconds in which signs belong together, and without a time since boot after the sequence started again. */
const TOGETHER = 3e6;
const SILENCE = 2e6;
/** The first frames after a boot may be lost, some between others too: a number ahead by this much still follows. */
const NEAR_ZERO = 4;
const STEP = 4;
/** Numbers further apart than this are not of frames that overtook each other, or of some that were lost. */
const FAR = 16;
const SECOND = 1e6;

type Sign = 'sequence' | 'address' | 'heartbeat' | 'text';

const CAUSES: readonly (readonly [sign: Sign, cause: string])[] = [
  ['sequence', 'sequence restarted'],
  ['address', 'new source port'],
  ['heartbeat', 'heartbeat says booting'],
];

/** Since when one component runs, by all that shows it, and how often it rebooted. */
export class Boot {
  /** Milliseconds since boot, as the component said last; NaN before it did. */
  milliseconds: number = Number.NaN;
  /** When it said so. */
  time: number = Number.NaN;
  reboots = 0;
  /** When the first frame after the last reboot came; NaN before one was seen. And what showed it. */
  startedAt: number = Number.NaN;
  cause = '';
  /** Whether and when the last message said an earlier time since boot, which the next one may confirm. */
  private isBack = false;
  private backAt = 0;
  /** When the component was started, before its time since boot went back. */
  private formerStart: number = Number.NaN;
  private synced: { readonly milliseconds: number; readonly time: number } | undefined;
  /** When each sign was seen last. */
  private readonly signs: Map<Sign, number> = new Map();
  readonly shared: SharedId = new SharedId();
  /** The number that the next frame has if it comes in turn; -1 while more than that is looked at. */
  private next = -1;
  private sequence = -1;
  private from = '';
  private firstFrame: number = Number.NaN;
  private lastFrame: number = Number.NaN;
  /** Whether and when a number near 0 came out of turn, which the next frame may confirm. */
  private isZero = false;
  private zeroAt = 0;

  /** A message says how long the component runs; true if that shows a reboot. */
  uptime(milliseconds: number, time: number): boolean {
    // 0 says nothing: the message has room for it, its sender does not fill it
    if (milliseconds === 0) return false;
    const mayBeLate = this.shared.uptime(startOf(milliseconds, time), time);
    const last = this.milliseconds;
    const expected = last + Math.max(0, time - this.time) / 1000;
    if (mayBeLate && !(milliseconds < expected + LATE)) return false;
    const isLess = milliseconds < last - BACK;
    const isBack = isLess && milliseconds < expected - LATE;
    // one that ran for a moment only goes back by no more than a message may be late
    const isYoung = isLess && !isBack && milliseconds < LATE && this.signs.has('sequence');
    // also where nothing was heard for days
    const isFull = Math.abs(milliseconds + FULL - expected) < NEAR_FULL;
    if (!(isBack || isYoung) || isFull) {
      // two senders: this one was started when the component was, before it seemed to reboot
      const isAhead = milliseconds > expected + LATE;
      if (isAhead && Math.abs(startOf(milliseconds, time) - this.formerStart) < SECOND) this.shared.prove(time);
      // it goes on: what looked like a reboot was loss, or another way to here
      if (this.signs.size > 0 && !Number.isNaN(last)) this.signs.clear();
      if (isBack || !(milliseconds < last)) this.set(milliseconds, time);
      this.isBack = false;
      return false;
    }
    if (!this.isBack) {
      this.isBack = true;
      this.backAt = time;
      return false;
    }
    if (isYoung && time - this.backAt < LASTING) return false;
    const startedAt = Math.min(this.backAt, this.signs.get('sequence') ?? time);
    this.formerStart = startOf(last, this.time);
    const isSeen = this.restart(startedAt, 'boot time went back', time);
    this.set(milliseconds, time);
    return isSeen;
  }

  /** TIMESYNC that the component began says its own time in nanoseconds; true if that shows a reboot. */
  sync(nanoseconds: number, time: number): boolean {
    const milliseconds = nanoseconds / 1e6;
    const last = this.synced;
    this.synced = { milliseconds, time };
    if (!last || !(milliseconds < last.milliseconds - LATE)) return false;
    if (milliseconds > (time - last.time) / 1000 + LATE) return false;
    const isSeen = this.restart(this.signs.get('sequence') ?? time, 'TIMESYNC went back', time);
    this.synced = { milliseconds, time };
    return isSeen;
  }

  /** A frame came from an address; true if it is in turn, as most are: then nothing else is to be asked of it. */
  follows(sequence: number, from: string, time: number): boolean {
    if (sequence !== this.next || from !== this.from) return false;
    this.next = (sequence + 1) & 0xff;
    this.lastFrame = time;
    return true;
  }

  /** A frame that does not follow may be of a second sender with the same ids. */
  compare(bytes: Uint8Array, start: number, time: number): void {
    this.catchUp();
    this.shared.frame(bytes, start, time);
  }

  /** A frame came from an address; true if its number, with what was seen before, shows a reboot. */
  frame(sequence: number, from: string, time: number): boolean {
    this.catchUp();
    const isReboot = this.judge(sequence, from, time);
    this.next = this.isZero || this.shared.isLooking ? -1 : (sequence + 1) & 0xff;
    return isReboot;
  }

  /** Frames that followed changed nothing but the number of the next one. */
  private catchUp(): void {
    if (this.next < 0) return;
    this.sequence = (this.next - 1) & 0xff;
    this.shared.last = this.sequence;
    this.next = -1;
  }

  private judge(sequence: number, from: string, time: number): boolean {
    const ahead = (sequence - this.sequence) & 0xff;
    const isUsual = ahead === 1 && from === this.from && !this.isZero;
    const isFirst = this.sequence < 0;
    const silence = time - this.lastFrame;
    const wasZero = this.isZero;
    this.sequence = sequence;
    this.lastFrame = time;
    if (isUsual) return false;
    const isMoved = from !== this.from && this.from !== '';
    this.from = from;
    if (isFirst) {
      this.firstFrame = time;
      return false;
    }
    const isOut = ahead !== 1 && ahead < 256 - FAR && (ahead > FAR || silence > TOGETHER);
    this.isZero = sequence < NEAR_ZERO && isOut;
    if (this.isZero) this.zeroAt = time;
    else if (ahead >= 1 && ahead <= STEP && wasZero) this.signs.set('sequence', this.zeroAt);
    if (isMoved) this.signs.set('address', time);
    return this.isSeen(time);
  }

  /** Something that a vehicle sends only at boot; true if that, with earlier signs, shows a reboot. */
  sign(sign: 'heartbeat' | 'text', time: number): boolean {
    // one boot sends more than one heartbeat and text that say so, maybe on a slower link too
    if ([this.firstFrame, this.startedAt].some((start) => Math.abs(time - start) < TOGETHER)) return false;
    this.signs.set(sign, time);
    return this.isSeen(time);
  }

  /** Advances time; true if missing messages show a reboot. */
  tick(time: number): boolean {
    const sequenceAt = this.signs.get('sequence');
    if (sequenceAt === undefined || !(time - sequenceAt > SILENCE) || !(this.time < sequenceAt)) return false;
    if (time - sequenceAt > TOGETHER + SECOND) {
      this.signs.delete('sequence');
      return false;
    }
    return this.restart(sequenceAt, 'sequence restarted', time);
  }

  private isSeen(time: number): boolean {
    for (const [sign, at] of this.signs) if (!(Math.abs(time - at) <= TOGETHER)) this.signs.delete(sign);
    // the slower one of two links says all of it again
    if (this.shared.isRebooting(time)) this.signs.clear();
    if (this.signs.size < 2) return false;
    const [, cause] = CAUSES.find(([sign]) => this.signs.has(sign)) ?? CAUSES[0];
    return this.restart(Math.min(...this.signs.values()), cause, time);
  }

  /** It goes on at another address; with a cause, since it rebooted. */
  move(sequence: number, from: string, time: number, startedAt: number, cause: string): void {
    this.frame(sequence, from, time);
    this.signs.clear();
    if (cause !== '') this.restart(startedAt, cause, time);
  }

  private restart(startedAt: number, cause: string, time: number): boolean {
    const isReboot = !this.shared.isSeen(time);
    if (isReboot) {
      this.reboots++;
      this.startedAt = startedAt;
      this.cause = cause;
      this.shared.restarted(time);
    }
    this.milliseconds = Number.NaN;
    this.time = Number.NaN;
    this.isBack = false;
    this.isZero = false;
    this.synced = undefined;
    this.signs.clear();
    return isReboot;
  }

  private set(milliseconds: number, time: number): void {
    this.milliseconds = milliseconds;
    this.time = time;
  }
}

function startOf(milliseconds: number, time: number): number {
  return time - milliseconds * 1000;
}

/** Microseconds by which a copy of a frame may be late; and after the last sign, until it counts no more. */
const COPY = 3e6;
const APART = 3e6;
/** Microseconds after the last proof until there is one sender again. */
const OVER = 10e6;
const PROOF = 6;
/** Times since boot that show one vehicle, and microseconds by which they say another start at most. */
const UPTIMES = 8;
const ONE_START = 0.25e6;
/** The same where it is known to send on two links, one of which may be slow; for how long that holds, and how much is kept. */
const SLOW = 3e6;
const NEAR = 1e6;
/** Microseconds for which the starts before and after a reboot may be said at once. */
const OVERLAP = SLOW + SECOND;
const KNOWN_ONE = 30e6;
const UNIQUES = 64;
/** Microseconds of signs until there are two whatever else they say: ArduPilot sends TIMESYNC every 10 s. */
const UNCLEAR = 12e6;
/** Degrees of latitude, x 10^7, that no vehicle flies from one position to the next. */
const FAR_AWAY = 30_000;

/**
 * Finds two senders with the same ids at one address, such as vehicles behind one radio or router. Their numbers go on in
 * turn from two places or, where these are near to each other, each number comes twice. Copies of frames, from a second
 * path that is slower, do both too: they have the checksum of the frame that had their number before.
 */
export class SharedId {
  /** The last number, but for those that are behind another; set where frames simply followed. */
  last = -1;
  /** The last number before the numbers jumped far. */
  private other = -1;
  private isBehind = false;
  private signs = 0;
  private signAt: number = Number.NaN;
  private seenAt: number = Number.NaN;
  /** The checksum by number, -1 for none, since numbers were out of turn. */
  private sums: Int32Array | undefined;
  private sumsSince: number = Number.NaN;
  /** When the sender was started, by its times since boot of some seconds, and by those before. */
  private starts: StartRange = new StartRange(Number.NaN);
  private earlier: StartRange = this.starts;
  /** The same before the last reboot, and when that was seen. */
  private former: StartRange = this.starts;
  private rebootAt: number = Number.NaN;
  /** Since when another start was said, and when last. */
  private otherSince: number = Number.NaN;
  private otherAt: number = Number.NaN;
  /** The last two modes that heartbeats said, the last latitude, and when it was said, twice, what one vehicle does not say. */
  private modes: readonly [last: string, before: string] = ['', ''];
  private latitude: number = Number.NaN;
  private apartAt: readonly [last: number, before: number] = [Number.NaN, Number.NaN];
  private farAt: readonly [last: number, before: number] = [Number.NaN, Number.NaN];

  /** Frames that no other vehicle sends, by their checksum; and when one came under two numbers. */
  private uniques: Map<number, { readonly number: number; readonly time: number }> | undefined;
  private oneAt: number = Number.NaN;
  /** When the signs began. */
  private signsSince: number = Number.NaN;

  /** Whether numbers are out of turn. */
  get isLooking(): boolean {
    return this.sums !== undefined;
  }

  /** What no other vehicle sends came: if it comes under two numbers, one vehicle sends it on two links. */
  unique(bytes: Uint8Array, number: number, time: number): void {
    this.uniques ??= new Map();
    const { uniques } = this;
    const sum = crc32(bytes);
    const before = uniques.get(sum);
    uniques.delete(sum);
    uniques.set(sum, { number, time });
    if (uniques.size > UNIQUES) uniques.delete(uniques.keys().next().value as number);
    if (!before || before.number === number || !(Math.abs(time - before.time) < SLOW)) return;
    this.oneAt = time;
    if (this.isOne(time)) this.seenAt = Number.NaN;
  }

  /** It rebooted: times since boot say another start. */
  restarted(time: number): void {
    this.former = this.starts;
    this.rebootAt = time;
    this.starts = new StartRange(Number.NaN);
    this.earlier = this.starts;
  }

  /**
   * A message says when its sender was started. Returns whether that may be said late, on the slower one of two links: then
   * it says nothing of two senders.
   */
  uptime(startedAt: number, time: number): boolean {
    if (this.mayBeLate(startedAt, time)) return true;
    if (!(time - this.starts.since < OVER)) {
      this.earlier = this.starts;
      this.starts = new StartRange(time);
    }
    this.starts.add(startedAt);
    return false;
  }

  /** Whether it sends on two links, one of which may be behind in telling of its last reboot. */
  isRebooting(time: number): boolean {
    return time - this.oneAt < KNOWN_ONE && time - this.rebootAt < OVERLAP;
  }

  /** While a vehicle reboots, its slower link says the earlier start for some time, and the faster one the next. */
  private mayBeLate(startedAt: number, time: number): boolean {
    if (!(time - this.oneAt < KNOWN_ONE)) return false;
    if (this.isRebooting(time) && this.former.isNear(startedAt)) return true;
    if (this.starts.count === 0 || this.starts.isNear(startedAt)) return false;
    if (!(time - this.otherAt < OVERLAP)) this.otherSince = time;
    this.otherAt = time;
    return time - this.otherSince < OVERLAP;
  }

  /** A heartbeat says mode and state: those of two vehicles take turns. */
  state(mode: number, state: number, time: number): void {
    const said = `${mode} ${state}`;
    const [last, before] = this.modes;
    if (said === last) return;
    if (said === before) this.apartAt = [time, this.apartAt[0]];
    this.modes = [said, last];
  }

  /** A message says where its sender is. */
  place(latitude: number, time: number): void {
    // signed, in a word without a sign
    const step = Math.abs((latitude - this.latitude) | 0);
    this.latitude = latitude;
    if (step > FAR_AWAY) this.farAt = [time, this.farAt[0]];
  }

  private isApart(time: number): boolean {
    return time - this.apartAt[1] < OVER || time - this.farAt[1] < OVER;
  }

  /** One vehicle that sends on two of its links, whose messages a router or a capture put together, was started once. */
  private isOne(time: number): boolean {
    const { starts, earlier } = this;
    // a slow link says late where it is and in which mode, but not that it is elsewhere
    if (time - this.oneAt < KNOWN_ONE) return starts.isWithin(SLOW) && !(time - this.farAt[1] < OVER);
    if (this.isApart(time)) return false;
    return starts.isOne && (starts.count >= UPTIMES || (earlier.isOne && earlier.count >= UPTIMES));
  }

  frame(bytes: Uint8Array, start: number, time: number): void {
    const number = frameNumber(bytes, start);
    const ahead = (number - this.last) & 0xff;
    if (ahead === 1 && this.sums && this.isCalm(time)) this.sums = undefined;
    const isUsual = this.last < 0 || (ahead === 1 && !this.sums);
    if (!isUsual) this.look(number, ahead, sumOf(bytes, start), time);
    if (isUsual || !this.isBehind) this.last = number;
  }

  /** Whether there are two, or were a moment ago. */
  isSeen(time: number): boolean {
    return Math.abs(time - this.seenAt) < OVER;
  }

  private look(number: number, ahead: number, sum: number, time: number): void {
    const sums = this.sumsAt(time);
    const known = sums[number];
    sums[number] = sum;
    const wasBehind = this.isBehind;
    this.isBehind = ahead === 0 || ahead >= 256 - FAR;
    if (this.isBehind) {
      if (known === sum) this.signs = 0;
      else if (!wasBehind && known >= 0) this.sign(time);
      return;
    }
    const step = (number - this.other) & 0xff;
    const isReturn = ahead > FAR && this.other >= 0 && step >= 1 && step <= STEP;
    // what is left out may come late
    const left = isReturn ? step : Math.min(ahead, FAR);
    for (let i = 1; i < left; i++) sums[(number - i) & 0xff] = -1;
    if (ahead <= FAR) return;
    this.other = this.last;
    if (!isReturn || known === sum) this.signs = 0;
    else if (known >= 0 || time - this.sumsSince > COPY) this.sign(time);
  }

  /** Whether checksums of so long ago say nothing. */
  private isCalm(time: number): boolean {
    return !(Math.abs(time - this.sumsSince) < OVER || Math.abs(time - this.signAt) < OVER);
  }

  private sumsAt(time: number): Int32Array {
    if (this.sums && !this.isCalm(time)) return this.sums;
    this.sums = new Int32Array(256).fill(-1);
    this.sumsSince = time;
    return this.sums;
  }

  /** Something that one sender cannot do. */
  prove(time: number): void {
    this.seenAt = time;
  }

  private sign(time: number): void {
    const goesOn = Math.abs(time - this.signAt) < APART;
    this.signs = goesOn ? this.signs + 1 : 1;
    if (!goesOn) this.signsSince = time;
    this.signAt = time;
    const isClear = this.isApart(time) || !this.starts.isWithin(SLOW) || time - this.signsSince > UNCLEAR;
    if (this.signs >= PROOF && isClear && !this.isOne(time)) this.prove(time);
  }
}

/** The earliest and the latest start that messages say. */
class StartRange {
  readonly since: number;
  count = 0;
  private least: number = Number.POSITIVE_INFINITY;
  private most: number = Number.NEGATIVE_INFINITY;

  constructor(since: number) {
    this.since = since;
  }

  add(startedAt: number): void {
    this.count++;
    this.least = Math.min(this.least, startedAt);
    this.most = Math.max(this.most, startedAt);
  }

  get isOne(): boolean {
    return this.isWithin(ONE_START);
  }

  isWithin(range: number): boolean {
    return !(this.most - this.least > range);
  }

  /** Whether another message may say this start too, on a link whose delay changes a little. */
  isNear(startedAt: number): boolean {
    return startedAt >= this.least - NEAR && startedAt <= this.most + NEAR;
  }
}

function sumOf(bytes: Uint8Array, start: number): number {
  const at = payloadAt(bytes, start) + bytes[start + 1];
  return bytes[at] | (bytes[at + 1] << 8);
}
