import type { Field } from '../../core/schema.ts';
import { STAMP_PLACE } from '../mavlink/codec.ts';
import { isStamp, judgeSurvey, STAMPS, survey } from '../mavlink/detect.ts';
import { plainField } from '../mavlink/dialect/schema.ts';
import type { TakenLead } from '../mavlink/frame.ts';
import { catalogOf, frameDecoder, type MavlinkFormat } from '../mavlink/options.ts';
import type { Remarks } from '../mavlink/remarks.ts';

export const tlog: MavlinkFormat = {
  name: 'tlog',
  title: 'telemetry log (.tlog)',
  isOnboard: false,
  protocols: ['mavlink'],
  writes: ['tlog', 'raw', 'pcap'],
  detect: (bytes) => judgeSurvey(survey(bytes, catalogOf(), STAMPS), bytes.length).stamped,
  decoder: (sink, options) =>
    frameDecoder(sink, options, { lead: (remarks) => new Stamps(remarks), stamp: STAMP_FIELD }),
  clock: async (input) => (await import('../mavlink/clock.ts')).tlogClock(input),
};

/*
 * A record of a telemetry log, https://mavlink.io/en/guide/mavlink_2.html and the ground stations that write it
 *
 *     0 ... 7             8 ...
 *     microseconds        a frame
 *     since 1970, big-endian
 */

/** The time before a frame. No field of a message can have its name. */
const STAMP_FIELD: Field = { ...plainField('(time)', 'uint64', 1, STAMP_PLACE), unit: 'us', invalid: 0n };

/** Microseconds by which a time may be before or after the last one, and by which it mostly follows that. */
const BACK = 1e6;
const AHEAD = 86_400e6;
const STEP = 3600e6;
/** Microseconds of a pause in which the ground station may have begun another log, and pauses that are kept. */
const PAUSE = 60e6;
const PAUSES = 256;

/** The times before the frames of one log. They distinguish frames from what is none. */
class Stamps implements TakenLead {
  readonly bytes = 8;
  private readonly remarks: Remarks;
  private last = Number.NaN;
  readonly starts: number[] = [];

  constructor(remarks: Remarks) {
    this.remarks = remarks;
  }

  isPossible(bytes: Uint8Array, at: number): boolean {
    return isStamp(bytes, at);
  }

  isLikely(bytes: Uint8Array, at: number): boolean {
    if (!isStamp(bytes, at)) return false;
    return Number.isNaN(this.last) || Math.abs(timeAt(bytes, at) - this.last) < AHEAD;
  }

  take(bytes: Uint8Array, at: number, offset: number): void {
    const time = timeAt(bytes, at);
    if (time < this.last - BACK || time > this.last + STEP) {
      this.remarks.add('time-jump', 0, offset, () => 'of the log');
    }
    if (time > this.last + PAUSE && this.starts.length < PAUSES) this.starts.push(offset);
    this.last = time;
  }
}

/** A possible time: its uppermost byte is 0. */
function timeAt(bytes: Uint8Array, at: number): number {
  const upper = (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
  const lower = (bytes[at + 4] << 24) | (bytes[at + 5] << 16) | (bytes[at + 6] << 8) | bytes[at + 7];
  return upper * 2 ** 32 + (lower >>> 0);
}
