import type { Catalog } from './catalog.ts';
import { impliedExtra, isRight, lengthBeforeCut, sumOf } from './checksum.ts';
import type { MessageDefinition } from './definition.ts';
import type { Failure } from './gap.ts';
import { HEADER_2, Header, isMagic, SIGNED } from './header.ts';
import type { Lead } from './lead.ts';
import { RunningSum } from './running-sum.ts';
import type { Tables } from './tables.ts';
import { Unknowns } from './unknown.ts';

// a constant of this module is built into the machine code, what others export is looked up each time
const SIGNED_FLAG = SIGNED;

/** What a place turned out to be; WAIT says that it cannot be told without the bytes behind. */
export const WAIT = -1;
const NO_FRAME = 0;
export const FRAME = 1;

/** In which way a frame was accepted. */
export type Kind = 'ordinary' | 'odd-length' | 'early-crc' | 'unknown' | 'incompatible';

/**
 * Decides whether a frame begins at a place, and why not where one seems to. The checksum decides, with the definitions
 * that the catalog has of the id. Where it does not fit, a frame may still be one of these, which only its neighbours
 * can tell from garbage: a frame must follow a frame directly, or be followed by one.
 */
export class Judge {
  /** Of the place that was looked at last. */
  readonly header: Header = new Header();
  kind: Kind = 'ordinary';
  slot = 0;
  /** Why it is no frame, where it seems to be one. */
  failure: Failure | undefined;
  /** Whether both its neighbours speak for it: where it ends, another may begin. */
  isSure = false;
  readonly unknowns: Unknowns = new Unknowns();
  /** Of the bytes at hand, for places that no frame leads to: there may be one after the other of them. */
  readonly sums: RunningSum = new RunningSum();

  private readonly catalog: Catalog;
  private readonly tables: Tables;
  private readonly lead: Lead | undefined;
  private readonly next: Header = new Header();

  constructor(catalog: Catalog, tables: Tables, lead: Lead | undefined) {
    this.catalog = catalog;
    this.tables = tables;
    this.lead = lead;
  }

  /**
   * @param isLed whether a frame ends just before this one, or before its lead
   * @param asks  whether it is worth to look for reasons
   */
  look(bytes: Uint8Array, at: number, isLed: boolean, asks: boolean, isFinal: boolean): number {
    const { header, catalog } = this;
    this.failure = undefined;
    this.isSure = false;
    if (!header.read(bytes, at)) return this.lookAtEnd(bytes, at, isLed, isFinal);
    const slot = catalog.find(header.id);
    const isUsual = this.isUsual(header, slot);
    const learned = this.unknowns.learned(header.id);
    let sum = -1;
    if (isUsual || learned >= 0) {
      if (header.end > bytes.length) return isFinal ? this.cut(bytes, at) : WAIT;
      sum = isLed ? sumOf(bytes, header) : this.sums.of(bytes, at + 1, header.checksum);
      if (isUsual && this.isDefined(slot, sum, bytes, false)) return this.accept('ordinary');
      if (header.flags <= SIGNED_FLAG && learned >= 0 && isRight(sum, learned, header.stated(bytes)))
        return this.accept('unknown');
    }
    if (!asks || (header.flags > SIGNED_FLAG && slot === 0)) return NO_FRAME;
    const ahead = HEADER_2 + (this.lead?.bytes ?? 0);
    if (header.end + ahead > bytes.length && !isFinal) return WAIT;
    if (header.end > bytes.length) return isLed ? this.cut(bytes, at) : NO_FRAME;
    const isFollowed = this.isFollowed(bytes);
    if (!isLed && !isFollowed) return NO_FRAME;
    this.isSure = isLed && isFollowed;
    return this.explain(bytes, slot, sum < 0 ? this.sums.of(bytes, at + 1, header.checksum) : sum);
  }

  /** Less than a header is left, or there is none. */
  private lookAtEnd(bytes: Uint8Array, at: number, isLed: boolean, isFinal: boolean): number {
    if (at < bytes.length && !isMagic(bytes[at])) return NO_FRAME;
    if (!isFinal) return WAIT;
    if (isLed) this.failure = { code: 'truncated', subject: 'header', text: 'is cut by the end' };
    this.header.end = bytes.length;
    return NO_FRAME;
  }

  private cut(bytes: Uint8Array, at: number): number {
    const { header } = this;
    const text = `is cut by the end after ${bytes.length - at} of ${header.end - at} bytes`;
    this.failure = { code: 'truncated', subject: this.catalog.nameOf(header.id), text };
    header.end = bytes.length;
    return NO_FRAME;
  }

