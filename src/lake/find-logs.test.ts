import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/helpers/folder.ts';
import { findFiles } from './find-logs.ts';

const root = temporaryFolder();
const at = (...parts: string[]): string => join(root, ...parts);

for (const folder of ['a/b', 'lake/GPS', 'c']) mkdirSync(at(folder), { recursive: true });
for (const [name, bytes] of Object.entries({
  'a/1.BIN': 3,
  'a/b/2.BIN': 5,
  'a/b/x.log': 1,
  'c/[1].BIN': 2,
  '.hidden': 9,
}))
  writeFileSync(at(name), 'x'.repeat(bytes));
writeFileSync(at('lake/GPS/1.parquet'), 'x');
symlinkSync(at('a'), at('a/b/loop'));
symlinkSync(at('a/1.BIN'), at('c/same.BIN'));
symlinkSync(at('nowhere'), at('c/dangling'));

async function found(...words: string[]): Promise<string[]> {
  const { files } = await findFiles(
    words.map((word) => at(word)),
    at('lake'),
  );
  return files.map(({ path }) => relative(root, path));
}

test('folders are looked through, each file once, the largest first, the lake and what is hidden left out', async () => {
  expect(await found('.')).toEqual(['a/b/2.BIN', 'a/1.BIN', 'c/[1].BIN', 'a/b/x.log']);
});

test('patterns', async () => {
  expect(await found('**/*.BIN')).toEqual(['a/b/2.BIN', 'a/1.BIN', 'c/[1].BIN']);
  expect(await found('a/*.BIN')).toEqual(['a/1.BIN']);
  expect(await found('a/b/[0-9].BIN')).toEqual(['a/b/2.BIN']);
  expect(await found('a/b/[!0-9].*')).toEqual(['a/b/x.log']);
  expect(await found('?/1.BIN')).toEqual(['a/1.BIN']);
  // a file of that name is meant itself
  expect(await found('c/[1].BIN')).toEqual(['c/[1].BIN']);
});

test('what cannot be looked at is said, and the rest is found', async () => {
  const { files, failures } = await findFiles([at('c'), at('absent.BIN'), at('*.none'), '/dev/null'], at('lake'));
  expect(files).toHaveLength(2);
  expect(failures).toEqual([
    { path: at('c/dangling'), reason: 'not found, or a broken link' },
    { path: at('absent.BIN'), reason: 'not found, or permission denied' },
    { path: at('*.none'), reason: 'no file matches' },
    { path: '/dev/null', reason: 'not a regular file' },
  ]);
});

test('a file that is named is meant to be a log, one in a folder may be anything', async () => {
  const { files } = await findFiles([at('a'), at('a/1.BIN')]);
  expect(files.map(({ path, isNamed }) => [relative(root, path), isNamed])).toEqual([
    ['a/b/2.BIN', false],
    ['a/1.BIN', true],
    ['a/b/x.log', false],
  ]);
});
