import { expect, test } from 'vitest';
import { Column } from '../../core/column.ts';
import { isKnownItem, itemName, itemOf } from './schema.ts';

const LENGTHS = [0, 1, 2, 4, 6, 8, 12, 13, 16, 18, 20, 24, 36, 48, 52, 94, 255];

/** Every XDI whose format is float32 and whose local frame is ENU, with some lengths. */
function* kinds(): Generator<[xdi: number, length: number]> {
  for (let xdi = 0; xdi < 0x10000; xdi += 0x10) for (const length of LENGTHS) yield [xdi, length];
}

test('an item is known just where it has fields of its own', () => {
  for (const [xdi, length] of kinds()) {
    const { schema, isKnown } = itemOf(xdi, length, false);
    const isRaw = length > 0 && schema.fields.length === 1 && schema.fields[0].name === 'data';
    if (isKnownItem(xdi, length) !== isKnown || (length > 0 && isRaw === isKnown)) {
      expect.fail(`item ${xdi} with ${length} bytes`);
    }
  }
});

test('fields are read from their item alone', () => {
  for (const [xdi, length] of kinds()) {
    const { schema } = itemOf(xdi, length, false);
    const bytes = new Uint8Array(3 + length);
    bytes[2] = length;
    const columns = schema.fields.map((field) => new Column(field, 1));
    // a field beyond the end would throw
    schema.codec.read(bytes, Int32Array.of(0), 1, columns, 0);
    expect(schema.maxSize).toBeGreaterThanOrEqual(3 + Math.min(length, 1));
  }
});

test.each([
  [0x2033, 'EulerAngles'],
  [0x7010, 'GnssPvtData'],
  [0xf0ab, 'Item_F0AB'],
])('item %i has the name %s', (xdi, name) => {
  expect(itemName(xdi)).toBe(name);
});
