import type { MessageDefinition } from '../../../src/formats/mavlink/dialect/definition.ts';
import type { PlainFault, PlainLog, PlainRecord } from '../../suite/plain.ts';
import {
  definitionOf,
  definitionsOf,
  earlyDefinitionOf,
  frameAt,
  impliedExtra,
  isMagic,
  nameOf,
  type PlainFrame,
  valuesOf,
} from './frame.ts';
import { PlainGap } from './gap.ts';

/** A stream of frames in the plainest way. */
export function plainMavlink(bytes: Uint8Array): PlainLog {
  return new Reading(bytes, 0);
}

/** A stream of which bytes are missing at some places: each part ends as a stream does. `ends` are where, the last too. */
export function plainParts(bytes: Uint8Array, ends: readonly number[]): PlainLog {
  return new Reading(bytes, 0, ends);
}

/** A telemetry log: frames with eight bytes of time before each. */
export function plainTlog(bytes: Uint8Array): PlainLog {
  return new Reading(bytes, 8);
}

/** What a place is: a frame, with what it was taken for, or the code of why it is none. */
interface Finding {
  readonly frame?: PlainFrame | undefined;
  readonly kind?: string;
  readonly definition?: MessageDefinition | undefined;
  readonly failure?: string;
  readonly end?: number;
  /** Whether both its neighbours speak for it. */
  readonly isSure?: boolean;
}

const NOTHING: Finding = {};
const MOST_ASKED = 4096;
const MOST_UNKNOWN = 1024;

class Reading implements PlainLog {
  readonly records: PlainRecord[] = [];
  readonly faults: PlainFault[] = [];
  private bytes: Uint8Array;
  private readonly lead: number;
  private readonly cutsRight: Set<string> = new Set();
  private readonly guesses: Map<number, { extra: number; agreeing: number }> = new Map();
  private readonly remarks: Map<string, PlainFault> = new Map();
  /** Where the last frame ended, and its time. */
  private stepAt = 0;
  private time = Number.NaN;

  constructor(bytes: Uint8Array, lead: number, ends: readonly number[] = [bytes.length]) {
    this.bytes = bytes;
    this.lead = lead;
    let at = 0;
    for (const end of ends) {
      this.bytes = bytes.subarray(0, end);
      while (at < end) {
        const finding = this.look(at + lead, true, true);
        at = finding.frame ? this.admit(finding, at) : this.search(at, finding);
      }
    }
    const codes = new Set([...this.remarks.values()].map(({ code }) => code));
    for (const code of codes) this.faults.push(...[...this.remarks.values()].filter((fault) => fault.code === code));
  }

  /** Goes to the next frame behind a place where none is, and takes it. */
  private search(from: number, first: Finding): number {
    const { bytes, lead, faults } = this;
    const gap = new PlainGap(bytes, faults, from);
    if (first.failure) gap.fail(from, first.end ?? 0, first.failure);
    if (first.isSure) this.stepAt = first.end ?? 0;
    for (let head = from; head < bytes.length; head++) {
      if (!isMagic(bytes[head]) || head === from + lead) continue;
      const isStamped = lead > 0 && head - lead >= gap.from && this.isLikely(head - lead);
      const at = isStamped ? head - lead : head;
      const isLed = head === this.stepAt || head === this.stepAt + lead;
      const finding = this.look(head, isLed, gap.asked < MOST_ASKED);
      if (finding.frame) {
        gap.close(at);
        return this.admit(finding, at);
      }
      if (finding.failure) gap.fail(at, finding.end ?? 0, finding.failure);
      if (finding.failure && finding.isSure) this.stepAt = finding.end ?? 0;
      gap.pass(head + 1 - lead);
    }
    gap.close(bytes.length);
    return bytes.length;
  }

  private look(at: number, isLed: boolean, asks: boolean): Finding {
    const { bytes } = this;
    const frame = frameAt(bytes, at);
    if (!frame) {
      const isEnd = at >= bytes.length || isMagic(bytes[at]);
      return isEnd && isLed ? { failure: 'truncated', end: bytes.length } : NOTHING;
    }
    const guess = this.guesses.get(frame.id);
    const isLearned = guess !== undefined && guess.agreeing === 3;
    const truncated = { failure: 'truncated', end: bytes.length };
    if ((frame.isUsual || (isLearned && frame.flags < 2)) && !frame.isWhole) return truncated;
    const definition = frame.isWhole ? definitionOf(frame, false) : undefined;
    if (frame.isUsual && definition) return { frame, kind: 'ordinary', definition };
    if (isLearned && frame.flags < 2 && impliedExtra(frame) === guess.extra) return { frame, kind: 'unknown' };
    if (!asks || (frame.flags > 1 && definitionsOf(frame.id).length === 0)) return NOTHING;
    if (!frame.isUsual && !isLearned && this.hidesFrame(frame)) return NOTHING;
    if (!frame.isWhole) return isLed ? truncated : NOTHING;
    const isFollowed = this.isFollowed(frame);
    if (!isLed && !isFollowed) return NOTHING;
    const odd = definitionOf(frame, true);
    if (odd) return { frame, kind: frame.flags > 1 ? 'incompatible' : 'odd-length', definition: odd };
    if (frame.flags > 1) return NOTHING;
    const early = this.cutsRight.has(streamOf(frame)) ? undefined : earlyDefinitionOf(frame);
    if (early) return { frame, kind: 'early-crc', definition: early };
    return this.unknown(frame, isLed && isFollowed);
  }

