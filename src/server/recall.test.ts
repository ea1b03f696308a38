import { describe, expect, test } from 'vitest';
import type { Row } from '../core/table.ts';
import type { MessageSource } from '../live/events.ts';
import { Backlog, Recall } from './recall.ts';
import { SentEvent } from './sent-event.ts';
import type { ViewEvent, ViewMessage } from './wire.ts';

/** Bytes that say which message they are: `sequence` once for each byte. */
class Numbered implements MessageSource {
  size = 0;
  private value = 0;

  set(value: number, size: number): this {
    this.value = value;
    this.size = size;
    return this;
  }

  copyTo(target: Uint8Array, at: number): void {
    target.fill(this.value, at, at + this.size);
  }

  decode(bytes: Uint8Array): Row {
    return { value: bytes[0], size: bytes.length, isWhole: Number(bytes.every((byte) => byte === bytes[0])) };
  }
}

/** What a hub keeps, and what was put into it. */
class Keeper {
  readonly session = 's';
  readonly states: SentEvent[] = [];
  readonly backlog: Backlog;
  readonly all: { sequence: number; message: string; time: number; value: number }[] = [];
  sequence = 0;
  private readonly sources = new Map<string, Numbered>();

  constructor(bytes: number) {
    this.backlog = new Backlog(bytes);
  }

  message(name: string, time: number, size: number, vehicle = '1'): void {
    const source = this.sources.get(vehicle + name) ?? new Numbered();
    this.sources.set(vehicle + name, source);
    const value = ++this.sequence & 0xff;
    const event: ViewMessage = { type: 'message', time, vehicle, component: 1, name, data: {} };
    this.backlog.add({ ...event, source: source.set(value, size) }, this.sequence);
    this.all.push({ sequence: this.sequence, message: name, time, value });
  }

  state(time: number): void {
    const event: ViewEvent = { type: 'mode', time, vehicle: '1', link: 'l', mode: 'A', previous: 'B' };
    this.states.push(new SentEvent(event, this.session, ++this.sequence));
  }
}

interface Told {
  readonly event: string;
  readonly id: string;
  readonly type?: string;
  readonly data: { readonly value?: number; readonly size?: number; readonly isWhole?: number };
}

function told(items: readonly SentEvent[]): Told[] {
  return items.map(({ block }) => JSON.parse(/data: (.*)/.exec(String(Buffer.concat(block)))?.[1] ?? '') as Told);
}

function all(recall: Recall, filter = {}): SentEvent[] {
  const items: SentEvent[] = [];
  while (!recall.isDone) items.push(...recall.next({ rate: 0, ...filter }, Number.POSITIVE_INFINITY));
  return items;
}

const numbers = (items: readonly SentEvent[]): number[] => items.map(({ sequence }) => sequence);

describe('what a client missed', () => {
  test('is the newest of a ring that went round many times, whole and in order', () => {
    // sizes that leave rests of every length at the end of the ring
    for (const bytes of [1000, 1001, 1013, 1023, 1024]) {
      const kept = new Keeper(bytes);
      for (let i = 0; i < 700; i++) {
        kept.message(i % 3 === 0 ? 'A' : 'B', i, 12 + ((i * 37) % 90));
        if (i % 50 === 0) {
          const items = all(new Recall(kept, { sequence: 0 }));
          const last = numbers(items);
          expect(last).toEqual(kept.all.slice(-last.length).map(({ sequence }) => sequence));
          // one message has 24 bytes more than its own, and one of them may not fit behind the others
          expect(kept.all.length === last.length || last.length >= Math.floor((bytes - 126) / 126)).toBe(true);
          for (const { data, id } of told(items)) {
            const number = Number(id.split('.')[1]);
            expect(data).toEqual({ value: number & 0xff, size: 12 + (((number - 1) * 37) % 90), isWhole: 1 });
          }
        }
      }
    }
  });

  test('begins behind the event that it saw last, states among the messages', () => {
    const kept = new Keeper(4096);
    for (let i = 0; i < 10; i++) {
      kept.message('A', i, 20);
      kept.state(i);
    }
    const items = all(new Recall(kept, { sequence: 7 }));
    expect(numbers(items)).toEqual([8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    expect(told(items).map(({ event }) => event)).toEqual([
      'mode',
      ...Array.from({ length: 6 }, () => ['message', 'mode']).flat(),
    ]);
  });

  test('begins at a time', () => {
    const kept = new Keeper(4096);
    for (let i = 0; i < 10; i++) {
      kept.message('A', i * 1e6, 20);
      kept.state(i * 1e6);
    }
    expect(numbers(all(new Recall(kept, { time: 8e6 })))).toEqual([17, 18, 19, 20]);
    expect(all(new Recall(kept, { time: 99e6 }))).toEqual([]);
  });

  test('is what it asks for, at the rate that it asks for, with the newest at the end', () => {
    const kept = new Keeper(1 << 16);
    for (let i = 0; i < 101; i++) {
      kept.message('A', i * 1e5, 20);
      kept.message('B', i * 1e5, 20);
      kept.message('A', i * 1e5, 20, '2');
    }
    const items = all(new Recall(kept, { sequence: 0 }), { vehicles: ['1'], messages: ['A'], rate: 1 });
    const times = numbers(items).map((number) => kept.all[number - 1].time / 1e6);
    expect(times).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    // the last one is not due
    kept.message('A', 10.5e6, 20);
    const later = all(new Recall(kept, { sequence: 0 }), { vehicles: ['1'], messages: ['A'], rate: 1 });
    expect(numbers(later).at(-1)).toBe(kept.sequence);
    expect(later).toHaveLength(12);
  });

  test('what comes while it is told comes last, and what went is counted', () => {
    const kept = new Keeper(1000);
    kept.message('A', 0, 76);
    const recall = new Recall(kept, { sequence: 0 });
    expect(numbers(recall.next({ rate: 0 }, Number.POSITIVE_INFINITY))).toEqual([1]);
    expect(recall.isDone).toBe(true);
    const slow = new Recall(kept, { sequence: 0 });
    // ten of them fit: 2 to 15 are gone before it is asked
    for (let i = 0; i < 24; i++) kept.message('A', i, 76);
    expect(numbers(all(slow))).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
    expect(slow.lost).toBe(15);
    const late = new Recall(kept, { sequence: 3 });
    expect(all(late)).toHaveLength(10);
    expect(late.lost).toBe(12);
  });

  test('takes no more time than it is given', () => {
    const kept = new Keeper(1 << 20);
    for (let i = 0; i < 5000; i++) kept.message('A', i, 50);
    const recall = new Recall(kept, { sequence: 0 });
    expect(recall.next({ rate: 0, messages: ['B'] }, 0)).toEqual([]);
    expect(recall.isDone).toBe(false);
    expect(all(recall)).toHaveLength(5000 - 63);
  });

  test('what has no source, or is larger than the ring, is not kept', () => {
    const backlog = new Backlog(100);
    const event: ViewMessage = { type: 'message', time: 1, vehicle: '1', component: 1, name: 'A', data: {} };
    expect(backlog.add(event, 1)).toBe(false);
    expect(backlog.add({ ...event, source: new Numbered().set(1, 77) }, 2)).toBe(false);
    expect(backlog.add({ ...event, source: new Numbered().set(1, 76) }, 3)).toBe(true);
    expect(backlog.add({ ...event, source: new Numbered().set(1, 76) }, 4)).toBe(true);
    expect(backlog.sequence(backlog.from(0) ?? -1)).toBe(4);
  });
});
