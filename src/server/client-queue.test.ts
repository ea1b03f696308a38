import { describe, expect, test } from 'vitest';
import { ClientQueue, Newest, type Wire } from './client-queue.ts';
import { SERVER_LIMITS } from './limits.ts';
import { SentEvent } from './sent-event.ts';

const LIMITS = { ...SERVER_LIMITS, eventsWaiting: 8, bytesWaiting: 100, stalled: 1000 };

class FakeWire implements Wire {
  waiting = 0;
  /** Bytes that wait after each batch. */
  fill = 0;
  readonly batches: (readonly number[])[] = [];
  readonly told: number[] = [];
  reason = '';

  send(items: readonly SentEvent[], dropped: number): void {
    this.batches.push(items.map(({ sequence }) => sequence));
    this.told.push(dropped);
    this.waiting += this.fill;
  }

  cut(reason: string): void {
    this.reason = reason;
  }
}

const message = (sequence: number, name: string, instance?: number): SentEvent =>
  new SentEvent({ type: 'message', time: 0, vehicle: '1', component: 1, name, instance, data: {} }, 's', sequence);
const text = (sequence: number, note = ''): SentEvent =>
  new SentEvent({ type: 'mark', time: 0, vehicle: null, link: '', text: note }, 's', sequence);

function queue(rate = 0): { wire: FakeWire; box: ClientQueue; newest: Newest } {
  const wire = new FakeWire();
  const newest = new Newest();
  return { wire, newest, box: new ClientQueue(wire, { rate }, LIMITS, newest) };
}

describe('a client that keeps up', () => {
  test('gets everything, in order, together', () => {
    const { wire, box } = queue();
    for (let i = 0; i < 8; i++) box.offer(message(i, 'A'), 0);
    box.flush(0);
    expect(wire.batches).toEqual([[0, 1, 2, 3, 4, 5, 6, 7]]);
    expect([box.sent, box.dropped, box.size]).toEqual([8, 0, 0]);
  });

  test('gets as much as its socket takes at once, and the rest later', () => {
    const { wire, box } = queue();
    wire.fill = 101;
    for (let i = 0; i < 4; i++) {
      box.offer(text(i, 'x'.repeat(20_000)), 0);
    }
    box.flush(0);
    expect(wire.batches).toEqual([[0]]);
    wire.waiting = 0;
    wire.fill = 0;
    box.flush(10);
    expect(wire.batches).toEqual([[0], [1], [2], [3]]);
  });
});

