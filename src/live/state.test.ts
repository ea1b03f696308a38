import { expect, test } from 'vitest';
import { fixText } from './state.ts';

test('each GPS_FIX_TYPE has its words', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(fixText)).toEqual([
    ...['no GPS', 'no fix', '2D fix', '3D fix', 'DGPS', 'RTK float', 'RTK fixed', 'static', 'PPP', 'fix 9'],
  ]);
});
