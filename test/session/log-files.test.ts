// Logs of a vehicle's card over a socket, by the API: into the folder of recordings, as a whole or not at all.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseLink } from '../../src/live/link-name.ts';
import { type RunningServer, serve } from '../../src/server/server.ts';
import { SessionView } from '../../src/server/session-view.ts';
import type { LogsWire, RecordingWire } from '../../src/server/wire.ts';
import { LiveSession } from '../../src/session/session.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { Random } from '../suite/random.ts';
import { cardOf } from '../vehicle/log-bench.ts';
import { type RunningVehicle, vehicleOverUdp } from '../vehicle/sockets.ts';

const folder = join(temporaryFolder(), 'recordings');
const random = new Random(5);
const [small, large] = [random.bytes(20_000), random.bytes(3_000_000)];
let session: LiveSession;
let server: RunningServer;
let running: RunningVehicle;
const events: { readonly path: string; readonly error: string }[] = [];

beforeAll(async () => {
  session = new LiveSession({ links: [parseLink('udpin:127.0.0.1:0')], record: folder });
  session.subscribe((event) => event.type === 'log' && events.push({ path: event.path, error: event.error }));
  session.start();
  await vi.waitUntil(() => session.links[0].local !== null);
  running = await vehicleOverUdp(Number(session.links[0].local?.split(':').at(-1)), {
    ...{ up: 60, ...cardOf(false, [small, large]) },
  });
  server = await serve(new SessionView(session), {});
  await vi.waitUntil(() => session.collector.vehicles.has('1'), { timeout: 20_000 });
});
afterAll(async () => {
  await server.close();
  await session.stop();
  await running.close();
});

const logs = async (): Promise<LogsWire> =>
  (await (await fetch(`${server.url}/v1/vehicles/1/logs`)).json()) as LogsWire;

async function act(name: string, body: object, token: string | undefined = server.token): Promise<[number, string]> {
  const answer = await fetch(`${server.url}/v1/actions/${name}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    body: JSON.stringify(body),
  });
  const { error } = (await answer.json()) as { error?: { message: string } };
  return [answer.status, error?.message ?? ''];
}

const saved = (): string[] => readdirSync(folder).filter((name) => !/^\d/.test(name));

test('are listed when a client asks, with the token', { timeout: 60_000 }, async () => {
  expect(await logs()).toEqual({ state: 'unknown', error: '', obstacle: '', logs: [], download: null });
  expect((await act('list-logs', { vehicle: '1' }, ''))[0]).toBe(401);
  expect(running.vehicle.requests.filter(({ name }) => /^LOG_|^FILE_/.test(name))).toEqual([]);
  expect(await act('list-logs', { vehicle: '9' })).toEqual([404, 'vehicle: unknown id']);
  expect(await act('list-logs', { vehicle: '1' })).toEqual([200, '']);
  expect((await logs()).state).toBe('listing');
  await expect.poll(async () => (await logs()).state, { timeout: 20_000 }).toBe('listed');
  expect((await logs()).logs).toEqual([
    { key: '/APM/LOGS/00000001.BIN', name: '00000001.BIN', size: 20_000, time: 1_699_000_000 },
    { key: '/APM/LOGS/00000002.BIN', name: '00000002.BIN', size: 3_000_000, time: 1_699_001_000 },
  ]);
});

test('come into the folder byte for byte, under a name that is free, and are recordings', {
  timeout: 60_000,
}, async () => {
  expect(await act('download-log', { vehicle: '1', log: 'x' })).toEqual([409, 'no log "x" in the list']);
  writeFileSync(join(folder, 'vehicle-1-00000001.BIN'), 'mine');
  expect(await act('download-log', { vehicle: '1', log: '/APM/LOGS/00000001.BIN' })).toEqual([200, '']);
  expect((await act('download-log', { vehicle: '1', log: '/APM/LOGS/00000002.BIN' }))[0]).toBe(409);
  await expect.poll(async () => (await logs()).download?.state, { timeout: 20_000 }).toBe('saved');
  const { download } = await logs();
  expect(download).toMatchObject({ name: '00000001.BIN', received: 20_000, verified: true, grown: false, error: '' });
  expect(saved()).toEqual(['vehicle-1-00000001-2.BIN', 'vehicle-1-00000001.BIN']);
  expect(readFileSync(join(folder, 'vehicle-1-00000001.BIN'), 'utf8')).toBe('mine');
  expect(new Uint8Array(readFileSync(join(folder, 'vehicle-1-00000001-2.BIN')))).toEqual(small);
  const { recordings } = (await (await fetch(`${server.url}/v1/recordings`)).json()) as { recordings: RecordingWire[] };
  const found = recordings.find(({ id }) => id === download?.recording);
  expect(found).toMatchObject({ name: 'vehicle-1-00000001-2.BIN', size: 20_000, start: null, open: false });
  expect(events).toEqual([{ path: join(folder, 'vehicle-1-00000001-2.BIN'), error: '' }]);
});

test('leave nothing behind when they are stopped, or the vehicle arms', { timeout: 60_000 }, async () => {
  const before = saved();
  for (const [stop, error] of [
    [async () => expect(await act('stop-log', { vehicle: '1' })).toEqual([200, '']), 'stopped'],
    [async () => running.vehicle.set({ armed: true }), 'armed: disarm to download'],
  ] as const) {
    expect(await act('download-log', { vehicle: '1', log: '/APM/LOGS/00000002.BIN' })).toEqual([200, '']);
    await expect.poll(async () => (await logs()).download?.received, { timeout: 20_000 }).toBeGreaterThan(10_000);
    expect(saved()).toHaveLength(before.length + 1);
    await stop();
    await expect
      .poll(async () => (await logs()).download, { timeout: 20_000 })
      .toMatchObject({ state: 'failed', error });
    expect(saved()).toEqual(before);
  }
  expect((await logs()).obstacle).toBe('armed: disarm to download');
  expect(await act('list-logs', { vehicle: '1' })).toEqual([409, 'armed: disarm to download']);
  running.vehicle.set({ armed: false });
  await expect.poll(async () => (await logs()).obstacle, { timeout: 20_000 }).toBe('');
});

test('leave nothing behind when the program ends', { timeout: 60_000 }, async () => {
  const before = saved();
  expect(await act('download-log', { vehicle: '1', log: '/APM/LOGS/00000002.BIN' })).toEqual([200, '']);
  await expect.poll(async () => (await logs()).download?.received, { timeout: 20_000 }).toBeGreaterThan(10_000);
  await session.stop();
  expect(saved()).toEqual(before);
  // ArduPilot closes it when its burst is over
  await wait(1500);
  expect(running.vehicle.files.isOpen).toBe(false);
  const again = session.logFiles.download('1', '/APM/LOGS/00000002.BIN');
  await expect(again).rejects.toThrow('the program ended');
  expect(saved()).toEqual(before);
});

test('need a folder, and requests that are on', async () => {
  const other = new LiveSession({ links: [parseLink('udpin:127.0.0.1:0')], requests: false });
  await expect(other.logFiles.download('1', 'x')).rejects.toThrow('no folder to save logs to: start with --record DIR');
  expect(() => other.collector.logs('1')).toThrow('unknown vehicle 1');
});
