import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sourceOf } from './input.ts';

const bytes = Uint8Array.from({ length: 300_000 }, (_, k) => k % 251);
let server: Server;

beforeAll(async () => {
  server = createServer(({ url }, response) => {
    if (url === '/announced') response.setHeader('Content-Length', bytes.length).end(bytes);
    else if (url === '/packed') {
      const packed = gzipSync(bytes);
      response.writeHead(200, { 'Content-Length': packed.length, 'Content-Encoding': 'gzip' }).end(packed);
    } else if (url === '/unannounced') {
      response.write(bytes.subarray(0, 1000));
      response.end(bytes.subarray(1000));
    } else response.writeHead(404, 'Not Found').end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.close();
});

const address = (path: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;

test.each(['announced', 'packed', 'unannounced'])('a file whose length is %s is read whole', async (path) => {
  const told: [number, number][] = [];
  const source = await sourceOf(address(path), (done, total) => told.push([done, total]));
  expect(source.size).toBe(bytes.length);
  expect(Buffer.compare(await source.read(0, bytes.length), bytes)).toBe(0);
  expect(told.at(-1)).toEqual([bytes.length, bytes.length]);
});

test('what a server refuses is said', async () => {
  await expect(sourceOf(address('none'), () => {})).rejects.toThrow('the server answered 404 Not Found');
});
