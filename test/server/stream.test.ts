import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { LogRecord } from '../../src/core/records.ts';
import { type RunningServer, serve } from '../../src/server/server.ts';
import type { ViewEvent, ViewMessage } from '../../src/server/wire.ts';
import { until } from '../helpers/until.ts';
import { FakeView, recordsOf } from './fake-view.ts';
import { portOf, requestText } from './http.ts';

const SAMPLE = fileURLToPath(new URL('../../sample/copter-square.tlog', import.meta.url));

/** One event as a client sees it. */
interface Seen {
  readonly event: string;
  readonly id?: string;
  readonly time?: number;
  readonly vehicle?: string;
  readonly component?: number;
  readonly type?: string;
  readonly count?: number;
  readonly message?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly vehicles?: readonly { readonly id: string }[];
}

/** A client of either kind: what it saw, and a way to wait for it. */
interface Client {
  readonly seen: Seen[];
  /** The code that a websocket was closed with; 0 for an event stream that ended. */
  readonly closed: Promise<number>;
  send(text: string | Uint8Array): void;
  close(): void;
}

let records: LogRecord[];
let view: FakeView;
let server: RunningServer;
const clients: Client[] = [];

beforeAll(async () => {
  records = (await recordsOf(SAMPLE)).slice(6000, 8000);
});
beforeEach(async () => {
  view = new FakeView();
  server = await serve(view, { limits: { streams: 4, stalled: 500 } });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await server.close();
});
afterAll(() => {
  expect(view.listeners).toBe(0);
});

