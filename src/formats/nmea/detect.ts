import type { Sink } from '../../core/decoder.ts';
import { knownSentence } from './catalog.ts';
import { SentenceDecoder } from './frame.ts';

/** How sure a single sentence with the right checksum makes, and how much more a text that is nothing else. */
const CHECKED = 0.5;
const THROUGHOUT = 0.45;
/** The same for sentences without a checksum: most of the text must be such. */
const UNCHECKED = 0.6;
const MOST = 0.5;

/**
 * Sentences with the right checksum tell the format, whatever stands between them: binary of other protocols, text.
 * Without a checksum nothing but sentences that are known will do.
 */
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
