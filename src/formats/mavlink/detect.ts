import type { Catalog } from './catalog.ts';
import { isRight, sumOf } from './checksum.ts';
import { Header, isMagic, SIGNED } from './header.ts';

/** What bytes look like as a stream of frames. */
export interface Survey {
  /** Frames with a right checksum, and the bytes that they cover. */
  readonly frames: number;
  readonly covered: number;
  /** How many of them follow the one before at once, and how many after as many bytes as a time stamp has. */
  readonly adjacent: number;
  readonly stamped: number;
  /** Most headers in a row of which each leads to the next, whatever their checksums. */
  readonly chain: number;
}

const STAMP = 8;
/** This part of the bytes must be covered by frames if there is one only. */
const ALONE = 1 / 4;
/** Headers in a row that are no chance. */
const CHAIN = 8;

/** Looks for frames, with as much care as it takes to tell whether there are any. */
export function survey(bytes: Uint8Array, catalog: Catalog): Survey {
  const header = new Header();
  let [frames, covered, adjacent, stamped] = [0, 0, 0, 0];
  let end = 0;
  let [chain, longest, expected] = [0, 0, -1];
  for (let at = 0; at < bytes.length; at++) {
    if (!isMagic(bytes[at]) || !header.read(bytes, at)) continue;
    const slot = slotOf(header, catalog);
    if (slot === 0) continue;
    if (at >= expected) {
      chain = at === expected ? chain + 1 : 1;
      longest = Math.max(longest, chain);
      expected = header.end;
    }
    if (!isWhole(bytes, header, slot, catalog)) continue;
    frames++;
    covered += header.end - at;
    if (at === end) adjacent++;
    else if (at === end + STAMP && isStamp(bytes, end)) stamped++;
    end = header.end;
    at = end - 1;
  }
  return { frames, covered, adjacent, stamped, chain: longest };
}

/** The first definition that a header can be of, 0 where there is none. */
function slotOf({ id, flags, length, version }: Header, catalog: Catalog): number {
  return flags <= SIGNED ? catalog.firstFit(catalog.find(id), length, version) : 0;
}

function isWhole(bytes: Uint8Array, header: Header, first: number, catalog: Catalog): boolean {
  if (header.end > bytes.length) return false;
  const sum = sumOf(bytes, header);
  const stated = header.stated(bytes);
  for (let slot = first; slot !== 0; slot = catalog.other[slot]) {
    if (isRight(sum, catalog.extra(slot), stated)) return true;
  }
  return false;
}

/** A time before the year 2106, in microseconds. */
export function isStamp(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0 && bytes[at + 1] < 0x10;
}

/** How sure a survey is that there are frames at all, and that they have time stamps before them. */
export function judgeSurvey(found: Survey, length: number): { readonly raw: number; readonly stamped: number } {
  const { frames, covered, adjacent, stamped, chain } = found;
  const isStream = frames > 1 || covered > length * ALONE;
  if (!isStream) return { raw: chain >= CHAIN ? 0.3 : 0, stamped: 0 };
  return stamped > 0 && stamped >= adjacent ? { raw: 0, stamped: 0.9 } : { raw: 0.8, stamped: 0 };
}
