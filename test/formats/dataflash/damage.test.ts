import { describe, expect, test } from 'vitest';
import { dataflash } from '../../../src/formats/dataflash/index.ts';
import { many } from '../../helpers/long.ts';
import { needShared, sharedData } from '../../helpers/need.ts';
import { decode, type Found, uncovered } from '../../suite/found.ts';
import { concat, Random } from '../../suite/random.ts';
import { readBytes } from '../../suite/sample.ts';

/*
 * Logs damaged in ways that are seen in the field, and what other readers make of them: pymavlink, JsDataflashParser
 * and ardupilot-binlog lose records, take what is none for one, or fail, in all cases but the plainest.
 */

/** Files that stand ready: how many records are whole in each. */
const READY: readonly (readonly [file: string, records: number, faults: readonly string[]])[] = [
  ['trunc', 42_780, ['truncated']],
  ['zerotail', 80_291, ['padding']],
  ['garbage_between', 80_291, ['garbage']],
  ['unknown_type', 80_291, ['unknown-type']],
  ['no_first_fmt', 80_290, []],
  // all are framed, though the fields of one type cannot be read
  ['bad_format_char', 80_291, ['unknown-format']],
  ['fmt_len_mismatch', 80_291, ['format-mismatch']],
  ['empty', 0, []],
  ['zeros', 0, ['padding']],
];

needShared(
  describe,
  'dataflash',
  'corrupt',
)('damage that stands ready', () => {
  test.each(READY)('%s: %i records', (file, records, faults) => {
    const bytes = readBytes(sharedData('dataflash', 'corrupt', `${file}.BIN`));
    const found = decode(dataflash, bytes);
    expect(found.count).toBe(records);
    expect(found.faults.map((fault) => fault.code)).toEqual(faults);
    expect(uncovered(found, bytes.length)).toBeUndefined();
  });

  test('data_only: without definitions nothing is taken for a record, and all of it is named', () => {
    const bytes = readBytes(sharedData('dataflash', 'corrupt', 'data_only.BIN'));
    const found = decode(dataflash, bytes);
    expect(found.count).toBe(0);
    expect(new Set(found.faults.map((fault) => fault.code))).toEqual(new Set(['unknown-type']));
    expect(uncovered(found, bytes.length)).toBeUndefined();
  });
});

needShared(
  describe,
  'dataflash',
  'macs-214.BIN',
)('damage done to a log of 80,291 records', () => {
  const bytes = readBytes(sharedData('dataflash', 'macs-214.BIN'));
  const whole = decode(dataflash, bytes);
  const random = new Random(214);
  /** Somewhere behind the definitions. */
  const place = (): number => random.between(200_000, bytes.length - 10_000);
  const boundary = (): number => whole.offsets[random.between(5_000, whole.count - 100)];

  test('a block of zeros costs the records that it touches, and at most one half of a record passes for whole', () => {
    for (let run = 0; run < 25; run++) {
      const from = place() & ~511;
      const damaged = bytes.slice().fill(0, from, from + 512);
      const untouched = indices(whole).filter((i) => !overlaps(whole, i, from, from + 512));
      expectKept(whole, decode(dataflash, damaged), untouched, 0, 1);
    }
  });

  test('a block that is gone costs the records that it touches, and at most one that is spliced passes for whole', () => {
    for (let run = 0; run < 25; run++) {
      const from = place() & ~511;
      const damaged = concat(bytes.subarray(0, from), bytes.subarray(from + 512));
      const untouched = indices(whole).filter((i) => !overlaps(whole, i, from, from + 512));
      expectKept(whole, decode(dataflash, damaged), untouched, -512, 1, from);
    }
  });

  test('a definition that is gone costs its type alone', () => {
    const fmt = indices(whole).find((i) => whole.name(i) === 'FMT' && definedName(bytes, whole.offsets[i]) === 'IMU');
    const from = whole.offsets[fmt as number];
    const found = decode(dataflash, concat(bytes.subarray(0, from), bytes.subarray(from + 89)));
    expect(found.count).toBe(76_530);
    const others = indices(whole).filter((i) => i !== fmt && whole.name(i) !== 'IMU');
    expectKept(whole, found, others, -89, 0, from);
  });

  test('a header that is none costs nothing', () => {
    const types = new Set(whole.offsets.slice(0, 20_000).map((offset) => bytes[offset + 2]));
    for (const type of [...types].slice(0, many(40, 10))) {
      const from = boundary();
      const damaged = concat(bytes.subarray(0, from), Uint8Array.of(0xa3, 0x95, type), bytes.subarray(from));
      expectKept(whole, decode(dataflash, damaged), indices(whole), 3, 0, from);
    }
  });

  test('two logs of two firmwares in one file are read by their own definitions', () => {
    const other = readBytes(sharedData('dataflash', 'pbarker-6.BIN'));
    for (const [first, second] of [
      [bytes, other],
      [other, bytes],
    ]) {
      const found = decode(dataflash, concat(first, second));
      expect(found.count).toBe(84_584);
      const apart = [decode(dataflash, first), decode(dataflash, second)];
      const shapes = apart.flatMap((one) => one.ids.map((id) => shapeOf(one, id)));
      expect(found.ids.map((id) => shapeOf(found, id))).toEqual(shapes);
    }
  });
});

const indices = (found: Found): number[] => Array.from({ length: found.count }, (_, i) => i);

function overlaps(found: Found, i: number, from: number, to: number): boolean {
  return found.offsets[i] < to && found.offsets[i] + found.sizes[i] > from;
}

/** Every record of `kept` is there, moved by `shift` if it stood behind `behind`, and hardly anything else. */
function expectKept(whole: Found, found: Found, kept: number[], shift: number, extra: number, behind = 0): void {
  const there = new Map(found.offsets.map((offset, i) => [offset, i]));
  for (const i of kept) {
    const place = whole.offsets[i] + (whole.offsets[i] >= behind ? shift : 0);
    const k = there.get(place) ?? -1;
    if (k < 0 || found.sizes[k] !== whole.sizes[i] || found.name(k) !== whole.name(i))
      expect.fail(`${whole.label(i)} became ${k < 0 ? 'nothing' : found.label(k)}`);
  }
  expect(found.count - kept.length).toBeLessThanOrEqual(extra);
}

function definedName(bytes: Uint8Array, at: number): string {
  return Buffer.from(bytes.subarray(at + 5, at + 9))
    .toString('latin1')
    .replace(/\0.*$/s, '');
}

function shapeOf(found: Found, id: number): string {
  const { name, fields } = found.schemas[id];
  return `${name} ${found.streams[id]} ${fields.map((field) => `${field.name}:${field.type}`).join()}`;
}
