import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Offsets } from './offsets.ts';

const TWO_32 = 2 ** 32;

function offsetsOf(places: readonly number[]): Offsets {
  const offsets = new Offsets();
  for (const place of places) offsets.push(place);
  return offsets;
}

/** Ascending places, some of them far beyond 32 bits and some just beside a border. */
const ascending = fc
  .array(
    fc.oneof(
      fc.nat(1000),
      fc.nat(2 ** 31),
      fc.integer({ min: 1, max: 20 }).map((high) => high * TWO_32),
      fc
        .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: -3, max: 3 }))
        .map(([high, low]) => high * TWO_32 + low),
      fc.nat(2 ** 50),
    ),
    { maxLength: 300 },
  )
  .map((places) => places.sort((a, b) => a - b));

describe('places beyond 32 bits', () => {
  test('come back as they were pushed', () => {
    fc.assert(
      fc.property(ascending, (places) => {
        const offsets = offsetsOf(places);
        expect(offsets.length).toBe(places.length);
        places.forEach((place, row) => {
          expect(offsets.at(row)).toBe(place);
        });
      }),
    );
  });

  test('are found by place', () => {
    fc.assert(
      fc.property(ascending, fc.nat(2 ** 50), (places, place) => {
        const offsets = offsetsOf(places);
        for (const at of [place, ...places, ...places.map((each) => each + 1)]) {
          const row = places.findIndex((each) => each >= at);
          expect(offsets.rowFrom(at)).toBe(row < 0 ? places.length : row);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('are counted from a base that lies in another 4 GiB', () => {
    const places = [TWO_32 - 10, TWO_32 - 1, TWO_32, TWO_32 + 5, TWO_32 + 2 ** 31 - 20];
    const out = new Int32Array(5);
    offsetsOf(places).relative(0, 5, TWO_32 - 10, out);
    expect([...out]).toEqual([0, 9, 10, 15, 2 ** 31 - 10]);
    offsetsOf(places).relative(2, 4, TWO_32, out);
    expect([...out.subarray(0, 2)]).toEqual([0, 5]);
  });

  test('may jump over several borders at once', () => {
    const offsets = offsetsOf([1, 9 * TWO_32 + 7]);
    expect([offsets.at(0), offsets.at(1)]).toEqual([1, 9 * TWO_32 + 7]);
  });
});

test('room grows to what is expected, but not beyond reason', () => {
  const offsets = offsetsOf([1, 2, 3]);
  const before = offsets.low.length;
  offsets.grow(before * 3);
  expect(offsets.low.length).toBe(before * 3);
  offsets.grow();
  expect(offsets.low.length).toBe(before * 6);
  offsets.grow(2 ** 40);
  expect(offsets.low.length).toBe(before * 6 * 64);
  expect([offsets.at(0), offsets.at(2)]).toEqual([1, 3]);
});
