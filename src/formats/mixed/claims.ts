import type { RecordBatch, Sink } from '../../core/decoder.ts';
import type { Fault } from '../../core/fault.ts';
import type { Schema } from '../../core/schema.ts';

export interface Known {
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

/** How one member tells of its frames. */
export interface ClaimRules {
  /** Where the frame ends that begins with a record of so many bytes: behind that record where it does not say. */
  readonly frameEnd?: (bytes: Uint8Array, start: number) => number;
  readonly role: (code: string) => Role;
}

/**
 * The frames that one member of a mixed stream says are its own, in the order of the source, until it is decided whose
 * the bytes are. All as numbers: no object is made for a frame.
 */
export class Claims implements Sink {
  /** Tables by the member's number of them, and the numbers that they have in the mixed stream. */
  readonly tables: Known[] = [];
  readonly ids: number[] = [];
  /** Of each frame: where it begins and ends, how many records there are up to its end, and whether it has its bytes. */
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly until: number[] = [];
  private readonly wins: boolean[] = [];
  /** Three numbers a record: the member's table, where it begins, its bytes. */
  readonly triples: number[] = [];
  /** Frames before this one were decided, and handed over. */
  private decided = 0;
  given = 0;
  /** Remarks on frames and faults that are frames, in the order of the source; so many were looked at. */
  notes: Fault[] = [];
  private noted = 0;
  /** Damage, in the order of the source; so much was looked at. */
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
    const { starts, ends, until, triples } = this;
    const { frameEnd } = this.rules;
    for (let i = 0; i < count; i++) {
      const from = base + start[i];
      triples.push(table[i], from, size[i]);
      if (ends.length > 0 && from < ends[ends.length - 1]) {
        until[until.length - 1] = triples.length;
        continue;
      }
      starts.push(from);
      ends.push(frameEnd ? base + frameEnd(bytes, start[i]) : from + size[i]);
      until.push(triples.length);
    }
  }

  fault(fault: Fault): void {
    const role = fault.length === 0 ? 'nothing' : this.rules.role(fault.code);
    if (role === 'damage') this.damage.push(fault);
    if (role === 'frame') {
      this.starts.push(fault.offset);
      this.ends.push(fault.offset + fault.length);
      this.until.push(this.triples.length);
    }
    if (role === 'frame' || fault.length === 0) this.notes.push(fault);
  }

  /**
   * Decides about the frames that end before a place: those are taken that overlap none of a stronger member that was.
   * Returns the place before which all is decided.
   */
  decide(place: number, stronger: readonly Claims[]): number {
    const { starts, ends, wins } = this;
    const rivals = stronger.filter((each) => each.decided > each.given);
    const at = rivals.map(({ given }) => given);
    for (; this.decided < ends.length && ends[this.decided] <= place; this.decided++) {
      const [start, end] = [starts[this.decided], ends[this.decided]];
      let isFree = true;
      for (let k = 0; k < at.length && isFree; k++) {
        at[k] = rivals[k].firstBehind(start, at[k]);
        isFree = !(rivals[k].starts[at[k]] < end);
      }
      wins.push(isFree);
    }
    return this.decided < starts.length ? Math.min(place, starts[this.decided]) : place;
  }

  /** The first frame from one on that has its bytes and ends behind a place. */
  private firstBehind(place: number, from: number): number {
    let at = from;
    while (at < this.decided && (!this.wins[at] || this.ends[at] <= place)) at++;
    // those that are not decided begin behind all that are asked for
    return at;
  }

  /** Where the next frame begins that has its bytes; infinite where none is decided. */
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

  /** Where damage begins that goes on behind a place; the place itself if there is none. */
  startOfDamageAcross(place: number): number {
    for (let i = this.passed; i < this.damage.length && this.damage[i].offset < place; i++)
      if (this.damage[i].offset + this.damage[i].length > place) return this.damage[i].offset;
    return place;
  }

  /** Lets go of what was handed over. */
  forget(): void {
    const { given, until, triples } = this;
    const records = given === 0 ? 0 : until[given - 1];
    for (const list of [this.starts, this.ends, until, this.wins]) list.splice(0, given);
    triples.splice(0, records);
    for (let i = 0; i < until.length; i++) until[i] -= records;
    this.decided -= given;
    this.given = 0;
    this.notes.splice(0, this.noted);
    this.damage.splice(0, this.passed);
    this.noted = 0;
    this.passed = 0;
  }
}
