// Forwarding with real sockets: loops, stations, vehicles, and what a real vehicle does between two stations.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import type { MessageName } from '../../src/formats/mavlink/dialect/messages.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { Header } from '../../src/formats/mavlink/header.ts';
import type { FieldValue } from '../../src/formats/mavlink/payload.ts';
import { LiveCollector } from '../../src/live/collector.ts';
import { FrameSplitter } from '../../src/live/frame-splitter.ts';
import { parseLink } from '../../src/live/link-name.ts';
import { MessageReader, type ReadMessage } from '../../src/live/message.ts';
import { Router } from '../../src/live/router.ts';
import { LiveSession, type SessionOptions } from '../../src/session/session.ts';
import { until } from '../helpers/until.ts';
import { freeUdpPort } from './command.ts';
import { datagrams, needRecordings } from './recorded.ts';

const dialect = builtinDialect('common');
const closing: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function startSession(options: SessionOptions): LiveSession {
  const session = new LiveSession(options);
  closing.push(() => session.stop());
  session.start();
  return session;
}

/** A vehicle or a station at a port of its own: it keeps what it gets, and a vehicle answers commands for it. */
class Peer {
  readonly received: ReadMessage[] = [];
  private readonly encoder: Encoder;
  private readonly socket: Socket = createSocket('udp4');
  private to = 0;

  readonly system: number;
  readonly component: number;

  constructor(system: number, component: number) {
    this.system = system;
    this.component = component;
    this.encoder = new Encoder(dialect, { system, component });
  }

  async open(): Promise<number> {
    this.socket.bind(0, '127.0.0.1');
    await once(this.socket, 'listening');
    const reader = new MessageReader(
      () => true,
      (message) => this.receive(message),
    );
    this.socket.on('message', (bytes, { port }) => {
      this.to ||= port;
      reader.push(bytes);
    });
    closing.push(() => new Promise<void>((done) => this.socket.close(() => done())));
    return this.socket.address().port;
  }

  /** Sends to a port at first, not to where the first datagram came from. */
  call(port: number): void {
    this.to = port;
  }

  get isCalled(): boolean {
    return this.to !== 0;
  }

  send(name: MessageName, values: Readonly<Record<string, FieldValue>> = {}): void {
    this.socket.send(this.encoder.message(name, values), this.to, '127.0.0.1');
  }

  heartbeat(): void {
    const isVehicle = this.component === 1;
    this.send('HEARTBEAT', isVehicle ? { type: 2, autopilot: 3, system_status: 4 } : { type: 6, autopilot: 8 });
  }

  named(name: string): ReadMessage[] {
    return this.received.filter((message) => message.name === name);
  }

  private receive(message: ReadMessage): void {
    this.received.push(message);
    const { target_system: target, command } = message.data;
    if (this.component !== 1 || message.name !== 'COMMAND_LONG' || target !== this.system) return;
    // as a real autopilot does: the answer names who asked
    this.send('COMMAND_ACK', {
      command: Number(command),
      target_system: message.system,
      target_component: message.component,
    });
  }
}

/** Keeps peers alive until the test ends. */
function beat(...peers: Peer[]): void {
  const all = (): void => {
    for (const peer of peers) if (peer.isCalled) peer.heartbeat();
  };
  const timer = setInterval(all, 200);
  closing.push(() => clearInterval(timer));
  all();
}

