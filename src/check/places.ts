/** Where a byte of a stream stands in the file, and in which of its records. */
export interface Places {
  offset(at: number): number;
  record(at: number): number;
  /** Bytes before this one are not asked for any more. */
  forget(before: number): void;
}

interface Segment {
  readonly at: number;
  readonly offset: number;
  readonly record: number;
}

/** The places of a stream whose bytes come from packets, one after the other. Only those still asked for are kept. */
export class SegmentPlaces implements Places {
  private segments: Segment[] = [];

  /** Bytes of the stream from `at` on stand at `offset` of the file. */
  add(at: number, offset: number, record: number): void {
    this.segments.push({ at, offset, record });
  }

  offset(at: number): number {
    const segment = this.find(at);
    return segment ? segment.offset + at - segment.at : at;
  }

  record(at: number): number {
    return this.find(at)?.record ?? 0;
  }

  forget(before: number): void {
    let first = 0;
    while (first + 1 < this.segments.length && this.segments[first + 1].at <= before) first++;
    if (first > 0) this.segments = this.segments.slice(first);
  }

  private find(at: number): Segment | undefined {
    let found: Segment | undefined = this.segments[0];
    for (const segment of this.segments) {
      if (segment.at > at) break;
      found = segment;
    }
    return found;
  }
}
