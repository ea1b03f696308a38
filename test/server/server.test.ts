import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LogRecord } from '../../src/core/records.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { HttpError } from '../../src/server/http.ts';
import { type RunningServer, serve } from '../../src/server/server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { mismatches } from '../helpers/json-shape.ts';
import { concat } from '../suite/random.ts';
import { FakeView, recordsOf } from './fake-view.ts';

const SAMPLE = fileURLToPath(new URL('../../sample/copter-square.tlog', import.meta.url));
const ROOT = '/v1/mavlink/vehicles/1/components/1/messages';

/** As much of an API document as the tests walk. */
interface ApiDocument {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Record<string, unknown>>> };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Record<string, unknown> }>> }>
  >;
}

const folder = temporaryFolder();
const grown = join(folder, 'grows.tlog');
const ran: unknown[] = [];
const view = new FakeView([
  {
    name: 'mark',
    summary: 'Puts a mark into the recording.',
    run: async (body) => {
      ran.push(body);
      return { marked: true };
    },
  },
  {
    name: 'refuse',
    summary: 'Is always refused.',
    run: async () => {
      throw new HttpError(409, 'nothing is recorded');
    },
  },
  {
    name: 'fail',
    summary: 'Fails.',
    run: async () => {
      throw new Error(`secret of ${folder}`);
    },
  },
]);
const errors: unknown[] = [];
let server: RunningServer;
let records: LogRecord[];

beforeAll(async () => {
  records = await recordsOf(SAMPLE);
  for (const record of records) view.play(record);
  writeFileSync(grown, 'abc');
  view.recorded = [
    { id: 'r1', name: 'sample flight.tlog', path: SAMPLE, size: 890_270, start: 1e9, end: null, open: false },
    { id: 'r2', name: 'grows "ü" \r\n.tlog', path: grown, size: 3, start: null, end: null, open: true },
    { id: 'r3', name: 'gone.tlog', path: join(folder, 'gone.tlog'), size: 3, start: null, end: null, open: false },
    { id: 'r4', name: 'folder', path: folder, size: 3, start: null, end: null, open: false },
  ];
  server = await serve(view, {
    version: '1.2.3',
    pages: pagesIn(folder),
    files: [{ id: 'f1', name: 'copter.tlog', path: SAMPLE }],
    onError: (error) => errors.push(error),
  });
});
afterAll(() => server.close());

