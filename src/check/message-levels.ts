import { X25_SEED, X25_TABLES, x25, x25Byte } from '../core/checksum.ts';
import { getOrAdd } from '../core/maps.ts';
import { lengthBeforeCut, sumOf } from '../formats/mavlink/checksum.ts';
import type { Catalog } from '../formats/mavlink/dialect/catalog.ts';
import type { MessageDefinition } from '../formats/mavlink/dialect/definition.ts';
import { type Header, SIGNATURE } from '../formats/mavlink/header.ts';
import { afterZeros, type RunningSum } from '../formats/mavlink/running-sum.ts';
import { REFUSALS } from '../formats/mavlink/signatures.ts';
import { isAccepted, type Verifier } from '../formats/mavlink/signing.ts';
import type { Segments } from '../formats/pcap/segments.ts';
import { hexByte } from './byte-set.ts';
import { type FieldRules, fieldRules, valueFaults } from './field-rules.ts';
import type { MessageState, Stray, WalkListener } from './message-walker.ts';
import type { CheckLevel, OnViolation, Violation } from './violation.ts';

/** What all streams of a file are judged by. */
export interface MessageJudgement {
  readonly catalog: Catalog;
  readonly report: OnViolation;
  readonly wants: (level: CheckLevel) => boolean;
  /** Who decides on the signatures of what is sent to a receiver; undefined without a key. */
  readonly verifierOf: (receiver: string) => Verifier | undefined;
  /** The ids that may occur, where not all may. */
  readonly only: ReadonlySet<number> | undefined;
  /** Rules of fields, by the slot of the definition. */
  readonly rules: Map<number, FieldRules>;
  readonly sums: RunningSum;
  messages: number;
}

/** Levels on which bytes outside any message are violations. */
const STRAY_LEVELS: readonly CheckLevel[] = ['structure', 'crc', 'messages'];

/** The longest payload. */
const PAYLOAD = 255;

export interface StreamOptions {
  /** Whether each message has a time before it. */
  readonly isStamped?: boolean;
  /** Where the bytes of the stream are in the file; without it, the stream is the file. */
  readonly segments?: Segments;
  readonly receiver?: string;
}

/** Judges the messages of one stream by every level that looks at messages. */
export class MessageLevels implements WalkListener {
  private readonly judgement: MessageJudgement;
  private readonly segments: Segments | undefined;
  private readonly verifier: Verifier | undefined;
  private readonly isStamped: boolean;
  /** Where messages are the records of the file, which one it is about. */
  private record = 0;
  /** Whether what comes before the next message is not reported: the stream began earlier than the capture. */
  isSilent = false;
  private readonly payload = new Uint8Array(PAYLOAD);
  private readonly view = new DataView(this.payload.buffer);

  constructor(judgement: MessageJudgement, { isStamped = false, segments, receiver = '' }: StreamOptions = {}) {
    this.judgement = judgement;
    this.segments = segments;
    this.isStamped = isStamped;
    this.verifier = judgement.wants('signature') ? judgement.verifierOf(receiver) : undefined;
  }

  message(bytes: Uint8Array, header: Header, base: number, state: MessageState, slot: number): void {
    const { judgement } = this;
    this.record = ++judgement.messages;
    this.isSilent = false;
    const at = base + header.start;
    if (state === 'wrong-crc') this.wrongCrc(bytes, header, base);
    else if (state === 'unknown-id') this.unknownId(header, at);
    else if (state === 'incompatible') this.incompatible(header, at);
    else {
      if (this.verifier && judgement.wants('signature')) this.sign(bytes, header, base, this.verifier);
      if (judgement.only && judgement.wants('messages')) this.judge(bytes, header, base, slot, judgement.only);
    }
  }

  stray(stray: Stray, length: number, levels: readonly CheckLevel[] = STRAY_LEVELS): void {
    if (this.isSilent) return;
    this.record = this.judgement.messages + 1;
    for (const level of this.wanted(levels)) {
      // what never was a message needs no checksum
      if (level !== 'crc' || stray.seemsMessage) this.judgement.report(this.strayViolation(level, stray, length));
    }
  }

  strayViolation(level: CheckLevel, { from, first }: Stray, length: number): Violation {
    const [offset, record] = this.placeOf(from);
    const what = length === 1 ? '1 byte outside any message' : `${length} bytes outside any message`;
    return {
      level,
      offset,
      record,
      layer: 'mavlink',
      field: '',
      expected: this.isStamped ? 'a time and a message' : 'a message',
      found: `${hexByte(first)}, ${length === 0 ? 'a message without a time' : what}`,
    };
  }

  cut(from: number, at: number): void {
    const { judgement } = this;
    this.record = judgement.messages + 1;
    const [, record] = this.placeOf(from);
    // what is missing would come after the last byte
    const offset = this.placeOf(at - 1)[0] + 1;
    const [expected, found] = ['the rest of a message', 'the end'];
    for (const level of this.wanted(['structure', 'messages']))
      judgement.report({ level, offset, record, layer: 'mavlink', field: '', expected, found });
  }

  private wrongCrc(bytes: Uint8Array, header: Header, base: number): void {
    const { catalog } = this.judgement;
    if (this.wanted(['crc', 'messages']).length === 0) return;
    const sum = sumOf(bytes, header);
    const right: string[] = [];
    for (let slot = catalog.find(header.id); slot !== 0; slot = catalog.other[slot])
      right.push(hexCrc(x25Byte(sum, catalog.extra(slot))));
    const cause = crcCause(bytes, header, sum, catalog);
    const found = `${hexCrc(header.stated(bytes))}${cause === '' ? '' : `, ${cause}`}`;
    const name = catalog.nameOf(header.id);
    this.violate(['crc', 'messages'], base + header.checksum, name, 'crc', right.join(' or '), found);
  }

