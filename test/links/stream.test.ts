import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { LINK_LIMITS } from '../../src/live/limits.ts';
import type { LinkOptions } from '../../src/session/links.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needCommand } from '../helpers/need.ts';
import { until } from '../helpers/until.ts';
import { type Heard, listen as openLink, portOf } from './listen.ts';

const folder = temporaryFolder();
const open: (() => unknown)[] = [];

function listen(text: string, options?: LinkOptions): Heard {
  const heard = openLink(text, options);
  open.push(() => heard.link.close());
  return heard;
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A server of the test's own, and who is connected to it. */
async function tcpServer(port = 0): Promise<{ server: Server; clients: Socket[]; port: number }> {
  const clients: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    clients.push(socket);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  open.push(() => {
    for (const client of clients) client.destroy();
    server.close();
  });
  return { server, clients, port: (server.address() as AddressInfo).port };
}

describe('tcp', () => {
  test('connects, talks both ways, and connects again when the other side was restarted', async () => {
    const first = await tcpServer();
    const heard = listen(`tcp:127.0.0.1:${first.port}`);
    await until(() => first.clients.length === 1 && heard.link.state.peer !== null);
    first.clients[0].write('hello');
    await until(() => heard.bytes().toString() === 'hello');
    const got = once(first.clients[0], 'data');
    expect(heard.link.send(Buffer.from('back'))).toBe(true);
    expect((await got).toString()).toBe('back');
    first.server.close();
    first.clients[0].destroy();
    await until(() => heard.link.state.state === 'retry');
    expect(heard.link.send(Buffer.from('lost'))).toBe(false);
    const again = await tcpServer(first.port);
    await until(() => again.clients.length === 1 && heard.link.state.state === 'waiting', 2.5);
    again.clients[0].write(' again');
    await until(() => heard.bytes().toString() === 'hello again');
    expect(heard.states).toEqual(expect.arrayContaining(['waiting', 'receiving', 'retry']));
  });

  test('nobody there: says so until somebody is', async () => {
    const { server, port } = await tcpServer();
    server.close();
    await once(server, 'close');
    const heard = listen(`tcp:127.0.0.1:${port}`);
    await until(() => heard.link.state.state === 'retry');
    expect(heard.link.state.error).toBe(`connection refused by 127.0.0.1:${port}`);
    const { clients } = await tcpServer(port);
    await until(() => clients.length === 1);
  });

  test('a side that does not read costs no memory: what does not fit is dropped and counted', async () => {
    const { clients, port } = await tcpServer();
    const heard = listen(`tcp:127.0.0.1:${port}`);
    await until(() => clients.length === 1 && heard.link.local !== null);
    clients[0].pause();
    const piece = new Uint8Array(64 << 10);
    let taken = 0;
    for (let i = 0; i < 2000; i++) if (heard.link.send(piece)) taken++;
    expect(taken).toBeLessThan(200);
    expect(heard.link.state.dropped).toBe(2000 - taken);
    // once it reads again, there is room
    clients[0].resume();
    await until(() => heard.link.send(piece));
  });
});

describe('tcpin', () => {
  test('idle connections do not keep a vehicle out', async () => {
    let time = 1e6;
    const heard = listen('tcpin:0', { now: () => time });
    const port = await portOf(heard.link);
    const idle = Array.from({ length: LINK_LIMITS.peers }, () =>
      connect(port, '127.0.0.1').on('error', () => undefined),
    );
    open.push(() => {
      for (const socket of idle) socket.destroy();
    });
    await until(() => [...(heard.link.clients ?? [])].length === LINK_LIMITS.peers);
    const early = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(early, 'close');
    expect(heard.link.state.dropped).toBe(1);
    time += LINK_LIMITS.silence;
    const vehicle = connect(port, '127.0.0.1');
    open.push(() => vehicle.destroy());
    vehicle.write('here');
    await until(() => heard.bytes().toString() === 'here');
    expect([...(heard.link.clients ?? [])]).toHaveLength(LINK_LIMITS.peers);
  });

  test('serves several clients, and is tried again where the port is taken', async () => {
    const heard = listen('tcpin:0');
    const port = await portOf(heard.link);
    expect(heard.link.local).toBe(`127.0.0.1:${port}`);
    const [one, two] = [listen(`tcp:127.0.0.1:${port}`), listen(`tcp:127.0.0.1:${port}`)];
    await until(() => heard.link.state.peer?.endsWith('and 1 more') === true);
    one.link.send(Buffer.from('one'));
    await until(() => heard.bytes().toString() === 'one');
    expect(heard.pieces[0].from).toBe(one.link.local);
    heard.link.send(Buffer.from('all'));
    await until(() => one.bytes().toString() === 'all' && two.bytes().toString() === 'all');
    heard.link.send(Buffer.from('!'), heard.pieces[0].from);
    await until(() => one.bytes().toString() === 'all!');
    const other = listen(`tcpin:${port}`);
    await until(() => other.link.state.state === 'retry');
    expect(other.link.state.error).toContain(`port ${port} is in use`);
    await heard.link.close();
    await until(() => other.link.state.state === 'waiting');
    await until(() => other.link.state.peer?.endsWith('and 1 more') === true);
    expect(two.bytes().toString()).toBe('all');
  });
});

describe('ws', () => {
  async function webSocketServer(port = 0): Promise<WebSocketServer> {
    const server = new WebSocketServer({ port, host: '127.0.0.1' });
    await once(server, 'listening');
    open.push(() => {
      for (const client of server.clients) client.terminate();
      server.close();
    });
    return server;
  }

  test('binary messages both ways, text dropped, connected again', async () => {
    const server = await webSocketServer();
    const { port } = server.address() as AddressInfo;
    const got: Buffer[] = [];
    server.on('connection', (client) => {
      client.on('message', (data) => got.push(data as Buffer));
      client.send('a text');
      client.send(Uint8Array.of(1, 2, 3));
    });
    const heard = listen(`ws://127.0.0.1:${port}/mavlink`);
    await until(() => heard.pieces.length === 1);
    expect(heard.bytes()).toEqual(Buffer.of(1, 2, 3));
    expect(heard.link.state).toMatchObject({ state: 'receiving', dropped: 1, bytesIn: 3 });
    expect(heard.link.send(Uint8Array.of(4, 5))).toBe(true);
    await until(() => got.length === 1);
    expect(got[0]).toEqual(Buffer.of(4, 5));
    for (const client of server.clients) client.terminate();
    await until(() => heard.pieces.length === 2);
    expect(heard.states).toContain('retry');
  });

  test('what is no WebSocket says why', async () => {
    const { clients, port } = await tcpServer();
    const heard = listen(`ws://127.0.0.1:${port}/`);
    await until(() => clients.length > 0);
    clients[0].end('HTTP/1.1 404 Not Found\r\n\r\n');
    await until(() => heard.link.state.state === 'retry');
    expect(heard.link.state.error).toContain('404');
  });
});

needCommand('socat')('serial', () => {
  /** Two pseudo terminals that are connected to each other, as a cable is. */
  async function cable(name: string): Promise<{ process: ChildProcess; ends: [string, string] }> {
    const ends: [string, string] = [join(folder, `${name}-a`), join(folder, `${name}-b`)];
    const process = spawn(
      'socat',
      ends.map((end) => `pty,raw,echo=0,link=${end}`),
    );
    open.push(() => process.kill());
    await until(() => ends.every((end) => existsSync(end)));
    return { process, ends };
  }

  test('talks both ways, in single bytes too', async () => {
    const { ends } = await cable('both');
    const [a, b] = [
      listen(`serial:${ends[0]}:115200`),
      listen(`${ends[1]},57600`.replace(ends[1], `serial:${ends[1]}`)),
    ];
    await until(() => a.link.state.state === 'waiting' && b.link.state.state === 'waiting');
    for (const letter of 'hello') expect(a.link.send(Buffer.from(letter))).toBe(true);
    await until(() => b.bytes().toString() === 'hello');
    b.link.send(Buffer.from('back'));
    await until(() => a.bytes().toString() === 'back');
    expect(a.link.state).toMatchObject({ state: 'receiving', bytesIn: 4, bytesOut: 5, peer: ends[0] });
  });

  test('a port that is not there is told, and opened within two seconds once it is; unplugged and back too', async () => {
    const path = join(folder, 'late-a');
    const heard = listen(`serial:${path}:57600`);
    await until(() => heard.link.state.state === 'retry');
    expect(heard.link.state.error).toBe(`${path}: no such port`);
    for (let round = 0; round < 2; round++) {
      const { process, ends } = await cable('late');
      await until(() => heard.link.state.state === 'waiting', 2);
      const other = listen(`serial:${ends[1]}:57600`);
      await until(() => other.link.state.state === 'waiting');
      other.link.send(Buffer.from('x'));
      await until(() => heard.link.state.state === 'receiving');
      await other.link.close();
      process.kill();
      await until(() => heard.link.state.state === 'retry');
    }
    expect(heard.bytes().toString()).toBe('xx');
  });

  test('a port that is in use is told with its holder', async () => {
    const { ends } = await cable('busy');
    const first = listen(`serial:${ends[0]}:57600`);
    await until(() => first.link.state.state === 'waiting');
    const second = listen(`serial:${ends[0]}:57600`);
    await until(() => second.link.state.state === 'retry');
    expect(second.link.state.error).toBe(`${ends[0]} is in use`);
    if (process.platform === 'linux') await until(() => second.link.state.hint.includes(`(process ${process.pid})`));
  });

  test('what is no serial port is told', async () => {
    const heard = listen('serial:/dev/null:57600');
    await until(() => heard.link.state.state === 'retry');
    expect(heard.link.state.error).not.toBe('');
  });
});
