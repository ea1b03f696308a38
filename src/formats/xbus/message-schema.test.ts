import { expect, test } from 'vitest';
import { isKnownMessage, isUsualMessage } from './message-schema.ts';

test.each([
  ['DeviceID has 4 or 8 bytes', 0x01, [4, 8], [4, 8]],
  ['GoToConfigAck has none', 0x31, [0], [0]],
  ['SyncSettings has any number of settings of 12 bytes, so no length is usual', 0x2c, [], [0, 12, 24, 36]],
  ['there is no message 0x06', 0x06, [], []],
])('%s', (_, id, usual, known) => {
  const lengths = Array.from({ length: 40 }, (_each, length) => length);
  expect(lengths.filter((length) => isUsualMessage(id, length))).toEqual(usual);
  expect(lengths.filter((length) => isKnownMessage(id, length))).toEqual(known);
});
