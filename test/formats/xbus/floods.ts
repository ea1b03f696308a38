import type { Flood } from '../../suite/hostile.ts';
import { join, Random, repeat } from '../../suite/random.ts';
import { frameBytes } from './random.ts';

/** Inputs that make an XBUS decoder work: false headers everywhere, frames of every kind, checksums that are right. */
export const xbusFloods: readonly Flood[] = [
  { name: 'preambles', make: (length) => repeat([0xfa], length) },
  { name: 'headers of data messages', make: (length) => repeat([0xfa, 0xff, 0x36, 0xfe], length) },
  { name: 'headers of long data messages', make: (length) => repeat([0xfa, 0xff, 0x36, 0xff, 0x20, 0x00], length) },
  { name: 'headers of the longest frames', make: (length) => repeat([0xfa, 0xff, 0x36, 0xff, 0xff, 0xff], length) },
  { name: 'the shortest frames', make: (length) => repeat(frameBytes(0xff, 0x30, []), length) },
  { name: 'errors', make: (length) => repeat(frameBytes(0xff, 0x42, [0x29]), length) },
  { name: 'frames with a byte between', make: (length) => repeat([...frameBytes(0xff, 0x30, []), 7], length) },
  { name: 'frames of an unknown message', make: (length) => repeat(frameBytes(3, 0x7f, [1, 2, 3]), length) },
  { name: 'items without data', make: (length) => repeat(frameBytes(0xff, 0x36, new Array(84 * 3).fill(0)), length) },
  { name: 'items of every kind', make: everyItem },
  { name: 'devices and messages of every kind', make: everyMessage },
  { name: 'long frames that hold headers with a right checksum', make: nested },
  { name: 'good frames and false long ones in turn', make: alternating },
  { name: 'configurations that change', make: configurations },
  { name: 'packets', make: (length) => repeat(packets(), length) },
];

function everyItem(length: number): Uint8Array {
  const random = new Random(1);
  const frames = Array.from({ length: 4000 }, () => {
    const items = Array.from({ length: 8 }, () => [random.below(256), random.below(256), 5, 1, 2, 3, 4, 5]);
    return frameBytes(random.below(256), 0x36, items.flat());
  });
  return repeat(join(frames), length);
}

function everyMessage(length: number): Uint8Array {
  const random = new Random(2);
  const frames = Array.from({ length: 10_000 }, () =>
    frameBytes(random.below(256), random.below(256), random.bytes(random.below(8))),
  );
  return repeat(join(frames), length);
}

/** Items of nine bytes whose data are headers of long frames; each of those frames sums up right and does not fit. */
function nested(length: number): Uint8Array {
  const bytes = repeat([0x10, 0x20, 6, 0xfa, 0xff, 0x36, 0xff, 0x1f, 0], length);
  // the byte that completes the sum of a false frame is one that no header needs
  for (let at = 3; at + 8192 < length; at += 9) {
    const end = at + 6 + 0x1f00;
    let sum = 0;
    for (let k = at + 1; k <= end; k++) sum += bytes[k];
    const free = Math.floor((end - 5) / 9) * 9 + 1;
    if (free > at + 6) bytes[free] -= sum;
    if (at > 60_000) break;
  }
  const unit = bytes.slice(0, Math.min(length, 60_000));
  return repeat(unit, length);
}

function alternating(length: number): Uint8Array {
  return repeat([...frameBytes(0xff, 0x30, []), 0xfa, 0xff, 0x36, 0xff, 0x1f, 0xff], length);
}

function configurations(length: number): Uint8Array {
  const random = new Random(3);
  const frames = Array.from({ length: 3000 }, () => {
    const data = new Uint8Array(118);
    data.set(random.bytes(6), 104);
    return join([frameBytes(0xff, 0x0d, data), frameBytes(0xff, 0x32, random.bytes(random.below(100)))]);
  });
  return repeat(join(frames), length);
}

/** What a device sends. */
function packets(): Uint8Array {
  const random = new Random(4);
  return join(
    Array.from({ length: 500 }, (_, n) =>
      frameBytes(0xff, 0x36, [
        ...[0x10, 0x20, 2, n >> 8, n & 0xff],
        ...[0x10, 0x60, 4, ...random.bytes(4)],
        ...[0x40, 0x20, 12, ...random.bytes(12)],
        ...[0x80, 0x20, 12, ...random.bytes(12)],
        ...[0xe0, 0x20, 4, ...random.bytes(4)],
      ]),
    ),
  );
}
