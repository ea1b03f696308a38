import { hex } from '../../core/text.ts';
import { impliedExtra, isRight, lengthBeforeCut, sumOf } from './checksum.ts';
import type { Catalog } from './dialect/catalog.ts';
import type { MessageDefinition } from './dialect/definition.ts';
import { HEADER_2, Header, isMagic, SIGNED } from './header.ts';
import { RunningSum } from './running-sum.ts';
import { Unknowns } from './unknown.ts';

// a constant of this module is built into the machine code, what others export is looked up each time
const SIGNED_FLAG = SIGNED;

/** What a place turned out to be in a stream; WAIT says that more bytes must decide. */
export const WAIT = -1;
const NO_FRAME = 0;
export const FRAME = 1;

/** What is at a place: no beginning of a frame, or one whose header no message that is known can have; */
const NO_START = 0;
const IMPOSSIBLE = 1;
/** a header, or a frame, of which a part is missing; */
const BEGUN = 2;
const UNFINISHED = 3;
/** a frame of a known message whose checksum is wrong, or right. */
const WRONG = 4;
const RIGHT = 5;

/** Why something that looks like a frame is none. */
export interface Failure {
  readonly code: string;
  /** The message, by name or id. */
  readonly subject: string;
  /** The rest of the sentence that begins with 'frame ATTITUDE at offset 12'. */
  readonly text: string;
}

/** What a container puts before each frame: a telemetry log the time at which it came. */
export interface Lead {
  readonly bytes: number;
  /** Whether these bytes can be one at all. */
  isPossible(bytes: Uint8Array, at: number): boolean;
  /** Whether they are one also if nothing else says so. */
  isLikely(bytes: Uint8Array, at: number): boolean;
}

export interface JudgeOptions {
  readonly catalog: Catalog;
  /** What is before each frame, if anything is. */
  readonly lead?: Lead | undefined;
  /** Whether a sender is known to make its checksums after it cut zeros off, as it should; all do by default. */
  readonly cutsRight?: ((system: number, component: number) => boolean) | undefined;
  /** Whether flags that are not known make a damaged frame of what neighbours speak for, and not garbage. */
  readonly isStrict?: boolean | undefined;
  /** Many judges may share them: nothing in them outlives the bytes that are looked at. */
  readonly sums?: RunningSum | undefined;
}

/** In which way a frame was accepted. */
export type Kind = 'ordinary' | 'odd-length' | 'early-crc' | 'unknown' | 'incompatible';

/** What is at a place, by nothing but the bytes there. The header comes first: garbage full of them needs few sums. */
class Place {
  readonly header: Header = new Header();
  /** The definition that makes its checksum right, otherwise the first of its id; 0 for none. */
  slot = 0;
  /** The sum without CRC_EXTRA, -1 if it was not made. */
  private sum = -1;
  private readonly catalog: Catalog;

  constructor(catalog: Catalog) {
    this.catalog = catalog;
  }

  /** @param sums where one beginning may come after the other: what makes their sums */
  look(bytes: Uint8Array, at: number, sums?: RunningSum): number {
    const { header, catalog } = this;
    this.sum = -1;
    if (!header.read(bytes, at)) return at >= bytes.length || isMagic(bytes[at]) ? BEGUN : NO_START;
    const { id, flags, length, version } = header;
    this.slot = catalog.find(id);
    if (flags > SIGNED_FLAG || catalog.firstFit(this.slot, length, version) === 0) return IMPOSSIBLE;
    if (header.end > bytes.length) return UNFINISHED;
    return this.isDefined(bytes, this.sumUp(bytes, sums), false) ? RIGHT : WRONG;
  }

  sumUp(bytes: Uint8Array, sums?: RunningSum): number {
    const { header } = this;
    if (this.sum < 0) this.sum = sums ? sums.of(bytes, header.start + 1, header.checksum) : sumOf(bytes, header);
    return this.sum;
  }

  /** Whether the checksum is right by one of the definitions of the id, the length aside or not. */
  isDefined(bytes: Uint8Array, sum: number, isAnyLength: boolean): boolean {
    const { catalog, header } = this;
    const { length, version } = header;
    const stated = header.stated(bytes);
    for (let slot = catalog.find(header.id); slot !== 0; slot = catalog.other[slot]) {
      if (!isRight(sum, catalog.extra(slot), stated)) continue;
      if (!isAnyLength && !catalog.fits(slot, length, version)) continue;
      this.slot = slot;
      return true;
    }
    return false;
  }
}

