import type { Sink } from '../../core/decoder.ts';
import type { Format } from '../../core/format.ts';
import { knownSentence } from './catalog.ts';
import { SentenceDecoder } from './frame.ts';

export const nmea: Format = {
  name: 'nmea',
  isOnboard: false,
  protocols: ['nmea'],
  writes: [],
  clock: async ({ tables, options, faults }) => (await import('./clock.ts')).nmeaClock(tables, options, faults),
  title: 'NMEA 0183 (.nmea, .log, .txt)',
  detect: detectNmea,
  decoder: (sink, options) => new SentenceDecoder(sink, options),
};

/** How sure a single sentence with the right checksum makes, and how much more a text that is nothing else. */
const CHECKED = 0.5;
const THROUGHOUT = 0.45;
/** The same for sentences without a checksum: most of the text must be such. */
const UNCHECKED = 0.6;
const MOST = 0.5;

/** Sentences with the right checksum show the format, whatever is between them; without one, only known sentences. */
export function detectNmea(bytes: Uint8Array): number {
  const checked = shareOf(bytes, 'required');
  if (checked > 0) return CHECKED + THROUGHOUT * checked;
  const unchecked = shareOf(bytes, 'optional');
  return unchecked >= MOST ? UNCHECKED * unchecked : 0;
}

/** The part of the bytes that known sentences take. */
function shareOf(bytes: Uint8Array, checksum: 'required' | 'optional'): number {
  let covered = 0;
  const counts: boolean[] = [];
  const sink: Sink = {
    table: (id, { name }) => {
      counts[id] = checksum === 'required' || knownSentence(name) !== undefined;
    },
    records: ({ count, table, size }) => {
      for (let i = 0; i < count; i++) if (counts[table[i]]) covered += size[i];
    },
    fault: () => {},
  };
  const decoder = new SentenceDecoder(sink, { checksum });
  decoder.push(bytes);
  decoder.end();
  return covered / bytes.length;
}
