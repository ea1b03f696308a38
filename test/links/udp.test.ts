import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import type { LinkOptions } from '../../src/session/links.ts';
import { until } from '../helpers/until.ts';
import { type Heard, listen as openLink, portOf } from './listen.ts';

const dialect = builtinDialect();
const station = new Encoder(dialect, { system: 254, component: 190 });
const open: (() => Promise<void> | void)[] = [];

function listen(text: string, options?: LinkOptions): Heard {
  const heard = openLink(text, options);
  open.push(() => heard.link.close());
  return heard;
}

/** A vehicle's socket, and what it got. */
async function vehicleSocket(port = 0): Promise<{ socket: Socket; got: Buffer[]; port: number }> {
  const socket = createSocket('udp4');
  const got: Buffer[] = [];
  socket.on('message', (bytes) => got.push(bytes));
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  open.push(() => {
    socket.close();
  });
  return { socket, got, port: socket.address().port };
}

function heartbeat(system: number): Uint8Array {
  return new Encoder(dialect, { system, component: 1 }).message('HEARTBEAT', {
    type: 2,
    autopilot: 3,
    base_mode: 81,
    custom_mode: 0,
    system_status: 4,
  });
}

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

describe('udpin', () => {
  test('hands over each datagram, and says who sent it', async () => {
    const heard = listen('udpin:127.0.0.1:0');
    const port = await portOf(heard.link);
    expect(heard.link.state.state).toBe('waiting');
    const { receiveBuffer } = heard.link.state;
    expect(receiveBuffer?.asked).toBe(8 << 20);
    expect(receiveBuffer?.got).toBeGreaterThan(0);
    const vehicle = await vehicleSocket();
    const before = Date.now() * 1000;
    for (let i = 0; i < 100; i++) vehicle.socket.send(Uint8Array.of(i, 1, 2), port, '127.0.0.1');
    await until(() => heard.pieces.length === 100);
    expect(heard.pieces.map(({ bytes }) => bytes[0])).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect(new Set(heard.pieces.map(({ from }) => from))).toEqual(new Set([`127.0.0.1:${vehicle.port}`]));
    expect(heard.pieces[0].time).toBeGreaterThan(before - 25_000);
    expect(heard.pieces[0].time).toBeLessThan(Date.now() * 1000 + 25_000);
    expect(heard.link.state).toMatchObject({ state: 'receiving', bytesIn: 300, packetsIn: 100, dropped: 0 });
  });

  test('sends nothing before a vehicle is known, then to each vehicle its own', async () => {
    const heard = listen('udpin:127.0.0.1:0');
    const port = await portOf(heard.link);
    const [one, two] = [await vehicleSocket(), await vehicleSocket()];
    one.socket.send('no heartbeat', port, '127.0.0.1');
    await until(() => heard.pieces.length === 1);
    expect(heard.link.send(heartbeat(254))).toBe(false);
    one.socket.send(heartbeat(1), port, '127.0.0.1');
    await until(() => heard.link.state.peer === `127.0.0.1:${one.port}`);
    two.socket.send(heartbeat(2), port, '127.0.0.1');
    await until(() => heard.link.state.peer === `127.0.0.1:${one.port} and 1 more`);
    const toTwo = station.message('COMMAND_LONG', { target_system: 2, target_component: 1, command: 512 });
    expect(heard.link.send(toTwo)).toBe(true);
    await until(() => two.got.length === 1);
    const toAll = heartbeat(254);
    heard.link.send(toAll);
    await until(() => one.got.length === 1 && two.got.length === 2);
    expect(one.got).toEqual([Buffer.from(toAll)]);
    expect(two.got).toEqual([Buffer.from(toTwo), Buffer.from(toAll)]);
    await until(() => heard.link.state.bytesOut === toTwo.length + 2 * toAll.length);
  });

  test('nobody takes the place of a vehicle that is there', async () => {
    const heard = listen('udpin:127.0.0.1:0', { silence: 400_000 });
    const port = await portOf(heard.link);
    const [vehicle, thief] = [await vehicleSocket(), await vehicleSocket()];
    vehicle.socket.send(heartbeat(1), port, '127.0.0.1');
    await until(() => heard.link.state.peer !== null);
    for (let i = 0; i < 10; i++) {
      thief.socket.send(heartbeat(1), port, '127.0.0.1');
      vehicle.socket.send('still here', port, '127.0.0.1');
      await new Promise((done) => setTimeout(done, 60));
    }
    expect(heard.link.state.peer).toBe(`127.0.0.1:${vehicle.port}`);
    // it falls silent: now its heartbeat may come from elsewhere
    await new Promise((done) => setTimeout(done, 450));
    thief.socket.send(heartbeat(1), port, '127.0.0.1');
    await until(() => heard.link.state.peer === `127.0.0.1:${thief.port}`);
  });

  test('falls silent with a hint, and a taken port is told with its holder and tried again', async () => {
    const first = listen('udpin:127.0.0.1:0', { silence: 300_000 });
    const port = await portOf(first.link);
    await until(() => first.link.state.state === 'silent');
    expect(first.link.state.hint).toContain('udpin:0.0.0.0:');
    const second = listen(`udpin:127.0.0.1:${port}`);
    await until(() => second.link.state.state === 'retry');
    expect(second.link.state.error).toContain(`port ${port} is in use`);
    if (process.platform === 'linux') expect(second.link.state.error).toContain(`(process ${process.pid})`);
    const { retryAt } = second.link.state;
    await until(() => (second.link.state.retryAt ?? 0) > (retryAt ?? 0) + 1e6);
    // each try fails in the same way, which is told once
    expect(second.states).toEqual(['retry']);
    await first.link.close();
    await until(() => second.link.state.state === 'waiting');
    expect(first.link.state.state).toBe('closed');
  });

  test('an address of another machine is told to be one', async () => {
    const heard = listen('udpin:192.0.2.1:14550');
    await until(() => heard.link.state.state === 'retry');
    expect(heard.link.state).toMatchObject({
      error: 'cannot bind 192.0.2.1: not an address of this machine',
      hint: 'to call 192.0.2.1, use udpout:192.0.2.1:14550',
    });
  });

  test('datagrams that the system drops are counted', async () => {
    const heard = listen('udpin:127.0.0.1:0', { receiveBuffer: 1 << 16 });
    const port = await portOf(heard.link);
    const vehicle = await vehicleSocket();
    let sent = 0;
    // nothing is read while this loop runs, so the buffer must overflow
    for (; sent < 2000; sent++) vehicle.socket.send(new Uint8Array(200), port, '127.0.0.1');
    const count = (): number => heard.link.state.packetsIn + heard.link.state.dropped;
    await until(() => count() === sent);
    expect(heard.link.state.dropped).toBeGreaterThan(0);
  });
});

