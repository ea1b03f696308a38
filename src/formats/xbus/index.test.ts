import { expect, test } from 'vitest';
import { concat, Random } from '../../../test/suite/random.ts';
import { encodeXbusMessage, encodeXbusPacket } from './encode.ts';
import { xbus } from './index.ts';

const packet = encodeXbusPacket([
  { item: 'PacketCounter', data: { value: 1 } },
  { item: 'RateOfTurn', data: { x: 1, y: 2, z: 3 } },
]);

test('streams are told, also from their middle', () => {
  const stream = concat(packet, packet, packet, packet, packet, packet);
  expect(xbus.detect(stream)).toBeGreaterThan(0.9);
  expect(xbus.detect(stream.subarray(11))).toBeGreaterThan(0.9);
  expect(xbus.detect(encodeXbusMessage('GoToConfigAck'))).toBeGreaterThan(0.9);
});

test('among other things they are told with less certainty', () => {
  const text = new TextEncoder().encode('$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n');
  const share = xbus.detect(concat(text, packet, text, text, packet, text, packet));
  expect(share).toBeGreaterThan(0);
  expect(share).toBeLessThan(0.5);
});

test.each([
  ['nothing', new Uint8Array(0)],
  ['zeros', new Uint8Array(1000)],
  ['preambles', new Uint8Array(1000).fill(0xfa)],
  ['text', new TextEncoder().encode('$GPGGA,123519\r\n'.repeat(100))],
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((seed): [string, Uint8Array] => ['random bytes', new Random(seed).bytes(65_536)]),
])('%s is none', (_, bytes) => {
  expect(xbus.detect(bytes)).toBe(0);
});
