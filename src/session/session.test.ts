import { createSocket } from 'node:dgram';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { parseLink } from '../live/link-name.ts';

/** The session's module, with every sum of a frame counted: loaded again, since other tests may have loaded it. */
async function countingSession(): Promise<{
  LiveSession: typeof import('./session.ts').LiveSession;
  sums: { count: number };
}> {
  const sums = { count: 0 };
  const x25 = await vi.importActual<typeof import('../core/checksum.ts')>('../core/checksum.ts');
  const counted =
    (sum: typeof x25.x25Sliced): typeof x25.x25Sliced =>
    (...given) => {
      sums.count++;
      return sum(...given);
    };
  vi.resetModules();
  vi.doMock('../core/checksum.ts', () => ({ ...x25, x25: counted(x25.x25), x25Sliced: counted(x25.x25Sliced) }));
  const { LiveSession } = await import('./session.ts');
  return { LiveSession, sums };
}

afterAll(() => {
  vi.doUnmock('../core/checksum.ts');
  vi.resetModules();
});

test('the checksum of a frame is made once for state, recording and forwarding together', async () => {
  const { LiveSession, sums } = await countingSession();
  const folder = mkdtempSync(join(tmpdir(), 'skein-pass-'));
  const station = createSocket('udp4');
  const forwarded: Buffer[] = [];
  station.on('message', (bytes) => forwarded.push(bytes));
  await new Promise<void>((done) => station.bind(0, '127.0.0.1', done));
  const session = new LiveSession({
    links: [parseLink('udpin:127.0.0.1:0')],
    forward: [parseLink(`udpout:127.0.0.1:${station.address().port}`)],
    record: folder,
    heartbeats: false,
    requests: false,
  });
  const vehicle = createSocket('udp4');
  try {
    session.start();
    await vi.waitFor(() => expect(session.links[0].local).not.toBeNull());
    await vi.waitFor(() => expect(session.stations[0].state.state).not.toBe('opening'));
    const encoder = new Encoder(builtinDialect(), { system: 1, component: 1 });
    const frames = Array.from({ length: 200 }, (_, i) => encoder.message('ATTITUDE', { roll: i, yawspeed: 1 }));
    const port = Number(session.links[0].local?.split(':')[1]);
    sums.count = 0;
    for (const frame of frames) vehicle.send(frame, port, '127.0.0.1');
    await vi.waitFor(() => expect(session.collector.statistics().messages).toBe(200), 5000);
    expect(sums.count).toBe(200);
    await vi.waitFor(() => expect(forwarded).toHaveLength(200));
  } finally {
    vehicle.close();
    await session.stop();
    station.close();
  }
  const [file] = readdirSync(folder);
  expect(readFileSync(join(folder, file)).length).toBe(200 * (8 + 40));
  rmSync(folder, { recursive: true });
});
