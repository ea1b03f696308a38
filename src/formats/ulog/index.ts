import type { Format } from '../../core/format.ts';
import { refusal } from './flags.ts';
import { FrameDecoder } from './frame.ts';
import { isMagic, isSync, MAGIC_BYTES } from './look.ts';
import { HEADER_BYTES, TYPE } from './messages.ts';

export const ulog: Format = {
  name: 'ulog',
  title: 'PX4 ULog (.ulg)',
  isOnboard: true,
  protocols: [],
  writes: ['ulg'],
  clockTables: ['INFO', 'LOG', 'vehicle_gps_position', 'sensor_gps'],
  detect(bytes) {
    if (bytes.length >= MAGIC_BYTES && isMagic(bytes, 0)) return refusal(bytes) === undefined ? 1 : 0;
    // a header that is damaged, and flags that are not; or sync messages, which a stream of messages may carry
    if (bytes[HEADER_BYTES] === 40 && bytes[HEADER_BYTES + 1] === 0 && bytes[HEADER_BYTES + 2] === TYPE.B) return 0.8;
    for (let at = bytes.indexOf(TYPE.S, 2); at >= 0; at = bytes.indexOf(TYPE.S, at + 1))
      if (at + 9 <= bytes.length && isSync(bytes, at - 2)) return 0.2;
    return 0;
  },
  decoder: (sink) => new FrameDecoder(sink),
  clock: async (input) => (await import('./clock.ts')).ulogClock(input),
};
