import { expect, test } from 'vitest';
import { alignedOffset, alignmentsOf } from './align.ts';
import type { OpenFile } from './open-file.svelte.ts';

function file(offset: number, start: number, armed: readonly number[], items: readonly [number, number][]): OpenFile {
  const insight = {
    ...{ events: [], leftOut: 0, flying: [], flights: [], boot: null },
    armed: armed.map((time) => ({ start: time, end: time + 100 })),
    items: items.map(([item, time]) => ({ item, time })),
  };
  return { offset, summary: { start }, insight } as unknown as OpenFile;
}

test('flights are laid upon each other by what both have', () => {
  const first = file(
    1000,
    5,
    [50],
    [
      [1, 60],
      [7, 70],
      [3, 90],
    ],
  );
  const other = file(
    0,
    500,
    [],
    [
      [3, 800],
      [1, 600],
      [4, 900],
    ],
  );
  expect(alignmentsOf(other, first)).toEqual(['clock', 'start', 1, 3]);
  expect(alignedOffset(other, first, 3)).toBe(1000 + 90 - 800);
  expect(alignedOffset(other, first, 'start')).toBe(1000 + 5 - 500);
  expect([alignedOffset(other, first, 'arm'), alignedOffset(other, first, 4)]).toEqual([null, null]);
});
