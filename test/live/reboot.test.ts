// Reboots of real autopilots, as their recorded conversations show them.
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { LiveCollector } from '../../src/live/collector.ts';
import type { LiveEvent } from '../../src/live/events.ts';
import { type Datagram, datagrams, fieldCapture, needRecordings, replayDatagrams } from './recorded.ts';

type Reboot = Extract<LiveEvent, { type: 'reboot' }>;

const TICK = 1e5;

function replay(...given: Parameters<typeof replayDatagrams>): { collector: LiveCollector; reboots: Reboot[] } {
  const { collector, events } = replayDatagrams(...given);
  return { collector, reboots: events.flatMap((event) => (event.type === 'reboot' ? [event] : [])) };
}

/** Seconds from the start of a recording. */
const after = (packets: readonly Datagram[], seconds: number): number => packets[0].time + seconds * 1e6;

const isFrame = ({ bytes }: Datagram): boolean => bytes[0] === 0xfd;

needRecordings('a reboot in a recording', () => {
  test('of ArduPilot, which sends no boot time after it, is seen within 3 s, once', () => {
    const packets = datagrams('ardupilot/boot-and-requests.pcapng');
    const first = packets.find((packet) => packet.from === 43794 && isFrame(packet)) as Datagram;
    for (const requests of [true, false]) {
      const { reboots, collector } = replay(packets, { requests });
      expect(reboots.map(({ vehicle, cause }) => [vehicle, cause])).toEqual([['1', 'new source port']]);
      expect(reboots[0].time - first.time).toBeGreaterThanOrEqual(0);
      expect(reboots[0].time - first.time).toBeLessThan(3e6);
      expect(collector.vehicles.size).toBe(1);
      expect(collector.vehicles.get('1')?.reboots).toBe(1);
    }
  });

  test('of ArduPilot is seen by its sequence where the address stays the same, as on a serial line', () => {
    const packets = datagrams('ardupilot/boot-and-requests.pcapng');
    const first = packets.find((packet) => packet.from === 43794 && isFrame(packet)) as Datagram;
    const { reboots } = replay(packets.map((packet) => ({ ...packet, from: 1 })));
    expect(reboots.map(({ cause }) => cause)).toEqual(['sequence restarted']);
    expect(reboots[0].time - first.time).toBeLessThan(3e6);
  });

  test('of ArduPilot is seen once at most on a line that loses 40 % of its frames', () => {
    const packets = datagrams('ardupilot/boot-and-requests.pcapng').map((packet) => ({ ...packet, from: 1 }));
    let state = 12345;
    for (let i = 0; i < 12; i++) {
      const kept = packets.filter(() => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return (state >>> 16) % 100 >= 40;
      });
      expect(replay(kept).reboots.length, `try ${i}`).toBeLessThanOrEqual(1);
    }
  });

  test('of PX4 is seen within 3 s, once', () => {
    const packets = datagrams('px4/boot.pcapng');
    const first = packets.find(({ time, from }) => from === 18570 && time > after(packets, 10)) as Datagram;
    const { reboots } = replay(packets);
    expect(reboots.map(({ vehicle, cause }) => [vehicle, cause])).toEqual([['1', 'boot time went back']]);
    expect(reboots[0].time - first.time).toBeLessThan(3e6);
  });

  test('is one also where it could be the loss of 11 frames, by their numbers', () => {
    const packets = datagrams('px4/boot.pcapng').filter(({ from }) => from === 18570);
    const last = packets.findLast(({ time, bytes }) => bytes[4] === 244 && time < after(packets, 10)) as Datagram;
    const left = packets.filter(({ time }) => time <= last.time || time > after(packets, 15));
    const [before, next] = [left.findLast(({ time }) => time <= last.time), left.find(({ time }) => time > last.time)];
    expect([before?.bytes[4], next?.bytes[4]]).toEqual([244, 0]);
    const { reboots } = replay(left);
    expect(reboots).toHaveLength(1);
    expect(reboots[0].time - (next?.time ?? 0)).toBeLessThan(3e6);
    // where more was lost before, the numbers cannot say it: the time since boot does
    const { collector } = replayDatagrams(left.filter((_, i) => i < 100 || i >= 120));
    expect(collector.statistics().links[0].streams['1:1']).toMatchObject({ lost: 20, restarted: 1 });
  });

  const others = ['ardupilot', 'px4'].flatMap((folder) =>
    readdirSync(fieldCapture(folder))
      .filter((name) => name.endsWith('.pcapng') && !/^(boot|tcp)/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  test.each(others)('is in none of the others: %s', (name) => {
    const packets = datagrams(name);
    expect(replay(packets).reboots).toEqual([]);
    // nor where a third of it is lost
    const kept = packets.filter((_, i) => i % 3 !== 1 || i < 30);
    expect(replay(kept).reboots).toEqual([]);
  });
});

describe('a vehicle', () => {
  const dialect = builtinDialect('ardupilotmega');
  const seconds = 1e6;

  /** A vehicle that sends heartbeats and TIMESYNC only, until it rebooted at 25 s. */
  test('that sends nothing else is seen to reboot by TIMESYNC', () => {
    const reboots: Reboot[] = [];
    const collector = new LiveCollector({ send: () => undefined });
    collector.subscribe((event) => event.type === 'reboot' && reboots.push(event), ['reboot']);
    const encoder = new Encoder(dialect, { system: 1, component: 1 });
    for (let second = 0; second < 60; second++) {
      const uptime = second < 25 ? second + 100 : second - 25;
      const heartbeat = { type: 2, autopilot: 3, base_mode: 81, system_status: 3 };
      collector.receive('a', encoder.message('HEARTBEAT', heartbeat), second * seconds);
      if (uptime % 10 === 0)
        collector.receive(
          'a',
          encoder.message('TIMESYNC', { tc1: 0, ts1: BigInt(uptime) * 10n ** 9n }),
          second * seconds,
        );
      for (let i = 0; i < 10; i++) collector.tick(second * seconds + i * TICK);
    }
    expect(reboots.map(({ cause, time }) => [cause, time / seconds])).toEqual([['TIMESYNC went back', 25]]);
  });

  test('that answers our own TIMESYNC says our time there: that going back is no reboot', () => {
    const collector = new LiveCollector({ send: () => undefined });
    const encoder = new Encoder(dialect, { system: 1, component: 1 });
    collector.receive('a', encoder.message('HEARTBEAT', { type: 2, autopilot: 3, system_status: 3 }), 0);
    for (const ts1 of [90n, 5n, 1n]) {
      const frame = encoder.message('TIMESYNC', { tc1: 7n, ts1: ts1 * 10n ** 9n });
      collector.receive('a', frame, Number(100n - ts1) * seconds);
    }
    expect(collector.vehicles.get('1')?.reboots).toBe(0);
  });

  test('on a link that loses most frames has not rebooted each time that a number near 0 comes', () => {
    const collector = new LiveCollector({ send: () => undefined });
    const encoder = new Encoder(dialect, { system: 1, component: 1 });
    let state = 12345;
    for (let i = 0; i < 60_000; i++) {
      const time = i * 20_000;
      const isBeat = i % 50 === 0;
      const frame = isBeat
        ? encoder.message('HEARTBEAT', { type: 2, autopilot: 3, system_status: 3 })
        : encoder.message('ATTITUDE', { time_boot_ms: 30_000 + i * 20, roll: 1, pitch: 1, yaw: 1 });
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      // whole bursts are lost, and the address changes now and then
      const isLost = (state >>> 16) % 100 < 40 || i % 700 < 150;
      if (!isLost || isBeat) collector.receive('a', frame, time, `10.0.0.1:${Math.floor(i / 5000)}`);
      if (i % 5 === 0) collector.tick(time);
    }
    expect(collector.vehicles.get('1')?.reboots).toBe(0);
  });
});