/**
 * Decides whether a frame begins at a place, and why not where one seems to. The checksum decides, with the definitions
 * that the catalog has of the id. Where it does not fit, a frame may still be one of these, which only its neighbours
 * can tell from garbage: a frame must follow a frame directly, or be followed by one.
 */
export class Judge {
  /** Of the place that was looked at last. */
  readonly header: Header;
  kind: Kind = 'ordinary';
  /** Why it is not a frame, where it seems to be one. */
  failure: Failure | undefined;
  /** Whether both its neighbours speak for it: where it ends, another may begin. */
  isSure = false;
  readonly unknowns: Unknowns = new Unknowns();
  /** Whether the bytes end here for now, as a datagram does, though what is unfinished may go on. */
  isSettling = false;
  /** Bytes that the place claims which was looked at last. */
  claimed = 0;

  private readonly options: JudgeOptions;
  private readonly here: Place;
  /** Of places after the one that is looked at. */
  private readonly ahead: Place;
  /** Of places that no frame leads to: there may be one after the other. */
  private readonly sums: RunningSum;
  /** No right frame begins in the bytes before this index, nor in those that are looked at. */
  private clear = 0;

  constructor(options: JudgeOptions) {
    const { catalog, sums = new RunningSum() } = options;
    this.options = options;
    this.sums = sums;
    this.here = new Place(catalog);
    this.ahead = new Place(catalog);
    this.header = this.here.header;
  }

  /** The definition of the frame, 0 for none. */
  get slot(): number {
    return this.here.slot;
  }

  /** Other bytes will be looked at. */
  begin(): void {
    this.sums.forget();
    this.clear = 0;
  }

  /** @param isLed whether a frame ends just before this one, or its lead. @param asks whether to look for reasons */
  look(bytes: Uint8Array, at: number, isLed: boolean, asks: boolean, isFinal: boolean): number {
    const { header, here, isSettling } = this;
    const sums = isLed ? undefined : this.sums;
    this.failure = undefined;
    this.isSure = false;
    const found = here.look(bytes, at, sums);
    if (found === RIGHT) return this.accept('ordinary');
    if (found === NO_START) return NO_FRAME;
    if (found === BEGUN) {
      this.claimed = HEADER_2;
      return isFinal ? this.cut(bytes, isLed, 'header') : WAIT;
    }
    const learned = header.flags > SIGNED_FLAG ? -1 : this.unknowns.learned(header.id);
    const isWhole = header.end <= bytes.length;
    this.claimed = header.end - at;
    if (!isWhole && (found === UNFINISHED || learned >= 0)) {
      const isOver = isFinal || (isSettling && this.hides(bytes, at, bytes.length, true) === FRAME);
      return isOver ? this.cut(bytes, true) : WAIT;
    }
    if (learned >= 0 && isRight(here.sumUp(bytes, sums), learned, header.stated(bytes))) return this.accept('unknown');
    if (!asks || (header.flags > SIGNED_FLAG && here.slot === 0)) return NO_FRAME;
    const isOver = isFinal || (isSettling && isWhole);
    const isUndecided = header.end + HEADER_2 + (this.options.lead?.bytes ?? 0) > bytes.length;
    const isFollowed = this.isFollowed(bytes);
    // the cheap question first: nothing leads to it, and nothing follows it
    if (!isLed && !isUndecided && !isFollowed) return NO_FRAME;
    if (found === IMPOSSIBLE && learned < 0) {
      const hidden = this.hides(bytes, at, header.end, isOver);
      if (hidden !== NO_FRAME) return hidden === FRAME ? NO_FRAME : WAIT;
    }
    if (isUndecided && !isOver) return WAIT;
    if (!isWhole) return this.cut(bytes, isLed);
    if (!isLed && !isFollowed) return NO_FRAME;
    this.isSure = isLed && isFollowed;
    return this.explain(bytes, here.sumUp(bytes, sums));
  }

  private accept(kind: Kind): number {
    this.kind = kind;
    return FRAME;
  }

  private fail(code: string, text: string, subject = this.options.catalog.nameOf(this.header.id)): number {
    this.failure = { code, subject, text };
    return NO_FRAME;
  }

  /** The bytes end inside the frame, or already inside its header. */
  private cut(bytes: Uint8Array, isFailure: boolean, subject?: string): number {
    const { header } = this;
    const after = subject === undefined ? ` after ${bytes.length - header.start} of ${this.claimed} bytes` : '';
    header.end = bytes.length;
    return isFailure ? this.fail('truncated', `is cut by the end${after}`, subject) : NO_FRAME;
  }

