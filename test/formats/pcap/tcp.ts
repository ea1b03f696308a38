/** A byte of a stream, with the place that it has in the file and the packet that brought it. */
export interface PlainByte {
  readonly value: number;
  readonly file: number;
  readonly packet: number;
}

/** What is missing in a stream before the byte at `at`. */
export interface PlainBreak {
  readonly at: number;
  readonly missing: number | undefined;
  readonly isHole: boolean;
  readonly file: number;
}

/** A stream of bytes and of what is missing in it; `pieces` are where the parts of packets end. */
export class PlainStream {
  readonly bytes: PlainByte[] = [];
  readonly pieces: number[] = [];
  readonly breaks: PlainBreak[] = [];

  add(bytes: readonly PlainByte[]): void {
    this.bytes.push(...bytes);
    this.pieces.push(this.bytes.length);
  }

  break(missing: number | undefined, isHole: boolean, file: number): void {
    this.breaks.push({ at: this.bytes.length, missing, isHole, file });
  }
}

interface Segment {
  readonly sequence: number;
  readonly bytes: readonly PlainByte[];
  readonly file: number;
}

const FAR = 2 ** 26;

/** One direction of a TCP connection, put in order in the plainest way. */
export class PlainTcp {
  readonly stream: PlainStream;
  private next: number | undefined;
  private waiting: Segment[] = [];

  constructor(stream: PlainStream) {
    this.stream = stream;
  }

  segment(sequence: number, flags: number, missing: number, bytes: readonly PlainByte[], file: number): void {
    const isFirst = (flags & 2) !== 0;
    const from = isFirst ? wrapped(sequence + 1) : sequence;
    if (isFirst && this.next !== from) {
      if (this.next !== undefined) {
        this.finish();
        this.stream.break(0, true, 0);
      }
      this.next = from;
      this.drain();
    }
    if (bytes.length === 0 && missing === 0) return;
    if (this.next === undefined) {
      this.wait({ sequence: from, bytes, file });
      if (this.waiting.length >= 16) this.begin();
      return;
    }
    if (Math.abs(signed(from - this.next)) > FAR) {
      this.finish();
      this.stream.break(undefined, true, file);
      this.next = from;
    }
    if (signed(from - this.next) > 0) this.wait({ sequence: from, bytes, file });
    else this.take({ sequence: from, bytes, file });
    if (missing > 0 && this.next === wrapped(from + bytes.length)) {
      this.stream.break(missing, true, file);
      this.next = wrapped(this.next + missing);
      this.drain();
    }
  }

  finish(): void {
    this.begin();
    while (this.waiting.length > 0) {
      const [{ sequence, file }] = this.waiting;
      this.stream.break(wrapped(sequence - (this.next ?? 0)), true, file);
      this.next = sequence;
      this.drain();
    }
  }

  private begin(): void {
    if (this.next !== undefined || this.waiting.length === 0) return;
    this.next = this.waiting[0].sequence;
    this.drain();
  }

  private wait(segment: Segment): void {
    let at = this.waiting.length;
    while (at > 0 && signed(segment.sequence - this.waiting[at - 1].sequence) < 0) at--;
    this.waiting.splice(at, 0, segment);
  }

  private take({ sequence, bytes }: Segment): void {
    const behind = signed((this.next ?? 0) - sequence);
    const fresh = bytes.slice(Math.min(behind, bytes.length));
    if (fresh.length === 0) return;
    this.next = wrapped(sequence + bytes.length);
    this.stream.add(fresh);
    this.drain();
  }

  private drain(): void {
    while (this.waiting.length > 0 && signed(this.waiting[0].sequence - (this.next ?? 0)) <= 0) {
      this.take(this.waiting.shift() as Segment);
    }
  }
}

function wrapped(number: number): number {
  return number >>> 0;
}

function signed(difference: number): number {
  return difference | 0;
}
