import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { LiveCollector } from './collector.ts';
import { EventQueue } from './events.ts';

const encoder = new Encoder(builtinDialect('common'), { system: 1, component: 1 });

function attitude(collector: LiveCollector, roll: number): void {
  collector.receive('a', encoder.message('ATTITUDE', { roll }), roll);
}

describe('a queue of events', () => {
  test('gives messages as they were when they came', async () => {
    const collector = new LiveCollector({ send: () => undefined });
    const queue = new EventQueue((listener) => collector.subscribe(listener, ['message']));
    attitude(collector, 1);
    attitude(collector, 2);
    const rolls: unknown[] = [];
    setTimeout(() => attitude(collector, 3), 5);
    for await (const event of queue) {
      if (event.type === 'message') rolls.push(event.data.roll);
      if (rolls.length === 3) break;
    }
    expect(rolls).toEqual([1, 2, 3]);
  });

  test('drops the oldest for a reader that is too slow, and ends when it is closed', async () => {
    const collector = new LiveCollector({ send: () => undefined });
    const queue = new EventQueue((listener) => collector.subscribe(listener), 10);
    for (let i = 0; i < 25; i++) attitude(collector, i);
    queue.close();
    attitude(collector, 99);
    const times: number[] = [];
    for await (const { time } of queue) times.push(time);
    expect(times).toEqual(Array.from({ length: 10 }, (_, i) => 15 + i));
    expect(queue.dropped).toBe(15);
  });
});
