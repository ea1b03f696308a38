import { describe, expect, test } from 'vitest';
import { concat, Random } from '../../test/suite/random.ts';
import { describeSet, parseSet } from './byte-set.ts';
import type { Grammar } from './grammar.ts';
import { GrammarExaminer } from './grammar-examiner.ts';
import { ATTITUDE_POSITION } from './grammars.ts';
import { sentenceOf, type Violation } from './violation.ts';

const RECORD = 88;

/** The grammar once more, as plainly as it can be said: what may stand at each place of a record; elsewhere anything. */
const FIXED: Readonly<Record<number, readonly number[]>> = {
  16: [0x02],
  17: [0x00],
  18: [0x00],
  19: [0x00],
  20: [0x45],
  28: [0x40],
  29: [0x11],
  40: [0x38],
  41: [0xd6],
  42: [0x38],
  43: [0xf4],
  48: [0xfd],
  49: [0x1c],
  50: [0x00],
  51: [0x00],
  53: [0x01, 0x33, 0xff],
  54: [0x01, 0x44, 0xbe],
  55: [0x1e, 0x21],
  56: [0x00],
  57: [0x00],
};

/** Where the first violation is, by the table; -1 where there is none. */
function plainViolation(bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; at++) {
    const allowed = FIXED[at % RECORD];
    if (allowed && !allowed.includes(bytes[at])) return at;
  }
  return bytes.length % RECORD === 0 ? -1 : bytes.length;
}

function record(random: Random): Uint8Array {
  const bytes = random.bytes(RECORD);
  for (const [at, allowed] of Object.entries(FIXED)) bytes[Number(at)] = random.pick(allowed);
  // no file header
  bytes[0] = 0x3d;
  return bytes;
}

function violations(pieces: readonly Uint8Array[], all = false, grammar: Grammar = ATTITUDE_POSITION): Violation[] {
  const found: Violation[] = [];
  const examiner = new GrammarExaminer(grammar, (violation) => found.push(violation), all);
  for (const piece of pieces) examiner.push(piece);
  examiner.end();
  return found;
}

const first = (bytes: Uint8Array): number => violations([bytes])[0]?.offset ?? -1;

const FILE_HEADERS = ['d4c3b2a1', 'a1b2c3d4', '4d3cb2a1', 'a1b23c4d', '34cdb2a1', 'a1b2cd34'].map((magic) =>
  Uint8Array.from([...(magic.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)), ...new Array(20).fill(7)]),
);

