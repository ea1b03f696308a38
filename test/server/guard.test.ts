import { execFile } from 'node:child_process';
// What a page of another site, or a stranger, may try on a server of this machine. Requests stand as they are on the
// wire, since no honest client would send most of them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isLoopback } from '../../src/server/guard.ts';
import { type RunningServer, serve } from '../../src/server/server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { Random } from '../suite/random.ts';
import { FakeView } from './fake-view.ts';
import { exchange, portOf, type RawAnswer, requestText } from './http.ts';

const SAFE: Readonly<Record<string, string | RegExp>> = {
  'content-security-policy': /^default-src 'self';.*frame-ancestors 'none'$/,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

const ran: unknown[] = [];
const view = new FakeView([
  { name: 'mark', summary: 'Puts a mark into the recording.', run: async (body) => ran.push(body) },
]);
const pages = temporaryFolder();
writeFileSync(join(pages, 'index.html'), 'page');
let server: RunningServer;
let closed: RunningServer;
let port = 0;

beforeAll(async () => {
  server = await serve(view, { pages, hosts: ['drone.local', 'proxy.example:8443'] });
  closed = await serve(view, { pages, closed: true, token: 'a-token-of-our-own.1' });
  port = portOf(server.url);
});
afterAll(() => Promise.all([server.close(), closed.close()]));

const ask = (target: string, headers: readonly string[] = [], method = 'GET'): Promise<RawAnswer> =>
  exchange(port, requestText(target, [`Host: 127.0.0.1:${port}`, ...headers], method));

function expectSafe({ headers }: RawAnswer): void {
  for (const [name, value] of Object.entries(SAFE)) expect(headers.get(name), name).toMatch(value);
  expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
}

/** A refusal is JSON with a sentence, and as safe as any answer. */
function expectRefused(answer: RawAnswer, status: number): void {
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.body)).toEqual({ error: { status, message: expect.stringMatching(/^\w.{10,}$/) } });
  expectSafe(answer);
}

describe('where it listens', () => {
  test('127.0.0.1 alone, unless it is told otherwise', () => {
    expect(server.url).toBe(`http://127.0.0.1:${port}`);
    const hex = port.toString(16).toUpperCase().padStart(4, '0');
    // state 0A is a listening socket: https://docs.kernel.org/networking/proc_net_tcp.html
    const listening = ['tcp', 'tcp6'].flatMap((kind) =>
      readFileSync(`/proc/net/${kind}`, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local, , state]) => local?.endsWith(`:${hex}`) && state === '0A')
        .map(([, local]) => local),
    );
    expect(listening).toEqual([`0100007F:${hex}`]);
  });

  test.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('%s is this machine', (address) => {
    expect(isLoopback(address)).toBe(true);
  });

  test.each([
    '0.0.0.0',
    '::',
    '192.168.1.5',
    '10.0.0.1',
    '::ffff:10.0.0.1',
    '128.0.0.1',
    '127.evil.example',
    'fe80::1',
    '',
  ])('%s is not known to be, so it needs the token', (address) => {
    expect(isLoopback(address)).toBe(false);
  });

  test('a port in use is told in a sentence', async () => {
    await expect(serve(view, { port })).rejects.toThrow(`127.0.0.1:${port} is in use by another program`);
  });

  test('an address of another machine is told in a sentence', async () => {
    await expect(serve(view, { host: '192.0.2.1' })).rejects.toThrow(
      'cannot bind 192.0.2.1:0: not an address of this machine',
    );
  });
});

