import { describe, expect, test } from 'vitest';
import { Column, type Value } from '../../../src/core/column.ts';
import type { Schema } from '../../../src/core/schema.ts';
import { rowOf } from '../../../src/core/table.ts';
import { guessSetup, legacyOf } from '../../../src/formats/xbus/legacy.ts';
import { isKnownMessage, isUsualMessage, messageSchema } from '../../../src/formats/xbus/message-schema.ts';
import { messageName } from '../../../src/formats/xbus/messages.ts';
import { isKnownItem, itemOf } from '../../../src/formats/xbus/schema.ts';
import { Random } from '../../suite/random.ts';
import { guessOf, piecesOf } from './legacy.ts';
import * as plainMessage from './messages.ts';
import { ITEM_CODES, itemOf as plainItem } from './values.ts';

/** Values of one record; lists end with their last element that is there. */
function valuesOf({ fields, codec }: Schema, bytes: Uint8Array, at: number): [string, unknown][] {
  const columns = fields.map((field) => new Column(field, 1));
  codec.read(bytes, Int32Array.of(at), 1, columns, 0);
  return trimmed(Object.entries(rowOf(columns, 0)) as [string, Value][]);
}

function trimmed(values: readonly (readonly [string, Value])[]): [string, unknown][] {
  return values.map(([name, value]) => {
    if (!Array.isArray(value)) return [name, value];
    const list = value.slice(0, value.findLastIndex((each) => each !== null) + 1);
    // one element of a list is a single value
    return [name, value.length === 1 ? value[0] : list];
  });
}

const random = new Random(5);

describe('items are what the manual says', () => {
  const hexOf = (code: number): string => code.toString(16);
  test.each([...new Set(ITEM_CODES)].map((code) => [hexOf(code), code] as const))('%s', (_, code) => {
    const isReal = plainItem(code | 3, 8).isKnown !== plainItem(code, 8).isKnown || plainItem(code + 4, 0).frame !== '';
    const [found, wanted]: unknown[][] = [[], []];
    for (let low = 0; low < (isReal ? 16 : 1); low++) {
      for (let length = 0; length < 256; length++) {
        const plain = plainItem(code | low, length);
        const { schema, frame, isKnown } = itemOf(code | low, length, false);
        found.push([low, length, schema.name, frame ?? '', isKnown, isKnownItem(code | low, length)]);
        wanted.push([low, length, plain.name, plain.frame, plain.isKnown, plain.isKnown]);
        if (!isKnown && length > 9) continue;
        const bytes = random.bytes(3 + length + 1);
        bytes[2] = length;
        found.push(valuesOf(schema, bytes, 0));
        wanted.push(trimmed(plain.values(bytes, 3)));
      }
    }
    expect(found).toEqual(wanted);
  });

  test('all others are kept as they are', () => {
    const codes = Array.from({ length: 4096 }, (_, k) => k * 16).filter((code) => !ITEM_CODES.includes(code));
    expect(codes.filter((code) => isKnownItem(code, code >> 8))).toEqual([]);
    expect(itemOf(0xf0a4, 3, false)).toMatchObject({ schema: { name: 'Item_F0A4', maxSize: 6 }, isKnown: false });
  });
});

test('messages are what the manual says', () => {
  const lengths = [...Array.from({ length: 300 }, (_, length) => length), 8191, 8192, 8193, 8196];
  for (let id = 0; id < 256; id++) {
    const name = messageName(id);
    expect(name).toBe(plainMessage.messageName(id));
    const known = lengths.filter((length) => plainMessage.isKnownMessage(id, length));
    expect(lengths.filter((length) => isKnownMessage(id, length))).toEqual(known);
    const usual = lengths.filter((length) => plainMessage.isUsualMessage(id, length));
    expect(lengths.filter((length) => isUsualMessage(id, length))).toEqual(usual);
    for (const length of lengths) {
      if (length > 8192 || (length > 3 && !known.includes(length))) continue;
      const isExtended = length > 254;
      const head = isExtended ? 6 : 4;
      const bytes = random.bytes(head + length + 1);
      const values = trimmed(plainMessage.messageValues(id, bytes, head, length));
      expect(valuesOf(messageSchema(id, length, isExtended), bytes, 0), `${name} of ${length}`).toEqual(values);
    }
  }
});

test('MTData is what the manual says of its mode and settings', () => {
  const bits = [0, 1, 2, 4, 8, 16, 32, 64, 0x100, 0x200, 0x300, 0x400, 0x800, 2 ** 31];
  for (const mode of [0, 1, 2, 4, 6, 8, 0x10, 0x20, 0x40, 0x80, 0x800, 0x1000, 0x2000, 0x4000, 0x783f]) {
    for (const settings of bits.flatMap((bit) => bits.map((other) => (bit === other ? bit : bit + other)))) {
      const plain = piecesOf(mode, settings);
      const { pieces, bytes } = legacyOf({ mode, settings }, false);
      const what = `mode ${mode}, settings ${settings}`;
      const list = pieces.map(({ schema, frame, bytes: size }) => [schema.name, frame ?? '', size]);
      expect(list, what).toEqual(plain.map(({ name, frame, size }) => [name, frame, size]));
      expect(bytes).toBe(plain.reduce((sum, { size }) => sum + size, 0));
      const data = random.bytes(bytes);
      let at = 0;
      for (const [k, { schema, bytes: size }] of pieces.entries()) {
        expect(valuesOf(schema, data, at), what).toEqual(trimmed(plain[k].values(data, at)));
        at += size;
      }
    }
  }
});

test('without a configuration the commonest layout of a length is taken', () => {
  for (let length = 0; length < 300; length++) {
    const setup = guessSetup(length);
    const names = setup && legacyOf(setup, false).pieces.map(({ schema }) => schema.name);
    expect([length, names]).toEqual([length, guessOf(length)?.map(({ name }) => name)]);
  }
});
