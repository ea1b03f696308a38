import { expect, test } from 'vitest';
import { decode, uncovered } from '../../../test/suite/found.ts';
import { join } from '../../../test/suite/random.ts';
import { LIMITS } from '../../core/limits.ts';
import { encodeXbusFrame } from './encode.ts';
import { xbus } from './index.ts';

/** A packet of one item. */
const item = (xdi: number, bus = 255): Uint8Array => encodeXbusFrame(0x36, [xdi >> 8, xdi & 0xff, 1, 7], { bus });

test('more kinds of items than are told apart share a table', () => {
  const bytes = join(Array.from({ length: 4000 }, (_, k) => item(0xf000 + k)));
  const found = decode(xbus, bytes);
  expect(uncovered(found, bytes.length)).toBeUndefined();
  expect(found.count).toBe(8000);
  expect(found.schemas.length).toBeLessThanOrEqual(2048);
  expect(found.name(7999)).toBe('Item');
  expect(found.schemas.at(-1)?.fields.map(({ name }) => name)).toEqual(['xdi', 'length']);
});

test('more kinds of messages than are told apart share a table', () => {
  const bytes = join(Array.from({ length: 2500 }, (_, k) => encodeXbusFrame(0x70, new Uint8Array(k))));
  const found = decode(xbus, bytes);
  expect(uncovered(found, bytes.length)).toBeUndefined();
  expect(found.schemas.length).toBeLessThanOrEqual(2048);
  expect(found.schemas.map(({ name }) => name)).toContain('Message');
});

test('more set-ups of old devices than are told apart share a table', () => {
  const frames = Array.from({ length: 3000 }, (_, k) => {
    const configuration = new Uint8Array(118);
    new DataView(configuration.buffer).setUint16(104, 0x4000);
    new DataView(configuration.buffer).setUint32(106, k * 4096);
    return [encodeXbusFrame(0x0d, configuration), encodeXbusFrame(0x32, new Uint8Array(20))];
  });
  const found = decode(xbus, join(frames.flat()));
  expect(found.schemas.map(({ name }) => name)).toContain('Piece');
  expect(found.schemas.length).toBeLessThanOrEqual(2048);
});

test('past the limit of devices they are not told apart', () => {
  const frames = [];
  for (let bus = 0; bus < 256; bus++) for (let k = 0; k < 20; k++) frames.push(item(0xf000 + k, bus));
  const bytes = join(frames);
  const found = decode(xbus, bytes);
  expect(uncovered(found, bytes.length)).toBeUndefined();
  // headers and items of 64 devices, and of all others together
  expect(found.schemas.length).toBe(65 * 21);
  expect(found.streams.at(-1)).toBe('others');
});

test('past the limit of tables neither are those that could be', () => {
  const frames = [];
  for (let bus = 0; bus < 64; bus++) for (let k = 0; k < 300; k++) frames.push(item(0xf000 + k, bus));
  const bytes = join(frames);
  const found = decode(xbus, bytes);
  expect(uncovered(found, bytes.length)).toBeUndefined();
  expect(found.schemas.length).toBeGreaterThan(LIMITS.tables);
  expect(found.schemas.length).toBeLessThan(LIMITS.tables + 400);
  expect(found.streams.at(-1)).toBe('others');
});
