import { expect, test } from 'vitest';
import { Random } from '../../../test/suite/random.ts';
import { inOrder } from './order.ts';

/** Rows in the order of the stretches; none is empty, and each goes on until the next would be another row. */
function rowsOf(spans: readonly number[]): number[] {
  const rows: number[] = [];
  for (let i = 0; i < spans.length; i += 2) {
    expect(spans[i]).toBeLessThan(spans[i + 1]);
    for (let row = spans[i]; row < spans[i + 1]; row++) rows.push(row);
  }
  return rows;
}

test('rows come in the order of their packets, equal ones as they are', () => {
  for (let seed = 0; seed < 1500; seed++) {
    const random = new Random(seed);
    const count = random.between(1, 60);
    const most = random.pick([3, 20, 1000]);
    // a few flows that rise, or nothing that does
    const packets = Uint32Array.from({ length: count + 2 }, () => 5 + random.below(most));
    const flows = random.pick([1, 2, 5, 16, 17, 60]);
    const size = Math.ceil(count / flows);
    for (let from = 0; from < count; from += size) packets.subarray(from, Math.min(count, from + size)).sort();
    const expected = Array.from({ length: count }, (_, row) => row).sort((a, b) => packets[a] - packets[b] || a - b);
    expect(rowsOf(inOrder(packets, count)), `seed ${seed}`).toEqual(expected);
  }
});

test.each([
  [
    [1, 2, 2, 3],
    [0, 4],
  ],
  [
    [3, 4, 1, 2],
    [2, 4, 0, 2],
  ],
  [
    [1, 5, 1, 5],
    [0, 1, 2, 3, 1, 2, 3, 4],
  ],
  [
    [1, 4, 6, 2, 3, 5],
    [0, 1, 3, 5, 1, 2, 5, 6, 2, 3],
  ],
])('%j are the stretches %j', (packets, spans) => {
  expect(inOrder(Uint32Array.from(packets), packets.length)).toEqual(spans);
});

test('what is far behind comes first, as one', () => {
  const late = Array.from({ length: 20 }, (_, i) => 100 - i);
  const packets = Uint32Array.from([100 + 65_536, ...late]);
  // 100 is the first of those that are sorted one by one
  expect(rowsOf(inOrder(packets, packets.length))).toEqual([...late.keys()].map((i) => i + 1).concat(0));
  packets[0] = 98 + 65_536;
  const expected = [...late.keys()].map((i) => i + 1).filter((row) => packets[row] <= 98);
  expect(rowsOf(inOrder(packets, packets.length))).toEqual([...expected, 2, 1, 0]);
});