describe('forwarding', () => {
  test.each([2, 3])(
    'a ring of %i collectors passes each frame on once, and loses a vehicle that is gone',
    async (size) => {
      const ports = await Promise.all(Array.from({ length: size }, freeUdpPort));
      const lost: number[] = [];
      const sessions = ports.map((port, i) => {
        const session = startSession({
          links: [parseLink(`udpin:127.0.0.1:${port}`)],
          forward: [parseLink(`udpout:127.0.0.1:${ports[(i + 1) % size]}`)],
          requests: false,
          heartbeats: false,
          heartbeatTimeout: 1000,
        });
        session.subscribe(() => lost.push(i), ['lost']);
        return session;
      });
      await until(() => sessions.every(({ links, stations }) => links[0].local && stations[0].local));
      const vehicle = new Peer(1, 1);
      await vehicle.open();
      vehicle.call(ports[0]);
      for (let i = 0; i < 120; i++) {
        if (i % 10 === 0) vehicle.heartbeat();
        else vehicle.send('ATTITUDE', { time_boot_ms: i });
        await wait(5);
      }
      const counts = (): number[][] =>
        sessions.map(({ collector, links, stations }) => [
          collector.statistics().messages,
          links[0].state.packetsIn,
          stations[0].state.packetsOut,
        ]);
      // round once: it comes back to the first one, which knows it
      await until(() => sessions[0].links[0].state.packetsIn >= 240);
      const then = counts();
      expect(then).toEqual(ports.map((_, i) => [120, i === 0 ? 240 : 120, 120]));
      // and all are quiet a second after it
      await until(() => new Set(lost).size === size);
      expect(counts()).toEqual(then);
      expect(lost).toHaveLength(size);
    },
  );

  test('a link that is forwarded to itself passes nothing on twice', async () => {
    const port = await freeUdpPort();
    const session = startSession({
      links: [parseLink(`udpin:127.0.0.1:${port}`)],
      forward: [parseLink(`udpout:127.0.0.1:${port}`)],
      heartbeatTimeout: 1000,
    });
    const lost: string[] = [];
    session.subscribe(({ vehicle }) => lost.push(vehicle ?? ''), ['lost']);
    await until(() => session.links[0].local !== null && session.stations[0].local !== null);
    const vehicle = new Peer(1, 1);
    await vehicle.open();
    vehicle.call(port);
    for (let i = 0; i < 100; i++) {
      vehicle.send(i % 10 === 0 ? 'HEARTBEAT' : 'ATTITUDE', i % 10 === 0 ? { type: 2, autopilot: 3 } : {});
      await wait(10);
    }
    const ofVehicle = (): number => session.collector.statistics().links[0].streams['1:1']?.received ?? 0;
    // and the answers to our requests
    const all = 100 + vehicle.named('COMMAND_LONG').length;
    await until(() => ofVehicle() >= all);
    expect(ofVehicle()).toBe(all);
    await until(() => lost.length > 0);
    expect(lost).toEqual(['1']);
    const { packetsIn } = session.links[0].state;
    await wait(2500);
    // our own heartbeats, to the vehicle that is gone
    expect(session.links[0].state.packetsIn - packetsIn).toBeLessThanOrEqual(4);
    expect(session.stations[0].state.packetsOut).toBeLessThanOrEqual(all);
  });

  test('two stations and two vehicles: commands go to their vehicle, answers to who asked, ours stay here', async () => {
    const vehicles = [new Peer(1, 1), new Peer(2, 1)];
    const stations = [new Peer(255, 190), new Peer(253, 190)];
    for (const vehicle of vehicles) await vehicle.open();
    const behind = await stations[0].open();
    await stations[1].open();
    const session = startSession({
      links: [parseLink('udpin:127.0.0.1:0'), parseLink('udpin:127.0.0.1:0')],
      forward: [parseLink(`udpout:127.0.0.1:${behind}`), parseLink('udpin:127.0.0.1:0')],
    });
    const links = [...session.links, session.stations[1]];
    await until(() => links.every(({ local }) => local !== null));
    const [first, second, third] = links.map(({ local }) => Number(local?.split(':').at(-1)));
    vehicles[0].call(first);
    vehicles[1].call(second);
    stations[1].call(third);
    beat(...vehicles, ...stations);
    for (const peer of [...vehicles, ...stations]) {
      await until(() => {
        const heard = new Set(peer.named('HEARTBEAT').map(({ system }) => system));
        const others = peer.component === 1 ? [254, 255, 253] : [1, 2, 255, 253];
        return others.every((system) => system === peer.system || heard.has(system));
      });
    }
    // vehicles do not fill each other's links
    expect(vehicles[0].received.some(({ system }) => system === 2)).toBe(false);
    const ask = (station: Peer, system: number, component: number, command: number): void =>
      station.send('COMMAND_LONG', { target_system: system, target_component: component, command });
    ask(stations[0], 1, 1, 400);
    ask(stations[1], 2, 1, 400);
    ask(stations[0], 2, 0, 176);
    ask(stations[0], 253, 190, 512);
    ask(stations[1], 9, 1, 400);
    stations[0].send('SETUP_SIGNING', { target_system: 1, target_component: 1, secret_key: new Array(32).fill(7) });
    const commands = (peer: Peer): string[] =>
      peer
        .named('COMMAND_LONG')
        .filter(({ system }) => system !== 254)
        .map(({ system, data }) => `${system}: ${data.command}`)
        .sort();
    const answers = (peer: Peer): string[] =>
      peer
        .named('COMMAND_ACK')
        .map(({ system, data }) => `${system}: ${data.command} for ${data.target_system}`)
        .sort();
    await until(() => answers(stations[0]).length >= 2 && answers(stations[1]).length >= 1);
    await until(() => vehicles.every((peer) => peer.named('COMMAND_LONG').length >= 6));
    await wait(300);
    expect(commands(vehicles[0])).toEqual(['255: 400']);
    expect(commands(vehicles[1])).toEqual(['253: 400', '255: 176']);
    expect(commands(stations[0])).toEqual([]);
    expect(commands(stations[1])).toEqual(['255: 512']);
    expect(answers(stations[0])).toEqual(['1: 400 for 255', '2: 176 for 255']);
    expect(answers(stations[1])).toEqual(['2: 400 for 253']);
    expect(session.routed?.ours).toBeGreaterThanOrEqual(8);
    expect(session.routed?.unknownTargets).toBe(1);
    expect(vehicles[0].named('SETUP_SIGNING')).toEqual([]);
    expect(session.collector.vehicles.size).toBe(2);
  });

  test('bytes that are not frames stay here', async () => {
    const station = new Peer(255, 190);
    const port = await station.open();
    const session = startSession({
      links: [parseLink('udpin:127.0.0.1:0')],
      forward: [parseLink(`udpout:127.0.0.1:${port}`)],
      requests: false,
    });
    await until(() => session.links[0].local !== null && session.stations[0].local !== null);
    const socket = createSocket('udp4');
    closing.push(() => void socket.close());
    const to = Number(session.links[0].local?.split(':').at(-1));
    const frame = new Encoder(dialect, { system: 1, component: 1 }).message('HEARTBEAT', { type: 2, autopilot: 3 });
    socket.send('Init ArduCopter V4.6.3\n', to, '127.0.0.1');
    socket.send(frame, to, '127.0.0.1');
    await until(() => station.received.length > 0);
    expect(session.links[0].state.packetsIn).toBe(2);
    expect(session.stations[0].state).toMatchObject({ packetsOut: 1, bytesOut: frame.length });
  });
});

