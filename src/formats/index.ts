import type { Format } from '../core/format.ts';
import { LIMITS } from '../core/limits.ts';
import type { Source } from '../core/source.ts';
import { hexOf } from '../core/text.ts';
import { dataflash, dataflashText } from './dataflash/index.ts';
import { mavlink } from './mavlink/index.ts';
import { mixed } from './mixed/index.ts';
import { nmea } from './nmea/index.ts';
import { pcap } from './pcap/index.ts';
import { tlog } from './tlog/index.ts';
import { xbus } from './xbus/index.ts';

/** Every format that Skein reads, one line each. */
export const FORMATS: readonly Format[] = [dataflash, dataflashText, pcap, tlog, mavlink, nmea, xbus, mixed];

/** Bytes shown of a file that no format claims. */
const SHOWN = 16;

/** The source holds nothing that any format knows. */
export class UnknownFormatError extends Error {
  override readonly name = 'UnknownFormatError';
}

/**
 * The format of a source by its content: its beginning first, and where that says nothing (a log whose head is lost)
 * a few places further on. Undefined for a source that is empty or consists of one byte value throughout.
 */
export async function detectFormat(source: Source, formats: readonly Format[] = FORMATS): Promise<Format | undefined> {
  const head = await source.read(0, LIMITS.detectBytes);
  let blank = isBlank(head);
  for (const part of [0, 1, 2, 3]) {
    const at = Math.floor((source.size / 4) * part);
    const bytes = part === 0 ? head : await source.read(at, LIMITS.detectBytes);
    const best = bestOf(bytes, formats);
    if (best) return best;
    blank = blank && isBlank(bytes);
  }
  if (source.size === 0 || (blank && (await isBlankThroughout(source, head[0])))) return undefined;
  const tried = formats.map((format) => format.title).join('; ');
  throw new UnknownFormatError(
    `no format claims these ${source.size} bytes, which begin with ${hexOf(head.subarray(0, SHOWN))}: tried ${tried}`,
  );
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

/** Erased flash is all ones, a file that was never written all zeros. */
function isBlank(bytes: Uint8Array, byte: number = bytes[0]): boolean {
  return (byte === 0 || byte === 0xff) && bytes.every((each) => each === byte);
}

async function isBlankThroughout(source: Source, byte: number): Promise<boolean> {
  for (let at = 0; at < source.size; at += LIMITS.chunkBytes) {
    if (!isBlank(await source.read(at, LIMITS.chunkBytes), byte)) return false;
  }
  return true;
}
