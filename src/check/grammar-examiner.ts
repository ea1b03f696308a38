import { TYPE_BYTES } from '../core/schema.ts';
import { type Automaton, type AutomatonState, automatonOf, DEAD } from './automaton.ts';
import { describeSet, hexByte } from './byte-set.ts';
import type { Grammar, RecordLength } from './grammar.ts';
import { RECORD_HEAD } from './grammar-read.ts';
import { GRAMMAR_LIMITS } from './limits.ts';
import type { Examiner, OnViolation } from './violation.ts';

const END_OF_FILE = 'the end of the file';
const END_OF_RECORD = 'the end of the record';
const NOWHERE = Number.POSITIVE_INFINITY;

/** Follows a file by its grammar. With `all`, goes on after a violation, and at the stated end of its record. */
export class GrammarExaminer implements Examiner {
  private readonly automaton: Automaton;
  private readonly report: OnViolation;
  private readonly isAll: boolean;
  private state: number;
  /** AutomatonState in the file of the next byte. */
  private offset = 0;
  private records = 0;
  /** Where the current record begins, and the state that it begins in. */
  private recordStart = 0;
  private recordState: number;
  /** The first bytes of the record, as far as they came in earlier pieces. */
  private readonly head = new Uint8Array(RECORD_HEAD);
  private headBytes = 0;
  /** Where the record that broke the grammar ends, by what it says itself; what the grammar has no place for is skipped. */
  private resumeAt: number = NOWHERE;
  private isSkipping = false;
  /** Whether nothing more is looked at. */
  private isOver = false;

  constructor(grammar: Grammar, report: OnViolation, isAll = false) {
    this.automaton = automatonOf(grammar);
    this.report = report;
    this.isAll = isAll;
    this.state = this.automaton.start;
    this.recordState = this.automaton.start;
  }

  /** Records that are complete. */
  get checked(): number {
    return this.records;
  }

  push(bytes: Uint8Array): void {
    const base = this.offset;
    for (let at = 0; at < bytes.length && !this.isOver; ) {
      const stop = Math.min(bytes.length, this.resumeAt - base);
      at = this.isSkipping ? stop : this.run(bytes, at, stop, base);
      if (base + at === this.resumeAt) this.resume();
    }
    this.offset = base + bytes.length;
    this.keepHead(bytes, base);
  }

  end(): void {
    if (this.isOver) return;
    const place = this.automaton.place(this.state);
    if (this.isSkipping) this.violate(place, this.offset, `${this.resumeAt - this.offset} bytes more`, END_OF_FILE);
    else if (!place.canEnd) this.violate(place, this.offset, expectedAt(place), END_OF_FILE);
  }

  /** Follows bytes [from, to) and returns how far it came: up to `to`, or behind the first that is wrong. */
  private run(bytes: Uint8Array, from: number, to: number, base: number): number {
    const { table, classOf, classes, special, records } = this.automaton;
    let { state } = this;
    for (let at = from; at < to; ) {
      const next = table[state + classOf[bytes[at]]];
      if (next >= special) {
        if (next >= records) {
          this.state = state;
          if (next === DEAD) return this.fail(bytes, at, base);
          this.pass(next, base + at + 1);
          if (this.isSkipping) return at + 1;
        }
        const free = table[next + classes];
        if (at + free < to) {
          at += free + 1;
          state = table[next + classes + 1];
          continue;
        }
      }
      state = next;
      at++;
    }
    this.state = state;
    return to;
  }

  /** Enters a state where a record begins or ends. */
  private pass(state: number, offset: number): void {
    const place = this.automaton.place(state);
    if (place.endsRecord) {
      if (offset < this.resumeAt && this.resumeAt !== NOWHERE) {
        this.violate(this.automaton.place(this.state), offset, END_OF_RECORD, `${this.resumeAt - offset} bytes more`);
        this.isSkipping = true;
      }
      if (offset === this.resumeAt) this.resumeAt = NOWHERE;
      this.records++;
    }
    this.state = state;
    if (place.beginsRecord) this.begin(state, offset);
  }

  private begin(state: number, offset: number): void {
    this.state = state;
    this.recordState = state;
    this.recordStart = offset;
    this.headBytes = 0;
  }

  private fail(bytes: Uint8Array, at: number, base: number): number {
    const { automaton } = this;
    const place = automaton.place(this.state);
    this.violate(place, base + at, expectedAt(place), hexByte(bytes[at]));
    const next = automaton.recover(this.state);
    if (!this.isAll || next === DEAD) {
      this.isOver = true;
      return at;
    }
    const { label } = place;
    if (label?.length && this.resumeAt === NOWHERE) this.resumeAt = this.recordEnd(label.length, bytes, at, base);
    if (next >= automaton.records) this.pass(next, base + at + 1);
    else this.state = next;
    return at + 1;
  }

  /** The next record begins here, whatever became of the last one. */
  private resume(): void {
    if (!this.isSkipping) {
      const place = this.automaton.place(this.state);
      this.violate(place, this.resumeAt, expectedAt(place), END_OF_RECORD);
      this.records++;
    }
    this.begin(this.isSkipping ? this.state : this.recordState, this.resumeAt);
    this.isSkipping = false;
    this.resumeAt = NOWHERE;
  }

  /** Where the current record ends by what it says, or nowhere if it says nothing that can be. */
  private recordEnd(
    { at: place, number, order, plus }: RecordLength,
    bytes: Uint8Array,
    at: number,
    base: number,
  ): number {
    const width = TYPE_BYTES[number];
    const from = this.recordStart + place;
    if (from + width > base + at) return NOWHERE;
    let value = 0;
    for (let i = 0; i < width; i++) {
      const offset = from + (order === 'big' ? i : width - 1 - i);
      value = value * 256 + (offset < base ? this.head[offset - this.recordStart] : bytes[offset - base]);
    }
    const end = this.recordStart + value + plus;
    return end > base + at && value <= GRAMMAR_LIMITS.recordBytes ? end : NOWHERE;
  }

  /** Keeps the first bytes of a record that goes on in the next piece. */
  private keepHead(bytes: Uint8Array, base: number): void {
    const from = Math.max(0, this.recordStart + this.headBytes - base);
    const part = bytes.subarray(from, from + RECORD_HEAD - this.headBytes);
    this.head.set(part, this.headBytes);
    this.headBytes += part.length;
  }

  private violate({ label }: AutomatonState, offset: number, expected: string, found: string): void {
    const { layer = '', field = '', inRecord = false } = label ?? {};
    const record = inRecord ? this.records + 1 : null;
    this.report({ level: 'grammar', offset, record, layer, field, expected, found });
  }
}

/** What a state expects, in words. */
function expectedAt({ expected, wanted, canEnd }: AutomatonState): string {
  const bytes = expected.includes(1) ? [describeSet(expected)] : [];
  const words = wanted.length > 0 ? [`${wanted.join(' or ')}, next byte ${bytes[0]}`] : bytes;
  return [...words, ...(canEnd ? [END_OF_FILE] : [])].join(' or ');
}
