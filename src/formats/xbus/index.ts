import type { RecordBatch, Sink } from '../../core/decoder.ts';
import type { Format } from '../../core/format.ts';
import { XbusDecoder } from './frame.ts';
import { CHECKSUM, EXTENDED, EXTENDED_HEADER, HEADER, INVERTED_SUM, PREAMBLE, PROTOCOL_SUM } from './header.ts';

/** Part of the bytes that must be frames if other things are between them. */
const LEAST_SHARE = 0.02;
const SURE = 0.95;
/** Bytes that are added up for each one that there is. */
const ADDED = 2;

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

/** Whether any frame has a right checksum: rules out most other files quickly; true if the search would take long. */
function hasFrame(bytes: Uint8Array): boolean {
  let left = ADDED * bytes.length;
  for (let at = bytes.indexOf(PREAMBLE); at >= 0; at = bytes.indexOf(PREAMBLE, at + 1)) {
    const isLong = bytes[at + 3] === EXTENDED;
    const length = isLong ? (bytes[at + 4] << 8) | bytes[at + 5] : bytes[at + 3];
    const end = at + (isLong ? EXTENDED_HEADER : HEADER) + length + CHECKSUM;
    if (!(end <= bytes.length)) continue;
    left -= end - at;
    if (left < 0) return true;
    let sum = 0;
    for (let i = at + 1; i < end; i++) sum += bytes[i];
    if ((sum & 0xff) === PROTOCOL_SUM || (sum & 0xff) === INVERTED_SUM) return true;
  }
  return false;
}

export const xbus: Format = {
  name: 'xbus',
  isOnboard: false,
  protocols: ['xbus'],
  writes: [],
  clock: async ({ tables }) => (await import('./clock.ts')).xbusClock(tables),
  title: 'Xsens XBUS stream, .mtb',
  detect(bytes) {
    if (!hasFrame(bytes)) return 0;
    const found = new Counter();
    const decoder = new XbusDecoder(found);
    decoder.push(bytes);
    decoder.end();
    const share = found.bytes / bytes.length;
    if (share > 0.5) return SURE;
    return share >= LEAST_SHARE && found.count > 1 ? SURE * share : 0;
  },
  decoder: (sink, options) => new XbusDecoder(sink, options),
};
