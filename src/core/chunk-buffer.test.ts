import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChunkBuffer, type Scan } from './chunk-buffer.ts';

/** Takes whole lines, as a text decoder does, and notes what it was given. */
class Lines {
  readonly found: [offset: number, line: string][] = [];
  bytesSeen = 0;

  readonly scan: Scan = (bytes, from, base, final) => {
    this.bytesSeen += bytes.length - from;
    let at = from;
    for (;;) {
      const end = bytes.indexOf(10, at);
      if (end < 0) break;
      this.take(bytes, at, end + 1, base);
      at = end + 1;
    }
    if (!final) return at;
    if (at < bytes.length) this.take(bytes, at, bytes.length, base);
    return bytes.length;
  };

  private take(bytes: Uint8Array, from: number, to: number, base: number): void {
    this.found.push([base + from, new TextDecoder().decode(bytes.subarray(from, to))]);
  }
}

function linesOf(chunks: readonly Uint8Array[]): Lines {
  const lines = new Lines();
  const buffer = new ChunkBuffer(lines.scan);
  for (const chunk of chunks) {
    const lent = chunk.slice();
    buffer.push(lent);
    lent.fill(0);
  }
  buffer.end();
  return lines;
}

describe('a feed', () => {
  test('gives a scanner the same lines at the same places, whatever the chunks', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '\n', 'x'.repeat(5000)), { maxLength: 40 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), (parts) => {
        const chunks = parts.map((part) => new TextEncoder().encode(part.join('')));
        const whole = new TextEncoder().encode(parts.flat().join(''));
        expect(linesOf(chunks).found).toEqual(linesOf([whole]).found);
      }),
    );
  });

  test('scans a chunk in pieces where it is longer than one, with the same lines at the same places', () => {
    const text = new TextEncoder().encode(Array.from({ length: 300 }, (_, i) => `line ${i}\n`).join(''));
    for (const piece of [1, 7, 64, text.length - 1, text.length]) {
      const lines = new Lines();
      let longest = 0;
      const buffer = new ChunkBuffer((bytes, from, base, final) => {
        longest = Math.max(longest, bytes.length);
        return lines.scan(bytes, from, base, final);
      }, piece);
      buffer.push(text);
      buffer.end();
      expect(lines.found).toEqual(linesOf([text]).found);
      // what was left over is joined with a piece
      expect(longest).toBeLessThanOrEqual(piece + 'line 299\n'.length);
    }
  });

  test('takes empty chunks and an empty end', () => {
    const none = new Uint8Array(0);
    expect(linesOf([none, none]).found).toEqual([]);
    expect(linesOf([none, Uint8Array.of(65), none, Uint8Array.of(10), none]).found).toEqual([[0, 'A\n']]);
  });

  test('copies of a chunk no more than what is left over', () => {
    const line = new TextEncoder().encode(`${'x'.repeat(99)}\n`);
    const megabyte = new Uint8Array(1_000_000).map((_, i) => line[i % 100]);
    // each chunk ends inside a line, so that a rest is joined with the next one
    const chunks = [0, 1, 2, 3].map((i) => megabyte.subarray(i * 250_000 + i * 7, (i + 1) * 250_000 + (i + 1) * 7));
    const lines = linesOf(chunks);
    expect(lines.found.length).toBe(10_000);
    expect(lines.bytesSeen).toBeLessThan(1_000_000 + 20_000);
  });

  test('does not read a long rest again and again when bytes come one by one', () => {
    const lines = new Lines();
    const buffer = new ChunkBuffer((bytes, from, base, final) =>
      // a rest of at most 100 bytes stays undecided
      final || bytes.length - from > 100 ? lines.scan(bytes, bytes.length, base, final) : from,
    );
    for (let i = 0; i < 10_000; i++) buffer.push(Uint8Array.of(65));
    buffer.end();
    expect(lines.bytesSeen).toBe(0);
  });
});
