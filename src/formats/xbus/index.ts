import type { RecordBatch, Sink } from '../../core/decoder.ts';
import type { Format } from '../../core/format.ts';
import { FrameDecoder } from './frame.ts';
import { PREAMBLE } from './header.ts';

/** Part of the bytes that must be frames, where other things stand between them. */
const LEAST_SHARE = 0.02;
const SURE = 0.95;

/** Counts the bytes of records. */
class Counter implements Sink {
  bytes = 0;
  count = 0;

  table(): void {}

  records(batch: RecordBatch): void {
    for (let i = 0; i < batch.count; i++) this.bytes += batch.size[i];
    this.count += batch.count;
  }

  fault(): void {}
}

export const xbus: Format = {
  name: 'xbus',
  title: 'Xsens XBUS stream, .mtb',
  detect(bytes) {
    if (bytes.indexOf(PREAMBLE) < 0) return 0;
    const found = new Counter();
    const decoder = new FrameDecoder(found);
    decoder.push(bytes);
    decoder.end();
    const share = found.bytes / bytes.length;
    if (share > 0.5) return SURE;
    return share >= LEAST_SHARE && found.count > 1 ? SURE * share : 0;
  },
  decoder: (sink, options) => new FrameDecoder(sink, options),
};
