// What goes over the wire: seconds everywhere, an age beside each part, and nothing internal.
import { expect, test } from 'vitest';
import type { LiveEvent } from '../../src/live/events.ts';
import {
  eventWire,
  linkWire,
  type MessageCountWire,
  messageCountWire,
  vehicleDetailWire,
} from '../../src/server/wire.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { freeUdpPort, startLive } from '../live/command.ts';
import { LiveBench } from '../vehicle/bench.ts';
import { vehicleOverUdp } from '../vehicle/sockets.ts';

/** Later than any time in seconds, and earlier than any in microseconds. */
const NOT_SECONDS = 1e12;

/** The paths of numbers that can only be microseconds. */
function micros(value: unknown, path = ''): string[] {
  if (typeof value === 'number') return value > NOT_SECONDS ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => micros(each, `${path}.${key}`));
}

/** The paths of names that are ours only: booleans in the code begin with `is`. */
function internals(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [
    ...(/^is[A-Z]/.test(key) ? [`${path}.${key}`] : []),
    ...internals(each, `${path}.${key}`),
  ]);
}

test('every answer of a running collector has its times in seconds, and nothing internal', async () => {
  const port = await freeUdpPort();
  const live = await startLive(port, 0, '--record', temporaryFolder());
  const { vehicle, close } = await vehicleOverUdp(port, { up: 60 });
  const origin = new URL(live.address).origin;
  const get = async (path: string): Promise<unknown> => (await fetch(`${origin}${path}`)).json();
  try {
    const messages = async (): Promise<readonly MessageCountWire[]> =>
      ((await get('/v1/vehicles/1/messages')) as { messages?: MessageCountWire[] }).messages ?? [];
    await expect.poll(async () => (await messages()).length, { timeout: 30_000 }).toBeGreaterThan(12);
    vehicle.say('STATUSTEXT', { severity: 4, text: 'PreArm: x' });
    await expect.poll(async () => JSON.stringify(await get('/v1/vehicles/1')), { timeout: 30_000 }).toContain('PreArm');
    const { paths } = (await get('/v1/openapi.json')) as { paths: Record<string, { get?: { responses: Answers } }> };
    // what is sent as it came has the vehicle's own fields, streams have the events of `--json`
    const asked = Object.entries(paths)
      .filter(([path, { get: route }]) => route?.responses[200].content?.['application/json'] && !/mavlink/.test(path))
      .map(([path]) => path.replace('{vehicle}', '1').replace('{message}', 'ATTITUDE'))
      .filter((path) => !path.includes('{'));
    expect(asked.length).toBeGreaterThan(6);
    for (const path of asked) {
      const answer = await get(path);
      expect([path, micros(answer), internals(answer)]).toEqual([path, [], []]);
    }
    // each message has its age
    vehicle.broken.add('VFR_HUD');
    const isStale = async (name: string): Promise<boolean | undefined> =>
      (await messages()).find(({ message }) => message === name)?.stale;
    await expect.poll(() => isStale('VFR_HUD'), { timeout: 30_000 }).toBe(true);
    expect(await isStale('ATTITUDE')).toBe(false);
    expect((await messages()).find(({ message }) => message === 'VFR_HUD')?.age).toBeGreaterThan(1.4);
  } finally {
    await close();
    await live.close();
  }
});

/** Of the API document. */
type Answers = Readonly<Record<number, { readonly content?: Readonly<Record<string, unknown>> }>>;

test('times of a vehicle and its events are seconds, parts have an age, and requests nothing internal', () => {
  const bench = new LiveBench({});
  const events: LiveEvent[] = [];
  bench.collector.subscribe((event) => {
    if (event.type !== 'message') events.push(event);
  });
  bench.add('a');
  bench.run(20);
  const vehicle = bench.collector.vehicles.get('1');
  if (!vehicle) throw new Error('no vehicle');
  const now = vehicle.lastHeartbeat + 2.5e6;
  const wire = vehicleDetailWire(vehicle, bench.collector.requests('1'), null, now);
  expect(micros(wire)).toEqual([]);
  expect(wire.heartbeat).toMatchObject({ time: vehicle.lastHeartbeat / 1e6, age: 2.5 });
  for (const part of [wire.state.attitude, wire.state.speed, wire.state.battery, wire.state.gps, ...wire.batteries]) {
    expect(part).toMatchObject({ time: expect.any(Number), age: expect.any(Number), stale: expect.any(Boolean) });
    expect(part).not.toHaveProperty('isStale');
  }
  const counts = bench.collector.messages('1').map((message) => messageCountWire(message, now));
  expect(counts.find(({ message }) => message === 'HEARTBEAT')).toMatchObject({ age: 2.5, stale: false });
  expect([micros(counts), internals(counts)]).toEqual([[], []]);
  expect(wire.state.requests.length).toBeGreaterThan(5);
  for (const request of wire.state.requests)
    expect(Object.keys(request).sort()).toEqual(['message', 'nextAt', 'rate', 'result', 'state', 'tries']);
  const text = { time: 1.7e15, component: 1, severity: 4, level: 'warning', text: 'PreArm: x' };
  events.push({ type: 'text', vehicle: '1', link: 'a', time: 1.7e15, text });
  events.push({ type: 'lost', vehicle: '1', link: 'a', time: 1.7e15, lastHeartbeat: 1.7e15 });
  expect(micros(events.map((event) => eventWire(event, 's.1')))).toEqual([]);
});

test('a link has its times in seconds, in the list and in events', () => {
  const state = {
    ...{ name: 'l', kind: 'udpin', state: 'silent' as const, since: 1.7e15, lastBytes: 1.7e15, retryAt: 1.7e15 },
    ...{ bytesIn: 0, packetsIn: 0, bytesOut: 0, packetsOut: 0, dropped: 0, receiveBuffer: null, peer: null },
    ...{ hint: '', error: '' },
  };
  expect(linkWire(state, true, 'signed')).toMatchObject({ since: 1.7e9, forward: true, notice: 'signed' });
  const event = eventWire({ type: 'link', vehicle: null, link: 'l', time: 1.7e15, state }, 's.1');
  expect(event).toMatchObject({
    time: 1.7e9,
    vehicle: '',
    data: { link: 'l', state: { since: 1.7e9, lastBytes: 1.7e9 } },
  });
});
