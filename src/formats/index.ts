import { endOfFill } from '../core/bytes.ts';
import { type Format, UnknownFormatError } from '../core/format.ts';
import { LIMITS } from '../core/limits.ts';
import type { Source } from '../core/source.ts';
import { dataflash } from './dataflash/index.ts';
import { dataflashText } from './dataflash/text.ts';
import { foreignFile, signedFile } from './foreign.ts';
import { mavlink } from './mavlink/index.ts';
import { mixed } from './mixed/index.ts';
import { nmea } from './nmea/index.ts';
import { pcap } from './pcap/index.ts';
import { tlog } from './tlog/index.ts';
import { rtcm, ubx } from './ubx/index.ts';
import { ulog } from './ulog/index.ts';
import { xbus } from './xbus/index.ts';

export { UnknownFormatError };

/** Every format that Skein reads, one line each; containers first, since they may hold any of the others. */
export const FORMATS: readonly Format[] = [
  pcap,
  dataflash,
  dataflashText,
  ulog,
  tlog,
  mavlink,
  nmea,
  ubx,
  rtcm,
  xbus,
  mixed,
];

/** What one receiver may send by turns. */
const RECEIVER: readonly Format[] = [nmea, ubx, rtcm];
/** Zeros or ones in a row that are blank: where something was erased, or never written. */
const BLANK = 64;
/** Places of a source that are looked at. */
const PARTS = 4;

/**
 * The format of a source by its content: its beginning first, and where that says nothing (a log whose head is lost)
 * a few places further on. Blank stretches are passed over. Undefined for a source that is empty or consists of one
 * byte value throughout.
 */
export async function detectFormat(source: Source, formats: readonly Format[] = FORMATS): Promise<Format | undefined> {
  const head = await source.read(0, LIMITS.detectBytes);
  const signed = signedFile(head);
  if (signed) throw new UnknownFormatError(signed);
  const isReceiver = (format: Format): boolean => formats.includes(mixed) && RECEIVER.includes(format);
  let looked = -1;
  let found: Format | undefined;
  for (let part = 0; part < PARTS && looked < source.size; part++) {
    const at = await endOfBlank(source, Math.max(looked + 1, Math.floor((source.size / PARTS) * part)));
    const bytes = at === 0 ? head : await source.read(at, LIMITS.detectBytes);
    looked = Math.max(at, at + bytes.length - 1);
    const known = found;
    if (!known) {
      found = bestOf(bytes, formats);
      if (found && !isReceiver(found)) return found;
    } else if (RECEIVER.some((other) => other !== known && other.detect(bytes) > 0)) {
      // what a receiver sends beside may begin later
      return mixed;
    }
  }
  if (found) return found;
  if (source.size === 0 || (isBlank(head) && (await endOfBlank(source, 0)) === source.size)) return undefined;
  throw new UnknownFormatError(foreignFile(head, source.size));
}

function bestOf(bytes: Uint8Array, formats: readonly Format[]): Format | undefined {
  let best: Format | undefined;
  let score = 0;
  for (const format of formats) {
    const found = format.detect(bytes);
    if (found === 1) return format;
    if (found > score) {
      best = format;
      score = found;
    }
  }
  return best;
}

/** Where the blank stretch ends that begins at a place; the place itself if none does. */
async function endOfBlank(source: Source, from: number): Promise<number> {
  const [fill] = await source.read(from, 1);
  if (fill !== 0 && fill !== 0xff) return from;
  let at = from;
  // a little first: most sources have content there
  for (let step = BLANK; at < source.size; step = LIMITS.chunkBytes) {
    const bytes = await source.read(at, step);
    if (bytes.length === 0) break;
    const end = endOfFill(bytes, 0, bytes.length, fill);
    at += end;
    if (end < bytes.length) break;
  }
  return at - from < BLANK && at < source.size ? from : at;
}

function isBlank(bytes: Uint8Array): boolean {
  return (bytes[0] === 0 || bytes[0] === 0xff) && endOfFill(bytes, 0, bytes.length, bytes[0]) === bytes.length;
}