  /** Whether a right frame begins in (at, to), so no false header holds it back; WAIT if more bytes must decide. */
  private hides(bytes: Uint8Array, at: number, to: number, isOver: boolean): number {
    const stop = Math.min(to, bytes.length);
    let open = to > bytes.length ? stop : -1;
    for (let place = Math.max(at + 1, this.clear); place < stop; place++) {
      if (!isMagic(bytes[place])) continue;
      const found = this.ahead.look(bytes, place, this.sums);
      if (found === RIGHT) return FRAME;
      if ((found === BEGUN || found === UNFINISHED) && (open < 0 || open === stop)) open = place;
    }
    this.clear = Math.max(this.clear, open < 0 ? stop : open);
    return open >= 0 && !isOver ? WAIT : NO_FRAME;
  }

  /** Whether a frame follows: the header of a known message, or of any other of the same sender, or the end. */
  private isFollowed(bytes: Uint8Array): boolean {
    const { end } = this.header;
    const { lead } = this.options;
    if (lead) {
      if (end + lead.bytes >= bytes.length) return true;
      if (lead.isLikely(bytes, end) && this.isStart(bytes, end + lead.bytes)) return true;
    }
    return this.isStart(bytes, end);
  }

  private isStart(bytes: Uint8Array, at: number): boolean {
    const { header, options } = this;
    const { catalog, isStrict } = options;
    const next = this.ahead.header;
    if (!next.read(bytes, at)) return at === bytes.length || isMagic(bytes[at]);
    if (next.flags > SIGNED_FLAG && !isStrict) return false;
    if (catalog.firstFit(catalog.find(next.id), next.length, next.version) !== 0) return true;
    return next.system === header.system && next.component === header.component;
  }

  /** Looks for what explains a frame that its neighbours speak for. */
  private explain(bytes: Uint8Array, sum: number): number {
    const { header, here } = this;
    const { slot } = here;
    const stated = header.stated(bytes);
    if (here.isDefined(bytes, sum, true))
      return this.accept(header.flags > SIGNED_FLAG ? 'incompatible' : 'odd-length');
    if (header.flags > SIGNED_FLAG)
      return this.isSure && this.options.isStrict ? this.failSum('bad-crc', sum, stated) : NO_FRAME;
    return this.isEarly(bytes, slot, sum) ? this.accept('early-crc') : this.lookAtUnknown(sum, stated, slot);
  }

  /** Whether the checksum was made before zeros were cut off, which some senders get wrong. */
  private isEarly(bytes: Uint8Array, first: number, sum: number): boolean {
    const { header, options } = this;
    const { catalog, cutsRight } = options;
    // a sender that sums what is left, as it should, makes its wrong checksums in another way
    if (header.version !== 2 || !cutsRight || cutsRight(header.system, header.component)) return false;
    for (let slot = first; slot !== 0; slot = catalog.other[slot]) {
      const { length } = catalog.definitions[slot] as MessageDefinition;
      if (lengthBeforeCut(bytes, header, sum, catalog.extra(slot), length) === 0) continue;
      this.here.slot = slot;
      return true;
    }
    return false;
  }

  /** Whether it is to be kept as a frame of no known definition; says why it failed where it is not. */
  private lookAtUnknown(sum: number, stated: number, slot: number): number {
    const { unknowns, isSure } = this;
    const { id } = this.header;
    const extra = impliedExtra(sum, stated);
    const isLearned = unknowns.learned(id) >= 0;
    if (extra >= 0 && !isLearned && unknowns.takes(id)) {
      if (isSure || (slot === 0 && unknowns.agrees(id, extra))) {
        unknowns.add(id, extra);
        if (slot === 0 || unknowns.learned(id) === extra) return this.accept('unknown');
        return this.failSum('other-dialect', sum, stated, `: right with ${extra}, of another dialect`);
      }
    } else if (isSure) unknowns.doubt(id);
    if (slot !== 0 || isLearned) return this.failSum('bad-crc', sum, stated);
    return isSure ? this.failSum('unknown-id', sum, stated, ': right with no byte for it') : NO_FRAME;
  }

  private failSum(code: string, sum: number, stated: number, cause = ''): number {
    return this.fail(
      code,
      `states checksum ${hex(stated, 4)}, its bytes add up to ${hex(sum, 4)} without CRC_EXTRA${cause}`,
    );
  }
}
