import { LIMITS } from '../../core/limits.ts';
import { type Header, MAGIC_2, SIGNATURE, SIGNED } from './header.ts';
import type { SigningKey } from './key.ts';

/*
 * What a signed frame has after its checksum, https://mavlink.io/en/guide/message_signing.html
 *
 *     0      1 ... 6           7 ... 12
 *     link   time, 48 bits     the first 48 bits of SHA-256(key, frame with its checksum, link, time)
 *
 * Times are little-endian and count tens of microseconds since 2015-01-01. A stream is a link of a component of a
 * system; its times must grow, so that no frame can be sent again by another sender.
 */
const EPOCH: number = Date.UTC(2015, 0, 1);
const PER_MILLISECOND = 100;
const MINUTE = 60_000 * PER_MILLISECOND;
const HOUR = 60 * MINUTE;
const LARGEST = 2 ** 48 - 1;
const TIME_END = 7;
/** How far ahead times are stored: after a restart frames are refused, or signed ahead, for no longer than this. */
const LEASE = 2_000 * PER_MILLISECOND;
const ALL_OTHERS = -1;
/** RADIO_STATUS comes from the radio itself, which has no key. */
const RADIO_STATUS = 109;

/** What the signature of a frame says. The first three are accepted. */
export type SignatureVerdict =
  | 'valid'
  /** Not signed, but of the one message that need not be. */
  | 'exempt'
  /** Not signed, and that is allowed. */
  | 'tolerated'
  | 'unsigned'
  | 'bad-signature'
  /** Its time is not after the last one of its stream. */
  | 'replayed'
  /** Its time is more than a minute before ours. */
  | 'outdated'
  /** Its time is so far ahead that to believe it would shut out everybody else. */
  | 'premature';

export interface VerifierOptions {
  readonly keys: readonly SigningKey[];
  /** What becomes of frames that are not signed, those of MAVLink 1 included; refused by default. */
  readonly unsigned?: 'refuse' | 'accept' | undefined;
  /** The time in milliseconds since 1970. Without it, as for a recording, only the frames have times. */
  readonly now?: (() => number) | undefined;
  /** What `timestamp` was when it was stored last. */
  readonly timestamp?: number | undefined;
  /** The last time of each stream, as `store` was given them. */
  readonly stamps?: ReadonlyMap<number, number> | undefined;
  /** Stores times, somewhat ahead, before later ones are accepted: so no frame is accepted twice, even after a kill. */
  readonly store?: ((stamps: ReadonlyMap<number, number>) => void) | undefined;
  /** How far a frame may be ahead of our time, in milliseconds; an hour by default. It needs `now`. */
  readonly ahead?: number | undefined;
  /** Streams that are kept apart: the times of each are kept. */
  readonly streams?: number | undefined;
}

export function isAccepted(verdict: SignatureVerdict): boolean {
  return verdict === 'valid' || verdict === 'exempt' || verdict === 'tolerated';
}

/** Verifies signed frames. What it keeps in mind is changed by valid frames only, so that no other frame can. */
export class Verifier {
  /** A verifier for each receiver: what was sent to one before, by any sender, may be sent again to another. */
  static perReceiver(options: VerifierOptions): (receiver: string) => Verifier | undefined {
    const known = new Map<string, Verifier>();
    return (receiver) => {
      const verifier = known.get(receiver) ?? (options.keys.length > 0 ? new Verifier(options) : undefined);
      if (verifier) known.set(receiver, verifier);
      return verifier;
    };
  }

  private readonly keys: readonly SigningKey[];
  private readonly unsigned: 'refuse' | 'accept';
  private readonly now: (() => number) | undefined;
  private readonly ahead: number;
  private readonly most: number;
  private readonly stamps: VerifierOptions['stamps'];
  private readonly store: VerifierOptions['store'];
  /** The last time of each stream, under ALL_OTHERS that of streams that are not kept any more; and what is stored. */
  private readonly times: Map<number, number>;
  private stored: Map<number, number> = new Map();
  private latest: number;

  constructor(options: VerifierOptions) {
    const { keys, unsigned = 'refuse', now, timestamp = 0, ahead, stamps, store, streams = LIMITS.streams } = options;
    if (keys.length === 0) throw new RangeError('no key to verify signatures with');
    this.keys = keys;
    this.unsigned = unsigned;
    this.now = now;
    this.latest = timestamp;
    this.ahead = ahead === undefined ? HOUR : ahead * PER_MILLISECOND;
    this.most = streams;
    this.stamps = stamps;
    this.times = new Map(stamps);
    this.store = store;
  }

  /** The largest time of all: to be stored at least once a minute, so that it is never set back. */
  get timestamp(): number {
    return this.latest;
  }

  /** The last time of each stream: to be stored in place of what `store` was given, when no more frames come. */
  get lastTimes(): ReadonlyMap<number, number> {
    return this.times;
  }

