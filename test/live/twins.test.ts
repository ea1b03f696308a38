// Vehicles with one system id on several links: whether they are one, and what becomes of it.
import { describe, expect, test } from 'vitest';
import { LiveBench } from '../vehicle/bench.ts';
import type { VehicleOptions } from '../vehicle/vehicle.ts';

const keys = (bench: LiveBench): string[] => [...bench.collector.vehicles.keys()];

/** Two links, with the same or another vehicle on each. */
function pair(left: VehicleOptions, right: VehicleOptions, options = {}): LiveBench {
  const bench = new LiveBench(options);
  bench.add('left', left);
  bench.run(5);
  bench.add('right', right);
  return bench;
}

describe('one vehicle on two links', () => {
  test('is known by its board, and never shown as two', () => {
    const bench = pair({ uid: 7 }, { uid: 7 });
    // started when the first was: it is the same one
    const [first, second] = bench.all;
    second.bootedAt = first.bootedAt;
    for (let i = 0; i < 15; i++) {
      bench.run(1);
      expect(keys(bench)).toEqual(['1']);
    }
    expect(bench.collector.vehicles.get('1')).toMatchObject({
      link: 'left',
      links: ['left', 'right'],
      connected: true,
    });
    expect(bench.types().filter((type) => type === 'vehicle')).toHaveLength(1);
    // what comes twice counts once
    const { messageRate = 0 } = bench.collector.vehicles.get('1') ?? {};
    const { streams } = bench.collector.statistics().links[0];
    expect(streams['1:1']).toMatchObject({ lost: 0, duplicated: 0 });
    bench.run(5);
    const before = bench.collector.vehicles.get('1')?.messageCount ?? 0;
    bench.run(5);
    expect(((bench.collector.vehicles.get('1')?.messageCount ?? 0) - before) / 5).toBeCloseTo(messageRate, -1);
    expect(first.rates.get('SYS_STATUS')).toBe(10);
  });

  test('is followed to the other link when the first falls silent, and is not lost', () => {
    const bench = pair({ uid: 7 }, { uid: 7 });
    const [first, second] = bench.all;
    second.bootedAt = first.bootedAt;
    bench.run(10);
    first.isSilent = true;
    bench.run(10);
    expect(keys(bench)).toEqual(['1']);
    expect(bench.collector.vehicles.get('1')).toMatchObject({ link: 'right', connected: true, lostCount: 0 });
    expect(bench.types()).toContain('switched');
    expect(bench.types()).not.toContain('lost');
    expect(second.rates.get('SYS_STATUS')).toBe(10);
    // it stays there when the first is back, and is lost when both are gone
    first.isSilent = false;
    bench.run(5);
    expect(bench.collector.vehicles.get('1')?.link).toBe('right');
    first.isSilent = true;
    second.isSilent = true;
    bench.run(10);
    expect(bench.collector.vehicles.get('1')).toMatchObject({ connected: false, lostCount: 1 });
    first.isSilent = false;
    bench.run(3);
    expect(bench.collector.vehicles.get('1')).toMatchObject({ link: 'left', connected: true, lostCount: 1 });
  });

  test('is known by what it measures, where nothing is asked', () => {
    const streams = { ATTITUDE: 10 };
    const bench = pair({ streams }, { streams }, { requests: false });
    const [first, second] = bench.all;
    second.bootedAt = first.bootedAt;
    bench.run(5);
    expect(keys(bench)).toEqual(['1']);
    expect(bench.collector.vehicles.get('1')?.links).toEqual(['left', 'right']);
  });

  test('that was lost and comes back on another link, started again, is the same one', () => {
    const bench = new LiveBench();
    const first = bench.add('left', { uid: 7 });
    bench.run(10);
    first.isSilent = true;
    bench.run(20);
    expect(bench.collector.vehicles.get('1')?.connected).toBe(false);
    bench.add('right', { uid: 7, mode: 6 });
    bench.run(8);
    expect(keys(bench)).toEqual(['1']);
    expect(bench.collector.vehicles.get('1')).toMatchObject({ link: 'right', connected: true, mode: 'RTL' });
    expect(bench.types().filter((type) => type === 'recovered' || type === 'switched')).toEqual([
      'switched',
      'recovered',
    ]);
  });

  test('whose messages are told come from one link', () => {
    const bench = pair({ uid: 7 }, { uid: 7 });
    const [first, second] = bench.all;
    second.bootedAt = first.bootedAt;
    bench.run(10);
    const told = new Map<string, string | null>();
    bench.collector.subscribe((event) => event.type === 'message' && told.set(event.link, event.vehicle), ['message']);
    bench.run(2);
    expect(Object.fromEntries(told)).toEqual({ left: '1', right: null });
  });
});

describe('two vehicles with one system id on two links', () => {
  test.each([
    ['of another kind', {}, { type: 10 }, 0.5],
    ['with other boards', { uid: 7 }, { uid: 8 }, 5],
    ['of which one tells no board', { uid: 7, roll: 0.1 }, { roll: 0.2 }, 7],
    ['with other batteries, though they move alike', {}, { millivolts: 16_000 }, 7],
  ])('%s are two', (_how, left, right, seconds) => {
    const bench = pair(left, right);
    const [first, second] = bench.all;
    second.bootedAt = first.bootedAt;
    bench.run(seconds + 1);
    expect(keys(bench)).toEqual(['1', '1@right']);
    bench.run(20);
    expect(keys(bench)).toEqual(['1', '1@right']);
    expect(bench.types()).not.toContain('joined');
  });

  test('are told apart by when they were started, as soon as they say so', () => {
    const streams = { ATTITUDE: 10 };
    const bench = pair({ streams }, { streams }, { requests: false });
    bench.run(2);
    expect(keys(bench)).toEqual(['1', '1@right']);
  });

  test('that only send heartbeats are two after a while, and one when it turns out so', () => {
    const bench = pair({ uid: 7, answer: () => null }, { uid: 7, answer: () => null }, { streamRequests: 'never' });
    const [first, second] = bench.all;
    second.bootedAt = first.bootedAt;
    bench.run(7);
    expect(keys(bench)).toEqual(['1', '1@right']);
    for (const vehicle of [first, second]) vehicle.rates.set('ATTITUDE', 10);
    bench.run(3);
    expect(keys(bench)).toEqual(['1']);
    expect(bench.events.find(({ type }) => type === 'joined')).toMatchObject({ vehicle: '1@right', into: '1' });
  });

  test('and one of them on a third link are still two', () => {
    const bench = pair({ uid: 7 }, { uid: 8 });
    bench.run(10);
    bench.add('third', { uid: 8 });
    const [, second, third] = bench.all;
    third.bootedAt = second.bootedAt;
    bench.run(15);
    expect(keys(bench)).toEqual(['1', '1@right']);
    expect(bench.collector.vehicles.get('1@right')?.links).toEqual(['right', 'third']);
  });
});
