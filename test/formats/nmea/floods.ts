import type { Flood } from '../../suite/hostile.ts';
import { concat, Random, repeat } from '../../suite/random.ts';
import { bytesOf, line } from './random.ts';

const of =
  (pattern: string) =>
  (length: number): Uint8Array =>
    repeat(bytesOf(pattern), length);

/** What makes an NMEA decoder work: beginnings in every place, sentences without an end, kinds without number. */
export const nmeaFloods: readonly Flood[] = [
  { name: 'line breaks', make: of('\n') },
  { name: 'dollars', make: of('$') },
  { name: 'stars', make: of('*') },
  { name: 'backslashes', make: of('\\') },
  { name: 'tag blocks that do not end', make: of(`\\${'s'.repeat(200)}`) },
  { name: 'a sentence that does not end', make: (length) => concat(bytesOf('$GPGGA,'), of('A')(length)) },
  { name: 'heads without a body', make: of('$GPGGA,') },
  { name: 'long addresses', make: of(`$${'A'.repeat(24)}`) },
  { name: 'checksums', make: of('*4F') },
  { name: 'short sentences', make: of(line('PAB')) },
  { name: 'sentences without a checksum', make: of('$GPGLL,,,,,,V\n') },
  { name: 'sentences with a wrong checksum', make: of('$GPGLL,,,,,,V*00\r\n') },
  { name: 'cells without end', make: of(line(`PFOO${','.repeat(900)}`)) },
  { name: 'addresses of all kinds', make: addressFlood },
];

/** Sentences that nobody knows, each of another address. */
function addressFlood(length: number): Uint8Array {
  const random = new Random(1);
  const letters = (count: number): string =>
    String.fromCharCode(...Array.from({ length: count }, () => random.between(65, 90)));
  const sentence = (): string => line(`${letters(random.between(3, 12))},${','.repeat(random.below(60))}`);
  return repeat(bytesOf(Array.from({ length: 20_000 }, sentence).join('')), length);
}
