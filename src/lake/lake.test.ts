import { relative, sep } from 'node:path';
import { expect, test } from 'vitest';
import { Lake, partitionValue, tableFolders } from './lake.ts';

const HOSTILE = [
  '../a',
  '/etc/x',
  'C:\\x',
  'CON',
  'a:b',
  'a.',
  ' a',
  '',
  '_catalogue',
  '.',
  '..',
  'a\0b',
  'x'.repeat(300),
];

test('a table has a folder of its own in the lake, whatever its name', () => {
  const names = [...HOSTILE, 'GPS', 'AB', 'Ab', 'A/B', 'A?B'];
  const folders = tableFolders(names);
  expect(folders.get('GPS')).toBe('GPS');
  expect(new Set([...folders.values()].map((name) => name.toLowerCase())).size).toBe(names.length);
  const lake = new Lake('lake');
  for (const folder of folders.values()) {
    const path = relative(lake.root, lake.dataFile(folder, { log: 'f00', vehicle: 'v', date: null }));
    expect(path).toBe([folder, 'vehicle=v', 'date=__HIVE_DEFAULT_PARTITION__', 'f00.parquet'].join(sep));
    expect(folder).not.toMatch(/^[._]|[\\/:\0]/);
  }
});

test('the folder of a name does not depend on the other names of a log', () => {
  expect(tableFolders(['A/B']).get('A/B')).toBe(tableFolders(['A?B', 'A/B', 'GPS']).get('A/B'));
});

test('a vehicle is one part of a path, and two are never the same', () => {
  const names = [...HOSTILE, 'falcon-3', 'a b', 'a_b', 'a=b', "a'b", '3d1219c7c4c5404a'];
  const values = names.map(partitionValue);
  expect(new Set(values).size).toBe(names.length);
  expect(partitionValue('falcon-3')).toBe('falcon-3');
  for (const value of values) expect(value).toMatch(/^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u);
});
