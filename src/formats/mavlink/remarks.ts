import type { Sink } from '../../core/decoder.ts';
import { LIMITS } from '../../core/limits.ts';
import { getOrAdd } from '../../core/maps.ts';

interface Remark {
  readonly subject: string;
  readonly offset: number;
  count: number;
}

/** What each kind is about: the sentence goes on with how many frames of which message. */
const SENTENCES: Readonly<Record<string, string>> = {
  'early-crc': 'checksum made before zeros were cut off the payload, accepted by it',
  'odd-length': 'payload length differs from the definition, accepted by its checksum',
  unverified: 'no definition: kept as bytes, checksum cannot be verified',
  'learned-extra': 'no definition: kept as bytes, checksum correct with a CRC_EXTRA that several frames agree on',
  'no-stamp': 'no time stamp before the frame: time taken from the frames around it',
  'time-jump': 'time stamp far from the one before',
};

/** Remarks on records, one sentence with a count for each kind: faults of length 0 at the end. */
export class Remarks {
  private readonly sink: Sink;
  /** By code, and by a number for what they are about. */
  private readonly remarks: Map<string, Map<number, Remark>> = new Map();
  private kept = 0;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  /** One more record at `offset` with this remark; `key` identifies its subject, `subject` names it. */
  add(code: string, key: number, offset: number, subject: () => string): void {
    const remarks = getOrAdd(this.remarks, code, () => new Map());
    const known = remarks.get(key);
    if (known) {
      known.count++;
    } else if (this.kept < LIMITS.faultSubjects) {
      this.kept++;
      this.sink.keep?.(offset);
      remarks.set(key, { subject: subject(), offset, count: 1 });
    }
  }

  end(): void {
    for (const [code, remarks] of this.remarks) {
      for (const { subject, offset, count } of remarks.values()) {
        const frames = count === 1 ? '1 frame' : `${count} frames`;
        const text = `${SENTENCES[code]}: ${frames} ${subject}, the first at offset ${offset}`;
        this.sink.fault({ code, offset, length: 0, lost: false, text, subject });
      }
    }
  }
}
