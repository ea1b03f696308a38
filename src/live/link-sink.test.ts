import { describe, expect, test } from 'vitest';
import { concat, Random } from '../../test/suite/random.ts';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { LiveCollector } from './collector.ts';

const encoder = new Encoder(builtinDialect(), { system: 1, component: 1 });
const KEY = Buffer.from(Array.from({ length: 32 }, (_, i) => 100 + i));
const heartbeat = (): Uint8Array => encoder.message('HEARTBEAT', { type: 2, autopilot: 3, system_status: 4 });
const attitude = (): Uint8Array => encoder.message('ATTITUDE', { roll: 1, yawspeed: 1 });
const damaged = (): Uint8Array => attitude().map((byte, i) => (i === 20 ? byte ^ 8 : byte));
const unknown = (): Uint8Array => attitude().map((byte, i) => (i === 8 ? 0x77 : byte));

interface Passed {
  readonly pieces: Buffer[];
  readonly frames: [hex: string, isVerified: boolean][];
  secrets: number;
  readonly collector: LiveCollector;
}

function collect(isDatagrams: boolean, isEcho: (frame: Uint8Array) => boolean = () => false): Passed {
  const passed: Passed = {
    pieces: [],
    frames: [],
    secrets: 0,
    collector: new LiveCollector({
      send: () => undefined,
      sink: {
        frame: (_link, _from, bytes, { start, end }, isVerified) => {
          const frame = Buffer.from(bytes.subarray(start, end));
          passed.pieces.push(frame);
          passed.frames.push([frame.toString('hex'), isVerified]);
          return !isEcho(frame);
        },
        rest: (_link, _from, bytes) => passed.pieces.push(Buffer.from(bytes)),
        secret: () => passed.secrets++,
      },
    }),
  };
  passed.collector.addLink('link', isDatagrams);
  return passed;
}

describe.each([true, false])('all bytes of a link of datagrams (%s) in one pass', (isDatagrams) => {
  test('nothing is lost of frames, damaged ones between others, text and noise, and the order stays', () => {
    const random = new Random(11);
    const makers = [
      heartbeat,
      attitude,
      damaged,
      unknown,
      () => Buffer.from('Init ArduCopter\n'),
      () => random.bytes(9),
    ];
    for (let round = 0; round < 60; round++) {
      const { collector, pieces } = collect(isDatagrams);
      const stream = concat(...Array.from({ length: 30 }, () => makers[random.below(makers.length)]()));
      for (let at = 0, time = 1e15; at < stream.length; time += 1e5) {
        const size = 1 + random.below(120);
        collector.receive('link', stream.subarray(at, at + size), time, '10.0.0.1:1');
        collector.tick(time);
        at += size;
      }
      collector.end();
      expect(Buffer.concat(pieces).equals(stream)).toBe(true);
    }
  });

  test('a damaged or unknown frame between others is a frame, and marked', () => {
    const { collector, frames } = collect(isDatagrams);
    const all = [heartbeat(), unknown(), damaged(), heartbeat()];
    collector.receive('link', concat(...all), 1e15, '10.0.0.1:1');
    collector.end();
    const marks = [true, false, false, true];
    expect(frames).toEqual(all.map((frame, i) => [Buffer.from(frame).toString('hex'), marks[i]]));
  });

  test('a key comes out nowhere', () => {
    const random = new Random(12);
    for (let round = 0; round < 200; round++) {
      const passed = collect(isDatagrams);
      const frame = encoder.message('SETUP_SIGNING', { target_system: 1, secret_key: KEY, initial_timestamp: 9n });
      if (round % 2 > 0) frame[[1, 3, 5, 20, 52][random.below(5)]] ^= 1 + random.below(255);
      const stream = concat(random.bytes(random.below(20)), frame, heartbeat());
      for (let at = 0; at < stream.length; at += 25)
        passed.collector.receive('link', stream.subarray(at, at + 25), 1e15, '10.0.0.1:1');
      passed.collector.end();
      const out = Buffer.concat(passed.pieces);
      for (let from = 0; from + 6 <= KEY.length; from++) expect(out.includes(KEY.subarray(from, from + 6))).toBe(false);
      expect(passed.secrets).toBeGreaterThan(0);
    }
  });

  test('an echo is passed on and not looked at', () => {
    const { collector, frames } = collect(isDatagrams, (frame) => frame[7] === 30);
    collector.receive('link', concat(heartbeat(), attitude()), 1e15, '10.0.0.1:1');
    expect(frames).toHaveLength(2);
    expect(collector.messages('1').map(({ name }) => name)).toEqual(['HEARTBEAT']);
  });
});
