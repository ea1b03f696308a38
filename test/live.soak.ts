// A day of `skein live` in the small: a thousand messages a second, a link that breaks every minute, recording and API on.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseLink } from '../src/live/link-name.ts';
import { LiveSession } from '../src/node/live-session.ts';
import { serve } from '../src/server/server.ts';
import { SessionView } from '../src/server/session-view.ts';
import { temporaryFolder } from './folder.ts';
import { tlogFrames } from './tlog-frames.ts';

/** Hours; SKEIN_SOAK_HOURS for a shorter look. */
const HOURS = Number(process.env.SKEIN_SOAK_HOURS ?? 24);
const RATE = 1000;
const FLAP = Math.min(60_000, (HOURS * 3_600_000) / 20);
const TLOG = fileURLToPath(new URL('../sample/copter-square.tlog', import.meta.url));

const descriptors = (): number => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);

test(`${HOURS} hours at ${RATE} messages a second: neither memory nor open files grow, and nothing fails unseen`, async () => {
  const rejections: unknown[] = [];
  process.on('unhandledRejection', (reason) => rejections.push(reason));
  const folder = temporaryFolder();
  const session = new LiveSession({
    links: [parseLink('udpin:127.0.0.1:0')],
    record: folder,
    recorder: { segmentBytes: 8 << 20 },
    statusFile: join(folder, 'status.json'),
    heartbeatTimeout: 1000,
  });
  session.start();
  const server = await serve(new SessionView(session), {});
  while (session.links[0].local === null) await wait(10);
  const port = Number(session.links[0].local.split(':').at(-1));
  const frames = tlogFrames(TLOG).filter(({ system }) => system === 1);
  const end = Date.now() + HOURS * 3_600_000;
  const memory: { at: number; bytes: number }[] = [];
  let [sent, files] = [0, 0];
  while (Date.now() < end) {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    const [begun, before] = [Date.now(), sent];
    for (const until = begun + FLAP; Date.now() < Math.min(until, end); await wait(10)) {
      const due = before + ((Date.now() - begun) * RATE) / 1000;
      for (; sent < due; sent++) socket.send(frames[sent % frames.length].frame, port, '127.0.0.1');
    }
    socket.close();
    await wait(Math.min(2000, FLAP / 4));
    memory.push({ at: Date.now(), bytes: process.memoryUsage.rss() });
    if (files === 0) files = descriptors();
    // one more while a file of the recording is followed by the next
    expect(descriptors()).toBeLessThanOrEqual(files + 2);
  }
  await server.close();
  await session.stop();
  expect(rejections).toEqual([]);
  expect(session.collector.statistics().messages).toBeGreaterThan(0.99 * sent);
  expect(session.collector.vehicles.get('1')?.lostCount).toBeGreaterThan(0);
  expect(session.recorder?.state.dropped).toBe(0);
  // after the first part of the time, in which the backlog fills: the slope by the means of both halves
  const rest = memory.slice(Math.ceil(memory.length / 4));
  const mean = (part: typeof rest): number => part.reduce((sum, { bytes }) => sum + bytes, 0) / part.length;
  const half = Math.floor(rest.length / 2);
  const hours = (rest[rest.length - 1].at - rest[0].at) / 2 / 3_600_000;
  const slope = (mean(rest.slice(half)) - mean(rest.slice(0, half))) / hours / 2 ** 20;
  console.log(`${sent} messages, memory ${(mean(rest) / 2 ** 20).toFixed(0)} MiB, ${slope.toFixed(2)} MiB/h`);
  if (HOURS >= 4) expect(slope).toBeLessThan(1);
});
