// Bytes that are not part of a frame, between and before frames of a live link: they hold none of them back.
import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { LiveCollector } from '../../src/live/collector.ts';
import { DeviceVerifier } from '../../src/live/device-verifier.ts';
import { concat, Random } from '../suite/random.ts';
import { datagrams, needRecordings } from './recorded.ts';

const START = 1.7e15;
const FROM = '10.0.0.7:14550';
const vehicle = new Encoder(builtinDialect(), { system: 1, component: 1 });
const heartbeat = (): Uint8Array => vehicle.message('HEARTBEAT', { type: 2, autopilot: 3, system_status: 4 });
/** The beginning of a frame of 40 bytes that is a message in all that there is of it. */
const begun = (): Uint8Array => vehicle.message('ATTITUDE', { roll: 1, yawspeed: 1 }).subarray(0, 12);

interface Heard {
  readonly collector: LiveCollector;
  /** When messages came, in microseconds since the start. */
  readonly times: number[];
  readonly events: string[];
}

function listen(isDatagrams: boolean): Heard {
  const collector = new LiveCollector({ send: () => undefined });
  const heard: Heard = { collector, times: [], events: [] };
  collector.addLink('link', isDatagrams);
  collector.subscribe((event) => {
    if (event.type === 'message') heard.times.push(event.time - START);
    else heard.events.push(event.type);
  });
  return heard;
}

describe.each([true, false])('a link of datagrams: %s', (isDatagrams) => {
  test.each([
    ['fd', [0xfd]],
    ['fe', [0xfe]],
    ['the beginning of a header', [0xfd, 28, 0]],
    ['text', [...Buffer.from('Init ArduCopter')]],
  ])('%s alone among heartbeats of 1 Hz delays none', (_, stray) => {
    const { collector, times, events } = listen(isDatagrams);
    for (let tenth = 0; tenth < 300; tenth++) {
      const time = START + tenth * 1e5;
      if (tenth % 10 === 0) collector.receive('link', heartbeat(), time, FROM);
      if (tenth === 53 || tenth === 120) collector.receive('link', Uint8Array.from(stray), time, FROM);
      collector.tick(time);
    }
    expect(times).toEqual(Array.from({ length: 30 }, (_, second) => second * 1e6));
    expect(events).not.toContain('lost');
  });

  test('a frame whose end never comes holds the next one back for its own time on the wire at most', () => {
    const { collector, times } = listen(isDatagrams);
    collector.receive('link', concat(heartbeat(), begun(), heartbeat()), START, FROM);
    for (let time = START; time < START + 1e6; time += 1e4) collector.tick(time);
    expect(times).toHaveLength(2);
    // 40 bytes at 9600 baud, and a tick
    expect(times[1]).toBeLessThanOrEqual(isDatagrams ? 0 : 52_000);
  });

  test('a frame goes on in the next piece, however long that takes, if it hides no other', () => {
    const { collector, times } = listen(isDatagrams);
    const attitude = vehicle.message('ATTITUDE', { roll: 1, yawspeed: 1 });
    collector.receive('link', concat(heartbeat(), attitude.subarray(0, 25)), START, FROM);
    for (let time = START; time < START + 9e5; time += 1e5) collector.tick(time);
    collector.receive('link', concat(attitude.subarray(25), heartbeat()), START + 9e5, FROM);
    expect(times).toEqual([0, 9e5, 9e5]);
  });
});

describe('a port', () => {
  test.each([0xfd, 0xfe])('with %d before each heartbeat is that of a vehicle', (stray) => {
    const verifier = new DeviceVerifier();
    for (let i = 0; i < 2; i++) verifier.push(concat(Uint8Array.of(stray), heartbeat()));
    expect(verifier.state).toBe('verified');
    expect(verifier.identity).toMatchObject({ vehicle: 'Copter', message: 'HEARTBEAT' });
  });

  test('is verified when its time is up, by a frame inside one that never ended', () => {
    const verifier = new DeviceVerifier();
    verifier.push(concat(begun(), heartbeat()));
    expect(verifier.state).toBe('verifying');
    expect(verifier.settle()).toBe('verified');
  });
});

needRecordings('what PX4 sent', () => {
  const sent = datagrams('px4/boot.pcapng').filter(({ from }) => from === 18570);
  const count = (pieces: readonly Uint8Array[]): number => {
    const { collector } = listen(true);
    pieces.forEach((piece, i) => {
      collector.receive('link', piece, START + i * 1000, FROM);
    });
    return collector.statistics().messages;
  };

  test('comes through with a stray byte before each datagram, or as one', () => {
    expect(sent).toHaveLength(5495);
    expect(count(sent.map(({ bytes }) => bytes))).toBe(5495);
    for (const stray of [0xfd, 0xfe]) {
      expect(count(sent.map(({ bytes }) => concat(Uint8Array.of(stray), bytes)))).toBe(5495);
      expect(count(sent.flatMap(({ bytes }) => [Uint8Array.of(stray), bytes]))).toBe(5495);
    }
  });

  test('comes through where frames span datagrams', () => {
    const stream = concat(...sent.map(({ bytes }) => bytes));
    const random = new Random(4);
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < stream.length; ) {
      const size = 10 + random.below(300);
      pieces.push(stream.subarray(at, at + size));
      at += size;
    }
    expect(count(pieces)).toBe(5495);
  });
});
