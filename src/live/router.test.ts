import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { Header } from '../formats/mavlink/header.ts';
import { ROUTER_LIMITS } from './limits.ts';
import { type RoutedLink, Router, type RouterOptions } from './router.ts';

const SECOND = 1e6;
const vehicleLink = (name: string, hasAddresses = false): RoutedLink => ({ name, isStation: false, hasAddresses });
const stationLink = (name: string, hasAddresses = false): RoutedLink => ({ name, isStation: true, hasAddresses });

/** A router, and where frames went: `link` or `link>address`. */
function routerOf(links: readonly RoutedLink[], options: Partial<RouterOptions> = {}) {
  let out: string[] = [];
  const router = new Router({
    links,
    system: 254,
    component: 190,
    send: (link, _, to) => out.push(to === undefined ? link : `${link}>${to}`),
    ...options,
  });
  const header = new Header();
  let now = 0;
  return {
    router,
    /** Lets a frame come, and says where it went. */
    receive(link: string, frame: Uint8Array, from = 'x', isVerified = true): string[] {
      out = [];
      header.read(frame, 0);
      router.receive(link, frame, header, isVerified, from, now);
      return out;
    },
    isEcho(link: string, frame: Uint8Array, from = 'x'): boolean {
      header.read(frame, 0);
      return !router.receive(link, frame, header, true, from, now);
    },
    sent: (frame: Uint8Array) => router.sent(frame, now),
    wait: (seconds: number) => {
      now += seconds * SECOND;
    },
  };
}

const dialect = builtinDialect('common');
function sender(system: number, component = 1): Encoder {
  return new Encoder(dialect, { system, component });
}
const heartbeat = (from: Encoder): Uint8Array => from.message('HEARTBEAT', { type: 2, autopilot: 3 });
const command = (from: Encoder, system: number, component: number): Uint8Array =>
  from.message('COMMAND_LONG', { target_system: system, target_component: component, command: 512 });
const answer = (from: Encoder, system: number, component: number): Uint8Array =>
  from.message('COMMAND_ACK', { command: 512, target_system: system, target_component: component });

const LINKS = [vehicleLink('v1'), vehicleLink('v2'), stationLink('s1'), stationLink('s2')];

