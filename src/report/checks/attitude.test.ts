import { expect, test } from 'vitest';
import { beyondWish } from './attitude.ts';

const floats = (...values: number[]): Float64Array => Float64Array.from(values);

/** The same by its definition: every row against every wish that is not older than the lag. */
function plainly(times: Float64Array, is: Float64Array, wish: Float64Array, lag: number): number[] {
  return [...times.keys()].map((row) => {
    const recent = [...wish.keys()].filter(
      (each) => each <= row && times[row] - times[each] <= lag && !Number.isNaN(wish[each]),
    );
    if (recent.length === 0) return Number.NaN;
    const wishes = recent.map((each) => wish[each]);
    return Math.max(0, Math.min(...wishes) - is[row], is[row] - Math.max(...wishes));
  });
}

test('what was asked for a moment ago is not beyond the wish', () => {
  const times = floats(0, 1, 2, 3, 4, 5);
  // a step that the vehicle follows late
  expect([...beyondWish(times, floats(0, 0, 0, 10, 20, 20), floats(0, 20, 20, 20, 20, 20), 3)]).toEqual([
    0, 0, 0, 0, 0, 0,
  ]);
  // one that it does not follow
  expect([...beyondWish(times, floats(0, 0, 0, 0, 0, 0), floats(0, 20, 20, 20, 20, 20), 3)]).toEqual([
    0, 0, 0, 0, 20, 20,
  ]);
});

test('is as defined, for many rows', () => {
  const times = Float64Array.from({ length: 500 }, (_, row) => row * 10 + (row % 7));
  const wish = times.map((time, row) => (row % 11 === 0 ? Number.NaN : Math.sin(time / 100) * 30));
  const is = times.map((time) => Math.sin(time / 80) * 40);
  const found = [...beyondWish(times, is, wish, 120)];
  for (const [row, value] of plainly(times, is, wish, 120).entries()) {
    if (Number.isNaN(value)) expect(found[row]).toBeNaN();
    else expect(found[row]).toBeCloseTo(value, 12);
  }
});