/** A small set of pages, with what must not be served beside them. */
function pagesIn(parent: string): string {
  const root = join(parent, 'pages');
  mkdirSync(join(root, 'assets'), { recursive: true });
  mkdirSync(join(root, 'log'));
  writeFileSync(join(root, 'index.html'), '<!doctype html><title>Live</title>');
  writeFileSync(join(root, 'log', 'index.html'), '<!doctype html><title>Log</title>');
  writeFileSync(join(root, 'assets', 'index-BmX3d81q.js'), 'export {};');
  writeFileSync(join(root, 'assets', 'a b.css'), 'body{}');
  writeFileSync(join(root, '.env'), 'SECRET=1');
  writeFileSync(join(parent, 'outside.txt'), 'outside');
  symlinkSync(join(parent, 'outside.txt'), join(root, 'link.txt'));
  return root;
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, { headers });
const read = async (path: string): Promise<unknown> => (await get(path)).json();
const post = (path: string, body: string): Promise<Response> => {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${server.token}` };
  return fetch(server.url + path, { method: 'POST', headers, body });
};

/** What a record's data is in JSON. */
const inJson = (data: LogRecord['data']): unknown =>
  JSON.parse(
    JSON.stringify(data, (_key, value) => {
      if (typeof value === 'bigint') return String(value);
      return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
    }),
  );

describe('messages by path', () => {
  test('every kind that the sample holds is the last one of the log', async () => {
    const last = new Map(records.map((record) => [`${record.table.stream} ${record.table.name}`, record]));
    expect(last.size).toBeGreaterThan(30);
    for (const { table, data, time } of last.values()) {
      const [system, component] = table.stream.split(':');
      const path = `/v1/mavlink/vehicles/${system}/components/${component}/messages/${table.name}`;
      const { message, status } = (await read(path)) as { message: object; status: { time: object } };
      const { type, ...fields } = inJson(data) as Record<string, unknown>;
      expect(message).toEqual({ ...fields, type: table.name, ...(type === undefined ? {} : { mavtype: type }) });
      const count = records.filter((record) => record.table === table).length;
      const last_update = new Date(time / 1000).toISOString();
      expect(status.time).toMatchObject({ counter: count, last_update });
    }
  });

  test('one value, one element, one part of the status', async () => {
    const last = records.findLast(({ table }) => table.name === 'ATTITUDE' && table.stream === '1:1');
    expect(await read(`${ROOT}/ATTITUDE/message/roll`)).toBe(last?.data.roll);
    const cells = records.findLast(({ table }) => table.name === 'BATTERY_STATUS')?.data.voltages as number[];
    expect(await read(`${ROOT}/BATTERY_STATUS/message/voltages/0`)).toBe(cells[0]);
    expect(await read(`${ROOT}/ATTITUDE/status/time/counter`)).toBe(3344);
  });

  test('instances of a message are there by their number', async () => {
    const last = records.findLast(({ table }) => table.name === 'BATTERY_STATUS');
    const { message, instances } = (await read(`${ROOT}/BATTERY_STATUS`)) as Record<string, object>;
    expect(instances).toEqual({ [String(last?.data.id)]: message });
    const cell = await read(`${ROOT}/BATTERY_STATUS/message/voltages/0`);
    expect(await read(`${ROOT}/BATTERY_STATUS/instances/0/voltages/0`)).toBe(cell);
  });

  test('the branches of the tree agree with its leaves', async () => {
    const leaf = await read(`${ROOT}/ATTITUDE`);
    const at = (tree: unknown, ...keys: string[]): unknown =>
      keys.reduce((one, key) => (one as Record<string, unknown>)[key], tree);
    const way = ['vehicles', '1', 'components', '1', 'messages', 'ATTITUDE'];
    for (let depth = 0; depth < way.length; depth++) {
      const path = ['/v1/mavlink', ...way.slice(0, depth)].join('/');
      expect(at(await read(path), ...way.slice(depth)), path).toEqual(leaf);
    }
  });

  test.each([
    [`${ROOT}/NO_SUCH`, 'vehicle 1 sent no message "NO_SUCH" from component "1"'],
    [`${ROOT}/ATTITUDE/message/nope`, '"message/nope" not found: no "nope"'],
    [`${ROOT}/ATTITUDE/message/__proto__`, '"message/__proto__" not found: no "__proto__"'],
    [`${ROOT}/ATTITUDE/message/constructor/name`, '"message/constructor/name" not found: no "constructor"'],
    [`${ROOT}/BATTERY_STATUS/message/voltages/length`, '"message/voltages/length" not found: no "length"'],
    ['/v1/mavlink/vehicles/7', 'unknown vehicle "7": known are 1, 255'],
    ['/v1/mavlink/vehicles/__proto__', 'unknown vehicle "__proto__": known are 1, 255'],
    ['/v1/mavlink/vehicles/1/components/9', 'vehicle 1 has no component "9": there are 1'],
    ['/v1/mavlink/vehicles/1/components/toString', 'vehicle 1 has no component "toString": there are 1'],
    ['/v1/nothing', '"/v1/nothing" not found'],
  ])('%s is not found, with a sentence', async (path, message) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ error: { status: 404, message } });
  });
});

describe('the API document', () => {
  const document = async (): Promise<ApiDocument> => (await read('/v1/openapi.json')) as ApiDocument;
  const examples: Readonly<Record<string, string>> = {
    vehicle: '1',
    component: '1',
    message: 'ATTITUDE',
    path: 'message/roll',
  };
  const pathOf = (path: string): string =>
    path.replace(/\{(\w+)\}/g, (_, name) => examples[name] ?? (path.includes('recordings') ? 'r1' : 'f1'));

  test('lists these paths, each with its own id', async () => {
    const { openapi, info, paths } = await document();
    expect([openapi, info.version]).toEqual(['3.1.0', '1.2.3']);
    const message = '/v1/mavlink/vehicles/{vehicle}/components/{component}/messages/{message}';
    expect(Object.keys(paths).sort()).toEqual(
      [
        '/metrics',
        '/v1/openapi.json',
        '/v1/events',
        '/v1/files',
        '/v1/files/{id}',
        '/v1/links',
        '/v1/statistics',
        '/v1/recordings',
        '/v1/recordings/{id}',
        '/v1/vehicles',
        '/v1/vehicles/{vehicle}',
        '/v1/vehicles/{vehicle}/messages',
        '/v1/vehicles/{vehicle}/messages/{message}',
        '/v1/actions',
        ...['mark', 'refuse', 'fail'].map((name) => `/v1/actions/${name}`),
        '/v1/mavlink',
        '/v1/mavlink/vehicles',
        '/v1/mavlink/vehicles/{vehicle}',
        '/v1/mavlink/vehicles/{vehicle}/components',
        '/v1/mavlink/vehicles/{vehicle}/components/{component}',
        '/v1/mavlink/vehicles/{vehicle}/components/{component}/messages',
        message,
        `${message}/{path}`,
      ].sort(),
    );
    const ids = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('every parameter in a path is described, and the other way round', async () => {
    for (const [path, item] of Object.entries((await document()).paths)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      for (const { parameters } of Object.values(item))
        expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(named);
    }
  });

  test('every GET answers as it says: status, kind, and schema', async () => {
    const { paths } = await document();
    for (const [path, { get: operation }] of Object.entries(paths)) {
      if (!operation) continue;
      const abort = new AbortController();
      const answer = await fetch(server.url + pathOf(path), { signal: abort.signal });
      expect(answer.status, path).toBe(200);
      const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
      const content = operation.responses[200].content ?? {};
      expect(Object.keys(content), path).toEqual([type]);
      if (type === 'application/json') {
        expect(content[type].schema, path).toBeDefined();
        expect(mismatches(content[type].schema ?? {}, await answer.json()), path).toEqual([]);
      }
      abort.abort();
    }
  });

  test('every path refuses methods that it does not have, in the form of all errors', async () => {
    const { paths, components } = await document();
    for (const [path, item] of Object.entries(paths)) {
      const other = item.get ? 'POST' : 'GET';
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${server.token}` };
      const body = other === 'POST' ? '{}' : null;
      const answer = await fetch(server.url + pathOf(path), { method: other, headers, body });
      expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, item.get ? 'GET, HEAD' : 'POST']);
      expect(mismatches(components.schemas.Error, await answer.json())).toEqual([]);
    }
  });

  test('HEAD has the head of GET and no body', async () => {
    const [head, whole] = await Promise.all([fetch(`${server.url}/v1/links`, { method: 'HEAD' }), get('/v1/links')]);
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(String((await whole.arrayBuffer()).byteLength));
    expect((await head.arrayBuffer()).byteLength).toBe(0);
    for (const path of ['/v1/recordings/r1', '/v1/events']) {
      const answer = await fetch(server.url + path, { method: 'HEAD' });
      expect([answer.status, (await answer.arrayBuffer()).byteLength], path).toEqual([200, 0]);
    }
  });
});

