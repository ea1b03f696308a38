import { LIMITS } from '../core/limits.ts';
import { mavlink } from '../formats/mavlink/index.ts';
import { sectionOrder } from '../formats/pcap/blocks.ts';
import { readClassicHeader } from '../formats/pcap/classic-header.ts';
import { tlog } from '../formats/tlog/index.ts';

/** What a file holds, as far as it matters to who checks it. */
export type Content = 'capture' | 'records' | 'tlog' | 'mavlink' | undefined;

/** Bytes that tell what a file is. */
export const LOOK: number = LIMITS.detectBytes;

/*
 * Records of a capture without its file header, as parsers are tested with: times, two lengths, then the family of
 * addresses, and an IP header.
 */
const LENGTHS = 8;
const FAMILY = 16;
const LEAST = 40;

/** The header that such a file lacks: of a capture by a little-endian machine, on its loopback device. */
export const RECORDS_HEADER: Uint8Array = Uint8Array.from([
  ...[0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0],
  ...[0, 0, 0, 0, 0, 0, 0, 0],
  ...[0, 0, 4, 0, 0, 0, 0, 0],
]);

/** What the beginning of a file says of the rest. */
export function contentOf(head: Uint8Array): Content {
  if (readClassicHeader(head, 0) || sectionOrder(head, 0)) return 'capture';
  if (areRecords(head)) return 'records';
  if (tlog.detect(head) > 0) return 'tlog';
  return mavlink.detect(head) > 0 ? 'mavlink' : undefined;
}

function areRecords(head: Uint8Array): boolean {
  if (head.length < LEAST) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const captured = view.getUint32(LENGTHS, true);
  if (captured !== view.getUint32(LENGTHS + 4, true) || captured > LIMITS.detectBytes) return false;
  return view.getUint32(FAMILY, true) === 2 && head[FAMILY + 4] >> 4 === 4;
}
