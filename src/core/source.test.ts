import { describe, expect, it, test } from 'vitest';
import { blobSource, bytesSource, Pieces, type Spill } from './source.ts';

const BYTES = Uint8Array.from({ length: 100 }, (_, i) => i);

describe.each([
  ['bytes', bytesSource(BYTES)],
  ['a blob', blobSource(new Blob([BYTES]))],
])('a source of %s', (_, source) => {
  test('has their size', () => {
    expect(source.size).toBe(100);
  });

  test.each([
    [0, 3, [0, 1, 2]],
    [98, 10, [98, 99]],
    [100, 1, []],
    [200, 5, []],
    [5, 0, []],
  ])('read at %i gives %i bytes at most', async (offset, length, expected) => {
    expect([...(await source.read(offset, length))]).toEqual(expected);
  });
});

/** A place for bytes that remembers how much was written to it. */
class Memory implements Spill {
  private bytes = new Uint8Array(1 << 20);
  written = 0;

  write(offset: number, bytes: Uint8Array): void {
    this.bytes.set(bytes, offset);
    this.written = Math.max(this.written, offset + bytes.length);
  }

  read(offset: number, length: number): Uint8Array {
    return this.bytes.subarray(offset, offset + length);
  }
}

const piece = (n: number, length: number): Uint8Array => new Uint8Array(length).map((_, i) => n + i);

describe('pieces', () => {
  it.each([
    ['in memory', Number.POSITIVE_INFINITY],
    ['partly elsewhere', 100_000],
    ['all elsewhere', 0],
  ])('are one source, %s', async (_, most) => {
    const memory = new Memory();
    const pieces = new Pieces(() => memory, most);
    const whole: number[] = [];
    for (let n = 0; n < 60; n++) {
      const next = piece(n, 1 + ((n * 977) % 9000));
      expect([...pieces.append(next)]).toEqual([...next]);
      whole.push(...next);
    }
    expect(pieces.size).toBe(whole.length);
    expect(memory.written > 0).toBe(most < whole.length);
    for (const [offset, length] of [
      [0, 10],
      [0, whole.length],
      [65_530, 20],
      [99_000, 5_000],
      [whole.length - 3, 10],
      [whole.length, 10],
    ]) {
      const expected = whole.slice(offset, offset + length);
      expect([...(await pieces.read(offset, length))]).toEqual(expected);
      expect([...(await pieces.read(offset, length, new Uint8Array(1 << 20)))]).toEqual(expected);
    }
  });

  it('never has a piece in two blocks of memory', async () => {
    const pieces = new Pieces();
    pieces.append(piece(1, 60_000));
    const stored = pieces.append(piece(2, 60_000));
    expect([...stored]).toEqual([...piece(2, 60_000)]);
    expect([...(await pieces.read(59_999, 2))]).toEqual([(1 + 59_999) & 255, 2]);
  });
});
