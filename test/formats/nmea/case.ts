import { nmea } from '../../../src/formats/nmea/index.ts';
import type { FormatCase } from '../../suite/format-suite.ts';
import { sampleFile } from '../../suite/sample.ts';
import { bytesOf, line, randomNmea } from './random.ts';
import { plainNmea } from './reference.ts';

/** Sentences of many kinds, with and without a checksum or a tag block; what comes between is the suite's part. */
const MIXED = [
  line('GPGSV,3,1,11,03,03,111,00,04,15,270,00,06,01,010,00,13,06,292,00'),
  line('GPGSV,3,3,11,22,42,067,42,24,14,311,43,1'),
  line('PQGSV,1,1,02,02,20,116,,03,,,,0,4'),
  line('GNGSA,A,3,80,71,73,79,69,,,,,,,,1.83,1.09,1.47,2'),
  line(`GNGSA,A,3,${'01,'.repeat(24)}1.83,1.09,1.47`),
  line('GPVTG,054.7,T,034.4,M,005.5,N,010.2,K,A').replace(/[A-F](?=\r)/, (digit) => digit.toLowerCase()),
  '$GPGLL,3854.5087,N,07726.4523,W,125106,V\r\n',
  line('GPGLL,9000.0000,S,18000.0000,W,125106,A'),
  line('GPGLL,9000.0001,N,18000.0001,E,125106,A'),
  '\\s:GP001,n:245*24\\$GPRMC,120658.284,A,5412.51144,N,01203.87679,E,037.8,255.6,210918,003.1,E,A*0A\r\n',
  '!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C\r\n',
  line('IIXDR,C,,C,AIRTEMP,A,-1.0,D,HEEL,A,2.9,D,TRIM'),
  line('PLSHD,1,22,21,0.423,239.024,3.787'),
  line('PLSHD,239.02,0.4'),
  line('PUBX,03,02,3,U,281,72,36,062,5,-,034,10,23,000'),
  line('GPTXT,01,01,02,u-blox ag - www.u-blox.com, with a comma'),
  line('PZZZ,a,,c'),
  line('PZZZ'),
  tagged('GPVTG,054.7,034.4,005.5,010.2'),
  tagged(`GNGSA,A,3,${'07,'.repeat(270)}1.83,1.09,1.47,2`),
].join('');

/** A sentence after the name of its source. */
function tagged(body: string): string {
  return `\\s:a*28\\${line(body)}`;
}

const square = sampleFile('copter-square.nmea').bytes;

/** How the shared suite tries NMEA 0183. */
export const nmeaCase: FormatCase = {
  format: nmea,
  samples: [
    { name: 'the beginning of copter-square.nmea', bytes: square.slice(0, square.indexOf(10, 2000) + 1) },
    { name: 'sentences of many kinds', bytes: bytesOf(MIXED) },
  ],
  reference: plainNmea,
  structured: randomNmea,
  alphabet: bytesOf('$!\\*,\r\nGPGGARMCSV0123456789.ABCDEF'),
  wrongByte: { most: 1 },
  share: 0.5,
  // a sentence is whole when its checksum is, whatever becomes of its line break
  cutMayPass: true,
  // bytes of which nothing can begin, and none of which can be the line break of what stands before them
  garbage: (random, length) => random.bytes(length).map((byte) => ([10, 13, 33, 36, 92].includes(byte) ? 0x2e : byte)),
};