describe('udpout', () => {
  test('calls a vehicle, and hears it alone', async () => {
    const [vehicle, other] = [await vehicleSocket(), await vehicleSocket()];
    const heard = listen(`udpout:127.0.0.1:${vehicle.port}`);
    const port = await portOf(heard.link);
    expect(heard.link.send(heartbeat(254))).toBe(true);
    await until(() => vehicle.got.length === 1);
    other.socket.send('from elsewhere', port, '127.0.0.1');
    vehicle.socket.send(heartbeat(1), port, '127.0.0.1');
    await until(() => heard.pieces.length > 0);
    expect(heard.bytes()).toEqual(Buffer.from(heartbeat(1)));
    expect(heard.link.state).toMatchObject({ state: 'receiving', peer: `127.0.0.1:${vehicle.port}` });
  });

  test('nobody there: says so, and goes on when somebody is', async () => {
    const gone = await vehicleSocket();
    const { port } = gone;
    gone.socket.close();
    open.pop();
    const heard = listen(`udpout:127.0.0.1:${port}`);
    await portOf(heard.link);
    const calling = setInterval(() => heard.link.send(heartbeat(254)), 20);
    open.push(() => clearInterval(calling));
    await until(() => heard.link.state.hint.includes(`connection refused by 127.0.0.1:${port}`));
    const back = await vehicleSocket(port);
    await until(() => back.got.length > 0);
    back.socket.send('here', await portOf(heard.link), '127.0.0.1');
    await until(() => heard.link.state.state === 'receiving');
    expect(heard.link.state.hint).toBe('');
  });

  test('a name that is none yet is tried again', async () => {
    const heard = listen('udpout:no-such-host.invalid:14550');
    await until(() => heard.link.state.state === 'retry');
    expect(heard.link.state.error).toContain('no-such-host.invalid');
    expect(heard.link.send(heartbeat(254))).toBe(false);
  });
});

describe('udpbcast', () => {
  test('calls all until a vehicle answers, then that one', async () => {
    const vehicle = createSocket('udp4');
    const got: Buffer[] = [];
    vehicle.bind(0);
    await once(vehicle, 'listening');
    open.push(() => {
      vehicle.close();
    });
    const { port } = vehicle.address();
    vehicle.on('message', (bytes, from) => {
      got.push(bytes);
      vehicle.send(heartbeat(1), from.port, from.address);
    });
    const heard = listen(`udpbcast:127.255.255.255:${port}`);
    await portOf(heard.link);
    expect(heard.link.send(heartbeat(254))).toBe(true);
    await until(() => heard.link.state.peer === `127.0.0.1:${port}`);
    expect(heard.link.send(heartbeat(254))).toBe(true);
    await until(() => got.length === 2);
  });
});
