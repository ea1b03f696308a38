import type { RecordBatch, Sink } from '../../core/decoder.ts';
import type { Fault } from '../../core/fault.ts';
import type { Schema } from '../../core/schema.ts';

interface Known {
  readonly schema: Schema;
  readonly stream: string;
}

/** What a fault of a member is to the mixed stream. */
type Role =
  /** All of a frame, which is the member's, but no record. */
  | 'frame'
  /** Damage of which the member is sure to know the cause. */
  | 'damage'
  /** No more than that bytes are not the member's. */
  | 'nothing';

/** How one member reports its frames. */
interface ClaimRules {
  /** Where the frame ends that begins with a record; by default after that record. */
  readonly frameEnd?: (bytes: Uint8Array, start: number) => number;
  readonly role: (code: string) => Role;
}

/** Frames for which there is room at first. */
const FIRST = 64;

/** The frames that one protocol of a mixed stream claims, in order, until decided. As numbers, not objects. */
export class Claims implements Sink {
  /** Tables by the member's number of them, and the numbers that they have in the mixed stream. */
  readonly tables: Known[] = [];
  readonly ids: number[] = [];
  /** Of each frame: where it begins and ends, the numbers of records up to its end, and whether it has its bytes. */
  starts: Float64Array = new Float64Array(FIRST);
  ends: Float64Array = new Float64Array(FIRST);
  until: Float64Array = new Float64Array(FIRST);
  private wins = new Uint8Array(FIRST);
  private claimed = 0;
  /** Three numbers a record: the member's table, where it begins, its bytes. */
  triples: Float64Array = new Float64Array(3 * FIRST);
  private numbers = 0;
  /** Frames before this one were decided, and handed over. */
  private decided = 0;
  given = 0;
  /** Remarks on frames and faults that are frames, in the order of the source, and how many were looked at. */
  notes: Fault[] = [];
  private noted = 0;
  /** Damage, in the order of the source, and how much was looked at. */
  private damage: Fault[] = [];
  private passed = 0;
  /** What was handed over. */
  frames = 0;
  bytes = 0;
  private readonly rules: ClaimRules;

  constructor(rules: ClaimRules) {
    this.rules = rules;
  }

  table(id: number, schema: Schema, stream: string): void {
    this.tables[id] = { schema, stream };
  }

  records({ bytes, base, count, table, start, size }: RecordBatch): void {
    const { frameEnd } = this.rules;
    this.triples = roomFor(this.triples, this.numbers + 3 * count);
    const { triples } = this;
    for (let i = 0; i < count; i++) {
      const from = base + start[i];
      triples[this.numbers] = table[i];
      triples[this.numbers + 1] = from;
      triples[this.numbers + 2] = size[i];
      this.numbers += 3;
      if (this.claimed > 0 && from < this.ends[this.claimed - 1]) this.until[this.claimed - 1] = this.numbers;
      else this.claim(from, frameEnd ? base + frameEnd(bytes, start[i]) : from + size[i]);
    }
  }

  /** Adds a frame, whose records so far are those that came last. */
  private claim(start: number, end: number): void {
    const { claimed } = this;
    if (claimed === this.starts.length) {
      this.starts = roomFor(this.starts, claimed + 1);
      this.ends = roomFor(this.ends, claimed + 1);
      this.until = roomFor(this.until, claimed + 1);
      this.wins = roomFor(this.wins, claimed + 1);
    }
    this.starts[claimed] = start;
    this.ends[claimed] = end;
    this.until[claimed] = this.numbers;
    this.claimed++;
  }

  fault(fault: Fault): void {
    const role = fault.length === 0 ? 'nothing' : this.rules.role(fault.code);
    if (role === 'damage') this.damage.push(fault);
    if (role === 'frame') this.claim(fault.offset, fault.offset + fault.length);
    if (role === 'frame' || fault.length === 0) this.notes.push(fault);
  }

  /** Decides about frames before an offset: taken if they overlap none of `stronger`. Returns the new offset. */
  decide(place: number, stronger: readonly Claims[]): number {
    const { starts, ends, wins, claimed } = this;
    const rivals = stronger.filter((each) => each.decided > each.given);
    const at = rivals.map(({ given }) => given);
    for (; this.decided < claimed && ends[this.decided] <= place; this.decided++) {
      const start = starts[this.decided];
      const end = ends[this.decided];
      let isFree = true;
      for (let k = 0; k < at.length && isFree; k++) {
        at[k] = rivals[k].firstBehind(start, at[k]);
        isFree = at[k] === rivals[k].claimed || rivals[k].starts[at[k]] >= end;
      }
      wins[this.decided] = Number(isFree);
    }
    return this.decided < claimed ? Math.min(place, starts[this.decided]) : place;
  }

  /** The first frame from one on that has its bytes and ends after a place. */
  private firstBehind(place: number, from: number): number {
    let at = from;
    while (at < this.decided && (this.wins[at] === 0 || this.ends[at] <= place)) at++;
    // those that are not decided begin after all that are asked for
    return at;
  }

  /** Where the next frame begins that has its bytes; infinite if none is decided. */
  next(): number {
    this.given = this.firstBehind(-1, this.given);
    return this.given < this.decided ? this.starts[this.given] : Number.POSITIVE_INFINITY;
  }

  /** The next note on the frame that begins at a place; those before it are on frames that are not taken. */
  noteAt(place: number): Fault | undefined {
    const { notes } = this;
    while (this.noted < notes.length && notes[this.noted].offset < place) this.noted++;
    return notes[this.noted]?.offset === place ? notes[this.noted++] : undefined;
  }

  /** The next damage that begins before a place; undefined when there is none left. */
  damageBefore(place: number): Fault | undefined {
    return this.damage[this.passed]?.offset < place ? this.damage[this.passed++] : undefined;
  }

  /** Where damage begins that goes on after a place; the place itself if there is none. */
  startOfDamageAcross(place: number): number {
    for (let i = this.passed; i < this.damage.length && this.damage[i].offset < place; i++)
      if (this.damage[i].offset + this.damage[i].length > place) return this.damage[i].offset;
    return place;
  }

  forget(): void {
    const { given, claimed, until } = this;
    const gone = given === 0 ? 0 : until[given - 1];
    for (const list of [this.starts, this.ends, until, this.wins]) list.copyWithin(0, given, claimed);
    this.triples.copyWithin(0, gone, this.numbers);
    this.claimed -= given;
    this.numbers -= gone;
    for (let i = 0; i < this.claimed; i++) until[i] -= gone;
    this.decided -= given;
    this.given = 0;
    this.notes.splice(0, this.noted);
    this.damage.splice(0, this.passed);
    this.noted = 0;
    this.passed = 0;
  }
}

/** The list itself if it has room, otherwise a copy with twice as many places. */
function roomFor<List extends Float64Array | Uint8Array>(list: List, length: number): List {
  if (length <= list.length) return list;
  const longer = new (list.constructor as new (length: number) => List)(2 * length);
  longer.set(list);
  return longer;
}
