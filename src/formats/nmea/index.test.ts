import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { concat, Random } from '../../../test/suite/random.ts';
import { bytesSource } from '../../core/source.ts';
import { detectFormat, FORMATS } from '../index.ts';
import { withChecksum } from './encode.ts';
import { detectNmea } from './index.ts';

const sample = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(fileURLToPath(new URL(`../../../sample/${name}`, import.meta.url)))).subarray(0, 1 << 16);
const text = (content: string): Uint8Array => new TextEncoder().encode(content);

const GGA = withChecksum('GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,');

describe('is claimed', () => {
  test.each([
    ['a log of sentences', sample('copter-square.nmea'), 0.9],
    ['one sentence', text(GGA), 0.9],
    ['sentences behind text', concat(text('# a header\n'.repeat(50)), text(GGA.repeat(3))), 0.5],
    ['sentences behind binary', concat(new Random(1).bytes(3000), text(GGA.repeat(3))), 0.5],
    ['sentences between binary', concat(new Random(1).bytes(500), text(GGA), new Random(2).bytes(500), text(GGA)), 0.5],
    ['sentences without a checksum', text('$GPGLL,4807.0,N,01131.0,E,123519,A\r\n'.repeat(3)), 0.5],
    ['sentences that nobody knows', text(withChecksum('PFOO,1,2').repeat(4)), 0.9],
  ])('%s', (_, bytes, least) => expect(detectNmea(bytes)).toBeGreaterThanOrEqual(least));
});

test.each([
  ['all is a sentence with a checksum', GGA, 0.95],
  ['half is', `${GGA}${'#'.repeat(GGA.length)}`, 0.725],
  ['sentences that nobody knows', withChecksum('PFOO,1,2'), 0.95],
  ['all is a sentence without', '$GPHDT,4,T\r\n', 0.6],
  ['half is', `$GPHDT,4,T\r\n${'#'.repeat(12)}`, 0.3],
  ['less than half is', `$GPHDT,4,T\r\n${'#'.repeat(13)}`, 0],
  ['nobody knows it, without a checksum', '$GPZZZ,4,T\r\n', 0],
])('%s: %s is %d sure', (_, content, sure) => expect(detectNmea(text(content))).toBeCloseTo(sure, 12));

describe('is not claimed', () => {
  test.each([
    ['nothing', new Uint8Array(0)],
    ['a DataFlash log', sample('copter-square.BIN')],
    ['a telemetry log', sample('copter-square.tlog')],
    ['a capture', sample('copter-square.pcap')],
    ['a DataFlash text log', text('FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format,Columns\nGPS, 3, 1, 2\n')],
    ['random bytes', new Random(3).bytes(1 << 16)],
    ['text', text('cost: $GREAT, or $5, or $PATH,\nand more\n'.repeat(50))],
    ['sentences with a wrong checksum', text(GGA.replace('*', '*F').repeat(5))],
  ])('%s', (_, bytes) => expect(detectNmea(bytes)).toBe(0));

  test('what other formats claim, though sentences stand in it', async () => {
    for (const name of ['copter-square.BIN', 'copter-square.tlog']) {
      const bytes = concat(sample(name), text(GGA), sample(name));
      expect((await detectFormat(bytesSource(bytes), FORMATS))?.name).not.toBe('nmea');
    }
  });
});
