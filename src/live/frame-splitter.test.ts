import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import { Random } from '../../test/suite/random.ts';
import { builtinDialect } from '../formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../formats/mavlink/encode.ts';
import { MavlinkParser } from '../formats/mavlink/parser.ts';
import { FrameSplitter } from './frame-splitter.ts';

interface Split {
  readonly frames: Buffer[];
  readonly sure: boolean[];
  readonly rest: Buffer;
  readonly secrets: number;
}

function split(chunks: readonly Uint8Array[]): Split {
  const frames: Buffer[] = [];
  const sure: boolean[] = [];
  const rest: Buffer[] = [];
  const splitter = new FrameSplitter({
    frame: (bytes, { start, end }, isSure) => {
      frames.push(Buffer.from(bytes.subarray(start, end)));
      sure.push(isSure);
    },
    rest: (bytes) => rest.push(Buffer.from(bytes)),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { frames, sure, rest: Buffer.concat(rest), secrets: splitter.secrets };
}

function cut(bytes: Uint8Array, random: Random, most: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + random.below(most);
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

const encoder = new Encoder(builtinDialect(), { system: 1, component: 1 });
const KEY = Buffer.from(Array.from({ length: 32 }, (_, i) => 100 + i));
const secret = (): Uint8Array =>
  encoder.message('SETUP_SIGNING', { target_system: 1, target_component: 1, secret_key: KEY, initial_timestamp: 9n });
const heartbeat = (): Uint8Array => encoder.message('HEARTBEAT', { type: 2, autopilot: 3, system_status: 4 });

needShared(describe, 'flight')('real streams', () => {
  test.each(['copter-mavlink1.raw', 'copter-serial-boot.raw'])('%s in any pieces', (name) => {
    const bytes = readFileSync(sharedData('flight', name)).subarray(0, 150_000);
    const parser = new MavlinkParser();
    parser.parse(bytes);
    const found = split([bytes]);
    expect(found.frames.length).toBeGreaterThanOrEqual(parser.packets.length);
    expect(found.sure.filter(Boolean)).toHaveLength(parser.packets.length);
    expect(found.frames.reduce((sum, frame) => sum + frame.length, found.rest.length)).toBe(bytes.length);
    const random = new Random(1);
    for (const most of [1, 7, 300]) {
      const again = split(cut(bytes, random, most));
      const sure = (one: Split): Buffer[] => one.frames.filter((_, i) => one.sure[i]);
      expect(Buffer.concat(sure(again)).equals(Buffer.concat(sure(found)))).toBe(true);
      expect(again.frames.reduce((sum, frame) => sum + frame.length, again.rest.length)).toBe(bytes.length);
    }
  });
});

describe('bytes of a link', () => {
  test('what is no frame comes out as it came, and at once where no frame can begin in it', () => {
    const text = Buffer.from('$GPGGA,123519,4807.038,N*47\r\n');
    const got: Buffer[] = [];
    const splitter = new FrameSplitter({ frame: () => undefined, rest: (bytes) => got.push(Buffer.from(bytes)) });
    splitter.push(text);
    expect(Buffer.concat(got)).toEqual(text);
    const random = new Random(2);
    const noise = random.bytes(100_000);
    const found = split(cut(noise, random, 200));
    expect(found.frames.reduce((sum, frame) => sum + frame.length, found.rest.length)).toBe(noise.length);
  });

  test('a frame of an unknown message, or a damaged one, is kept as a frame where it stands between others', () => {
    const unknown = heartbeat();
    unknown.set([0x12, 0x34, 0x56], 7);
    const damaged = heartbeat();
    damaged[12] ^= 4;
    const all = [heartbeat(), unknown, damaged, heartbeat()].map((frame) => Buffer.from(frame));
    expect(split([Buffer.concat(all)])).toMatchObject({ frames: all, sure: [true, false, false, true] });
    // a datagram that holds nothing else, too
    expect(split(all)).toMatchObject({ frames: all });
  });

  test('a frame that was begun and never ended does not keep back the next ones', () => {
    const got: number[] = [];
    const splitter = new FrameSplitter({ frame: (_, { end, start }) => got.push(end - start), rest: () => undefined });
    splitter.push(Uint8Array.of(0xfd, 200, 0, 0));
    for (let i = 1; i <= 3; i++) {
      const frame = heartbeat();
      splitter.push(frame);
      expect(got).toEqual(new Array(i).fill(frame.length));
    }
  });

  test('a key comes out nowhere: whole, in pieces, damaged, cut off, or in the middle of noise', () => {
    const random = new Random(3);
    const whole = Buffer.concat([heartbeat(), secret(), heartbeat()]);
    expect(split([whole])).toMatchObject({ secrets: 1, sure: [true, true] });
    for (let i = 0; i < 1500; i++) {
      const frame = secret();
      // any byte but those that say what it is
      const at = [1, 2, 3, 4, 5, 6, 10 + random.below(42), 52, 53][random.below(9)];
      if (i % 3 > 0) frame[at] ^= 1 + random.below(255);
      const parts = [random.bytes(random.below(40)), frame.subarray(0, i % 5 === 0 ? 20 + random.below(34) : 54)];
      if (i % 2 === 0) parts.push(random.bytes(random.below(40)), heartbeat());
      const { frames, rest } = split(cut(Buffer.concat(parts), random, 1 + random.below(80)));
      const out = Buffer.concat([...frames, rest]);
      // six bytes of it in a row are no accident
      for (let from = 0; from + 6 <= KEY.length; from++) expect(out.includes(KEY.subarray(from, from + 6))).toBe(false);
    }
  });
});
