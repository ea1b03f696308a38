import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Pyramid } from './pyramid.ts';

/** The plain way: look at each. */
function plain(values: readonly number[], from: number, to: number): { least: number; greatest: number } {
  let [least, greatest] = [-1, -1];
  for (let row = from; row < to; row++) {
    if (!Number.isFinite(values[row])) continue;
    if (least < 0 || values[row] < values[least]) least = row;
    if (greatest < 0 || values[row] > values[greatest]) greatest = row;
  }
  return { least, greatest };
}

describe('the pyramid', () => {
  test('finds what looking at each finds, for any values and any stretch', () => {
    const value = fc.oneof(
      fc.integer({ min: -3, max: 3 }),
      fc.double(),
      fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 700 }), fc.nat(700), fc.nat(700), (values, a, b) => {
        const [from, to] = [Math.min(a, b, values.length), Math.min(Math.max(a, b), values.length)];
        expect(new Pyramid(Float64Array.from(values)).extremes(from, to)).toEqual(plain(values, from, to));
      }),
      { numRuns: 400 },
    );
  });

  test('does not lose a single peak among a million', () => {
    const values = new Float64Array(1_000_000);
    values[777_777] = 5;
    values[123_456] = -2;
    expect(new Pyramid(values).extremes(3, 999_999)).toEqual({ least: 123_456, greatest: 777_777 });
  });
});
