import { expect, test } from 'vitest';
import { type FrameParts, frameBytes } from '../../../test/formats/mavlink/stream.ts';
import { concat } from '../../../test/suite/random.ts';
import { frameSize, Header, messageIdOf, payloadAt, senderOf } from './header.ts';

const parts = { payload: [1, 2, 3, 4], extra: 1, sequence: 9, system: 7, component: 200 };

test.each<[string, FrameParts, number, number]>([
  ['version 1', { ...parts, id: 30, version: 1 }, 12, 6],
  ['version 2', { ...parts, id: 0x012345 }, 16, 10],
  ['version 2, signed', { ...parts, id: 0x012345, flags: 1 }, 29, 10],
])('the header of a frame of %s', (_, frame, size, head) => {
  const at = 3;
  const bytes = concat(Uint8Array.of(5, 5, 5), frameBytes(frame), Uint8Array.of(5));
  const header = new Header();
  expect(header.read(bytes, at)).toBe(true);
  const { version, length, flags, sequence, system, component, id, start, payload, checksum, end } = header;
  expect({ version, length, flags, sequence, system, component, id, start, payload, checksum, end }).toEqual({
    version: frame.version ?? 2,
    length: 4,
    flags: frame.flags ?? 0,
    ...{ sequence: 9, system: 7, component: 200, id: frame.id, start: at },
    payload: at + head,
    checksum: at + head + 4,
    end: at + size,
  });
  expect(header.stated(bytes)).toBe(bytes[at + head + 4] + 256 * bytes[at + head + 5]);
  expect([frameSize(bytes, at), payloadAt(bytes, at)]).toEqual([size, at + head]);
  expect([senderOf(bytes, at), messageIdOf(bytes, at)]).toEqual([7 * 256 + 200, frame.id]);
  // its header is enough, and no less than that
  const cut = (length: number): Uint8Array => bytes.subarray(0, at + length);
  expect([frameSize(cut(head), at), frameSize(cut(head - 1), at)]).toEqual([size, 0]);
  expect([header.read(cut(head), at), header.read(cut(head - 1), at)]).toEqual([true, false]);
});

test('other bytes are no frame', () => {
  expect(frameSize(new Uint8Array(300), 0)).toBe(0);
  expect(new Header().read(new Uint8Array(300), 0)).toBe(false);
});
