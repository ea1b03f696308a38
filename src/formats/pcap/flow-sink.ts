import { RecordBatch, type Sink } from '../../core/decoder.ts';
import { type Fault, LazyFault } from '../../core/fault.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Schema } from '../../core/schema.ts';
import { type Harvest, NO_TABLE } from './harvest.ts';
import type { Segments } from './segments.ts';

/** A place in a stream where bytes are missing. */
export interface Break {
  readonly at: number;
  /** How many; undefined if unknown. */
  readonly missing: number | undefined;
  /** Whether they were not captured at all; else the packet before is cut. */
  readonly isHole: boolean;
  /** The packet that is cut, or the first one after the hole, and where it is in the file. */
  readonly packet: number;
  readonly file: number;
}

/** What the decoder of a flow finds, with its places in the stream turned into those in the capture. */
export class FlowSink implements Sink {
  recordCount = 0;
  faultCount = 0;
  faultBytes = 0;
  /** Up to here all bytes of the stream are in records or faults. */
  covered: number;
  private readonly name: () => string;
  private readonly format: string;
  private readonly segments: Segments;
  private readonly harvest: Harvest;
  private readonly out: (fault: Fault) => void;
  /** Where the decoder's first byte is in the stream. */
  private readonly shift: number;
  private readonly ids: number[] = [];
  private isFull = false;
  /** Places that faults will speak of at the end. */
  private readonly marks: Map<number, number> = new Map();
  private breaking: Break | undefined;
  private hasCut = false;

  constructor(
    name: () => string,
    format: string,
    segments: Segments,
    shift: number,
    harvest: Harvest,
    out: (fault: Fault) => void,
  ) {
    this.name = name;
    this.format = format;
    this.segments = segments;
    this.shift = shift;
    this.covered = shift;
    this.harvest = harvest;
    this.out = out;
  }

  table(id: number, schema: Schema, stream: string): void {
    const table = this.harvest.tableOf(this.format, schema, stream);
    this.ids[id] = table;
    this.isFull ||= table === NO_TABLE;
  }

  records(batch: RecordBatch): void {
    const { count, base, start, size } = batch;
    if (count === 0) return;
    this.covered = base + this.shift + start[count - 1] + size[count - 1];
    if (this.isFull) {
      this.recordsOneByOne(batch);
      return;
    }
    this.recordCount += count;
    this.harvest.add(batch, this.segments, this.shift, this.ids);
  }

  /** Where there are too many tables, records of those that have none are lost. */
  private recordsOneByOne({ bytes, base, count, table, start, size }: RecordBatch): void {
    const one = new RecordBatch(1);
    one.bytes = bytes;
    one.base = base;
    one.count = 1;
    for (let i = 0; i < count; i++) {
      const offset = base + start[i];
      if (this.ids[table[i]] === NO_TABLE) {
        const text = `record at offset ${offset} is of one table more than can be kept`;
        this.fault({ code: 'too-many-tables', offset, length: size[i], lost: true, text });
        continue;
      }
      one.table[0] = table[i];
      one.start[0] = start[i];
      one.size[0] = size[i];
      this.recordCount++;
      this.harvest.add(one, this.segments, this.shift, this.ids);
    }
  }

  keep(offset: number): void {
    if (this.marks.size < LIMITS.faultSubjects) this.marks.set(offset, this.segments.fileAt(offset + this.shift));
  }

  fault(inner: Fault): void {
    const { code, offset, length, lost, subject } = inner;
    this.faultCount++;
    this.faultBytes += length;
    const at = offset + this.shift;
    const file = (length === 0 ? this.marks.get(offset) : undefined) ?? this.segments.fileAt(at);
    if (length > 0) this.covered = Math.max(this.covered, at + length);
    const { breaking } = this;
    const isCut = breaking !== undefined && code === 'truncated';
    this.hasCut ||= isCut;
    this.out(
      new LazyFault(isCut ? 'cut' : code, file, length, lost, subject, () => {
        const said = inner.text.replace(new RegExp(`at offset ${offset}(?!\\d)`), `at offset ${file}`);
        const cause = isCut ? `: ${missingText(breaking)}` : '';
        return `${said.replace('cut by the end', 'cut')}${cause} (${this.name()})`;
      }),
    );
  }

  /** Bytes are missing: what the decoder makes of that in `decide` is reported with the cause. */
  breakAt(place: Break, decide: () => void): void {
    this.breaking = place;
    this.hasCut = false;
    decide();
    this.breaking = undefined;
    const { missing, isHole, file } = place;
    if (missing === 0 || (this.hasCut && !isHole)) return;
    this.faultCount++;
    const text = (): string => `${missingText(place)} (${this.name()})`;
    this.out(new LazyFault(isHole ? 'tcp-hole' : 'cut', file, 0, true, undefined, text));
  }
}

function missingText({ missing, isHole, packet, file }: Break): string {
  const bytes = missing === undefined ? 'bytes' : `${missing} byte${missing === 1 ? '' : 's'}`;
  return isHole
    ? `${bytes} before packet ${packet} at offset ${file} are not in the capture`
    : `${bytes} of packet ${packet} at offset ${file} were not captured`;
}
