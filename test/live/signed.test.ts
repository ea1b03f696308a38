// A session with a signing key: who is believed, what is sent, and what is kept over a restart.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { SigningKey } from '../../src/formats/mavlink/key.ts';
import { Signer, stampOf } from '../../src/formats/mavlink/signing.ts';
import type { LiveEvent } from '../../src/live/events.ts';
import { parseLink } from '../../src/live/link-name.ts';
import { LiveSession, type SessionOptions } from '../../src/session/session.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { until } from '../helpers/until.ts';
import { freeUdpPort, type RunningLive, startLive } from './command.ts';

const folder = temporaryFolder();
const stampFile = join(folder, 'key.stamp');
const key = new SigningKey(Uint8Array.from({ length: 32 }, (_, i) => 200 - i));
const other = new SigningKey(new Uint8Array(32).fill(7));
const closing: (() => Promise<unknown>)[] = [];
const MINUTE = 60_000 * 100;

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

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
  expect(Number(readFileSync(stampFile, 'latin1').split('\n')[0])).toBeGreaterThanOrEqual(stamps.at(-1) ?? 0);
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

test('after a restart in order, a vehicle goes on at once, and no frame counts twice', async () => {
  writeFileSync(stampFile, `${stampOf(Date.now() - 60_000)}\n`);
  // its times grow by one with each frame, as those of a vehicle without a clock do
  const started = Date.now();
  const next = vehicle(key, () => started);
  const first = await scene({ requests: false });
  const frames = [next(), next(), next()];
  for (const frame of frames) first.send(frame);
  await until(() => first.session.collector.statistics().messages === 3);
  await first.session.stop();
  const { session, send } = await scene({ requests: false });
  for (const frame of [...frames, next(), next()]) send(frame);
  await until(() => session.collector.statistics().links[0].packets === 5);
  expect(session.collector.statistics().links[0].signatures).toEqual({ replayed: 3, valid: 2 });
});

test('started again and again, it sends no times far ahead, and a vehicle is heard each time', async () => {
  writeFileSync(stampFile, `${stampOf(Date.now())}\n`);
  const next = vehicle(key);
  let sent = 0;
  for (let start = 0; start < 4; start++) {
    const { session, heard, send } = await scene({ requests: false });
    send(next());
    await until(() => heard.length > 0);
    expect(session.collector.statistics().links[0].signatures).toEqual({ valid: 1 });
    // later than all that was sent before, and within the time for which others believe a clock that is behind
    expect(stampIn(heard[0])).toBeGreaterThan(sent);
    sent = stampIn(heard[heard.length - 1]);
    expect(sent - stampOf(Date.now())).toBeLessThan(MINUTE / 2);
    await session.stop();
  }
});

test('says so where the stored time is none, or cannot be written', async () => {
  writeFileSync(stampFile, 'yesterday\n');
  await expect(scene()).rejects.toThrow(`${stampFile} is not a file of signature times: delete it to start again`);
  const sentences: string[] = [];
  const missing = join(folder, 'no', 'such', 'folder', 'stamp');
  const { session, send } = await scene({ stampFile: missing, onError: (sentence) => sentences.push(sentence) });
  send(vehicle(key)());
  await until(() => session.collector.vehicles.has('1'));
  await session.stop();
  expect(sentences).toEqual([expect.stringContaining('cannot store the times of signatures: ')]);
});

/** What a running `skein live` counted of signatures. */
async function signaturesAt(port: number): Promise<Record<string, number>> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/statistics`);
  const { links } = (await answer.json()) as { links: { signatures: Record<string, number> }[] };
  return links[0].signatures;
}

/** Starts `skein live`, and waits until its link is open. */
async function startSigned(udpPort: number, keyFile: string): Promise<RunningLive> {
  const live = await startLive(udpPort, 0, '--key-file', keyFile, '--no-request');
  for (let state = 'opening'; state === 'opening' || state === 'closed'; await wait(20)) {
    const answer = await fetch(`http://127.0.0.1:${live.port}/v1/links`);
    state = ((await answer.json()) as { links: { state: string }[] }).links[0].state;
  }
  return live;
}

test('after kill -9 and a restart, nothing that was accepted is accepted again, and who goes on is heard at once', async () => {
  const keyFile = join(folder, 'killed.key');
  writeFileSync(keyFile, Buffer.from(Uint8Array.from({ length: 32 }, (_, i) => 200 - i)).toString('hex'), {
    mode: 0o600,
  });
  const udpPort = await freeUdpPort();
  const socket = createSocket('udp4');
  closing.push(() => new Promise<void>((done) => socket.close(() => done())));
  const send = (frame: Uint8Array): void => socket.send(frame, udpPort, '127.0.0.1');
  const next = vehicle(key);
  const recorded: Uint8Array[] = [];
  const before = await startSigned(udpPort, keyFile);
  for (let i = 0; i < 26; i++) {
    recorded.push(next());
    send(recorded[i]);
    await wait(40);
  }
  let counted: Record<string, number> = {};
  for (let tries = 0; (counted.valid ?? 0) < 26 && tries < 100; tries++) {
    await wait(50);
    counted = await signaturesAt(before.port);
  }
  expect(counted).toEqual({ valid: 26 });
  await before.kill();

  const after = await startSigned(udpPort, keyFile);
  const restarted = performance.now();
  closing.push(() => after.close());
  for (const frame of recorded) send(frame);
  for (let tries = 0; (counted.replayed ?? 0) < 26 && tries < 100; tries++) {
    await wait(50);
    counted = await signaturesAt(after.port);
  }
  expect(counted).toEqual({ replayed: 26 });
  while ((counted.valid ?? 0) === 0 && performance.now() - restarted < 10_000) {
    send(next());
    await wait(100);
    counted = await signaturesAt(after.port);
  }
  expect(counted.valid).toBeGreaterThan(0);
  expect(performance.now() - restarted).toBeLessThan(3000);
});

test('wrong keys and missing ones are explained, as a notice of the link and as an event', async () => {
  const events: LiveEvent[] = [];
  const { session, send } = await scene({ key: other, keys: [other], stampFile: undefined });
  session.subscribe((event) => events.push(event), ['signatures']);
  const frame = vehicle(key);
  for (let i = 0; i < 5; i++) send(frame());
  await until(() => session.collector.statistics().links[0].notice === '5 frames refused: bad signature');
  await until(() => events.length > 0);
  expect(events[0]).toMatchObject({ type: 'signatures', vehicle: null, link: session.links[0].name });

  const keyless = await scene({ key: undefined, keys: [], stampFile: undefined });
  keyless.send(frame());
  await until(() => keyless.session.collector.statistics().links[0].notice !== '');
  expect(keyless.session.collector.statistics().links[0].notice).toBe(
    'the vehicle signs its frames and ignores our requests: give its key with --key-file',
  );
});
