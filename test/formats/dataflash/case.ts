import { dataflash } from '../../../src/formats/dataflash/index.ts';
import { dataflashText } from '../../../src/formats/dataflash/text.ts';
import type { FormatCase } from '../../suite/format-suite.ts';
import { sampleFile } from '../../suite/sample.ts';
import { asText, piecesOf } from './pieces.ts';
import { randomDataflash } from './random.ts';
import { FMT } from './record.ts';
import { plainDataflash } from './reference.ts';
import { plainDataflashText } from './text.ts';
import { randomDataflashText } from './text-random.ts';

const COMMA = 0x2c;
const POINT = 0x2e;
const NEWLINE = 10;

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

const square = sampleFile('copter-square.BIN');

/** Binary logs, for the suite that every format passes. */
export const dataflashCase: FormatCase = {
  format: dataflash,
  reference: plainDataflash,
  structured: randomDataflash,
  alphabet: [0xa3, 0x95, FMT.type, 0, 10],
  samples: piecesOf(square, [
    { types: ['PARM', 'MSG', 'VER', 'MODE'], length: 20_000 },
    { types: ['IMU', 'GPS', 'ATT', 'RATE'], length: 20_000, from: 3_000_000, units: true },
    { types: ['ESC', 'ESCX', 'SIM2'], length: 20_000, from: 5_000_000 },
    { types: ['XKF1', 'XKQ', 'EV', 'MAVC', 'RTC'], length: 20_000 },
    { types: ['FILE', 'UNIT', 'MULT', 'VIBE'], length: 20_000 },
  ]),
  wrongByte: {
    most: 2,
    // a FMT record with a wrong byte may cost the records that it defines
    defines: (name, record) => (name === 'FMT' ? latin1(record.subarray(5, 9)).replace(/\0.*$/s, '') : undefined),
  },
  // without the first byte of a header there is none
  garbage: (random, length) => random.bytes(length).map((byte) => (byte === 0xa3 ? 0 : byte)),
};

/** Text logs. */
export const dataflashTextCase: FormatCase = {
  format: dataflashText,
  reference: plainDataflashText,
  structured: randomDataflashText,
  alphabet: new TextEncoder().encode('FMT, \n1234.-GPS#'),
  samples: piecesOf(square, [
    { types: ['PARM', 'MSG', 'VER', 'MODE'], length: 4_000 },
    { types: ['IMU', 'GPS', 'ATT', 'RATE'], length: 4_000, from: 3_000_000, units: true },
    { types: ['UNIT', 'MULT', 'VIBE', 'EV', 'ESC'], length: 4_000 },
  ]).map(asText),
  wrongByte: {
    // a line break that is gone joins two lines
    most: 2,
    before: 1,
    defines: (name, line) => (name === 'FMT' ? latin1(line).split(', ')[3] : undefined),
  },
  cutMayPass: true,
  // lines that no comma makes a record of
  garbage: (random, length) => {
    const bytes = random.bytes(length).map((byte) => (byte === COMMA ? POINT : byte));
    bytes[length - 1] = NEWLINE;
    return bytes;
  },
};
