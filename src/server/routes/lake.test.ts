import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningServer, serve } from '../server.ts';
import type { FlightWire } from '../wire.ts';

/** A lake of one flight whose file is gone. */
const LAKE = {
  state: async () => ({ name: 'lake', revision: 'r1', flights: 1, more: false, problems: [] }),
  flights: async (revision: string, offset: number, count: number) =>
    revision === 'r1' ? [{ id: `${offset} ${count}` } as FlightWire] : undefined,
  outlines: (revision: string, offset: number, _count: number, most: number) =>
    revision === 'r1' ? { [`${offset} ${most}`]: [] } : undefined,
  outlinesOf: (ids: readonly string[], most: number) => ({ [`${ids.join(' ')} ${most}`]: [] }),
  original: async (log: string) =>
    log === 'a' ? { name: 'x.BIN', path: '/logs/x.BIN', problem: 'the log is no longer at /logs/x.BIN' } : undefined,
};

describe('the routes of a lake', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await serve(undefined, { lake: LAKE });
  });
  afterAll(() => server.close());

  const get = async (path: string): Promise<[status: number, body: unknown]> => {
    const answer = await fetch(new URL(path, server.url));
    return [answer.status, await answer.json()];
  };
  const refused = (message: string) => ({
    error: { status: expect.any(Number), message: expect.stringContaining(message) },
  });

  test.each([
    ['/v1/lake', 200, { name: 'lake', revision: 'r1', flights: 1, more: false, problems: [] }],
    ['/v1/lake/flights?revision=r1&offset=7', 200, { flights: [{ id: '7 1000' }] }],
    ['/v1/lake/flights?revision=r0', 409, refused('the lake has changed')],
    ['/v1/lake/flights', 400, refused('missing revision')],
    ['/v1/lake/flights?revision=r1&offset=-1', 400, refused('offset "-1" is not a whole number')],
    ['/v1/lake/outlines?revision=r1&points=99999', 200, { outlines: { '0 400': [] } }],
    ['/v1/lake/outlines?id=a&id=b&points=1', 200, { outlines: { 'a b 2': [] } }],
    [`/v1/lake/outlines?${'id=a&'.repeat(201)}`, 400, refused('201 paths requested, at most 200 at a time')],
    ['/v1/lake/outlines?revision=r0', 409, refused('the lake has changed')],
    ['/v1/lake/logs/a', 200, { name: 'x.BIN', path: '/logs/x.BIN', problem: 'the log is no longer at /logs/x.BIN' }],
    ['/v1/lake/logs/a/file', 404, refused('the log is no longer at /logs/x.BIN')],
    ['/v1/lake/logs/..%2f..%2fetc%2fpasswd/file', 404, refused('no log has the id')],
  ])('%s', async (path, status, body) => {
    expect(await get(path)).toEqual([status, body]);
  });
});
