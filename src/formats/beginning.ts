import type { Format } from '../core/format.ts';
import { LIMITS } from '../core/limits.ts';
import type { Source } from '../core/source.ts';

interface Beginning {
  readonly isLike: (head: Uint8Array) => boolean;
  /** How sure the format then is, at least: more than any other can be of such a beginning. */
  readonly sure: number;
  readonly load: () => Promise<Format>;
}

/** Formats whose first bytes tell them from all others, one line each. */
const BEGINNINGS: readonly Beginning[] = [
  {
    isLike: (head) => head[0] === 0xa3 && head[1] === 0x95,
    sure: 1,
    load: async () => (await import('./dataflash/index.ts')).dataflash,
  },
  {
    // a stamp of 64 bits, which begins with a zero for the next two thousand years, and a frame that is not empty
    isLike: (head) => head[0] === 0 && (head[8] === 0xfd || head[8] === 0xfe) && head[9] > 0,
    sure: 0.97,
    load: async () => (await import('./tlog/index.ts')).tlog,
  },
  {
    // either byte order of either magic number, and that of pcapng
    isLike: (head) => [0xa1, 0xd4, 0x4d, 0x0a].includes(head[0]),
    sure: 1,
    load: async () => (await import('./pcap/index.ts')).pcap,
  },
];

/**
 * The format of a source by its first bytes, if that format is sure of it: then no other is loaded. Undefined where all
 * of them must be asked.
 */
export async function formatByBeginning(source: Source): Promise<Format | undefined> {
  const head = await source.read(0, LIMITS.detectBytes);
  const found = BEGINNINGS.find(({ isLike }) => isLike(head));
  const format = await found?.load();
  return found && format && format.detect(head) >= found.sure ? format : undefined;
}
