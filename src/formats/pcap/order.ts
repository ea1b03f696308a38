/** Rows that rise by themselves are merged if there are so few stretches of them; else all are sorted. */
const FEW = 16;
/** Packets that are sorted one by one: those farther behind the last one come first, all as one. */
const APART = 1 << 16;

/** The order of rows by their packets, as stretches [from, to): each flow ascends, and mostly one has nearly all. */
export function inOrder(packets: Uint32Array, count: number): number[] {
  const from = [0];
  for (let row = 1; row < count; row++) if (packets[row] < packets[row - 1]) from.push(row);
  if (from.length === 1) return [0, count];
  return from.length > FEW ? sorted(packets, count) : merged(packets, from, [...from.slice(1), count]);
}

function merged(packets: Uint32Array, heads: number[], ends: readonly number[]): number[] {
  const spans: number[] = [];
  for (;;) {
    // the stretch whose next row comes first, and the row that comes next of all others
    let [best, next] = [-1, -1];
    for (let k = 0; k < heads.length; k++) {
      if (heads[k] === ends[k]) continue;
      if (best < 0 || packets[heads[k]] < packets[heads[best]]) {
        next = best;
        best = k;
      } else if (next < 0 || packets[heads[k]] < packets[heads[next]]) {
        next = k;
      }
    }
    if (best < 0) return spans;
    const start = heads[best];
    let row = start + 1;
    const end = ends[best];
    if (next < 0) {
      row = end;
    } else {
      // of equal ones those of the earlier stretch come first
      const limit = packets[heads[next]] + (best < next ? 1 : 0);
      while (row < end && packets[row] < limit) row++;
    }
    heads[best] = row;
    spans.push(start, row);
  }
}

function sorted(packets: Uint32Array, count: number): number[] {
  let [least, most] = [packets[0], packets[0]];
  for (let row = 1; row < count; row++) {
    least = Math.min(least, packets[row]);
    most = Math.max(most, packets[row]);
  }
  const first = Math.max(least, most - APART);
  const places = new Uint32Array(most - first + 2);
  for (let row = 0; row < count; row++) places[Math.max(packets[row], first) - first + 1]++;
  for (let i = 1; i < places.length; i++) places[i] += places[i - 1];
  const order = new Uint32Array(count);
  for (let row = 0; row < count; row++) order[places[Math.max(packets[row], first) - first]++] = row;
  const spans: number[] = [];
  for (let k = 0; k < count; ) {
    const start = order[k];
    let row = start;
    while (k < count && order[k] === row) {
      row++;
      k++;
    }
    spans.push(start, row);
  }
  return spans;
}