describe('the router', () => {
  test('sends what has no target from vehicles to stations, and from stations to all others', () => {
    const { receive } = routerOf(LINKS);
    expect(receive('v1', heartbeat(sender(1)))).toEqual(['s1', 's2']);
    expect(receive('s1', heartbeat(sender(255, 190)))).toEqual(['v1', 'v2', 's2']);
    expect(receive('s2', command(sender(253, 190), 0, 0))).toEqual(['v1', 'v2', 's1']);
  });

  test('sends what has a target only where the target is', () => {
    const { receive, router } = routerOf(LINKS);
    const [one, two, pilot, other] = [sender(1), sender(2), sender(255, 190), sender(253, 190)];
    receive('v1', heartbeat(one));
    receive('v2', heartbeat(two));
    receive('s1', heartbeat(pilot));
    receive('s2', heartbeat(other));
    expect(receive('s1', command(pilot, 1, 1))).toEqual(['v1']);
    expect(receive('s1', command(pilot, 2, 0))).toEqual(['v2']);
    expect(receive('s2', command(other, 255, 190))).toEqual(['s1']);
    expect(receive('v1', answer(one, 255, 190))).toEqual(['s1']);
    expect(receive('v2', answer(two, 253, 190))).toEqual(['s2']);
    // two vehicles may talk to each other
    expect(receive('v1', command(one, 2, 1))).toEqual(['v2']);
    // a component that was never seen, and a system that was not
    expect(receive('s1', command(pilot, 1, 154))).toEqual([]);
    expect(receive('s1', command(pilot, 9, 1))).toEqual([]);
    expect(router.counts.unknownTargets).toBe(2);
    expect(receive('s1', pilot.message('MANUAL_CONTROL', { target: 2, x: 1 }))).toEqual(['v2']);
  });

  test('keeps answers to our own requests, unless another sender has our ids', () => {
    const { receive, router } = routerOf(LINKS);
    const one = sender(1);
    receive('v1', heartbeat(one));
    expect(receive('v1', answer(one, 254, 190))).toEqual([]);
    expect(receive('v1', answer(one, 254, 0))).toEqual([]);
    expect(router.counts).toMatchObject({ ours: 2, unknownTargets: 0 });
    receive('s2', heartbeat(sender(254, 190)));
    expect(receive('v1', answer(one, 254, 190))).toEqual(['s2']);
  });

  test('a frame that was seen a moment ago elsewhere is a duplicate, one that its sender repeats is not', () => {
    const { receive, router, wait } = routerOf([...LINKS, stationLink('many', true)]);
    const frame = heartbeat(sender(1));
    expect(receive('v1', frame)).toEqual(['s1', 's2']);
    expect(receive('s1', frame)).toEqual([]);
    expect(receive('v2', frame)).toEqual([]);
    expect(receive('v1', frame, 'other')).toEqual([]);
    expect(router.counts.duplicates).toBe(3);
    // a sender that does not count its frames sends the same each second
    wait(1);
    expect(receive('v1', frame)).toEqual(['s1', 's2']);
    wait(1.5);
    expect(receive('v2', frame)).toEqual([]);
    wait(0.6);
    expect(receive('v2', frame)).toEqual(['s1', 's2']);
    // what came back shows nothing of where its sender is
    expect(receive('s1', command(sender(255, 190), 1, 1))).toEqual(['v1']);
  });

  test('knows an echo: what we sent, and what another address of the link sent before', () => {
    const { receive, isEcho, sent } = routerOf([...LINKS, vehicleLink('udp', true)]);
    const ours = heartbeat(sender(254, 190));
    sent(ours);
    expect(isEcho('v1', ours)).toBe(true);
    expect(receive('s1', ours)).toEqual([]);
    const frame = heartbeat(sender(1));
    expect(isEcho('udp', frame, 'a')).toBe(false);
    expect(isEcho('udp', frame, 'b')).toBe(true);
    // a second radio of the vehicle: the state of that link is of interest
    expect(isEcho('v1', frame)).toBe(false);
  });

  test('a vehicle that rebooted gets commands at its new port once the old one is silent for 2 s', () => {
    const { receive, wait } = routerOf([vehicleLink('v', true), stationLink('s')]);
    const [vehicle, station] = [sender(1), sender(255, 190)];
    const to = (): string[] => receive('s', command(station, 1, 1));
    receive('v', heartbeat(vehicle), '10.0.0.5:4000');
    wait(1);
    receive('v', heartbeat(vehicle), '10.0.0.5:4001');
    expect(to()).toEqual(['v>10.0.0.5:4000']);
    wait(1);
    receive('v', heartbeat(vehicle), '10.0.0.5:4001');
    expect(to()).toEqual(['v>10.0.0.5:4001']);
    // another host has to wait longer
    receive('v', heartbeat(vehicle), '10.0.0.9:4000');
    wait(2);
    receive('v', heartbeat(vehicle), '10.0.0.9:4000');
    expect(to()).toEqual(['v>10.0.0.5:4001']);
  });

  test('a vehicle on two links gets a command once, on the first until it is silent', () => {
    const { receive, wait } = routerOf(LINKS);
    const [one, relay, pilot] = [sender(1), sender(1), sender(255, 190)];
    receive('v1', heartbeat(one));
    relay.message('HEARTBEAT', {});
    const both = (): void => {
      receive('v2', heartbeat(relay));
      receive('v1', heartbeat(one));
      wait(1);
    };
    both();
    both();
    expect(receive('s1', command(pilot, 1, 1))).toEqual(['v1']);
    for (let i = 0; i < 6; i++) {
      receive('v2', heartbeat(relay));
      wait(1);
    }
    expect(receive('s1', command(pilot, 1, 1))).toEqual(['v2']);
    both();
    expect(receive('s1', command(pilot, 1, 1))).toEqual(['v1']);
  });

  test('stations that share their ids all get the answers', () => {
    const { receive } = routerOf(LINKS);
    const [pilot, same] = [sender(255, 190), sender(255, 190)];
    same.message('HEARTBEAT', {});
    receive('s1', heartbeat(pilot));
    receive('s2', heartbeat(same));
    expect(receive('v1', answer(sender(1), 255, 190))).toEqual(['s1', 's2']);
  });

  test('tells the addresses of one link apart, stations as well as vehicles', () => {
    const { receive } = routerOf([vehicleLink('v', true), stationLink('s', true)]);
    const [one, two, pilot, other] = [sender(1), sender(2), sender(255, 190), sender(253, 190)];
    expect(receive('v', heartbeat(one), 'a')).toEqual([]);
    receive('v', heartbeat(two), 'b');
    receive('s', heartbeat(pilot), 'p');
    expect(receive('s', heartbeat(other), 'q')).toEqual(['v', 's>p']);
    expect(receive('v', heartbeat(one), 'a')).toEqual(['s>p', 's>q']);
    expect(receive('s', command(pilot, 2, 1), 'p')).toEqual(['v>b']);
    expect(receive('s', command(pilot, 253, 190), 'p')).toEqual(['s>q']);
    expect(receive('v', answer(two, 255, 190), 'b')).toEqual(['s>p']);
  });

  test('with keys, only a frame that is trusted shows where its sender is', () => {
    const trusted = heartbeat(sender(1));
    const { receive, wait } = routerOf(LINKS, { isTrusted: (bytes) => bytes === trusted });
    receive('v2', heartbeat(sender(1)));
    const pilot = sender(255, 190);
    expect(receive('s1', command(pilot, 1, 1))).toEqual([]);
    wait(3);
    receive('v1', trusted);
    expect(receive('s1', command(pilot, 1, 1))).toEqual(['v1']);
  });

  test('sends no keys and nothing damaged, but messages that it does not know', () => {
    const { receive, router } = routerOf(LINKS);
    const pilot = sender(255, 190);
    expect(receive('s1', pilot.message('SETUP_SIGNING', { target_system: 0 }))).toEqual([]);
    expect(receive('s1', heartbeat(pilot), 'x', false)).toEqual([]);
    expect(router.counts).toMatchObject({ secrets: 1, damaged: 1, routed: 0 });
    const unknown = heartbeat(pilot);
    unknown.set([0x39, 0x30, 0], 7);
    expect(receive('s1', unknown, 'x', false)).toEqual(['v1', 'v2', 's2']);
    // its sender may be made up
    expect(receive('v1', answer(sender(1), 255, 190))).toEqual([]);
  });

  test('forgets senders that are silent, and made-up senders do not shut out real ones', () => {
    const { receive, wait } = routerOf([vehicleLink('v', true), stationLink('s', true)]);
    const [one, pilot] = [sender(1), sender(255, 190)];
    receive('s', heartbeat(pilot), 'p');
    receive('v', heartbeat(one), 'a');
    for (let i = 0; i < 3 * ROUTER_LIMITS.components; i++) {
      const madeUp = heartbeat(one);
      madeUp.set([2 + (i % 250), i >> 8], 5);
      receive('v', madeUp, `made-up ${i}`);
      receive('s', Uint8Array.from(madeUp).fill(100, 4, 5), `made-up ${i}`);
      if (i % 100 === 0) {
        wait(1.1);
        receive('v', heartbeat(one), 'a');
        receive('s', heartbeat(pilot), 'p');
      }
    }
    expect(receive('s', command(pilot, 1, 1), 'p')).toEqual(['v>a']);
    expect(receive('v', heartbeat(one), 'a').length).toBeLessThanOrEqual(ROUTER_LIMITS.addresses);
    expect(receive('v', heartbeat(one), 'a')).toContain('s>p');
    // one that comes late is served at once
    const late = sender(252, 1);
    receive('v', heartbeat(late), 'late');
    expect(receive('s', command(pilot, 252, 1), 'p')).toEqual(['v>late']);
    wait(ROUTER_LIMITS.forget / SECOND + 1);
    expect(receive('s', command(pilot, 1, 1), 'p')).toEqual([]);
    expect(receive('v', heartbeat(one), 'a')).toEqual(['s>p']);
  });

  test('a flood of frames and a clock that is set leave nothing behind', () => {
    const { receive, router, wait } = routerOf(LINKS);
    const one = sender(1);
    const [early, late] = [heartbeat(one), heartbeat(one)];
    receive('v1', early);
    for (let i = 0; i <= ROUTER_LIMITS.frames; i++) receive('v1', one.message('STATUSTEXT', { text: `${i}` }));
    receive('v1', late);
    const { duplicates } = router.counts;
    expect(receive('v2', late)).toEqual([]);
    expect(router.counts.duplicates).toBe(duplicates + 1);
    wait(-3600);
    expect(receive('v2', late)).toEqual(['s1', 's2']);
  });
});