  /** Whether a frame that is beyond doubt begins inside one that is not. */
  private hidesFrame({ start, end }: PlainFrame): boolean {
    for (let at = start + 1; at < Math.min(end, this.bytes.length); at++) {
      const inner = frameAt(this.bytes, at);
      if (inner?.isUsual && inner.isWhole && definitionOf(inner, false)) return true;
    }
    return false;
  }

  private isFollowed({ end, system, component }: PlainFrame): boolean {
    const { bytes, lead } = this;
    const isStart = (at: number): boolean => {
      const next = frameAt(bytes, at);
      if (!next) return at === bytes.length || isMagic(bytes[at]);
      return next.isUsual || (next.flags < 2 && next.system === system && next.component === component);
    };
    if (lead > 0 && end + lead >= bytes.length) return true;
    return isStart(end) || (lead > 0 && this.isLikely(end) && isStart(end + lead));
  }

  private unknown(frame: PlainFrame, isSure: boolean): Finding {
    const { guesses } = this;
    const { id, end } = frame;
    const extra = impliedExtra(frame);
    const isDefined = definitionsOf(id).length > 0;
    const guess = guesses.get(id);
    const isLearned = guess?.agreeing === 3;
    const failure = { failure: isDefined || isLearned ? 'bad-crc' : 'unknown-id', end, isSure };
    const asFailure = isDefined || isLearned || isSure ? failure : NOTHING;
    if (extra < 0 || isLearned || !(guess || guesses.size < MOST_UNKNOWN)) {
      if (guess && isSure && !isLearned) guess.agreeing = 0;
      return asFailure;
    }
    const agrees = guess !== undefined && guess.agreeing > 0 && guess.extra === extra;
    if (!isSure && (isDefined || !agrees)) return asFailure;
    if (!guess) guesses.set(id, { extra, agreeing: 1 });
    else if (guess.extra === extra) guess.agreeing++;
    else Object.assign(guess, { extra, agreeing: 1 });
    const now = guesses.get(id);
    if (!isDefined || (now?.agreeing === 3 && now.extra === extra)) return { frame, kind: 'unknown' };
    return { failure: 'other-dialect', end, isSure };
  }

  private admit({ frame, kind, definition }: Finding, at: number): number {
    const { bytes, lead } = this;
    const { start, end, id, version, payload } = frame as PlainFrame;
    const isStamped = lead > 0 && at + lead === start && isPossible(bytes, at);
    this.stepAt = end;
    if (at < start && !isStamped) this.faults.push({ code: 'bad-stamp', offset: at, length: lead });
    const offset = isStamped ? at : start;
    if (kind === 'incompatible') {
      this.faults.push({ code: 'incompatible', offset, length: end - offset });
      return end;
    }
    const stream = streamOf(frame as PlainFrame);
    if (isStamped) this.takeTime(at);
    else if (lead > 0) this.remark('no-stamp', stream, offset);
    if (kind === 'unknown') {
      const isLearned = this.guesses.get(id)?.agreeing === 3;
      this.remark(isLearned ? 'learned-extra' : 'unverified', `${id} ${stream}`, offset);
    } else if (kind !== 'ordinary') {
      this.remark(kind ?? '', `${id} ${stream}`, offset);
    }
    const isCut = version === 2 && kind === 'ordinary' && payload.length < (definition?.baseLength ?? 0);
    if (isCut) this.cutsRight.add(stream);
    const name = kind === 'unknown' ? `UNKNOWN_${id}` : (definition?.name ?? nameOf(id));
    const values = (): ReturnType<PlainRecord['values']> => valuesOf(frame as PlainFrame, definition);
    this.records.push({ name, stream, offset, length: end - offset, values });
    return end;
  }

  private remark(code: string, subject: string, offset: number): void {
    const key = `${code} ${subject}`;
    if (!this.remarks.has(key)) this.remarks.set(key, { code, offset, length: 0 });
  }

  private isLikely(at: number): boolean {
    if (!isPossible(this.bytes, at)) return false;
    return Number.isNaN(this.time) || Math.abs(timeAt(this.bytes, at) - this.time) < 86_400e6;
  }

  private takeTime(at: number): void {
    const time = timeAt(this.bytes, at);
    if (time < this.time - 1e6 || time > this.time + 3_600e6) this.remark('time-jump', '', at);
    this.time = time;
  }
}

function streamOf({ system, component }: PlainFrame): string {
  return `${system}:${component}`;
}

function isPossible(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0 && bytes[at + 1] < 16;
}

function timeAt(bytes: Uint8Array, at: number): number {
  return Number(new DataView(bytes.buffer, bytes.byteOffset + at, 8).getBigUint64(0));
}
