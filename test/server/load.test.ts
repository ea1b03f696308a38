// What clients that are slow, dead, many or hostile cost the others. The server runs in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { temporaryFolder } from '../helpers/folder.ts';
import { long } from '../helpers/long.ts';
import { exchange, portOf, requestText } from './http.ts';

const SAMPLE = fileURLToPath(new URL('../../sample/copter-square.tlog', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../fixtures/server-load.mjs', import.meta.url));

interface Loaded {
  readonly url: string;
  readonly token: string;
  readonly port: number;
  readonly process: ChildProcess;
}

const folder = temporaryFolder();
const running: ChildProcess[] = [];
const open: { destroy(): void }[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) one.destroy();
  for (const child of running.splice(0)) {
    const code = new Promise((resolve) => child.once('exit', resolve));
    child.stdin?.end();
    // whatever was done to it, it ends of its own will and in peace
    expect(await code).toBe(0);
  }
});

async function start(rate: number, recording = SAMPLE): Promise<Loaded> {
  const child = spawn(process.execPath, [PROGRAM, SAMPLE, String(rate), recording], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  running.push(child);
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(String(data)));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const { url, token } = JSON.parse(line) as { url: string; token: string };
  return { url, token, port: portOf(url), process: child };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A number of the server's own. */
async function metric(server: Loaded, name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
}

/** Milliseconds until a plain request is answered, on a connection of its own. */
async function answerTime({ port }: Loaded): Promise<number> {
  const from = performance.now();
  const answer = await exchange(port, requestText('/v1/statistics', [`Host: 127.0.0.1:${port}`]), 10_000);
  expect(answer.status).toBe(200);
  return performance.now() - from;
}

/** A connection that sends bytes and then lies there. */
function lie({ port }: Loaded, bytes: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => resolve(socket)));
    socket.on('error', () => resolve(socket));
    open.push(socket);
  });
}

