// Which senders links and API take (`--allow`), and when recordings are on the disk (`--sync`).
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { allowed } from '../../src/node/allow.ts';
import { Recorder } from '../../src/session/recorder.ts';
import { createFile } from '../../src/session/recorder-segment.ts';
import { skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { until } from '../helpers/until.ts';
import { listen, portOf } from '../links/listen.ts';
import { freeUdpPort, startLive } from './command.ts';

const folder = temporaryFolder();
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Sends datagrams from an address of this machine. */
async function sendFrom(address: string, port: number, bytes: Uint8Array, count: number): Promise<void> {
  const socket = createSocket('udp4');
  socket.bind(0, address);
  await once(socket, 'listening');
  for (let i = 0; i < count; i++)
    await new Promise<void>((done) => socket.send(bytes, port, '127.0.0.1', () => done()));
  socket.close();
}

describe('--allow', () => {
  test('networks and addresses of both families', () => {
    const isAllowed = allowed(['192.168.1.0/24', '10.0.0.7', 'fe80::/10', '::1']);
    const yes = ['192.168.1.0', '192.168.1.255', '10.0.0.7', '::ffff:10.0.0.7', 'fe80::1%eth0', '::1'];
    const no = ['192.168.2.1', '10.0.0.8', '127.0.0.1', '2001:db8::1', '::ffff:10.0.0.8', ''];
    expect(yes.filter((each) => !isAllowed(each))).toEqual([]);
    expect(no.filter(isAllowed)).toEqual([]);
    expect(allowed(['0.0.0.0/0'])('8.8.8.8')).toBe(true);
    for (const wrong of ['', 'x', '1.2.3', '1.2.3.4/33', '::1/129', '1.2.3.4/-1', '1.2.3.4/24/8'])
      expect(() => allowed([wrong])).toThrow(RangeError);
  });

  test('udpin takes datagrams of allowed senders only, and counts the others', async () => {
    const { link, pieces } = listen('udpin:127.0.0.1:0', { allow: allowed(['127.0.0.2', '127.0.0.16/28']) });
    closing.push(() => link.close());
    const port = await portOf(link);
    await sendFrom('127.0.0.1', port, Uint8Array.of(1), 20);
    await sendFrom('127.0.0.2', port, Uint8Array.of(2), 3);
    await sendFrom('127.0.0.31', port, Uint8Array.of(31), 2);
    await sendFrom('127.0.0.32', port, Uint8Array.of(32), 1);
    await until(() => pieces.length === 5 && link.state.dropped === 21);
    expect(pieces.map(({ bytes }) => bytes[0])).toEqual([2, 2, 2, 31, 31]);
    expect(link.state).toMatchObject({ packetsIn: 5, bytesIn: 5 });
  });

  test('tcpin closes connections of others at once', async () => {
    const { link, pieces } = listen('tcpin:127.0.0.1:0', { allow: allowed(['127.0.0.2']) });
    closing.push(() => link.close());
    const port = await portOf(link);
    const socketFrom = (localAddress: string): ReturnType<typeof connect> => {
      const socket = connect({ host: '127.0.0.1', port, localAddress }).on('error', () => undefined);
      closing.push(() => void socket.destroy());
      socket.write(Uint8Array.of(Number(localAddress.split('.').at(-1))));
      return socket;
    };
    const refused = socketFrom('127.0.0.3');
    await once(refused, 'close');
    socketFrom('127.0.0.2');
    await until(() => pieces.length === 1);
    expect(pieces[0].bytes[0]).toBe(2);
    expect(link.state.dropped).toBe(1);
  });

  test('skein live: links and API alike', async () => {
    const udp = await freeUdpPort();
    const frame = Uint8Array.of(0xfe, 9, 0, 7, 1, 0, 0, 0, 0, 0, 2, 3, 81, 4, 3, 0, 0);
    const live = await startLive(udp, 0, '--allow', '127.0.0.1', '--allow', '127.0.0.64/26', '--no-request');
    closing.push(() => live.close());
    const statusFrom = (localAddress: string): Promise<number> =>
      new Promise((done) => {
        const request = get({ host: '127.0.0.1', port: live.port, path: '/v1/links', localAddress }, (answer) => {
          answer.resume();
          done(answer.statusCode ?? 0);
        });
        request.on('error', () => done(-1));
      });
    expect(await Promise.all(['127.0.0.1', '127.0.0.65', '127.0.0.2'].map(statusFrom))).toEqual([200, 200, -1]);
    await sendFrom('127.0.0.2', udp, frame, 3);
    await sendFrom('127.0.0.70', udp, frame, 2);
    const links = async (): Promise<{ packetsIn: number; dropped: number }> => {
      const answer = await fetch(`http://127.0.0.1:${live.port}/v1/links`);
      return ((await answer.json()) as { links: { packetsIn: number; dropped: number }[] }).links[0];
    };
    let link = await links();
    for (let i = 0; i < 100 && link.packetsIn < 2; i++) {
      await wait(50);
      link = await links();
    }
    expect(link).toMatchObject({ packetsIn: 2, dropped: 3 });
  });

  test('a network that is none is wrong usage', async () => {
    const run = await skeinHere('live', '--allow', '10.0.0.0/99', '--no-http', '--duration', '1');
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('--allow 10.0.0.0/99: expected an address or a network, such as 192.168.1.0/24');
  });
});

describe('--sync', () => {
  /** Writes 20 frames one after the other, each acknowledged, and closes; how often the disk was asked by then. */
  async function syncs(sync: 'always' | '1s' | 'off'): Promise<{ before: number; after: number; closed: number }> {
    let count = 0;
    const recorder = new Recorder(join(folder, sync), {
      sync,
      createFile: async (path) => {
        const file = await createFile(path);
        return {
          ...file,
          sync: () => {
            count++;
            return file.sync();
          },
        };
      },
    });
    const frame = Uint8Array.of(0xfe, 9, 0, 1, 1, 0, 0, 0, 0, 0, 2, 3, 81, 4, 3, 0, 0);
    for (let i = 1; i <= 5; i++) {
      recorder.write('a', frame, 1e15 + i);
      await until(() => recorder.state.acknowledged >= i);
    }
    const before = count;
    await wait(1300);
    const after = count;
    await recorder.close();
    return { before, after, closed: count };
  }

  test('always: with each write; 1s: after a second; off: never', async () => {
    const [always, second, off] = await Promise.all([syncs('always'), syncs('1s'), syncs('off')]);
    expect(always.before).toBeGreaterThanOrEqual(5);
    expect(second.before).toBeLessThanOrEqual(1);
    expect(second.after).toBeGreaterThan(0);
    expect(off).toEqual({ before: 0, after: 0, closed: 0 });
  });

  test('skein live hands it to the recorder', async () => {
    const counts: Record<string, number> = {};
    for (const sync of ['always', 'off']) {
      const udp = await freeUdpPort();
      const record = join(folder, `live-${sync}`);
      mkdirSync(record);
      const file = join(folder, `syncs-${sync}`);
      const preload = new URL('../fixtures/count-syncs.mjs', import.meta.url).href;
      Object.assign(process.env, { SKEIN_SYNCS: file, NODE_OPTIONS: `--import ${preload}` });
      const live = await startLive(udp, 0, '--record', record, '--sync', sync).finally(() => {
        delete process.env.NODE_OPTIONS;
      });
      closing.push(() => live.kill());
      for (let i = 0; i < 5; i++) {
        await sendFrom(
          '127.0.0.1',
          udp,
          Uint8Array.from({ length: 40 }, (_, k) => k),
          1,
        );
        await wait(150);
      }
      expect(await live.close()).toBe(0);
      counts[sync] = existsSync(file) ? readFileSync(file).length : 0;
    }
    expect(counts.always).toBeGreaterThan(1);
    expect(counts.off).toBe(0);
    const run = await skeinHere('live', '--sync', 'sometimes', '--no-http', '--duration', '1');
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('sync')]);
  });
});
