import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/helpers/folder.ts';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { parseLink } from '../live/link-name.ts';
import { LiveSession } from '../session/session.ts';

const counted = vi.hoisted(() => ({ sums: 0 }));

vi.mock('../core/checksum.ts', async (original) => {
  const real = await original<typeof import('../core/checksum.ts')>();
  const x25Sliced: typeof real.x25Sliced = (...given) => {
    counted.sums++;
    return real.x25Sliced(...given);
  };
  return { ...real, x25Sliced };
});

const folder = temporaryFolder();

test('state, recorder and router share one pass: the checksum of a frame is computed once', async () => {
  const station = createSocket('udp4').bind(0, '127.0.0.1');
  const vehicle = createSocket('udp4');
  await once(station, 'listening');
  let forwarded = 0;
  station.on('message', () => forwarded++);
  const session = new LiveSession({
    links: [parseLink('udpin:127.0.0.1:0')],
    forward: [parseLink(`udpout:127.0.0.1:${station.address().port}`)],
    record: folder,
    requests: false,
    heartbeats: false,
  });
  session.start();
  const [link] = session.links;
  await expect.poll(() => [link.local, session.stations[0].local]).not.toContain(null);
  const encoder = new Encoder(builtinDialect(), { system: 1, component: 1 });
  const frames = 300;
  for (let i = 0; i < frames; i++) {
    const frame =
      i % 10 === 0
        ? encoder.message('HEARTBEAT', { type: 2, autopilot: 3, system_status: 4 })
        : encoder.message('ATTITUDE', { time_boot_ms: i, roll: 1 });
    vehicle.send(frame, Number(link.local?.split(':').at(-1)), '127.0.0.1');
    if (i % 20 === 0) await new Promise((done) => setTimeout(done, 5));
  }
  await expect.poll(() => forwarded, { timeout: 10_000 }).toBe(frames);
  await session.stop();
  expect(session.collector.statistics().messages).toBe(frames);
  expect(session.recorder?.state.frames).toBe(frames);
  // and once more for the first heartbeat, which shows the address of the vehicle
  expect(counted.sums).toBeLessThanOrEqual(frames + 2);
  expect(counted.sums).toBeGreaterThanOrEqual(frames);
  station.close();
  vehicle.close();
});
