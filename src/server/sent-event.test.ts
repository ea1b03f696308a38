import { expect, test } from 'vitest';
import { textFrame } from './sent-event.ts';

// examples of https://www.rfc-editor.org/rfc/rfc6455#section-5.7, and the lengths beside each border
test('a short text', () => {
  expect([...textFrame('Hello')]).toEqual([0x81, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f]);
});

test.each([
  [0, [0x81, 0]],
  [125, [0x81, 125]],
  [126, [0x81, 126, 0, 126]],
  [65_535, [0x81, 126, 0xff, 0xff]],
  [65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]],
])('%i bytes', (length, head) => {
  const frame = textFrame('a'.repeat(length));
  expect([...frame.subarray(0, head.length)]).toEqual(head);
  expect(frame.length).toBe(head.length + length);
  expect(frame.subarray(head.length).every((byte) => byte === 0x61)).toBe(true);
});