needRecordings('forwarding as a real vehicle does between two stations', () => {
  test('each station gets of the other what the vehicle handed on, once, and the vehicle each command once', () => {
    const out: { link: string; frame: Uint8Array }[] = [];
    const router = new Router({
      links: [
        { name: 'vehicle 1', isStation: false, hasAddresses: false },
        { name: 'vehicle 2', isStation: false, hasAddresses: false },
        { name: 'station 255', isStation: true, hasAddresses: true },
        { name: 'station 254', isStation: true, hasAddresses: true },
      ],
      system: 250,
      component: 190,
      send: (link, frame) => out.push({ link, frame }),
    });
    // the vehicle has a link for each station, and hands on between them itself: all of that comes to us too
    const names = new Map([
      [14_780, 'station 255'],
      [14_781, 'station 254'],
      [56_243, 'vehicle 1'],
      [52_399, 'vehicle 2'],
    ]);
    const handedOn: { link: string; frame: Uint8Array }[] = [];
    const header = new Header();
    for (const { from: source, to: destination, time, bytes } of datagrams('ardupilot/two-stations.pcapng')) {
      const link = names.get(source) ?? '';
      const splitter = new FrameSplitter({
        frame: (from, found, isVerified) => {
          router.receive(link, from, found, isVerified, String(source), time);
          if (found.system !== 1 && link.startsWith('vehicle'))
            handedOn.push({ link: names.get(destination) ?? '', frame: from.slice(found.start, found.end) });
        },
        rest: () => undefined,
      });
      splitter.push(bytes);
      splitter.end();
    }
    const shown = (frames: readonly { link: string; frame: Uint8Array }[], isShown: (link: string) => boolean) =>
      frames
        .filter(({ link, frame }) => header.read(frame, 0) && isShown(link))
        .map(({ link, frame }) => `${link} ${Buffer.from(frame).toString('hex')}`)
        .sort();
    const isOther = (link: string): boolean => link.startsWith('station') && header.system !== 1;
    expect(handedOn.length).toBeGreaterThan(60);
    expect(shown(out, isOther)).toEqual(shown(handedOn, isOther));
    // answers: COMMAND_ACK has its target at byte 8 of its payload
    const isAck = (): boolean => header.id === 77;
    const acks = out.filter(({ frame }) => header.read(frame, 0) && isAck());
    expect(acks.map(({ link, frame }) => `${link} ${frame[10 + 8]}`)).toEqual(
      ['255', '254', '255', '254', '254', '255', '255'].map((station) => `station ${station} ${station}`),
    );
    // commands for the vehicle, on the link where it was first; the one for all goes to both
    const commands = out.filter(({ link, frame }) => header.read(frame, 0) && header.id === 76 && /vehicle/.test(link));
    expect(commands.map(({ link }) => link)).toEqual([...new Array(6).fill('vehicle 1'), 'vehicle 1', 'vehicle 2']);
    expect(router.counts.unknownTargets).toBe(1);
    expect(router.counts.duplicates).toBeGreaterThanOrEqual(handedOn.length);
  });

  test('messages of the other station that the vehicle does not pass on are not lost', () => {
    const collector = new LiveCollector({ send: () => undefined });
    const isMissing = new Set([20, 21, 60]);
    let count = 0;
    for (const { from: source, time, bytes } of datagrams('ardupilot/two-stations.pcapng')) {
      if (source !== 56_243) continue;
      const isOfVehicle = bytes[0] === 0xfd && bytes[5] === 1;
      if (isOfVehicle && isMissing.has(count++)) continue;
      collector.receive('udp', bytes, time, '127.0.0.1:56243');
    }
    const { streams } = collector.statistics().links[0];
    // its commands and requests have numbers too: 12, 15, 18, 21 and 28 of 1 to 41 stay with the vehicle
    expect(streams['254:190']).toMatchObject({ received: 41 - 5, lost: 0 });
    expect(streams['1:1']).toMatchObject({ lost: isMissing.size });
  });
});
