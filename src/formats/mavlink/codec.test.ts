import { describe, expect, it } from 'vitest';
import { frameBytes } from '../../../test/formats/mavlink/stream.ts';
import { concat } from '../../../test/suite/random.ts';
import { Column } from '../../core/column.ts';
import type { FieldType } from '../../core/schema.ts';
import { FrameCodec, LENGTH_PLACE, STAMP_PLACE } from './codec.ts';
import { plainField } from './dialect/schema.ts';

const bytesOf = (length: number): number[] => Array.from({ length }, (_, i) => i + 1);

/** A field read from several frames that stand one after the other. */
function read(frames: readonly Uint8Array[], type: FieldType, count: number, offset: number, lead = 0): unknown[] {
  const starts = new Int32Array(frames.length);
  for (let i = 1; i < frames.length; i++) starts[i] = starts[i - 1] + frames[i - 1].length;
  const column = new Column(plainField('x', type, count, offset), frames.length + 1);
  column.bits8.fill(0xaa);
  new FrameCodec(lead).read(concat(...frames), starts, frames.length, [column], 1);
  return frames.map((_, i) => column.at(i + 1));
}

const frame = (version: 1 | 2, length: number): Uint8Array =>
  frameBytes({ version, id: 30, payload: bytesOf(length), extra: 39 });

describe('FrameCodec', () => {
  it('reads both versions', () => {
    expect(read([frame(1, 28), frame(2, 28), frame(1, 28)], 'uint32', 1, 4)).toEqual(new Array(3).fill(0x08070605));
  });

  it.each<[FieldType, unknown[]]>([
    ['uint8', [0, 5, 5, 5, 5, 5]],
    ['uint16', [0, 5, 0x605, 0x605, 0x605, 0x605]],
    ['uint32', [0, 5, 0x605, 0x70605, 0x8070605, 0x8070605]],
    ['int32', [0, 5, 0x605, 0x70605, 0x8070605, 0x8070605]],
    ['uint64', [0, 5, 0x605, 0x70605, 0x8070605, 0x908070605]],
  ])('fills %s that is cut with zeros', (type, expected) => {
    expect(
      read(
        [3, 5, 6, 7, 8, 9].map((length) => frame(2, length)),
        type,
        1,
        4,
      ),
    ).toEqual(expected);
  });

  it('fills arrays and text that are cut', () => {
    expect(read([frame(2, 2), frame(2, 5), frame(2, 9)], 'uint16', 3, 2)).toEqual([
      [0, 0, 0],
      [0x403, 5, 0],
      [0x403, 0x605, 0x807],
    ]);
    const text = frameBytes({ id: 253, payload: [6, 0x41, 0x42], extra: 83 });
    expect(read([text], 'text', 50, 1)).toEqual(['AB']);
  });

  it('reads the length of a payload', () => {
    expect(read([frame(2, 7), frame(1, 28)], 'uint8', 1, LENGTH_PLACE)).toEqual([7, 28]);
  });

  it('reads frames with a time before them, and without', () => {
    const stamp = Uint8Array.of(0, 6, 0x0a, 0x24, 0x18, 0x1e, 0x40, 1);
    const frames = [concat(stamp, frame(2, 28)), frame(2, 28), concat(stamp, frame(1, 28))];
    expect(read(frames, 'uint8', 1, 3, 8)).toEqual([4, 4, 4]);
    const time = Number(0x00060a24181e4001n);
    expect(read(frames, 'uint64', 1, STAMP_PLACE, 8)).toEqual([time, 0, time]);
  });
});
