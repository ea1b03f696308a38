// A session with its server, as the page Live uses them: coming back, asking, noting, recording.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { parseLink } from '../../src/live/link-name.ts';
import { openLog } from '../../src/node/open.ts';
import { type RunningServer, serve } from '../../src/server/server.ts';
import { SessionView } from '../../src/server/session-view.ts';
import type { RecorderWire, RecordingWire } from '../../src/server/wire.ts';
import { LiveSession } from '../../src/session/session.ts';
import { tlogFrames } from '../formats/tlog/frames.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { until } from '../helpers/until.ts';
import { type RunningVehicle, vehicleOverUdp } from '../vehicle/sockets.ts';

const folder = join(temporaryFolder(), 'recordings');
const clients: WebSocket[] = [];
let session: LiveSession;
let server: RunningServer;
let running: RunningVehicle;

interface Seen {
  readonly event: string;
  readonly id: string;
  readonly time: number;
  readonly vehicle: string | null;
  readonly type?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

beforeAll(async () => {
  session = new LiveSession({
    links: [parseLink('udpin:127.0.0.1:0')],
    record: folder,
    profile: { rates: {}, once: [] },
  });
  session.start();
  await until(() => session.links[0].local !== null);
  running = await vehicleOverUdp(Number(session.links[0].local?.split(':').at(-1)), {
    firmware: 'px4',
    system: 3,
    up: 60,
  });
  server = await serve(new SessionView(session), {});
  await until(() => session.recorder?.state.state === 'recording' && session.collector.vehicles.has('3'));
});
afterAll(async () => {
  for (const client of clients) client.terminate();
  await server.close();
  await session.stop();
  await running.close();
});

/** All that a websocket is told, the greeting first. */
async function listen(query: string): Promise<Seen[]> {
  const client = new WebSocket(`${server.url.replace('http', 'ws')}/v1/ws${query}`);
  clients.push(client);
  const seen: Seen[] = [];
  client.on('message', (data) => seen.push(JSON.parse(String(data)) as Seen));
  await until(() => seen.length > 0);
  return seen;
}

async function get<T>(path: string): Promise<T> {
  return (await (await fetch(server.url + path)).json()) as T;
}

async function act(name: string, body: unknown): Promise<[number, string]> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${server.token}` };
  const answer = await fetch(`${server.url}/v1/actions/${name}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return [answer.status, (await answer.text()).trim()];
}

const number = ({ id }: Seen): number => Number(id.split('.')[1]);