describe('attitude-position', () => {
  test('every byte in place of every byte of a record is judged as by the table', () => {
    const bytes = concat(record(new Random(1)), record(new Random(2)));
    let wrong = 0;
    for (let at = 0; at < RECORD; at++) {
      const right = bytes[RECORD + at];
      for (let byte = 0; byte < 256; byte++) {
        bytes[RECORD + at] = byte;
        const plain = plainViolation(bytes);
        if (plain >= 0) wrong++;
        expect(first(bytes)).toBe(plain);
      }
      bytes[RECORD + at] = right;
    }
    // 17 places with one byte, two with three, one with two
    expect(wrong).toBe(17 * 255 + 2 * 253 + 254);
  });

  test('the same for the first record, where a file header may stand', () => {
    const bytes = record(new Random(3));
    for (let at = 0; at < RECORD; at++) {
      const right = bytes[at];
      for (let byte = 0; byte < 256; byte++) {
        bytes[at] = byte;
        expect(first(bytes)).toBe(plainViolation(bytes));
      }
      bytes[at] = right;
    }
  });

  test('a record stream whose first time looks like a file header is a record stream', () => {
    const bytes = record(new Random(4));
    bytes.set([0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0]);
    expect(first(bytes)).toBe(-1);
    bytes[48] = 0;
    expect(violations([bytes]).map(sentenceOf)).toEqual([
      'offset 48 (0x30), record 1, mavlink header, magic: expected fd, found 00',
    ]);
  });

  test('cut after every byte, the missing byte is named', () => {
    const random = new Random(5);
    const bytes = concat(record(random), record(random), record(random));
    for (let end = 0; end <= bytes.length; end++) {
      const [found] = violations([bytes.subarray(0, end)]);
      expect(found?.offset ?? -1).toBe(end % RECORD === 0 ? -1 : end);
      if (found) expect(found).toMatchObject({ record: Math.floor(end / RECORD) + 1, found: 'the end of the file' });
    }
  });

  test.each(FILE_HEADERS.map((head) => ({ head })))('a file header is skipped, case %#', ({ head }) => {
    const random = new Random(6);
    const records = concat(...Array.from({ length: 5 }, () => record(random)));
    expect(first(head)).toBe(-1);
    expect(first(concat(head, records))).toBe(-1);
    for (let cut = 1; cut < 24; cut++) expect(first(head.subarray(0, cut))).toBe(cut);
    records[3 * RECORD + 53] = 2;
    expect(violations([concat(head, records)]).map(sentenceOf)).toEqual([
      'offset 341 (0x155), record 4, mavlink header, system id: expected one of 01 33 ff, found 02',
    ]);
    // only one of them, and only at the beginning
    expect(first(concat(head, head))).toBe(40);
  });

  test('all violations of a file, in any pieces', () => {
    const random = new Random(7);
    for (let round = 0; round < 300; round++) {
      const bytes = concat(...Array.from({ length: random.between(1, 6) }, () => record(random)));
      const data = round % 2 === 0 ? bytes : concat(FILE_HEADERS[round % 6], bytes);
      for (let i = random.below(8); i > 0; i--) data[random.below(data.length)] = random.bits();
      const whole = violations([data], true);
      const cut = data.subarray(0, data.length - random.below(3));
      expect(violations([data], false)).toEqual(whole.slice(0, 1));
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < cut.length; ) {
        const size = random.between(0, random.pick([1, 7, 60, 400]));
        pieces.push(cut.subarray(at, at + size));
        at += size;
      }
      expect(violations(pieces, true)).toEqual(violations([cut], true));
      expect(violations(pieces)).toEqual(violations([cut]));
    }
  });

  test('each wrong byte is told once where records keep their length', () => {
    const random = new Random(8);
    const bytes = concat(...Array.from({ length: 200 }, () => record(random)));
    for (let at = 0; at < bytes.length; at += RECORD) bytes.set([72, 0, 0, 0], at + 8);
    const places = new Set<number>();
    for (let i = 0; i < 100; i++) places.add(random.below(200) * RECORD + random.pick([16, 28, 42, 49, 53, 55, 57]));
    for (const at of places) bytes[at] = 0x77;
    const found = violations([bytes], true);
    expect(found.map(({ offset }) => offset)).toEqual([...places].sort((a, b) => a - b));
    for (const { offset, record: number } of found) expect(number).toBe(Math.floor(offset / RECORD) + 1);
  });

  test('behind a record of another length the next one is found', () => {
    const random = new Random(9);
    const longer = concat(record(random), random.bytes(12));
    longer[48] = 0xfe;
    longer.set([84, 0, 0, 0], 8);
    const shorter = record(random).subarray(0, 76);
    shorter[49] = 0x10;
    shorter.set([60, 0, 0, 0], 8);
    const bytes = concat(record(random), longer, record(random), shorter, record(random));
    expect(violations([bytes], true).map(({ offset, record: number, found }) => [offset, number, found])).toEqual([
      [88 + 48, 2, 'fe'],
      [176, 2, '12 bytes more'],
      [188 + 88 + 49, 4, '10'],
      [188 + 88 + 76, 4, 'the end of the record'],
    ]);
  });

  test('random bytes are judged as by the table', () => {
    const random = new Random(10);
    for (let round = 0; round < 2000; round++) {
      const bytes = random.bytes(random.below(300));
      if (bytes.length > 0) bytes[0] &= 0x1f;
      expect(first(bytes)).toBe(plainViolation(bytes));
      violations([bytes], true);
    }
  });
});

describe('sets in words', () => {
  test.each([
    ['02', '02'],
    ['01 33 ff', 'one of 01 33 ff'],
    ['00-35 ca-ff', 'one of 00-35 ca-ff'],
    ['10 11', 'one of 10 11'],
    ['00-ff', 'any byte'],
    ['00-fe ff', 'any byte'],
  ])('%s', (set, words) => {
    expect(describeSet(parseSet(set) as Uint8Array)).toBe(words);
  });
});
