/** Where a byte of a stream stands in the file, and in which of its records. */
export interface Places {
  offset(at: number): number;
  record(at: number): number;
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

  /** Of the bytes before `before`, only the one at `kept` is still asked for. */
  forget(before: number, kept: number): void {
    const first = this.segments.findLastIndex(({ at }) => at <= before);
    const other = this.find(kept);
    const needed = this.segments.slice(Math.max(0, first));
    this.segments = !other || needed.includes(other) ? needed : [other, ...needed];
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