describe('a client that is behind', () => {
  /** As the hub does it. */
  const come = (box: ClientQueue, newest: Newest, item: SentEvent, now: number): void => {
    newest.sequence = item.sequence;
    newest.add(item);
    box.offer(item, now);
  };

  test.each([0, 5])(
    'waits for nothing but texts, and gets the newest of each kind when it is back (rate %i)',
    (rate) => {
      const { wire, box, newest } = queue(rate);
      come(box, newest, message(1, 'A'), 0);
      box.flush(0);
      wire.waiting = 101;
      box.flush(20);
      for (let i = 2; i < 1000; i++) come(box, newest, i === 500 ? text(i) : message(i, i % 2 === 0 ? 'A' : 'B'), i);
      expect(box.size).toBeLessThanOrEqual(3);
      wire.waiting = 0;
      box.flush(1000);
      expect(wire.batches).toEqual([[1], [500, 998, 999]]);
      // 997 messages, two of them were sent; those that the rate left out are not counted
      if (rate === 0) expect([box.dropped, wire.told]).toEqual([995, [0, 995]]);
      box.flush(5000);
      expect(box.size).toBe(0);
      expect(wire.batches).toHaveLength(2);
    },
  );

  test('gets nothing twice', () => {
    const { wire, box, newest } = queue();
    newest.keep();
    come(box, newest, message(1, 'A'), 0);
    box.flush(0);
    wire.waiting = 101;
    box.flush(20);
    wire.waiting = 0;
    box.flush(40);
    expect([wire.batches, box.dropped]).toEqual([[[1]], 0]);
  });

  test('gets only what it wants when it is back', () => {
    const { wire, box, newest } = queue();
    box.change({ rate: 0, messages: ['A'] });
    wire.waiting = 101;
    box.flush(0);
    for (const item of [message(1, 'A'), message(2, 'B')]) newest.add(item);
    wire.waiting = 0;
    box.flush(20);
    expect(wire.batches).toEqual([[1]]);
  });

  test('keeps the newest of each kind, all texts, and is told how many are gone', () => {
    const { wire, box } = queue();
    wire.waiting = 101;
    box.offer(text(0), 0);
    for (let i = 1; i <= 8; i++) box.offer(message(i, i % 2 === 0 ? 'A' : 'B'), 0);
    box.flush(0);
    expect([wire.batches, box.size, box.dropped]).toEqual([[], 3, 6]);
    wire.waiting = 0;
    box.flush(1);
    expect([wire.batches, wire.told]).toEqual([[[0, 7, 8]], [6]]);
    box.offer(text(9), 1);
    box.flush(2);
    expect(wire.told).toEqual([6, 0]);
  });

  test('keeps two instances of a message apart', () => {
    const { wire, box } = queue();
    for (let i = 0; i < 9; i++) box.offer(message(i, 'BATTERY_STATUS', i % 2), 0);
    box.flush(0);
    expect(wire.batches).toEqual([[7, 8]]);
  });

  test('loses the oldest when there are too many that nothing replaces', () => {
    const { wire, box } = queue();
    for (let i = 0; i < 100; i++) box.offer(text(i), 0);
    expect(box.size).toBeLessThanOrEqual(8);
    box.flush(0);
    const last = wire.batches[0];
    expect(last.at(-1)).toBe(99);
    expect(last.length + box.dropped).toBe(100);
    expect(last).toEqual(Array.from({ length: last.length }, (_, i) => 100 - last.length + i));
  });

  test('is cut off when it has taken nothing for long enough, and not when it moves now and then', () => {
    const { wire, box } = queue();
    wire.waiting = 101;
    for (let now = 0; now < 1000; now += 20) box.flush(now);
    expect(wire.reason).toBe('');
    wire.waiting = 100;
    box.flush(1000);
    wire.waiting = 101;
    for (let now = 1020; now < 2020; now += 20) box.flush(now);
    expect(wire.reason).toBe('');
    box.flush(2020);
    expect(wire.reason).toBe('client does not read');
  });
});

describe('a client with a rate', () => {
  test('gets the first at once, then the newest at each turn, and nothing counts as dropped', () => {
    const { wire, box } = queue(10);
    for (let now = 0; now <= 1000; now += 20) {
      box.offer(message(now, 'A'), now);
      box.flush(now);
    }
    expect(wire.batches).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000].map((at) => [at]));
    expect(box.dropped).toBe(0);
  });

  test('gets the last one even if none follows', () => {
    const { wire, box } = queue(1);
    box.offer(message(1, 'A'), 0);
    box.offer(message(2, 'A'), 10);
    box.offer(message(3, 'A'), 20);
    box.flush(20);
    box.flush(999);
    expect(wire.batches).toEqual([[1]]);
    box.flush(1000);
    expect(wire.batches).toEqual([[1], [3]]);
  });

  test('has a rate for each kind, and none for texts', () => {
    const { wire, box } = queue(1);
    for (const item of [message(1, 'A'), message(2, 'B'), message(3, 'A'), text(4), text(5)]) box.offer(item, 0);
    box.flush(0);
    expect(wire.batches).toEqual([[1, 2, 4, 5]]);
  });

  test('gets what was held back when it asks for another rate', () => {
    const { wire, box } = queue(1);
    box.offer(message(1, 'A'), 0);
    box.offer(message(2, 'A'), 1);
    box.change({ rate: 0 });
    box.offer(message(3, 'A'), 2);
    box.flush(2);
    expect([wire.batches, box.size]).toEqual([[[1, 2, 3]], 0]);
  });
});
