import type { RecordBatch, Sink } from '../../core/decoder.ts';
import type { Fault } from '../../core/fault.ts';
import type { Schema } from '../../core/schema.ts';

/** Bytes that one protocol says are its own: a frame, whole, with the records that it is. */
export interface Claim {
  readonly member: Claims;
  readonly start: number;
  end: number;
  /** Three numbers a record: the member's table, where it begins, its bytes. */
  readonly records: number[];
}

export interface Known {
  readonly schema: Schema;
  readonly stream: string;
}

/** What one member of a mixed stream finds, until it is decided whose the bytes are. */
export class Claims implements Sink {
  /** Frames that are not decided yet, in the order of the source. */
  pending: Claim[] = [];
  /** Tables by the member's number of them. */
  readonly tables: Known[] = [];
  /** Damage that the member is sure to know the cause of, and remarks on its records. */
  private faults: Fault[] = [];
  /** Faults before this one were looked at. */
  private faultAt = 0;
  private readonly isContinued: (bytes: Uint8Array, start: number) => boolean;
  private readonly keeps: (fault: Fault) => boolean;

  /**
   * @param isContinued whether a record is no frame of its own, but goes on with that of the record before it
   * @param keeps       which faults tell more than that bytes are not the member's
   */
  constructor(isContinued: Claims['isContinued'], keeps: Claims['keeps']) {
    this.isContinued = isContinued;
    this.keeps = keeps;
  }

  table(id: number, schema: Schema, stream: string): void {
    this.tables[id] = { schema, stream };
  }

  records({ bytes, base, count, table, start, size }: RecordBatch): void {
    for (let i = 0; i < count; i++) {
      const [from, to] = [base + start[i], base + start[i] + size[i]];
      const last = this.pending.at(-1);
      if (last && last.end === from && this.isContinued(bytes, start[i])) {
        last.records.push(table[i], from, size[i]);
        last.end = to;
      } else {
        this.pending.push({ member: this, start: from, end: to, records: [table[i], from, size[i]] });
      }
    }
  }

  /** The next fault or remark that begins before a place; undefined when there is none left. */
  faultBefore(place: number): Fault | undefined {
    return this.faults[this.faultAt]?.offset < place ? this.faults[this.faultAt++] : undefined;
  }

  /** Where the first fault begins that ends behind a place and begins before it; the place itself if there is none. */
  startOfFaultAcross(place: number): number {
    for (let i = this.faultAt; i < this.faults.length && this.faults[i].offset < place; i++)
      if (this.faults[i].offset + this.faults[i].length > place) return this.faults[i].offset;
    return place;
  }

  /** Lets go of what was looked at. */
  forget(place: number): void {
    while (this.faults[this.faultAt]?.offset < place) this.faultAt++;
    this.faults = this.faults.slice(this.faultAt);
    this.faultAt = 0;
  }

  fault(fault: Fault): void {
    if (fault.length === 0 || this.keeps(fault)) this.faults.push(fault);
  }
}
