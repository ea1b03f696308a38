import { describe, expect, it } from 'vitest';
import { pack } from './compile-table.ts';
import type { Declarations, DeclaredField } from './declarations.ts';
import { unpack } from './packed.ts';

const field: DeclaredField = {
  name: 'a',
  type: 'uint8_t',
  length: 0,
  extension: false,
  unit: '',
  invalid: '',
  enumeration: '',
  bitmask: false,
  instance: false,
  multiplier: undefined,
  minimum: undefined,
  maximum: undefined,
  version: false,
};

const file: Declarations = {
  name: 'odd',
  includes: [
    { name: 'one', line: 0 },
    { name: 'two', line: 0 },
  ],
  version: 0,
  enums: [
    { name: 'NONE', bitmask: false, entries: [] },
    { name: 'NO_BITS', bitmask: true, entries: [] },
    { name: 'SINGLE', bitmask: false, entries: [[0, 'SINGLE_ONE']] },
    {
      name: 'PREFIXED',
      bitmask: false,
      entries: [
        [-3, 'P_A'],
        [-2, 'P_AB'],
        [7, 'P_'],
      ],
    },
    {
      name: 'BITS',
      bitmask: true,
      entries: [
        [0, 'NOTHING'],
        [1, 'A'],
        [2, 'B'],
        [64, 'C'],
        [2 ** 40, 'D'],
        [2 ** 41, 'E'],
      ],
    },
  ],
  messages: [
    { id: 0, name: 'EMPTY', fields: [], wip: false, deprecation: undefined, line: 0 },
    {
      id: 16777215,
      name: 'FULL',
      wip: true,
      deprecation: { kind: 'superseded', since: '', replacedBy: '' },
      line: 0,
      fields: [
        field,
        { ...field, name: '_1', type: 'char', length: 9, instance: true, bitmask: true, version: true },
        { ...field, name: 'f', type: 'float', unit: 'm/s*5', invalid: '[NaN:]', enumeration: 'BITS' },
        { ...field, name: 'd', type: 'double', multiplier: 1e-7, minimum: -1e21, maximum: 0.5, extension: true },
        { ...field, name: 'q', length: 1, type: 'int64_t', unit: '%', maximum: 4, extension: true },
      ],
    },
    {
      id: 7,
      name: 'OLD',
      wip: false,
      deprecation: { kind: 'deprecated', since: '2018-11', replacedBy: 'FULL' },
      line: 0,
      fields: [{ ...field, extension: true }],
    },
  ],
};

/** Without what is only made when it is asked for. */
function plain({ name, includes, version, enums, messages }: Declarations): Declarations {
  return {
    name,
    includes,
    version,
    enums: enums.map((one) => ({ name: one.name, bitmask: one.bitmask, entries: one.entries })),
    messages: messages.map((one) => {
      const { id, name: title, wip, deprecation, line, fields } = one;
      return { id, name: title, wip, deprecation, line, fields };
    }),
  };
}

describe('a packed file', () => {
  it('is what it was when it is unpacked, also beside others', () => {
    const other = { ...file, name: 'other', includes: [], enums: [], messages: [] };
    const files = unpack(pack([file, other, { ...file, name: 'third' }]));
    expect([...files.keys()]).toEqual(['odd', 'other', 'third']);
    expect([...files.values()].map(plain)).toEqual([file, other, { ...file, name: 'third' }]);
  });

  it('has lengths and checksum without reading fields', () => {
    const [, full] = unpack(pack([file])).get('odd')?.messages ?? [];
    expect(full).toMatchObject({ baseLength: 14, length: 30, crcExtra: expect.any(Number) });
  });

  it('takes no text that would part it', () => {
    for (const unit of ['m s', 'a~', '!', 'a|b', '<', '>', '`', '\\']) {
      const message = { ...file.messages[1], fields: [{ ...field, unit }] };
      expect(() => pack([{ ...file, messages: [message] }])).toThrow('cannot be packed');
    }
  });

  it('says which field cannot be read', () => {
    const [message] = unpack('=x 3\n1 2 3 4 A  ?').get('x')?.messages ?? [];
    expect(() => message.fields).toThrow('built-in field ? cannot be read');
    const [other] = unpack('=x 3\n1 2 3 4 A  Za').get('x')?.messages ?? [];
    expect(() => other.fields).toThrow('built-in field Za cannot be read');
  });
});
