import { describe, expect, test } from 'vitest';
import { sampleFile } from '../../test/suite/sample.ts';
import { openInput } from '../open.ts';
import { nameOf, namesAt } from './enumeration.ts';
import type { Table } from './table.ts';

const colours = new Map([
  [0, 'RED'],
  [2, 'BLUE'],
]);

describe('values', () => {
  const plain = { name: 'COLOUR', bitmask: false, names: colours };
  test.each([
    [0, 'RED'],
    [2, 'BLUE'],
    [2n, 'BLUE'],
    [1, null],
    [null, null],
    [Number.NaN, null],
  ])('%s', (value, name) => expect(nameOf(plain, value)).toBe(name));
});

describe('bits', () => {
  const names = new Map([
    [0, 'NONE'],
    [1, 'A'],
    [6, 'BC'],
    [2 ** 40, 'HIGH'],
  ]);
  const bits = { name: 'BITS', bitmask: true, names };
  test.each<[number | bigint | null, readonly string[] | null]>([
    [0, []],
    [1, ['A']],
    [7, ['A', 'BC']],
    [2, ['0x2']],
    [9, ['A', '0x8']],
    [2 ** 40 + 1, ['A', 'HIGH']],
    [1n << 63n, ['0x8000000000000000']],
    [-1n << 63n, ['0x8000000000000000']],
    [null, null],
  ])('%s', (value, expected) => expect(nameOf(bits, value)).toEqual(expected));
});

test('of a column of a log', async () => {
  const log = await openInput(sampleFile('copter-square.tlog').bytes);
  const [type, mode, custom] = await (log.table('HEARTBEAT', '1:1') as Table).columns([
    'type',
    'base_mode',
    'custom_mode',
  ]);
  expect(namesAt(type, 0)).toBe('MAV_TYPE_QUADROTOR');
  expect(namesAt(mode, 0)).toContain('MAV_MODE_FLAG_CUSTOM_MODE_ENABLED');
  expect(namesAt(custom, 0)).toBeNull();
});