/** A websocket that is opened, and never read from. */
async function deadSocket(server: Loaded): Promise<Socket> {
  const lines = ['Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
  const head = requestText('/v1/ws', [`Host: 127.0.0.1:${server.port}`, ...lines]).replace(': close', ': Upgrade');
  const socket = await lie(server, head);
  socket.pause();
  return socket;
}

/** A websocket that reads, and notes how long each message was on its way. */
async function reader(server: Loaded, query: string, delays: number[]): Promise<void> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/ws${query}`);
  socket.on('message', (data) => {
    const { event, time } = JSON.parse(String(data)) as { event: string; time: number };
    if (event === 'message') delays.push(Date.now() - time * 1000);
  });
  open.push({ destroy: () => socket.terminate() });
  await new Promise((resolve) => socket.once('open', resolve));
}

/** Milliseconds of delay by which a machine is too busy for a delay to be measured. */
const BUSY = 50;

/** Seconds of CPU that the server takes for each second of some work. */
async function cpuDuring(server: Loaded, work: () => Promise<void>): Promise<number> {
  const [began, before] = [performance.now(), await metric(server, 'process_cpu_seconds_total')];
  await work();
  const spent = (await metric(server, 'process_cpu_seconds_total')) - before;
  return spent / ((performance.now() - began) / 1000);
}

const percentile = (values: number[], part: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)];

describe('256 clients', () => {
  test('128 that never read cost less than 32 MiB, next to no time, and delay the others by less than 100 ms', {
    retry: 2,
  }, async () => {
    const server = await start(1000);
    const delays: number[] = [];
    for (let i = 0; i < 8; i++) await reader(server, '?message=ATTITUDE', delays);
    await pause(2000);
    const before = await metric(server, 'process_resident_memory_bytes');
    for (let i = 0; i < 120; i++) await reader(server, '?message=ATTITUDE&rate=10', delays);
    delays.length = 0;
    const usual = await cpuDuring(server, () => pause(3000));
    const usualDelay = percentile(delays, 0.99);
    for (let i = 0; i < 128; i++) await deadSocket(server);
    await expect.poll(() => metric(server, 'skein_streams'), { timeout: 5000 }).toBe(256);
    delays.length = 0;
    let peak = 0;
    const withThem = await cpuDuring(server, async () => {
      for (let i = 0; i < 12; i++) {
        await pause(500);
        peak = Math.max(peak, await metric(server, 'process_resident_memory_bytes'));
      }
    });
    expect(delays.length).toBeGreaterThan(1000);
    expect((peak - before) / 2 ** 20).toBeLessThan(32);
    // whatever else the machine does: what the server itself spends for a second of events
    expect(withThem).toBeLessThan(1.5 * usual + 0.1);
    // a machine that is slow without them tells nothing of the delay that they cause
    if (usualDelay < BUSY) expect(percentile(delays, 0.99)).toBeLessThan(100);
  });
});

test('256 event streams that never read cost less than 32 MiB, and others are answered within 100 ms', {
  retry: 2,
}, async () => {
  const server = await start(2000);
  const delays: number[] = [];
  for (let i = 0; i < 8; i++) await reader(server, '', delays);
  for (let i = 0; i < 20; i++) await answerTime(server);
  await pause(3000);
  const before = await metric(server, 'process_resident_memory_bytes');
  const usual = Math.max(await answerTime(server), await answerTime(server), await answerTime(server));
  for (let i = 0; i < 248; i++)
    await lie(server, requestText('/v1/events', [`Host: 127.0.0.1:${server.port}`])).then((socket) => socket.pause());
  await expect.poll(() => metric(server, 'skein_streams'), { timeout: 5000 }).toBe(256);
  const times: number[] = [];
  let peak = 0;
  for (let i = 0; i < 120; i++) {
    times.push(await answerTime(server));
    peak = Math.max(peak, await metric(server, 'process_resident_memory_bytes'));
    await pause(50);
  }
  expect((peak - before) / 2 ** 20).toBeLessThan(32);
  // a machine that is slow without them tells nothing of the delay that they cause
  if (usual < BUSY) expect(percentile(times, 0.99)).toBeLessThan(100);
});

describe('connections', () => {
  test('200 that crawl keep nobody waiting for a second', async () => {
    const server = await start(100);
    for (let i = 0; i < 200; i++) await lie(server, 'GET /v1/vehicles HTTP/1.1\r\nHost: 127');
    const crawl = setInterval(() => {
      for (const one of open) if ('write' in one && !(one as Socket).destroyed) (one as Socket).write('1');
    }, 100);
    const times: number[] = [];
    for (let i = 0; i < 20; i++) times.push(await answerTime(server));
    clearInterval(crawl);
    expect(Math.max(...times)).toBeLessThan(1000);
  });

  long(test)('10,000 that come and stay idle keep nobody waiting for a second', async () => {
    const server = await start(100);
    const times: number[] = [];
    for (let i = 0; i < 100; i++) {
      await Promise.all(Array.from({ length: 100 }, () => lie(server, '')));
      if (i % 5 === 0) times.push(await answerTime(server));
    }
    times.push(await answerTime(server));
    expect(Math.max(...times)).toBeLessThan(1000);
    expect(await metric(server, 'skein_http_connections')).toBeLessThanOrEqual(64);
    expect(await metric(server, 'skein_http_evicted_total')).toBeGreaterThan(9900);
  });

  test('64 downloads that are not read keep nobody waiting for a second', async () => {
    const server = await start(100);
    for (let i = 0; i < 80; i++)
      await lie(server, requestText('/v1/recordings/r1', [`Host: 127.0.0.1:${server.port}`])).then((s) => s.pause());
    const times: number[] = [];
    for (let i = 0; i < 5; i++) times.push(await answerTime(server));
    // one answer may meet whatever else the machine does
    expect(percentile(times, 0.5)).toBeLessThan(1000);
  });

  test('90 downloads that are not read do not cut one that is', async () => {
    // more than the system itself takes for a client that does not read
    const whole = 64 << 20;
    const recording = join(folder, 'large.tlog');
    writeFileSync(recording, Buffer.alloc(whole, 7));
    const server = await start(100, recording);
    const head = requestText('/v1/recordings/r1', [`Host: 127.0.0.1:${server.port}`]);
    let got = 0;
    const honest = await lie(server, head);
    honest.on('data', (data) => {
      got += data.length;
      // as over a slower link
      honest.pause();
      setTimeout(() => honest.resume(), 2);
    });
    const ended = new Promise((resolve) => honest.once('close', resolve));
    await pause(20);
    for (let i = 0; i < 90; i++) {
      await lie(server, head).then((socket) => socket.pause());
      // each is being answered when the next comes
      await pause(10);
    }
    await ended;
    expect(got).toBeGreaterThan(whole);
    expect(await metric(server, 'skein_http_evicted_total')).toBeGreaterThan(20);
  });

  test('a head of 16 MiB and a body of 1 GiB are cut off at their limits', async () => {
    const server = await start(100);
    const host = `Host: 127.0.0.1:${server.port}`;
    const before = await metric(server, 'process_resident_memory_bytes');
    const head = await exchange(server.port, requestText('/', [host, `X: ${'x'.repeat(16 << 20)}`]));
    // the connection may be reset before the answer is read
    expect([0, 431]).toContain(head.status);
    const small = await exchange(server.port, requestText('/', [host, `X: ${'x'.repeat(17 << 10)}`]));
    expect([small.status, small.body]).toEqual([431, expect.stringContaining('longer than 16384 bytes')]);
    const post = ['Content-Type: application/json', `Authorization: Bearer ${server.token}`];
    const claimed = requestText('/v1/actions/echo', [host, ...post, `Content-Length: ${2 ** 30}`], 'POST');
    const refused = await exchange(server.port, claimed);
    expect([refused.status, refused.body]).toEqual([
      413,
      expect.stringContaining('body has 1073741824 bytes, at most 1048576 are accepted'),
    ]);
    // without a length, and more than a GiB if it were let
    const chunked = requestText('/v1/actions/echo', [host, ...post, 'Transfer-Encoding: chunked'], 'POST');
    const piece = Buffer.from(`10000\r\n${' '.repeat(0x10000)}\r\n`);
    let sent = 0;
    const socket = await lie(server, chunked);
    const gone = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    const feed = (): void => {
      while (!socket.destroyed && sent < 2 ** 30 && socket.write(piece)) sent += piece.length;
    };
    socket.on('drain', feed);
    feed();
    await gone;
    expect(sent).toBeLessThan(16 << 20);
    const exact = requestText('/v1/actions/echo', [host, ...post, `Content-Length: ${1 << 20}`], 'POST');
    const echoed = await exchange(server.port, `${exact}"${'a'.repeat((1 << 20) - 2)}"`);
    expect([echoed.status, echoed.body.length]).toEqual([200, (1 << 20) + 1]);
    expect(await answerTime(server)).toBeLessThan(1000);
    expect((await metric(server, 'process_resident_memory_bytes')) - before).toBeLessThan(64 << 20);
  });

  long(test)('1,000,000 websocket messages keep nobody waiting for a second', async () => {
    const server = await start(100);
    const socket = await deadSocket(server);
    socket.resume();
    // a masked text of two bytes, 100,000 times
    const frame = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]);
    const many = Buffer.concat(Array.from({ length: 100_000 }, () => frame));
    const times: number[] = [];
    for (let i = 0; i < 10; i++) {
      if (!socket.destroyed) socket.write(many);
      times.push(await answerTime(server));
    }
    // one answer may meet whatever else the machine does
    expect(times.sort((a, b) => a - b)[8]).toBeLessThan(1000);
    await vi.waitFor(async () => expect(await metric(server, 'skein_streams')).toBe(0), { timeout: 5000 });
  });
});
