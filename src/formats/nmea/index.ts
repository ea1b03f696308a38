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

const DOLLAR = 0x24;
const BANG = 0x21;

/** Sentences with the right checksum show the format, whatever is between them; without one, only known sentences. */
export function detectNmea(bytes: Uint8Array): number {
  if (!hasStart(bytes)) return 0;
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

/** Whether a sentence may begin anywhere: captures ask this of each packet, for which a decoder takes too long. */
function hasStart(bytes: Uint8Array): boolean {
  for (let at = 0; at + 3 < bytes.length; at++) {
    if (bytes[at] !== DOLLAR && bytes[at] !== BANG) continue;
    if (isNameLetter(bytes[at + 1]) && isNameLetter(bytes[at + 2]) && isNameLetter(bytes[at + 3])) return true;
  }
  return false;
}

/** A letter or digit of the name of a sentence, in either case. */
function isNameLetter(byte: number): boolean {
  const upper = byte & ~0x20;
  return (upper >= 0x41 && upper <= 0x5a) || (byte >= 0x30 && byte <= 0x39);
}