describe('actions', () => {
  test('get what was posted, and answer', async () => {
    const answer = await post('/v1/actions/mark', '{"text":"here"}');
    expect([answer.status, await answer.json()]).toEqual([200, { marked: true }]);
    expect(ran).toEqual([{ text: 'here' }]);
  });

  test('refuse with a sentence of their own', async () => {
    const answer = await post('/v1/actions/refuse', '{}');
    expect([answer.status, await answer.json()]).toEqual([
      409,
      { error: { status: 409, message: 'nothing is recorded' } },
    ]);
  });

  test('tell nothing of what failed inside', async () => {
    const answer = await post('/v1/actions/fail', '{}');
    const text = await answer.text();
    expect([answer.status, text.includes(folder)]).toEqual([500, false]);
    expect(text).toContain('the server failed to answer this');
    expect(errors).toEqual([new Error(`secret of ${folder}`)]);
  });

  test('want JSON', async () => {
    const answer = await post('/v1/actions/mark', '{"text":');
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: { status: 400, message: 'request body is not valid JSON' } },
    ]);
  });
});

describe('metrics', () => {
  test('are lines that Prometheus reads, each name described once and before its lines', async () => {
    const answer = await get('/metrics');
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await answer.text();
    expect(text.endsWith('\n')).toBe(true);
    const described = new Set<string>();
    const seen = new Set<string>();
    for (const line of text.trimEnd().split('\n')) {
      const type = /^# TYPE ([a-z_]+) (counter|gauge)$/.exec(line);
      if (type) {
        expect(described.has(type[1])).toBe(false);
        described.add(type[1]);
      } else if (!/^# HELP [a-z_]+ .+$/.test(line)) {
        const sample = /^([a-z_]+)(\{([a-z]+="([^"\\\n]|\\[\\"n])*",?)+\})? (-?[\d.]+(e[+-]?\d+)?)$/.exec(line);
        expect(sample, line).not.toBeNull();
        expect([line, described.has(sample?.[1] ?? '')]).toEqual([line, true]);
        const series = line.slice(0, line.lastIndexOf(' '));
        expect([series, seen.has(series)]).toEqual([series, false]);
        seen.add(series);
      }
    }
  });

  test('have the numbers of the view', async () => {
    const text = await (await get('/metrics')).text();
    expect(text).toContain('skein_messages_total{vehicle="1",component="1",message="ATTITUDE"} 3344\n');
    expect(text).toContain('skein_vehicles 2\n');
    expect(text).toContain('skein_battery_volts{vehicle="1",battery="0"} 12.599\n');
    expect(text).toContain('skein_link_received_bytes_total{link="udpin:127.0.0.1:14550"} 1000\n');
    expect(text).toMatch(/skein_http_requests_total\{status="200"\} \d+\n/);
  });
});

