import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Random } from '../../test/suite/random.ts';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { BatchBuilder, eachFrame, newRun, readBatch, timeOf, withFloor } from './batch.ts';
import { BUS_LIVE_LIMITS } from './limits.ts';

const encoder = new Encoder(builtinDialect(), { system: 7, component: 1 });
const frame = (roll: number): Uint8Array => encoder.message('ATTITUDE', { roll });
/** Of a collector. */
const ID = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
const TIME = 1_790_000_000_123_456;

function batchOf(frames: readonly Uint8Array[], link = 'udpin:0.0.0.0:14550', number = 9, floor = 3): Uint8Array {
  const builder = new BatchBuilder(newRun(ID, 1, 5), link, 7, '');
  frames.forEach((each, i) => {
    builder.add(TIME + i, each, 0, each.length);
  });
  return withFloor(builder.take(number), floor);
}

describe('a batch of frames', () => {
  test('is read as it was made, with the time of each frame', () => {
    const frames = [frame(0.1), frame(0.2), frame(0.3)];
    const batch = readBatch(batchOf(frames));
    expect(batch).toMatchObject({
      ...{ id: '0102030405060708', run: '01020304050607080000000100000005', number: 9, floor: 3, lost: 0 },
      system: 7,
      link: 'udpin:0.0.0.0:14550',
      message: '',
      frames: 3,
    });
    if (typeof batch === 'string') return;
    const found: [number, Uint8Array][] = [];
    eachFrame(batch.records, (start, { end }) =>
      found.push([timeOf(batch.records, start), batch.records.slice(start, end)]),
    );
    expect(found).toEqual(frames.map((each, i) => [TIME + i, each]));
  });

  test('holds any number of frames, and the next one begins empty', () => {
    const builder = new BatchBuilder(newRun(ID, 1, 0), 'a', 7, 'ATTITUDE');
    const one = frame(1);
    let count = 0;
    for (; !builder.isFull; count++) builder.add(TIME, one, 0, one.length);
    expect(readBatch(withFloor(builder.take(1), 1))).toMatchObject({ frames: count, message: 'ATTITUDE' });
    builder.add(TIME, one, 0, one.length);
    expect(readBatch(withFloor(builder.take(2), 2))).toMatchObject({ frames: 1, number: 2 });
  });

  test('of a later run has a greater name', () => {
    const names = [1, 2, 255, 2 ** 16, 2 ** 31, 2 ** 32 - 1].map((time) => {
      const builder = new BatchBuilder(newRun(ID, time, 0), 'a', 7, '');
      builder.add(TIME, frame(1), 0, frame(1).length);
      const batch = readBatch(withFloor(builder.take(1), 1));
      return typeof batch === 'string' ? batch : batch.run;
    });
    expect([...new Set(names)].sort()).toEqual(names);
  });

  test('with a link of any name is read, and shows nothing that moves a cursor', () => {
    const long = readBatch(batchOf([frame(1)], 'ü'.repeat(1000)));
    expect(long).toMatchObject({ frames: 1 });
    expect(readBatch(batchOf([frame(1)], 'a\u001b[2Jb'))).toMatchObject({ link: 'a\\x1b[2Jb' });
  });

  test('that is none is said so: garbage, too long, wrong numbers, cut anywhere, of another system', () => {
    const whole = batchOf([frame(0.1), frame(0.2)]);
    for (let end = 0; end < whole.length; end++) {
      expect(readBatch(whole.subarray(0, end))).toBeTypeOf('string');
      for (const bit of [1, 128]) {
        const changed = whole.slice();
        changed[end] ^= bit;
        expect(readBatch(changed)).toBeTypeOf('string');
      }
    }
    expect(readBatch(Uint8Array.from([...whole, 0]))).toMatch('checksum');
    expect(readBatch(new Uint8Array(BUS_LIVE_LIMITS.messageBytes + 1))).toMatch(/at most/);
    expect(readBatch(batchOf([frame(1)], 'a', 5, 6))).toMatch('numbers 5 and 6');
    expect(readBatch(batchOf([frame(1)], 'a', 5, 0))).toMatch('numbers');
    expect(readBatch(batchOf([frame(1)], 'a', 1000, 1000 - BUS_LIVE_LIMITS.window))).toMatch('numbers');
    expect(readBatch(batchOf([frame(1)], 'a', 2 ** 60, 2 ** 60))).toMatch('numbers');
    expect(readBatch(batchOf([]))).toMatch('no frames');
    const other = new Encoder(builtinDialect(), { system: 8, component: 1 }).message('ATTITUDE', {});
    expect(readBatch(batchOf([other]))).toMatch('of system 8, not of 7');
    const random = new Random(1);
    for (let i = 0; i < 2000; i++) {
      const changed = whole.slice();
      for (let k = 0; k < 4; k++) changed[random.below(changed.length)] = random.below(256);
      readBatch(changed);
    }
  });

  test('of an earlier version is read as it was, with a new floor too', () => {
    const stored = readFileSync(new URL('../../test/fixtures/spool-skb1/00000001.spool', import.meta.url));
    const old = new Uint8Array(stored.subarray(12, 12 + stored.readUInt32LE(0)));
    expect(readBatch(withFloor(old, 1, 77))).toMatchObject({
      ...{ id: '', run: '01a0c4506c000005', number: 1, floor: 1, lost: 0, system: 1, frames: 4 },
      link: 'udpin:0.0.0.0:14550',
    });
  });

  test('says what was lost; without frames it says nothing else', () => {
    const empty = new BatchBuilder(newRun(ID, 1, 0), '', 0, '').take(4);
    expect(readBatch(withFloor(empty, 4, 12))).toMatchObject({ frames: 0, lost: 12, number: 4 });
    expect(readBatch(withFloor(empty, 4, 0))).toBe('no frames');
    expect(readBatch(withFloor(empty, 4, 2 ** 60))).toMatch('numbers');
  });
});
