// A session with a signing key: who is believed, what is sent, and what is kept over a restart.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { builtinDialect } from '../src/formats/mavlink/builtin.ts';
import { Encoder } from '../src/formats/mavlink/encode.ts';
import { SigningKey } from '../src/formats/mavlink/key.ts';
import { Signer, stampOf } from '../src/formats/mavlink/signing.ts';
import { parseLink } from '../src/live/link-name.ts';
import { LiveSession, type SessionOptions } from '../src/node/live-session.ts';
import { temporaryFolder } from './folder.ts';

const folder = temporaryFolder();
const stampFile = join(folder, 'key.stamp');
const key = new SigningKey(Uint8Array.from({ length: 32 }, (_, i) => 200 - i));
const other = new SigningKey(new Uint8Array(32).fill(7));
const closing: (() => Promise<unknown>)[] = [];
const MINUTE = 60_000 * 100;

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function until(isSo: () => boolean, seconds = 25): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`waited ${seconds} s for ${isSo}`);
    await wait(20);
  }
}

/** A session with the key, a socket that sends to it, and the frames that came back. */
async function scene(options: Partial<SessionOptions> = {}) {
  const session = new LiveSession({
    links: [parseLink('udpin:127.0.0.1:0')],
    ...{ key, keys: [key], stampFile },
    ...options,
  });
  closing.push(() => session.stop());
  session.start();
  const socket: Socket = createSocket('udp4');
  const heard: Buffer[] = [];
  socket.on('message', (bytes) => heard.push(bytes)).bind(0, '127.0.0.1');
  closing.push(() => new Promise<void>((done) => socket.close(() => done())));
  await Promise.all([once(socket, 'listening'), until(() => session.links[0].local !== null)]);
  const port = Number(session.links[0].local?.split(':').at(-1));
  return { session, heard, send: (frame: Uint8Array) => socket.send(frame, port, '127.0.0.1') };
}

function vehicle(signing: SigningKey | undefined, now: () => number = Date.now, system = 1): () => Uint8Array {
  const signer = signing && new Signer({ key: signing, link: 1, now });
  const sign = signer && ((frame: Uint8Array) => signer.sign(frame));
  const encoder = new Encoder(builtinDialect('common'), { system, component: 1, sign });
  return () => encoder.message('HEARTBEAT', { type: 2, autopilot: 12 });
}

const stampIn = (frame: Buffer): number => frame.readUIntLE(frame.length - 12, 6);

test('believes who has the key, signs what it sends, and stores the latest time', async () => {
  const { session, heard, send } = await scene({ record: join(folder, 'recorded') });
  for (const frame of [vehicle(undefined, Date.now, 2)(), vehicle(other, Date.now, 3)()]) send(frame);
  send(vehicle(key)());
  await until(() => heard.length > 2);
  expect([...session.collector.vehicles.keys()]).toEqual(['1']);
  const { faults, signatures } = session.collector.statistics().links[0];
  expect(signatures).toEqual({ valid: 1, unsigned: 1, 'bad-signature': 1 });
  expect(Object.values(faults).reduce((sum, { count }) => sum + count, 0)).toBe(2);
  for (const frame of heard) {
    expect(frame[2] & 1).toBe(1);
    expect(key.signs(frame, 0, frame.length - 6)).toBe(true);
  }
  // each later than the one before
  const stamps = heard.map(stampIn);
  expect(stamps).toEqual(stamps.toSorted((a, b) => a - b));
  await session.stop();
  expect(Number(readFileSync(stampFile, 'latin1'))).toBeGreaterThanOrEqual(stamps.at(-1) ?? 0);
  // neither the key nor a signature is in what was recorded
  const recorded = readdirSync(join(folder, 'recorded')).map((name) => readFileSync(join(folder, 'recorded', name)));
  const bytes = Buffer.concat(recorded);
  expect(bytes.length).toBeGreaterThan(0);
  expect(bytes.includes(Buffer.from(Uint8Array.from({ length: 4 }, (_, i) => 200 - i)))).toBe(false);
});

test('after a restart, with a clock that was set back: nothing older is believed, and what is sent is later', async () => {
  const later = stampOf(Date.now()) + 10 * MINUTE;
  writeFileSync(stampFile, `${later}\n`);
  const { session, heard, send } = await scene();
  send(vehicle(key)());
  await wait(300);
  expect(session.collector.vehicles.size).toBe(0);
  const ahead = vehicle(key, () => Date.now() + 10 * 60_000);
  send(ahead());
  await until(() => session.collector.vehicles.has('1'));
  send(ahead());
  await until(() => heard.length > 0);
  expect(stampIn(heard[0])).toBeGreaterThan(later);
});

test('says so where the stored time is none, or cannot be written', async () => {
  writeFileSync(stampFile, 'yesterday\n');
  await expect(scene()).rejects.toThrow(`${stampFile} holds no time of signatures: a number is wanted, or no file`);
  const sentences: string[] = [];
  const missing = join(folder, 'no', 'such', 'folder', 'stamp');
  const { session, send } = await scene({ stampFile: missing, onError: (sentence) => sentences.push(sentence) });
  send(vehicle(key)());
  await until(() => session.collector.vehicles.has('1'));
  await session.stop();
  expect(sentences).toEqual([expect.stringContaining('time of signatures cannot be stored: folder')]);
});