describe('a page', () => {
  test('is told what the fields of a message mean, and by which name its values go', async () => {
    const { fields } = await get<{ fields: { name: string; unit: string; enumeration: unknown }[] }>(
      '/v1/vehicles/3/messages/HEARTBEAT',
    );
    const type = fields.find(({ name }) => name === 'type');
    expect(type?.enumeration).toMatchObject({ name: 'MAV_TYPE', bitmask: false, names: { 2: 'MAV_TYPE_QUADROTOR' } });
    const attitude = await get<{ fields: { name: string; unit: string }[] }>('/v1/vehicles/3/messages/ATTITUDE');
    expect(attitude.fields.find(({ name }) => name === 'rollspeed')?.unit).toBe('rad/s');
    expect((await fetch(`${server.url}/v1/vehicles/3/messages/NO_SUCH`)).status).toBe(404);
    // heartbeats of ours go out once a second
    const packetsOut = async (): Promise<number> =>
      (await get<{ links: { packetsOut: number }[] }>('/v1/links')).links[0].packetsOut;
    await expect.poll(packetsOut, { timeout: 5000 }).toBeGreaterThan(0);
  });

  test('that comes back is told every message that it missed, once and in order', async () => {
    const steady = await listen('?message=ATTITUDE');
    const first = await listen('?message=ATTITUDE');
    await until(() => first.length > 5);
    clients.at(-1)?.terminate();
    const last = first.at(-1) as Seen;
    await until(() => steady.length > first.length + 20);
    const second = await listen(`?message=ATTITUDE&since=${last.id}`);
    expect(second[0]).toMatchObject({ event: 'hello', id: last.id });
    await until(() => second.length > 30);
    const messages = [...first, ...second.slice(1)].filter(({ event }) => event === 'message');
    const missed = steady.filter(({ event, id }) => event === 'message' && messages.some((one) => one.id === id));
    // as one that was never away saw them
    expect(messages.slice(messages.findIndex(({ id }) => id === missed[0].id))).toEqual(missed);
    expect(new Set(messages.map(number)).size).toBe(messages.length);
  });

  test('that is opened anew gets the last seconds, thinned out as it asks', async () => {
    await until(() => session.collector.statistics().messages > 150);
    const [all, few] = await Promise.all([listen('?last=60'), listen('?last=60&message=ATTITUDE&rate=2')]);
    const count = (seen: readonly Seen[]): number => seen.filter(({ event }) => event === 'message').length;
    await until(() => count(few) > 2 && count(all) > 100);
    const names = new Set(all.filter(({ event }) => event === 'message').map(({ type }) => type));
    expect(names.size).toBeGreaterThan(5);
    expect(all.some(({ event }) => event === 'vehicle')).toBe(true);
    const numbers = all.slice(1).map(number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    // what came before the first heartbeat is of no vehicle yet; the newest of each sender comes whatever the rate, last
    for (const sender of new Set(few.map(({ vehicle }) => vehicle))) {
      const sent = few.filter(({ event, vehicle }) => event === 'message' && vehicle === sender);
      const times = sent.map(({ time }) => time).sort((a, b) => a - b);
      const span = (times.at(-1) ?? 0) - times[0];
      if (times.length > 0) expect(times.length, String(sender)).toBeLessThanOrEqual(2 * span + 3);
    }
  });

  test('is refused where it asks for nonsense', async () => {
    for (const last of ['', 'x', '-1']) expect((await fetch(`${server.url}/v1/events?last=${last}`)).status).toBe(400);
  });

  test('asks for a message at a rate, lower ones too, and sees what became of it', async () => {
    expect((await act('request', { vehicle: '3', message: 'ATTITUDE', rate: 5 }))[0]).toBe(200);
    await until(() => running.vehicle.intervals.get(30) === 200_000);
    const { state } = await get<{ state: { requests: { message: string; rate: number }[] } }>('/v1/vehicles/3');
    expect(state.requests).toContainEqual(expect.objectContaining({ message: 'ATTITUDE', rate: 5 }));
    expect((await act('request', { vehicle: '3', message: 'ATTITUDE', rate: 1 }))[0]).toBe(200);
    await until(() => running.vehicle.intervals.get(30) === 1_000_000);
    expect((await act('request', { vehicle: '3', message: 'AUTOPILOT_VERSION', rate: 0 }))[0]).toBe(200);
    await until(() => session.collector.vehicles.get('3')?.firmware.version !== null);
    expect(await act('request', { vehicle: '3', message: 'NO_SUCH', rate: 1 })).toEqual([
      400,
      '{"error":{"status":400,"message":"unknown message NO_SUCH"}}',
    ]);
    expect((await act('request', { vehicle: '3', message: 'ATTITUDE', rate: 1e6 }))[0]).toBe(400);
    expect((await act('request', { vehicle: '9', message: 'ATTITUDE', rate: 1 }))[0]).toBe(404);
    expect((await act('request', null))[0]).toBe(404);
    // no message but these, whoever asks
    expect((await act('send', { vehicle: '3', message: 'PARAM_REQUEST_LIST', data: {} }))[0]).toBe(403);
  });

  test('puts notes into the recording, reads it while it grows, and ends it', async () => {
    const text = 'a gust from the left, stronger than the one before it, at the third corner';
    const events = await listen('?event=mark');
    expect((await act('mark', { text }))[0]).toBe(200);
    await until(() => events.some(({ event, data }) => event === 'mark' && data.text === text));
    expect((await act('mark', { text: 'x'.repeat(501) }))[0]).toBe(400);
    await session.recorder?.flush();
    const { recordings } = await get<{ recordings: RecordingWire[] }>('/v1/recordings');
    expect(recordings).toHaveLength(1);
    expect(recordings[0]).toMatchObject({
      open: true,
      end: null,
      name: expect.stringMatching(/^\d{8}T\d{6}-000\.tlog$/),
    });
    const answer = await fetch(`${server.url}/v1/recordings/${recordings[0].id}`);
    const log = await openLog(new Uint8Array(await answer.arrayBuffer()));
    const texts = await log.table('STATUSTEXT', '254:190')?.column('text');
    const said = Array.from({ length: texts?.length ?? 0 }, (_, row) => texts?.at(row)).join('');
    expect(said).toBe(`MARK ${text}`);
    const before = await get<RecorderWire>('/v1/recorder');
    expect(before).toMatchObject({ state: 'recording', error: '', armedOnly: false, canRecord: true, dropped: 0 });
    expect(before.free).toBeGreaterThan(0);
    expect((await act('record', { on: false }))[0]).toBe(200);
    expect(await get<RecorderWire>('/v1/recorder')).toMatchObject({ state: 'off', canRecord: true });
    expect((await act('mark', { text }))[0]).toBe(409);
    expect((await act('record', { on: true, armedOnly: true }))[0]).toBe(200);
    // nobody is armed
    expect(await act('mark', { text })).toEqual([409, '{"error":{"status":409,"message":"nothing is recorded"}}']);
    expect((await act('record', { on: true, armedOnly: false }))[0]).toBe(200);
    await until(() => session.recorder?.state.state === 'recording');
    const later = (await get<{ recordings: RecordingWire[] }>('/v1/recordings')).recordings;
    expect(later.map(({ open }) => open)).toEqual([true, false]);
    expect(tlogFrames(join(folder, later[1].name)).length).toBeGreaterThan(100);
    expect((await act('record', { on: 'yes' }))[0]).toBe(400);
  });

  test('knows what it may do', async () => {
    const { actions } = await get<{ actions: { name: string }[] }>('/v1/actions');
    expect(actions.map(({ name }) => name)).toEqual([
      ...['request', 'mark', 'record'],
      ...['list-logs', 'download-log', 'stop-log'],
    ]);
  });
});
