import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BLOCK_OFFSETS, OffsetLists, type Offsets } from './offsets.ts';

const TWO_32 = 2 ** 32;

function offsetsOf(places: readonly number[]): Offsets {
  const offsets = OffsetLists.single();
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

test('lists of several tables share a memory that grows', () => {
  const lists = new OffsetLists(3, 1e6);
  const tables = [0, 1, 2].map((table) => lists.open(table));
  const rows = 20 * BLOCK_OFFSETS + 1;
  for (let row = 0; row < rows; row++) for (let table = 0; table < 3; table++) lists.push(table, row * 10 + table);
  for (const [table, offsets] of tables.entries()) {
    expect(offsets.length).toBe(rows);
    expect([0, BLOCK_OFFSETS - 1, BLOCK_OFFSETS, rows - 1].map((row) => offsets.at(row))).toEqual(
      [0, BLOCK_OFFSETS - 1, BLOCK_OFFSETS, rows - 1].map((row) => row * 10 + table),
    );
  }
});

test('a part counts its rows from its first', () => {
  fc.assert(
    fc.property(ascending, fc.nat(300), fc.nat(300), fc.nat(2 ** 50), (places, from, to, place) => {
      const part = offsetsOf(places).slice(from, to);
      const plain = places.slice(from, to);
      expect(Array.from({ length: part.length }, (_, row) => part.at(row))).toEqual(plain);
      const row = plain.findIndex((each) => each >= place);
      expect(part.rowFrom(place)).toBe(row < 0 ? plain.length : row);
    }),
    { numRuns: 60 },
  );
});
