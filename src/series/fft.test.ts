import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fft, inverseFft } from './spectrum.ts';

/** By the definition, each number by itself. */
function plain(re: Float64Array, im: Float64Array): [Float64Array, Float64Array] {
  const n = re.length;
  const sum = (k: number, part: (x: number, y: number, cos: number, sin: number) => number): number =>
    re.reduce((all, x, i) => {
      const angle = (-2 * Math.PI * i * k) / n;
      return all + part(x, im[i], Math.cos(angle), Math.sin(angle));
    }, 0);
  return [
    re.map((_, k) => sum(k, (x, y, cos, sin) => x * cos - y * sin)),
    re.map((_, k) => sum(k, (x, y, cos, sin) => x * sin + y * cos)),
  ];
}

const close = (a: Float64Array, b: Float64Array): boolean =>
  a.every((each, i) => Math.abs(each - b[i]) < 1e-9 * a.length);

test('is what the definition says, and back', () => {
  const numbers = fc.integer({ min: 0, max: 7 }).chain((power) => {
    const values = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
      minLength: 2 ** power,
      maxLength: 2 ** power,
    });
    return fc.tuple(values, values);
  });
  fc.assert(
    fc.property(numbers, ([a, b]) => {
      const [re, im] = [Float64Array.from(a), Float64Array.from(b)];
      const [wantedRe, wantedIm] = plain(re, im);
      fft(re, im);
      expect(close(re, wantedRe) && close(im, wantedIm)).toBe(true);
      inverseFft(re, im);
      expect(close(re, Float64Array.from(a)) && close(im, Float64Array.from(b))).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('refuses lengths that are no power of two', () => {
  expect(() => fft(new Float64Array(3), new Float64Array(3))).toThrow('fft of 3 and 3 numbers');
  expect(() => fft(new Float64Array(4), new Float64Array(2))).toThrow('fft of 4 and 2 numbers');
});