describe('hosts', () => {
  const own = (): string[] => ['127.0.0.1', 'localhost', 'LocalHost', '[::1]'].map((name) => `${name}:${port}`);
  const allowed = (): string[] => [...own(), 'drone.local', `DRONE.local:${port}`, 'proxy.example:8443'];
  const foreign = (): string[] =>
    [
      ...[
        'evil.example',
        'localhost.evil.example',
        '127.0.0.1.evil.example',
        'evil.localhost',
        'localhost.',
        '127.0.0.1.',
      ],
      ...['0.0.0.0', '127.1', '127.0.1', '0x7f.0.0.1', '0x7f000001', '2130706433', '017700000001', '127.0.0.2'],
      ...['127.000.000.001', '[::]', '[::ffff:127.0.0.1]', '[0:0:0:0:0:0:0:1]', '[::1%25lo]', '::1', 'ip6-localhost'],
      ...['user@127.0.0.1', '127.0.0.1#', 'xn--localhost', 'localhost%00', 'localhost,evil.example', 'null', '*'],
      ...['169.254.169.254', '192.168.1.5', '[fe80::1]', 'host.docker.internal', 'drone.local.evil.example'],
    ].map((name) => `${name}:${port}`);
  const wrong = (): string[] => [
    ...['127.0.0.1', 'localhost', '[::1]', 'localhost:', `localhost:${port}0`, `localhost:0${port}`, 'localhost:80'],
    ...[`localhost :${port}`, 'proxy.example', 'proxy.example:1', `localhost:${port}/`, `http://localhost:${port}`],
  ];

  test('its own names and those it was given are answered', async () => {
    for (const host of allowed()) {
      const { status } = await exchange(port, requestText('/v1/vehicles', [`Host: ${host}`]));
      expect([host, status]).toEqual([host, 200]);
    }
  });

  test('50 others are refused', async () => {
    const cases = [
      ...[...foreign(), ...wrong()].map((host) => requestText('/v1/vehicles', [`Host: ${host}`])),
      requestText('/v1/vehicles', ['Host: ']),
      requestText('/v1/vehicles', []),
      'GET /v1/vehicles HTTP/1.0\r\n\r\n',
      requestText('http://evil.example/v1/vehicles', [`Host: 127.0.0.1:${port}`]),
      requestText(`http://127.0.0.1:${port}/v1/vehicles`, ['Host: evil.example']),
      requestText(`http://127.0.0.1:${port}/v1/vehicles`, [`Host: 127.0.0.1:${port}`]),
      requestText('*', [`Host: 127.0.0.1:${port}`], 'OPTIONS'),
      requestText('/v1/vehicles', ['X-Forwarded-Host: 127.0.0.1', `Host: evil.example:${port}`]),
    ];
    expect(cases.length).toBeGreaterThanOrEqual(50);
    for (const text of cases) {
      const answer = await exchange(port, text);
      expect([text, answer.status]).toEqual([text, 403]);
      expectRefused(answer, 403);
    }
  });

  test('is checked before anything that a request expects', async () => {
    for (const expects of ['Expect: 100-continue', 'Expect: tea']) {
      expectRefused(await exchange(port, requestText('/', ['Host: evil.example', expects])), 403);
    }
    expectRefused(await ask('/', ['Expect: tea']), 417);
    expect((await ask('/', ['Expect: 100-continue'])).body).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  test('two hosts in one request are none', async () => {
    const answer = await ask('/v1/vehicles', ['Host: evil.example']);
    expect([400, 403]).toContain(answer.status);
  });
});

describe('origins', () => {
  const upgrade = ['Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
  const open = (...headers: string[]): Promise<RawAnswer> => {
    const lines = ['GET /v1/ws HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Connection: Upgrade', ...upgrade, ...headers];
    return exchange(port, [...lines, '', ''].join('\r\n'), 300);
  };
  const foreign = (): string[] => [
    ...['http://evil.example', 'https://evil.example', 'null', '', 'file://', 'http://127.0.0.1', 'http://localhost'],
    ...[`http://127.0.0.1:${port}.evil.example`, `http://evil.example:${port}`, `http://127.0.0.1:${port + 1}`],
    ...[`http://localhost:${port}`, `ftp://127.0.0.1:${port}`, `http://127.0.0.1:${port}/`, `127.0.0.1:${port}`],
  ];

  test('a websocket opens for a page of this server, and for what is no page', async () => {
    for (const headers of [[`Origin: http://127.0.0.1:${port}`], [], ['User-Agent: python-websockets/12']])
      expect((await open(...headers)).status).toBe(101);
  });

  test("Node's own WebSocket, which sends Sec-Fetch-Mode and no Origin, opens", async () => {
    const script = `const socket = new WebSocket('ws://127.0.0.1:${port}/v1/ws');
      socket.onmessage = ({ data }) => { console.log(JSON.parse(data).event); process.exit(0); };
      socket.onerror = () => process.exit(1);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--experimental-websocket', '-e', script]);
    expect(stdout).toBe('hello\n');
  });

  test('a websocket of another page is refused', async () => {
    for (const origin of foreign()) expectRefused(await open(`Origin: ${origin}`), 403);
    expectRefused(await open('User-Agent: Mozilla/5.0 (X11)'), 403);
    expectRefused(await open('Sec-Fetch-Mode: websocket', 'Sec-Fetch-Site: same-origin'), 403);
    expectRefused(await open('Sec-Fetch-Mode: websocket', 'Sec-Fetch-Site: cross-site'), 403);
    expectRefused(await open(`Origin: http://127.0.0.1:${port}`, 'Sec-Fetch-Site: cross-site'), 403);
  });

  test('a websocket elsewhere, of another kind, or with a wrong filter is refused', async () => {
    const lines = (target: string, kind: string): string =>
      [`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: Upgrade', `Upgrade: ${kind}`, '', ''].join(
        '\r\n',
      );
    expectRefused(await exchange(port, lines('/v1/vehicles', 'websocket')), 404);
    expectRefused(await exchange(port, lines('//v1/ws', 'websocket')), 404);
    expectRefused(await exchange(port, lines('/v1/ws', 'h2c')), 400);
    // without its key
    expectRefused(await exchange(port, lines('/v1/ws', 'websocket')), 400);
    expectRefused(await exchange(port, lines('/v1/ws?colour=red', 'websocket')), 400);
  });

  test('requests of another site are refused, whatever they ask', async () => {
    for (const target of ['/', '/v1/vehicles', '/v1/events', '/metrics', '/v1/actions/mark', '/nothing']) {
      for (const origin of foreign()) expectRefused(await ask(target, [`Origin: ${origin}`]), 403);
      for (const site of ['cross-site', 'same-site', 'other'])
        expectRefused(await ask(target, [`Sec-Fetch-Site: ${site}`, 'Sec-Fetch-Mode: no-cors']), 403);
    }
    expect((await ask('/v1/vehicles', ['Sec-Fetch-Site: same-origin'])).status).toBe(200);
    expect((await ask('/v1/vehicles', ['Sec-Fetch-Site: none'])).status).toBe(200);
  });

  test('what a form or a plain fetch of another page posts is refused', async () => {
    const headers = ['Origin: http://evil.example', `Cookie: skein-${port}=${server.token}`, 'Content-Length: 2'];
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/json']) {
      const head = requestText(
        '/v1/actions/mark',
        [`Host: 127.0.0.1:${port}`, ...headers, `Content-Type: ${type}`],
        'POST',
      );
      expectRefused(await exchange(port, `${head}{}`), 403);
    }
    expect(ran).toEqual([]);
  });
});

describe('the token', () => {
  const body = ['Content-Type: application/json', 'Content-Length: 2'];
  const post = (...headers: string[]): Promise<RawAnswer> =>
    exchange(port, `${requestText('/v1/actions/mark', [`Host: 127.0.0.1:${port}`, ...body, ...headers], 'POST')}{}`);

  test('is 128 random bits, another one for each server', async () => {
    const other = await serve(undefined);
    await other.close();
    expect(server.token).toMatch(/^[0-9a-f]{32}$/);
    expect(other.token).toMatch(/^[0-9a-f]{32}$/);
    expect(other.token).not.toBe(server.token);
  });

  test('one that is short, or would break a header, is refused', async () => {
    await expect(serve(undefined, { token: 'short' })).rejects.toThrow('token has 5 characters, expected at least 16');
    await expect(serve(undefined, { token: 'long enough; but not plain' })).rejects.toThrow('token may hold');
  });

  test('is needed to change anything', async () => {
    for (const headers of [
      [],
      ['Authorization: Bearer'],
      ['Authorization: Bearer 00000000000000000000000000000000'],
      [`Authorization: Basic ${server.token}`],
      [`Cookie: skein-${port}=`],
      [`Cookie: skein-${port + 1}=${server.token}`],
      [`Authorization: Bearer ${server.token}0`],
    ]) {
      expectRefused(await post(...headers), 401);
    }
    expect(ran).toEqual([]);
    expect((await post(`Authorization: Bearer ${server.token}`)).status).toBe(200);
    expect((await post(`Cookie: a=b; skein-${port}=${server.token}; c=d`)).status).toBe(200);
    expect(ran).toEqual([{}, {}]);
  });

  test('no route changes anything by GET: those that do are POST, by the table', async () => {
    const { paths } = (await (await fetch(`${server.url}/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { security: unknown[] }>>;
    };
    for (const [path, item] of Object.entries(paths)) {
      expect([path, Object.keys(item)]).toEqual([path, [path.startsWith('/v1/actions/') ? 'post' : 'get']]);
      if (item.post) expect(item.post.security).toEqual([{ token: [] }]);
    }
    const before = ran.length;
    for (const path of Object.keys(paths)) {
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])
        await exchange(
          port,
          requestText(path, [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${server.token}`], method),
          100,
        );
    }
    expect(ran.length).toBe(before);
  });

  test('a body that is not JSON is refused, by its kind', async () => {
    const head = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${server.token}`, 'Content-Length: 2'];
    for (const type of ['text/plain', 'application/jsonx', 'text/json', '']) {
      const text = requestText('/v1/actions/mark', [...head, `Content-Type: ${type}`], 'POST');
      expectRefused(await exchange(port, `${text}{}`), 415);
    }
  });

  test('where reading needs it too, nothing but the token opens any route', async () => {
    const at = portOf(closed.url);
    const host = `Host: 127.0.0.1:${at}`;
    for (const target of ['/', '/v1/vehicles', '/v1/events', '/metrics', '/v1/openapi.json', '/nothing']) {
      expectRefused(await exchange(at, requestText(target, [host])), 401);
      const answer = await exchange(at, requestText(target, [host, `Authorization: Bearer ${closed.token}`]), 300);
      expect([target, answer.status]).toEqual([target, target === '/nothing' ? 404 : 200]);
    }
    const socket = requestText('/v1/ws', [host, 'Upgrade: websocket']).replace(
      'Connection: close',
      'Connection: Upgrade',
    );
    expectRefused(await exchange(at, socket), 401);
  });

  test('a browser brings it once in the address, and is sent on with a cookie', async () => {
    expect(closed.page).toBe(`${closed.url}/?token=${closed.token}`);
    const first = await fetch(`${closed.url}/log/?a=1&token=${closed.token}`, { redirect: 'manual' });
    expect([first.status, first.headers.get('location')]).toEqual([303, '/log/?a=1']);
    const cookie = first.headers.get('set-cookie') ?? '';
    expect(cookie).toBe(`skein-${portOf(closed.url)}=${closed.token}; Path=/; HttpOnly; SameSite=Strict`);
    const second = await fetch(`${closed.url}/`, { headers: { cookie: cookie.split(';')[0] } });
    expect([second.status, await second.text()]).toEqual([200, 'page']);
  });

  test('a wrong one in the address is refused, and none leads to another site', async () => {
    const at = portOf(closed.url);
    expectRefused(await exchange(at, requestText('/?token=x', [`Host: 127.0.0.1:${at}`])), 403);
    expectRefused(await exchange(at, requestText(`/?token=${closed.token}`, ['Host: evil.example'])), 403);
    for (const target of ['//evil.example/', '/\\evil.example/', '/%5cevil.example/', '///evil.example']) {
      const answer = await exchange(at, requestText(`${target}?token=${closed.token}`, [`Host: 127.0.0.1:${at}`]));
      expect([target, answer.headers.get('location') ?? '/']).toEqual([target, expect.stringMatching(/^\/(?![/\\])/)]);
    }
  });

  test('is in no answer but the one that sets it', async () => {
    for (const target of [
      '/',
      '/v1/vehicles',
      '/v1/openapi.json',
      '/metrics',
      '/v1/statistics',
      '/?token=x',
      '/nothing',
    ])
      expect((await ask(target)).body).not.toContain(server.token);
  });
});

describe('paths', () => {
  test('1,000 ways out of the folder lead nowhere', async () => {
    const random = new Random(7);
    const steps = [
      '..',
      '%2e%2e',
      '.%2e',
      '%2e.',
      '..%2f',
      '..%5c',
      '..\\',
      '%252e%252e',
      '....',
      '..;',
      '..%00',
      '%c0%ae%c0%ae',
    ];
    const goals = [
      'etc/passwd',
      'etc%2fpasswd',
      '%2fetc%2fpasswd',
      'proc/self/environ',
      'package.json',
      'index.html%00.js',
    ];
    const starts = [
      '/',
      '//',
      '/assets/',
      '/v1/recordings/',
      '/v1/files/',
      '/%2f',
      '/\\',
      '/index.html/',
      '/C:/',
      '/file:',
    ];
    const targets = Array.from({ length: 1000 }, () => {
      const way = Array.from({ length: random.between(1, 8) }, () => random.pick(steps)).join('/');
      return `${random.pick(starts)}${way}/${random.pick(goals)}`;
    });
    const seen = new Set<number>();
    for (let i = 0; i < targets.length; i += 20) {
      const answers = await Promise.all(targets.slice(i, i + 20).map((target) => ask(target)));
      for (const [k, { status, body }] of answers.entries()) {
        seen.add(status);
        expect([targets[i + k], status]).toEqual([
          targets[i + k],
          expect.toSatisfy((code: number) => [400, 404].includes(code)),
        ]);
        expect(body).not.toMatch(/root:|"name": "skein"|PATH=/);
      }
    }
    expect(seen.has(404)).toBe(true);
  });
});

describe('every answer', () => {
  test.each([
    ['/', 200],
    ['/v1/vehicles', 200],
    ['/v1/events', 200],
    ['/metrics', 200],
    ['/v1/openapi.json', 200],
    ['/nothing', 404],
    ['/v1/vehicles/9', 404],
    ['/v1/vehicles/%', 404],
    ['/v1/vehicles/%ff%00', 404],
    ['/v1/events?rate=fast', 400],
    ['/\\', 400],
    ['/index.html', 200],
  ])('%s is safe in a browser (%i)', async (target, status) => {
    const answer = await exchange(port, requestText(target, [`Host: 127.0.0.1:${port}`]), 300);
    expect([target, answer.status]).toEqual([target, status]);
    expectSafe(answer);
  });

  test('what is no HTTP at all gets a safe answer too', async () => {
    for (const text of ['\0\0\0\0', 'HELLO\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', '\x16\x03\x01\x02\0'])
      expectRefused(await exchange(port, text), 400);
  });

  test('methods that are not known are refused, with those that are', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      const answer = await ask('/v1/vehicles', [], method);
      expectRefused(answer, 405);
      expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
    }
  });
});
