import { expect, test } from 'vitest';
import { type Band, shownBands } from './bands.ts';

const band = (from: number, to: number, wrong = false): Band => ({ from, to, color: '#fff', label: '', wrong });

test('few bands are all shown in their order, also those that reach beyond the window', () => {
  const bands = [band(-50, 20), band(20, 60), band(60, 300), band(30, 35, true), band(400, 500)];
  expect(shownBands(bands, 0, 100, 1000)).toEqual({ wide: bands.slice(0, 4), narrow: [] });
});

test('of what shares a pixel one of a kind is a stroke', () => {
  const moments = [band(10, 10), band(10.2, 10.3), band(11, 11), band(10.4, 10.4, true), band(-0.5, 0.1)];
  const { wide, narrow } = shownBands(moments, 0, 100, 100);
  expect(wide).toEqual([]);
  expect(narrow).toEqual([moments[0], moments[2], moments[4], moments[3]]);
});

test('thousands become as many as there are pixels, the longest whole', () => {
  const bands = Array.from({ length: 20_000 }, (_, k) => band(k, k + 1 + (k % 1000 === 0 ? 900 : 0), k % 2 === 1));
  const { wide, narrow } = shownBands(bands, 0, 20_000, 800);
  expect(wide).toEqual(bands.filter(({ from, to }) => to - from > 1));
  expect(narrow.length).toBeLessThanOrEqual(1600);
  const many = Array.from({ length: 5000 }, (_, k) => band(k, k + 5000));
  expect(shownBands(many, 0, 10_000, 800).wide.length).toBe(200);
});
