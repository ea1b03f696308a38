import { mixed } from '../src/formats/mixed/index.ts';
import { floodSuite } from './suite/flood-suite.ts';
import type { Flood } from './suite/hostile.ts';
import { repeat } from './suite/random.ts';

const of =
  (...pattern: number[]) =>
  (length: number): Uint8Array =>
    repeat(pattern, length);
const text = (content: string): Uint8Array => new TextEncoder().encode(content);

/** Beginnings of each protocol in every place, and frames as short as they can be. */
const FLOODS: readonly Flood[] = [
  { name: 'UBX frames of some length', make: of(0xb5, 0x62, 1, 1, 0, 8) },
  { name: 'RTCM3 frames of some length', make: of(0xd3, 0x03, 0xff) },
  { name: 'beginnings of all', make: of(0xfd, 0xfe, 0xfa, 0xff, 0xd3, 0, 0xb5, 0x62, 0x24) },
  { name: 'sentences', make: (length) => repeat(text('$GPGLL,,,,,,V*06\r\n'), length) },
];

floodSuite(mixed, FLOODS);