  private accept(kind: Kind): number {
    this.kind = kind;
    return FRAME;
  }

  /** What is asked before a sum is made, which garbage that looks like frames would make costly. */
  private isUsual({ version, flags, length }: Header, slot: number): boolean {
    return flags <= SIGNED_FLAG && this.catalog.firstFit(slot, length, version) !== 0;
  }

  /** Whether the checksum is right by one of the definitions of the id, the length aside or not. */
  private isDefined(first: number, sum: number, bytes: Uint8Array, isAnyLength: boolean): boolean {
    const { catalog, header } = this;
    const { length, version } = header;
    const stated = header.stated(bytes);
    for (let slot = first; slot !== 0; slot = catalog.other[slot]) {
      if (!isRight(sum, catalog.extra(slot), stated)) continue;
      if (!isAnyLength && !catalog.fits(slot, length, version)) continue;
      this.slot = slot;
      return true;
    }
    return false;
  }

  /** Whether a frame follows: the header of a known message, or of any other of the same sender, or the end. */
  private isFollowed(bytes: Uint8Array): boolean {
    const { lead, header } = this;
    if (lead) {
      if (header.end + lead.bytes >= bytes.length) return true;
      if (lead.isLikely(bytes, header.end) && this.isStart(bytes, header.end + lead.bytes)) return true;
    }
    return this.isStart(bytes, header.end);
  }

  private isStart(bytes: Uint8Array, at: number): boolean {
    const { next, header } = this;
    if (!next.read(bytes, at)) return at === bytes.length || isMagic(bytes[at]);
    if (this.isUsual(next, this.catalog.find(next.id))) return true;
    return next.flags <= SIGNED_FLAG && next.system === header.system && next.component === header.component;
  }

  /** Looks for what explains a frame that its neighbours speak for. */
  private explain(bytes: Uint8Array, slot: number, sum: number): number {
    const { header } = this;
    if (this.isDefined(slot, sum, bytes, true))
      return this.accept(header.flags > SIGNED_FLAG ? 'incompatible' : 'odd-length');
    if (header.flags > SIGNED_FLAG) return NO_FRAME;
    if (this.isEarly(bytes, slot, sum)) return this.accept('early-crc');
    return this.isUnknown(sum, header.stated(bytes), slot) ? this.accept('unknown') : NO_FRAME;
  }

  /** Whether the checksum was made before zeros were cut off, which some senders get wrong. */
  private isEarly(bytes: Uint8Array, first: number, sum: number): boolean {
    const { header, catalog } = this;
    // a sender that sums what is left, as it should, makes its wrong checksums in another way
    if (header.version !== 2 || this.tables.cutsRight(header.system, header.component)) return false;
    for (let slot = first; slot !== 0; slot = catalog.other[slot]) {
      const { length } = catalog.definitions[slot] as MessageDefinition;
      if (lengthBeforeCut(bytes, header, sum, catalog.extra(slot), length) === 0) continue;
      this.slot = slot;
      return true;
    }
    return false;
  }

  /** Whether it is to be kept as a frame of no known definition; says why it failed where it is not. */
  private isUnknown(sum: number, stated: number, slot: number): boolean {
    const { unknowns, isSure } = this;
    const { id } = this.header;
    const extra = impliedExtra(sum, stated);
    const subject = this.catalog.nameOf(id);
    const numbers = `states checksum ${hex(stated)}, its bytes add up to ${hex(sum)} without CRC_EXTRA`;
    const isLearned = unknowns.learned(id) >= 0;
    if (extra >= 0 && !isLearned && unknowns.takes(id)) {
      if (isSure || (slot === 0 && unknowns.agrees(id, extra))) {
        unknowns.add(id, extra);
        if (slot === 0 || unknowns.learned(id) === extra) return true;
        this.failure = { code: 'other-dialect', subject, text: `${numbers}: right with ${extra}, of another dialect` };
        return false;
      }
    } else if (isSure) {
      unknowns.doubt(id);
    }
    if (slot !== 0 || isLearned) this.failure = { code: 'bad-crc', subject, text: numbers };
    else if (isSure) this.failure = { code: 'unknown-id', subject, text: `${numbers}: right with no byte for it` };
    return false;
  }
}

function hex(sum: number): string {
  return `0x${sum.toString(16).padStart(4, '0')}`;
}
