import { builtinDialect } from '../../../src/formats/mavlink/dialect/builtin.ts';
import type { Flood } from '../../suite/hostile.ts';
import { concat, Random, repeat } from '../../suite/random.ts';
import { type FrameParts, frameBytes, stampBytes } from './stream.ts';

const definitions = [...builtinDialect().messages.values()].flat();
/** The longest message of all, and the longest that both versions have. */
const long = definitions.toSorted((a, b) => b.length - a.length)[0];
const long1 = definitions.filter(({ id }) => id < 256).toSorted((a, b) => b.baseLength - a.baseLength)[0];
const heartbeat = { id: 0, payload: [0, 0, 0, 0, 2, 3, 81, 4, 3], extra: 50 } satisfies FrameParts;

const header2 = (id: number, length: number, system = 1): number[] => [
  0xfd,
  length,
  0,
  0,
  0,
  system,
  1,
  id & 255,
  (id >> 8) & 255,
  id >> 16,
];

/** Frames that `make` gives one after the other, as many as there is room for. */
function frames(length: number, make: (n: number) => Uint8Array): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let n = 0, at = 0; at < length; n++) {
    const frame = make(n);
    bytes.set(frame.subarray(0, length - at), at);
    at += frame.length;
  }
  return bytes;
}

/** Frames with a wrong checksum, of which each leads to the next. */
function wrong(parts: FrameParts): Uint8Array {
  return frameBytes(parts).map((byte, i, all) => (i === all.length - 1 ? byte ^ 0x55 : byte));
}

/** A v1 header every two bytes: the same byte is length, sender and id, so it must be a length that the id may have. */
function interleaved(): number[] {
  const fit = definitions.filter(({ id, baseLength, length }) => id < 256 && id >= baseLength && id <= length);
  return [0xfe, Math.max(...fit.map(({ id }) => id))];
}

/** Starts in every place. */
const startFloods: readonly Flood[] = [
  { name: 'first bytes of MAVLink 2', make: (length) => repeat([0xfd], length) },
  { name: 'first bytes of MAVLink 1', make: (length) => repeat([0xfe], length) },
  { name: 'first bytes of both', make: (length) => repeat([0xfe, 0xfd], length) },
  { name: 'headers of the longest message', make: (length) => repeat(header2(long.id, long.length), length) },
  { name: 'the same in MAVLink 1', make: (length) => repeat([0xfe, long1.baseLength, 0, 1, 1, long1.id], length) },
  { name: 'headers every two bytes', make: (length) => repeat(interleaved(), length) },
];

/** What makes a MAVLink decoder work: starts in every place, frames that nearly are, senders and ids without end. */
export const mavlinkFloods: readonly Flood[] = [
  ...startFloods,
  { name: 'headers whose payload is nearly all cut', make: (length) => repeat(header2(long.id, 1), length) },
  { name: 'headers of no known message', make: (length) => repeat(header2(7_000_000, 200), length) },
  {
    name: 'frames with a wrong checksum',
    make: (length) => repeat(wrong({ ...heartbeat, payload: [1] }), length),
  },
  {
    name: 'frames with a wrong checksum that lead to each other and hide others',
    make: (length) =>
      repeat(concat(Uint8Array.from(header2(long.id, 8)), Uint8Array.from(header2(long.id, 8))), length),
  },
  {
    name: 'damaged frames between good ones',
    make: (length) => repeat(concat(frameBytes(heartbeat), wrong(heartbeat), wrong(heartbeat)), length),
  },
  {
    name: 'payloads that may have been cut',
    make: (length) => repeat(wrong({ id: long.id, payload: [1], extra: long.crcExtra, system: 9 }), length),
  },
  {
    name: 'senders',
    make: (length) => frames(length, (n) => frameBytes({ ...heartbeat, system: n >> 8, component: n & 255 })),
  },
  {
    name: 'unknown ids',
    make: (length) => frames(length, (n) => frameBytes({ ...heartbeat, id: 1_000_000 + (n % 100_000) })),
  },
  {
    name: 'frames with flags that are not known',
    make: (length) => repeat(frameBytes({ ...heartbeat, flags: 2 }), length),
  },
  {
    name: 'all messages of many senders',
    make: (length) =>
      frames(length, (n) => {
        const { id, crcExtra } = definitions[n % definitions.length];
        return frameBytes({ id, payload: [1], extra: crcExtra, system: n % 251, component: n % 241 });
      }),
  },
];

/** Starts, and times with frames behind them that are none. */
export const tlogFloods: readonly Flood[] = [
  ...startFloods,
  { name: 'time stamps', make: (length) => repeat(stampBytes(1_700_000_000_000_000), length) },
  {
    name: 'time stamps before headers',
    make: (length) =>
      repeat(concat(stampBytes(1_700_000_000_000_000), Uint8Array.from(header2(long.id, long.length))), length),
  },
  {
    name: 'records whose times jump',
    make: (length) => {
      const random = new Random(3);
      return frames(length, () => concat(stampBytes(random.bits() * 1e6), frameBytes(heartbeat)));
    },
  },
  {
    name: 'records whose times are none',
    make: (length) => repeat(concat(new Uint8Array(8).fill(7), frameBytes(heartbeat)), length),
  },
];
