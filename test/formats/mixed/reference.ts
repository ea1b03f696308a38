import type { PlainFault, PlainLog, PlainRecord } from '../../suite/plain.ts';
import { plainMavlink } from '../mavlink/reference.ts';
import { plainNmea } from '../nmea/reference.ts';
import { plainUbx } from '../ubx/reference.ts';
import { frameEnd } from '../xbus/frames.ts';
import { plainXbus } from '../xbus/reference.ts';

/** Bytes that a protocol says are its own. */
interface Frame {
  readonly start: number;
  readonly end: number;
  readonly records: readonly PlainRecord[];
  readonly faults: readonly PlainFault[];
}

const SENTENCE_FAULTS = ['bad-checksum', 'cut-sentence', 'damaged-sentence', 'no-checksum', 'truncated'];

/**
 * A stream of several protocols in the plainest way. Each plain decoder reads all of it. The frames of the first that
 * is named here are all taken, those of the others if they overlap none that was taken before.
 */
export function plainMixed(bytes: Uint8Array): PlainLog {
  const [mavlink, nmea, xbus] = [plainMavlink(bytes), plainNmea(bytes), plainXbus(bytes)];
  const refused = mavlink.faults.filter(({ code }) => code === 'incompatible');
  const taken: Frame[] = [];
  for (const frames of [
    [...framesOf(bytes, { records: mavlink.records, faults: [] }), ...faultFrames(refused)],
    framesOf(bytes, { records: plainUbx(bytes).records, faults: [] }),
    framesOf(bytes, nmea),
    framesOf(bytes, xbus),
  ]) {
    taken.push(...frames.filter(({ start, end }) => !taken.some((other) => other.start < end && start < other.end)));
  }
  const at = new Map(taken.map((frame) => [frame.start, frame]));
  const damage = nmea.faults.filter(({ code, length }) => length > 0 && SENTENCE_FAULTS.includes(code));
  const remarks = mavlink.faults.filter(({ length }) => length === 0);
  return new Walk(bytes, at, new Map(damage.map((fault) => [fault.offset, fault])), remarks);
}

class Walk implements PlainLog {
  readonly records: PlainRecord[] = [];
  readonly faults: PlainFault[] = [];
  private gap = '';

  constructor(
    bytes: Uint8Array,
    frames: ReadonlyMap<number, Frame>,
    damage: ReadonlyMap<number, PlainFault>,
    remarks: readonly PlainFault[],
  ) {
    for (let at = 0; at < bytes.length; ) {
      const frame = frames.get(at);
      const fault = damage.get(at);
      if (frame) {
        this.close(at, false);
        this.records.push(...frame.records);
        this.faults.push(...frame.faults);
        at = frame.end;
      } else if (fault) {
        this.close(at, false);
        let end = at + 1;
        while (end < at + fault.length && !frames.has(end)) end++;
        const code = end < at + fault.length ? 'cut-sentence' : fault.code;
        this.faults.push({ code, offset: at, length: end - at });
        at = end;
      } else {
        this.gap += String.fromCharCode(bytes[at++]);
      }
    }
    this.close(bytes.length, true);
    this.faults.push(...remarks);
  }

  /** Ends what belongs to no protocol. */
  private close(at: number, isLast: boolean): void {
    const { gap } = this;
    if (gap === '') return;
    this.gap = '';
    let code = 'text';
    if (/\*[0-9A-Fa-f]{2}/.test(gap)) code = 'headless-sentence';
    // letters beyond ASCII are text in a comment
    if ((gap[0] === '#' ? /[^\t\r\n -~\x80-\xff]/ : /[^\t\r\n -~]/).test(gap)) code = 'garbage';
    if (gap === 'UdPbC\0') code = 'datagram-header';
    if (/^(\0+|\xff+)$/.test(gap)) code = isLast ? 'padding' : at === gap.length ? 'blank' : code;
    this.faults.push({ code, offset: at - gap.length, length: gap.length });
  }
}

/** Frames of a protocol that is read; a remark goes with the frame that it is on. */
function framesOf(bytes: Uint8Array, { records, faults }: PlainLog): Frame[] {
  const frames: Frame[] = [];
  for (let i = 0; i < records.length; ) {
    const first = records[i];
    const end = Math.max(first.offset + first.length, frameEnd(bytes, first.offset));
    const own: PlainRecord[] = [];
    while (i < records.length && records[i].offset < end) own.push(records[i++]);
    const remarks = faults.filter(({ offset, length }) => length === 0 && offset === first.offset);
    frames.push({ start: first.offset, end, records: own, faults: remarks });
  }
  return frames;
}

/** Frames that are faults by themselves. */
function faultFrames(faults: readonly PlainFault[]): Frame[] {
  return faults.map((fault) => ({
    start: fault.offset,
    end: fault.offset + fault.length,
    records: [],
    faults: [fault],
  }));
}