  private unknownId(header: Header, at: number): void {
    const found = `${header.id}, whose crc cannot be verified`;
    this.violateHeader(['crc', 'messages'], header, at, 'message id', 'an id that has a definition', found);
  }

  private incompatible(header: Header, at: number): void {
    const field = 'incompatibility flags';
    this.violateHeader(['structure', 'messages'], header, at, field, '00 or 01', hexByte(header.flags));
  }

  private sign(bytes: Uint8Array, header: Header, base: number, verifier: Verifier): void {
    const verdict = verifier.check(bytes, header);
    if (isAccepted(verdict)) return;
    const flags = header.start + (header.version === 2 ? 2 : 0);
    const at = base + (verdict === 'unsigned' ? flags : header.end - SIGNATURE);
    const name = this.judgement.catalog.nameOf(header.id);
    this.violate(['signature'], at, name, 'signature', 'a valid one', `${verdict}: ${REFUSALS[verdict]}`);
  }

  /** The level that knows which messages may occur. */
  private judge(bytes: Uint8Array, header: Header, base: number, slot: number, only: ReadonlySet<number>): void {
    const { catalog } = this.judgement;
    const { id, length, version } = header;
    const at = base + header.start;
    const title = (each: number): string => `${catalog.nameOf(each)} (${each})`;
    if (!only.has(id)) {
      this.violateHeader(['messages'], header, at, 'message id', [...only].map(title).join(' or '), title(id));
      return;
    }
    const definition = catalog.definitions[slot] as MessageDefinition;
    const least = version === 1 ? definition.baseLength : Math.min(1, definition.length);
    const most = version === 1 ? definition.baseLength : definition.length;
    if (length < least || length > most) {
      const expected = least === most ? String(most) : `${least} to ${most}`;
      this.violate(['messages'], at + 1, definition.name, 'payload length', expected, String(length));
      return;
    }
    this.payload.fill(0);
    this.payload.set(bytes.subarray(header.payload, header.checksum));
    const rules = getOrAdd(this.judgement.rules, slot, () => fieldRules(definition));
    for (const fault of valueFaults(rules, this.view, length)) {
      // zeros that were cut off would be where the payload ends
      const place = base + header.payload + Math.min(fault.at, length);
      this.violate(['messages'], place, definition.name, fault.field, fault.expected, fault.found);
    }
  }

  private violateHeader(
    levels: readonly CheckLevel[],
    header: Header,
    at: number,
    field: 'message id' | 'incompatibility flags',
    expected: string,
    found: string,
  ): void {
    const place = field === 'message id' ? (header.version === 1 ? 5 : 7) : 2;
    this.violate(levels, at + place, 'mavlink header', field, expected, found);
  }

  private violate(
    levels: readonly CheckLevel[],
    at: number,
    layer: string,
    field: string,
    expected: string,
    found: string,
  ): void {
    const { judgement } = this;
    const [offset, record] = this.placeOf(at);
    for (const level of this.wanted(levels)) judgement.report({ level, offset, record, layer, field, expected, found });
  }

  /** Where a byte of the stream is in the file, and in which record. */
  private placeOf(at: number): [offset: number, record: number] {
    const { segments } = this;
    return segments ? [segments.fileAt(at), segments.packets[segments.indexOf(at)]] : [at, this.record];
  }

  private wanted(levels: readonly CheckLevel[]): CheckLevel[] {
    return levels.filter((level) => this.judgement.wants(level));
  }
}

/** A checksum as bytes in the file. */
function hexCrc(sum: number): string {
  return `${hexByte(sum & 0xff)} ${hexByte(sum >>> 8)}`;
}

/** Why the checksum of a message of a known id is wrong, where one of two things explains it; '' if none does. */
function crcCause(bytes: Uint8Array, header: Header, sum: number, catalog: Catalog): string {
  if (header.version !== 2) return '';
  for (let slot = catalog.find(header.id); slot !== 0; slot = catalog.other[slot]) {
    const extra = catalog.extra(slot);
    const shorter = lengthBeforeZeros(bytes, header, extra);
    if (shorter > 0) return `which is right for the first ${shorter} bytes of the payload: zeros were added after them`;
    const { length } = catalog.definitions[slot] as MessageDefinition;
    const longer = lengthBeforeCut(bytes, header, sum, extra, length);
    if (longer > 0) return `which is right for ${longer} bytes of payload: zeros were cut off after them`;
  }
  return '';
}

/** The payload length that was summed before zeros were added after it, or 0 if that does not explain the checksum. */
function lengthBeforeZeros(bytes: Uint8Array, header: Header, extra: number): number {
  const { start, payload, checksum, length } = header;
  const stated = header.stated(bytes);
  let zerosFrom = checksum;
  while (zerosFrom > payload + 1 && bytes[zerosFrom - 1] === 0) zerosFrom--;
  let sum = x25(bytes, start + 1, zerosFrom, X25_SEED);
  for (let end = zerosFrom; end < checksum; end++) {
    const change = afterZeros(X25_TABLES[(end - payload) ^ length], end - start - 2);
    if (x25Byte(sum ^ change, extra) === stated) return end - payload;
    sum = x25Byte(sum, 0);
  }
  return 0;
}