  /** Decides on a frame whose checksum is right. */
  check(bytes: Uint8Array, header: Header): SignatureVerdict {
    if (header.version !== 2 || (header.flags & SIGNED) === 0) {
      if (header.id === RADIO_STATUS) return 'exempt';
      return this.unsigned === 'accept' ? 'tolerated' : 'unsigned';
    }
    const block = header.end - SIGNATURE;
    const signed = block + TIME_END;
    let isSigned = false;
    for (const key of this.keys) isSigned = key.signs(bytes, header.start, signed) || isSigned;
    if (!isSigned) return 'bad-signature';
    const stream = (header.system << 16) | (header.component << 8) | bytes[block];
    return this.checkTime(stream, timeOf(bytes, block + 1));
  }

  private checkTime(stream: number, time: number): SignatureVerdict {
    const clock = this.clock();
    const last = this.times.get(stream) ?? this.times.get(ALL_OTHERS);
    if (last !== undefined && time <= last) return 'replayed';
    if (time < clock - MINUTE) return 'outdated';
    if (this.now && time > clock + this.ahead) return 'premature';
    if (!this.times.has(stream) && this.times.size >= this.most) this.makeRoom();
    this.times.set(stream, time);
    this.latest = Math.max(this.latest, time);
    if (this.store && !(time <= (this.stored.get(stream) ?? 0))) {
      // what was stored before and not met since is ahead of its stream already
      const isAhead = (each: number, at: number): boolean => each === ALL_OTHERS || this.stamps?.get(each) === at;
      this.stored = new Map([...this.times].map(([each, at]) => [each, isAhead(each, at) ? at : at + LEASE]));
      this.store(this.stored);
    }
    return 'valid';
  }

  /** Forgets the stream that is the furthest behind: no other one that is not kept may be further behind than it was. */
  private makeRoom(): void {
    let oldest = ALL_OTHERS;
    let oldestTime = Number.POSITIVE_INFINITY;
    for (const [stream, time] of this.times) {
      if (stream === ALL_OTHERS || time >= oldestTime) continue;
      oldest = stream;
      oldestTime = time;
    }
    this.times.delete(oldest);
    this.times.set(ALL_OTHERS, Math.max(oldestTime, this.times.get(ALL_OTHERS) ?? 0));
  }

  private clock(): number {
    return this.now ? Math.max(this.latest, stampOf(this.now())) : this.latest;
  }
}

export interface SignerOptions {
  readonly key: SigningKey;
  /** Which of the sender's links it is, 0 to 255. */
  readonly link: number;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
  /** What was stored last: by `store`, or else `timestamp`, at most a minute before the sender stopped. */
  readonly timestamp?: number | undefined;
  /** Stores a time before a frame of a later one is signed: somewhat later, so that it need not be done for each. */
  readonly store?: ((timestamp: number) => void) | undefined;
}

/** Signs the frames of one sender on one link. */
export class Signer {
  private readonly key: SigningKey;
  private readonly link: number;
  private readonly now: () => number;
  private readonly store: SignerOptions['store'];
  private last: number;
  private stored: number;

  constructor({ key, link, now, timestamp, store }: SignerOptions) {
    if (!Number.isInteger(link) || link < 0 || link > 255) throw new RangeError(`link is ${link}, not 0 to 255`);
    this.key = key;
    this.link = link;
    this.now = now;
    this.store = store;
    this.stored = timestamp ?? 0;
    // where times are not stored ahead, frames may have been signed after it was
    this.last = timestamp === undefined || store ? this.stored : timestamp + MINUTE;
  }

  /** The time of the last frame: to be stored at least once a minute, so that it grows over a restart too. */
  get timestamp(): number {
    return this.last;
  }

  /** A frame of version 2 that is marked as signed and has its checksum, with its signature. */
  sign(frame: Uint8Array): Uint8Array {
    if (frame[0] !== MAGIC_2 || (frame[2] & SIGNED) === 0)
      throw new RangeError(`frame begins with ${frame[0]} and has flags ${frame[2]}: it is not marked as signed`);
    const time = Math.max(stampOf(this.now()), this.last + 1);
    if (time > LARGEST) throw new RangeError(`signing time ${time} is more than 48 bits hold, ${LARGEST}`);
    this.last = time;
    if (this.store && time > this.stored) {
      this.stored = time + LEASE;
      this.store(this.stored);
    }
    const signed = new Uint8Array(frame.length + SIGNATURE);
    signed.set(frame);
    const block = frame.length;
    signed[block] = this.link;
    for (let i = 0, rest = time; i < 6; i++, rest = Math.floor(rest / 256)) signed[block + 1 + i] = rest % 256;
    signed.set(this.key.signature(signed, 0, block + TIME_END), block + TIME_END);
    return signed;
  }
}

/** Milliseconds since 1970 as a time of signatures. */
export function stampOf(milliseconds: number): number {
  return Math.max(0, Math.floor((milliseconds - EPOCH) * PER_MILLISECOND));
}

function timeOf(bytes: Uint8Array, at: number): number {
  let time = 0;
  for (let i = 5; i >= 0; i--) time = time * 256 + bytes[at + i];
  return time;
}