async function openSocket(query = ''): Promise<Client> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/ws${query}`);
  const seen: Seen[] = [];
  socket.on('message', (data) => seen.push(JSON.parse(String(data)) as Seen));
  socket.on('error', () => {});
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  const client = {
    seen,
    closed,
    send: (text: string | Uint8Array) => socket.send(text),
    close: () => socket.terminate(),
  };
  clients.push(client);
  await until(() => seen.length > 0);
  return client;
}

async function openEvents(query = '', headers: Record<string, string> = {}): Promise<Client> {
  const abort = new AbortController();
  const answer = await fetch(`${server.url}/v1/events${query}`, { headers, signal: abort.signal });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const seen: Seen[] = [];
  const client = { seen, closed: readBlocks(answer, seen), send: () => {}, close: () => abort.abort() };
  clients.push(client);
  await until(() => seen.length > 0);
  return client;
}

/** The events of a stream, by the rules of https://html.spec.whatwg.org/#event-stream-interpretation. */
async function readBlocks(answer: Response, seen: Seen[]): Promise<number> {
  let text = '';
  try {
    for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(piece).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const lines = block.split('\n').filter((line) => !line.startsWith(':'));
        const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
        if (data.length > 0) seen.push(JSON.parse(data.join('\n')) as Seen);
        const id = lines.find((line) => line.startsWith('id: '))?.slice(4);
        if (data.length > 0) expect(id).toBe(seen.at(-1)?.event === 'message' ? seen.at(-1)?.id : id);
      }
    }
  } catch {
    // the test ended it
  }
  return 0;
}

const OPENERS: readonly (readonly [string, (query?: string) => Promise<Client>])[] = [
  ['a websocket', openSocket],
  ['an event stream', openEvents],
];

const mode = (time: number, vehicle = '1'): ViewEvent => ({
  ...{ type: 'mode', link: 'l', time, vehicle, mode: `M${time}`, previous: '' },
});
const said = (vehicle: string, text: string): ViewEvent => ({
  ...{ type: 'text', link: 'l', time: 2, vehicle },
  text: { time: 2, component: 1, severity: 6, level: 'info', text },
});

describe.each(OPENERS)('%s', (_name, open) => {
  test('is greeted with the vehicles that are known', async () => {
    for (const record of records) view.play(record);
    const { seen } = await open();
    expect(seen[0]).toMatchObject({ event: 'hello' });
    expect(seen[0].vehicles?.map(({ id }) => id)).toEqual(['1', '255']);
  });

  test('gets every message in order, with the values of the log', async () => {
    const client = await open();
    // in portions, as they come by radio: a client that keeps up loses nothing
    for (let i = 0; i < records.length; i += 200) {
      for (const record of records.slice(i, i + 200)) view.play(record);
      await until(() => client.seen.length >= Math.min(i + 200, records.length) + 1);
    }
    const messages = client.seen.slice(1);
    expect(messages).toHaveLength(records.length);
    for (const [i, { event, type, time, vehicle, component, data }] of messages.entries()) {
      const { table, data: expected, time: when } = records[i];
      expect([event, type, `${vehicle}:${component}`]).toEqual(['message', table.name, table.stream]);
      expect(time).toBe(Math.round(when) / 1e6);
      expect(Object.keys(data ?? {})).toEqual(Object.keys(expected));
      if (table.name === 'ATTITUDE') expect(data).toEqual({ ...expected });
    }
  });

  test('gets only what it asked for', async () => {
    const client = await open('?message=ATTITUDE,SYS_STATUS&vehicle=1&event=message,text');
    for (const record of records.slice(0, 400)) view.play(record);
    view.emit(mode(1));
    view.emit(said('1', 'hello'));
    view.emit(said('2', 'other'));
    const wanted = records
      .slice(0, 400)
      .filter(({ table }) => ['ATTITUDE', 'SYS_STATUS'].includes(table.name) && table.stream.startsWith('1:'));
    expect(wanted.length).toBeGreaterThan(10);
    await until(() => client.seen.at(-1)?.event === 'text');
    const kinds = client.seen.slice(1).map(({ event, type }) => type ?? event);
    expect(kinds).toEqual([...wanted.map(({ table }) => table.name), 'text']);
  });

  test('gets no more than the rate, the newest at the end, and all that is no message', async () => {
    const client = await open('?message=ATTITUDE&rate=10');
    const attitudes = records.filter(({ table }) => table.name === 'ATTITUDE');
    const start = performance.now();
    for (const record of attitudes.slice(0, 100)) {
      view.play(record);
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
    for (let i = 0; i < 20; i++) view.emit(mode(i));
    const last = attitudes[99].time;
    await until(() => client.seen.some(({ time }) => time === Math.round(last) / 1e6));
    await until(() => client.seen.filter(({ event }) => event === 'mode').length >= 20);
    const seconds = (performance.now() - start) / 1000;
    const messages = client.seen.filter(({ event }) => event === 'message');
    expect(messages.length).toBeGreaterThan(2);
    expect(messages.length).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 1);
    expect(client.seen.filter(({ event }) => event === 'mode')).toHaveLength(20);
    expect(client.seen.some(({ event }) => event === 'dropped')).toBe(false);
  });

  test('is told on its return what changed while it was away', async () => {
    view.emit(mode(1));
    view.emit(mode(2));
    const first = await open();
    view.emit(mode(3));
    await until(() => first.seen.length === 2);
    const id = first.seen[1].id;
    first.close();
    view.emit(mode(4));
    view.emit(mode(5, '2'));
    const second = await open(`?since=${id}&vehicle=1`);
    await until(() => second.seen.length === 2);
    expect(second.seen[1].data).toMatchObject({ mode: 'M4' });
    // an id of another run of the server says nothing: all that is kept is told
    const third = await open('?since=00000000.99999');
    await until(() => third.seen.length === 6);
    expect(third.seen.slice(1).map(({ time }) => Math.round((time ?? 0) * 1e6))).toEqual([1, 2, 3, 4, 5]);
  });

  test('ends when the server does', async () => {
    const client = await open();
    await server.close();
    expect([0, 1001]).toContain(await client.closed);
    expect(view.listeners).toBe(0);
  });
});

describe('streams', () => {
  test('an event stream goes on where Last-Event-ID says', async () => {
    const first = await openEvents();
    view.emit(mode(1));
    view.emit(mode(2));
    await until(() => first.seen.length === 3);
    const second = await openEvents('', { 'Last-Event-ID': first.seen[1].id ?? '' });
    await until(() => second.seen.length === 2);
    expect(second.seen[1].data).toMatchObject({ mode: 'M2' });
  });

  test('there is room for a fixed number, of both kinds together, and again when one leaves', async () => {
    const first = await openSocket();
    await Promise.all([openSocket(), openEvents(), openEvents()]);
    const fifth = await fetch(`${server.url}/v1/events`);
    expect([fifth.status, fifth.headers.get('retry-after')]).toEqual([503, '5']);
    expect(((await fifth.json()) as { error: object }).error).toEqual({
      status: 503,
      message: 'all 4 streams are in use: close one, or try again',
    });
    const refused = new WebSocket(`${server.url.replace('http', 'ws')}/v1/ws`);
    const error = await new Promise<Error>((resolve) => refused.on('error', resolve));
    expect(error.message).toBe('Unexpected server response: 503');
    first.close();
    await until(() => view.listeners === 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect((await openSocket()).seen[0].event).toBe('hello');
  });

  test('a websocket may change its filter', async () => {
    const client = await openSocket('?event=nothing');
    client.send('{"message":["SYS_STATUS"],"event":["message"]}');
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const record of records.slice(0, 400)) view.play(record);
    await until(() => client.seen.length > 1);
    expect(new Set(client.seen.slice(1).map(({ type }) => type))).toEqual(new Set(['SYS_STATUS']));
  });

  test.each([
    ['{', 'send the filter as JSON'],
    ['[]', 'filter: expected an object with event, vehicle, message, rate'],
    ['{"colour":["red"]}', 'unknown filter "colour": expected event, vehicle, message or rate'],
    ['{"__proto__":["red"]}', 'unknown filter "__proto__": expected event, vehicle, message or rate'],
    ['{"rate":"fast"}', 'rate must be a number a second from 0.01 to 1000, or 0 for all'],
    ['{"message":"ATTITUDE"}', 'filter message: expected a list of non-empty names'],
    [new Uint8Array([1, 2]), 'send the filter as text'],
    [
      JSON.stringify({ vehicle: Array.from({ length: 65 }, String) }),
      'filter vehicle has 65 names, at most 64 are accepted',
    ],
  ])('a websocket that sends %s is told why that is no filter', async (text, message) => {
    const client = await openSocket();
    client.send(text);
    await until(() => client.seen.length === 2);
    expect(client.seen[1]).toEqual({ event: 'error', message });
  });

  test.each([
    ['?rate=', 'rate must be a number a second from 0.01 to 1000, or 0 for all'],
    ['?rate=-1', 'rate must be a number a second from 0.01 to 1000, or 0 for all'],
    ['?rate=1e9', 'rate must be a number a second from 0.01 to 1000, or 0 for all'],
    ['?vehicle=', 'filter vehicle: expected a list of non-empty names'],
    ['?vehicle=1&vehicle=2', '"vehicle" is given twice: separate names by commas'],
    ['?x=1', 'unknown filter "x": expected event, vehicle, message or rate'],
  ])('%s is refused with a sentence', async (query, message) => {
    const answer = await fetch(`${server.url}/v1/events${query}`);
    expect([answer.status, await answer.json()]).toEqual([400, { error: { status: 400, message } }]);
  });

  test('a websocket that sends too much, or too many, is closed', async () => {
    const large = await openSocket();
    large.send('x'.repeat((64 << 10) + 1));
    expect(await large.closed).toBe(1009);
    const many = await openSocket();
    for (let i = 0; i < 1000; i++) many.send('{}');
    expect(await many.closed).toBe(1008);
  });

  test('messages that nobody wants are not even decoded', async () => {
    const client = await openSocket('?message=ATTITUDE');
    let decoded = 0;
    const event = (message: string): ViewMessage => ({
      ...{ type: 'message', time: 1, vehicle: '1', component: 1, name: message },
      get data() {
        decoded++;
        return {};
      },
    });
    for (let i = 0; i < 10; i++) view.emit(event('RAW_IMU'));
    expect(decoded).toBe(0);
    view.emit(event('ATTITUDE'));
    await until(() => client.seen.length === 2);
    expect(decoded).toBe(1);
  });

  test('values that JSON does not have go out as everywhere in Skein', async () => {
    const client = await openSocket();
    const data = Object.assign(Object.create(null), {
      big: 2n ** 63n,
      bad: Number.NaN,
      bytes: new Uint8Array([1, 255]),
    });
    Object.defineProperty(data, '__proto__', { value: 5, enumerable: true });
    view.emit({ type: 'message', time: Number.NaN, vehicle: '1', component: 1, name: 'X', instance: undefined, data });
    await until(() => client.seen.length === 2);
    expect(client.seen[1].time).toBe(null);
    expect(JSON.stringify(client.seen[1].data)).toBe(
      '{"big":"9223372036854775808","bad":null,"bytes":"01ff","__proto__":5}',
    );
  });
});

test.each(['/v1/ws', '/v1/events'])(
  'a client of %s that takes nothing is cut off, and the others miss nothing',
  async (path) => {
    const metric = async (name: string): Promise<number> => {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
    };
    const reader = await openSocket('?message=SMALL');
    const host = `Host: 127.0.0.1:${portOf(server.url)}`;
    const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
    const plain = requestText(path, path === '/v1/ws' ? [host, ...upgrade] : [host]);
    const dead = connect(portOf(server.url), '127.0.0.1', () =>
      dead.write(plain.replace('tion: close', 'tion: Upgrade')),
    );
    dead.on('error', () => {}).pause();
    await expect.poll(() => metric('skein_streams'), { timeout: 5000 }).toBe(2);
    const message = (name: string, value: string | number): ViewMessage => ({
      ...{ type: 'message', time: 1, vehicle: '1', component: 1, name, data: { value } },
    });
    let small = 0;
    // the system takes many megabytes before anything waits in the server
    for (let i = 0; i < 4000 && (i % 100 !== 0 || (await metric('skein_streams')) === 2); i++) {
      view.emit(message('BIG', 'x'.repeat(100_000)));
      view.emit(message('SMALL', ++small));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(await metric('skein_streams')).toBe(1);
    expect(await metric('skein_stream_events_dropped_total')).toBeGreaterThan(0);
    await until(() => reader.seen.length === small + 1);
    expect(reader.seen.slice(1).map(({ data }) => data?.value)).toEqual(Array.from({ length: small }, (_, i) => i + 1));
    dead.destroy();
  },
);

test('a server closes twice as well as once, with a download, a stream and an idle connection open', async () => {
  const [stream, socket] = await Promise.all([openEvents(), openSocket()]);
  await fetch(`${server.url}/v1/vehicles`);
  const start = performance.now();
  await Promise.all([server.close(), server.close()]);
  expect(performance.now() - start).toBeLessThan(2500);
  await Promise.all([stream.closed, socket.closed]);
  await expect(fetch(`${server.url}/v1/vehicles`)).rejects.toThrow();
});
