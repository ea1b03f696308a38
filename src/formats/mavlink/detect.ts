import type { Catalog } from './dialect/catalog.ts';
import type { Lead } from './judge.ts';
import { FrameScan, type GapSink } from './scan.ts';

/** What bytes look like as a stream of frames. */
export interface Survey {
  /** Frames with a right checksum, and the bytes that they cover. */
  readonly frames: number;
  readonly covered: number;
  /** How many of them follow another at once, and how many after a time stamp. */
  readonly adjacent: number;
  readonly stamped: number;
  /** Most frames in a row of which each leads to the next, whatever their checksums; time stamps may be between. */
  readonly chain: number;
  /** The bytes from the first of these to the last, and how many stamps are between. */
  readonly chained: number;
  readonly chainStamps: number;
}

/** The time before each frame of a telemetry log. */
export const STAMPS: Lead = { bytes: 8, isPossible: isStamp, isLikely: isStamp };
/** This part of the bytes must be covered by frames if there is one only. */
const ALONE = 1 / 4;
/** Frames in a row that are not by chance, and the part of the bytes that must be theirs to be sure. */
const CHAIN = 8;
const MOST = 1 / 2;

/** @param lead what should be before each frame; without it, frames that are damaged are found where they are adjacent */
export function survey(bytes: Uint8Array, catalog: Catalog, lead?: Lead): Survey {
  const found = { frames: 0, covered: 0, adjacent: 0, stamped: 0, chain: 0, chained: 0, chainStamps: 0 };
  let [chain, chainStamps, from, last, wasRight] = [0, 0, 0, 0, true];
  const add = (start: number, end: number, isRight: boolean): void => {
    const isStamped = start === last + STAMPS.bytes && isStamp(bytes, last);
    if (isRight) {
      found.frames++;
      found.covered += end - start;
      if (wasRight && isStamped) found.stamped++;
      else if (wasRight && start === last) found.adjacent++;
    }
    if (start !== last && !isStamped) [chain, chainStamps, from] = [0, 0, start];
    chain++;
    if (isStamped) chainStamps++;
    last = end;
    wasRight = isRight;
    if (chain > found.chain) Object.assign(found, { chain, chained: end - from, chainStamps });
  };
  const frame = (): void => add(scan.judge.header.start, scan.judge.header.end, scan.judge.kind === 'ordinary');
  const failed: GapSink['failed'] = (_, to, __, { head, end }) => {
    if (to === end) add(head, end, false);
  };
  const scan = new FrameScan({ frame }, { failed }, { catalog, lead });
  scan.scan(bytes, 0, 0, true);
  return found;
}

/** A time before the year 2106, in microseconds. */
export function isStamp(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0 && bytes[at + 1] < 0x10;
}

/** How sure a survey is that there are frames at all, and that they have time stamps before them. */
export function judgeSurvey(found: Survey, length: number): { readonly raw: number; readonly stamped: number } {
  const { frames, covered, adjacent, stamped } = found;
  const isStream = frames > 1 || covered > length * ALONE;
  if (!isStream) return judgeChain(found, length);
  // the stamps of a log are surer than other protocols between its frames
  return stamped > 0 && stamped >= adjacent ? { raw: 0, stamped: 0.97 } : { raw: 0.8, stamped: 0 };
}

/** Frames that lead to each other without a right checksum: of messages that are not known, say, or of damaged ones. */
function judgeChain({ chain, chained, chainStamps }: Survey, length: number): ReturnType<typeof judgeSurvey> {
  if (chain < CHAIN) return { raw: 0, stamped: 0 };
  // more than a log that such messages may carry is sure of
  const sure = chained > length * MOST ? 0.76 : 0.3;
  return chainStamps > chain / 2 ? { raw: 0, stamped: sure } : { raw: sure, stamped: 0 };
}