describe('recordings', () => {
  const whole = readFileSync(SAMPLE);

  test('are listed without their paths', async () => {
    const text = await (await get('/v1/recordings')).text();
    expect(text).not.toContain(folder);
    expect(text).not.toContain('sample/');
    expect(JSON.parse(text).recordings[0]).toEqual({
      ...{ id: 'r1', name: 'sample flight.tlog', size: 890_270, start: 1e9, end: null, open: false },
    });
  });

  test.each(['/v1/recordings/r1', '/v1/files/f1'])('%s comes byte for byte', async (path) => {
    const answer = await get(path);
    expect(answer.headers.get('accept-ranges')).toBe('bytes');
    expect(Buffer.from(await answer.arrayBuffer()).equals(whole)).toBe(true);
  });

  test.each([
    ['bytes=0-99', 0, 100],
    ['bytes=890000-', 890_000, 890_270],
    ['bytes=-70', 890_200, 890_270],
    ['bytes=100-99999999', 100, 890_270],
  ])('%s comes as a part', async (range, from, to) => {
    const answer = await get('/v1/recordings/r1', { Range: range });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/890270`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(whole.subarray(from, to))).toBe(true);
  });

  test('a range beyond the end is refused, several are not taken apart', async () => {
    const beyond = await get('/v1/recordings/r1', { Range: 'bytes=890270-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */890270']);
    const several = await get('/v1/recordings/r1', { Range: 'bytes=0-1,5-6' });
    expect([several.status, (await several.arrayBuffer()).byteLength]).toEqual([200, 890_270]);
  });

  test('are not sent again while they are the same, and not in part when they are not', async () => {
    const tag = (await get('/v1/recordings/r2')).headers.get('etag') ?? '';
    expect((await get('/v1/recordings/r2', { 'If-None-Match': tag })).status).toBe(304);
    expect((await get('/v1/recordings/r2', { 'If-Range': tag, Range: 'bytes=1-1' })).status).toBe(206);
    appendFileSync(grown, 'def');
    expect((await get('/v1/recordings/r2', { 'If-None-Match': tag })).status).toBe(200);
    const changed = await get('/v1/recordings/r2', { 'If-Range': tag, Range: 'bytes=1-1' });
    expect([changed.status, await changed.text()]).toEqual([200, 'abcdef']);
  });

  test('have names that fit into a header', async () => {
    const { headers } = await get('/v1/recordings/r2');
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="grows ___ __.tlog"; filename*=UTF-8''grows%20_%C3%BC_%20__.tlog`,
    );
  });

  test.each([
    ['r3', 'the file is gone'],
    ['r4', 'not a regular file'],
    ['r9', 'no file has the id "r9": the list has those that exist'],
    ['..%2f..%2fetc%2fpasswd', 'no file has the id "../../etc/passwd": the list has those that exist'],
  ])('%s is not found: %s', async (id, message) => {
    const answer = await get(`/v1/recordings/${id}`);
    expect([answer.status, await answer.json()]).toEqual([404, { error: { status: 404, message } }]);
  });
});

describe('pages', () => {
  test.each([
    ['/', 'text/html; charset=utf-8', 'private, no-cache'],
    ['/index.html', 'text/html; charset=utf-8', 'private, no-cache'],
    ['/log/', 'text/html; charset=utf-8', 'private, no-cache'],
    ['/assets/index-BmX3d81q.js', 'text/javascript; charset=utf-8', 'private, max-age=31536000, immutable'],
    ['/assets/a%20b.css', 'text/css; charset=utf-8', 'private, no-cache'],
  ])('%s is %s, kept as %s', async (path, type, cache) => {
    const { status, headers } = await get(path);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([200, type, cache]);
  });

  test.each(['/.env', '/link.txt', '/assets', '/assets/', '/nope.js', '/%', '/index.html/'])(
    '%s is not there',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});

test('a signing key that a vehicle is told appears in no answer', async () => {
  const secret = Array.from({ length: 32 }, (_, i) => 200 - i);
  const encoder = new Encoder(builtinDialect(), { system: 255, component: 190 });
  const beat = encoder.message('HEARTBEAT', { type: 6, autopilot: 8 });
  const told = encoder.message('SETUP_SIGNING', { target_system: 1, target_component: 1, secret_key: secret });
  const spied = new FakeView();
  for (const record of await recordsOf(concat(beat, told, beat))) spied.play(record);
  const other = await serve(spied);
  try {
    const seen = await (await fetch(`${other.url}/v1/mavlink`)).text();
    expect(seen).toContain('SETUP_SIGNING');
    expect(seen).not.toContain('200,199,198');
    expect(seen).not.toContain(Buffer.from(secret).toString('hex'));
  } finally {
    await other.close();
  }
});
