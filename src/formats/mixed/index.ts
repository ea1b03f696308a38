import type { Sink } from '../../core/decoder.ts';
import type { Format } from '../../core/format.ts';
import { MixedDecoder } from './decode.ts';

/** Frames and part of the bytes that a protocol must have to be one of those that are mixed. */
const LEAST_FRAMES = 3;
const LEAST_SHARE = 0.01;
/** Surer than any one protocol is of bytes that it shares with another. */
const SURE = 0.96;

const SILENT: Sink = { table: () => {}, records: () => {}, fault: () => {} };

/** A stream in which MAVLink, NMEA, XBUS, UBX and RTCM 3 take turns: two of them at least. */
export const mixed: Format = {
  name: 'mixed',
  isOnboard: false,
  protocols: ['mavlink', 'nmea', 'xbus', 'ubx', 'rtcm'],
  writes: [],
  clock: async ({ tables, options, faults }) => (await import('./clock.ts')).mixedClock(tables, options, faults),
  title: 'stream of several protocols: MAVLink, NMEA, XBUS, UBX, RTCM 3',
  detect(bytes) {
    const decoder = new MixedDecoder(SILENT);
    decoder.push(bytes);
    decoder.end();
    const shares = decoder.shares();
    const present = shares.filter((each) => each.frames >= LEAST_FRAMES && each.bytes >= LEAST_SHARE * bytes.length);
    // a receiver may send a single sentence among thousands of frames, or the other way round: neither is chance
    const [, ubx, nmea] = shares;
    return present.length > 1 || (ubx.frames > 0 && nmea.frames > 0 && !present.includes(shares[0])) ? SURE : 0;
  },
  decoder: (sink, options) => new MixedDecoder(sink, options),
};
