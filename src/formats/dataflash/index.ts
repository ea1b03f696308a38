import type { Format } from '../../core/format.ts';
import { DataflashDecoder } from './frame.ts';
import { FMT_DEFINITION, FMT_TYPE, HEAD_1, HEAD_2 } from './schema.ts';

/** How sure a FMT record makes that is not the first: less than a stream of messages, which may carry a log. */
const INSIDE = 0.75;
/** Headers that random bytes would have once in 65,536: this many times as many make a log. */
const HEADERS_PER_KIB = 2;

const clock: Format['clock'] = async (input) => (await import('./clock.ts')).dataflashClock(input);

export const dataflash: Format = {
  name: 'dataflash',
  title: 'DataFlash log (.bin), PX4 sdlog2 log (.px4log)',
  isOnboard: true,
  protocols: [],
  writes: ['bin'],
  clockTables: ['FMT', 'GPS', 'GPS2', 'TIME'],
  detect(bytes) {
    let headers = 0;
    for (let at = bytes.indexOf(HEAD_1); at >= 0; at = bytes.indexOf(HEAD_1, at + 1)) {
      if (bytes[at + 1] !== HEAD_2) continue;
      headers++;
      // a FMT record that is followed by another header says it all, unless it is within messages that carry a log
      const next = at + FMT_DEFINITION.length;
      if (
        bytes[at + 2] === FMT_TYPE &&
        (next >= bytes.length || (bytes[next] === HEAD_1 && bytes[next + 1] === HEAD_2))
      )
        return at === 0 ? 1 : INSIDE;
    }
    return headers * 1024 >= bytes.length * HEADERS_PER_KIB && headers > 1 ? 0.7 : 0;
  },
  decoder: (sink) => new DataflashDecoder(sink),
  clock,
};
