import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../test/helpers/folder.ts';
import { locate, parseRoot } from './find-logs.ts';

const folder = temporaryFolder();
const at = (...parts: string[]): string => join(folder, ...parts);

for (const name of ['mnt/flights/a', 'mnt/flights-2', 'elsewhere']) mkdirSync(at(name), { recursive: true });
for (const name of ['mnt/flights/a/1.BIN', 'mnt/flights-2/2.BIN', 'elsewhere/3.BIN']) writeFileSync(at(name), 'x');
symlinkSync(at('elsewhere/3.BIN'), at('mnt/flights/link.BIN'));
symlinkSync(at('elsewhere'), at('mnt/flights/folder'));
symlinkSync(at('mnt/flights/a/1.BIN'), at('mnt/flights/inside.BIN'));
symlinkSync(at('mnt/flights-2/2.BIN'), at('mnt/flights/other.BIN'));
symlinkSync(at('mnt'), at('mounted'));
execFileSync('mkfifo', [at('mnt/flights/pipe')]);

const roots = [
  { from: '/srv/flights', to: at('mnt/flights') },
  { from: '/srv/flights/special', to: at('mnt/flights-2') },
];

test('files lie where the longest root says', async () => {
  expect(await locate('/srv/flights/a/1.BIN', roots)).toBe(at('mnt/flights/a/1.BIN'));
  expect(await locate('/srv/flights/special/2.BIN', roots)).toBe(at('mnt/flights-2/2.BIN'));
  expect(await locate('/srv/flights/inside.BIN', roots)).toBe(at('mnt/flights/a/1.BIN'));
  expect(await locate('/srv/flights/other.BIN', roots)).toBe(at('mnt/flights-2/2.BIN'));
  // the root itself may be a link
  const linked = [{ from: '/srv', to: at('mounted/flights') }];
  expect(await locate('/srv/a/1.BIN', linked)).toBe(at('mnt/flights/a/1.BIN'));
});

test.each([
  '/etc/passwd',
  '/srv/flights/../../etc/passwd',
  '/srv/flights/a/../a/1.BIN',
  '/srv/flights-2/2.BIN',
  '/srv/flights',
  'srv/flights/a/1.BIN',
  '',
  '/srv/flights/link.BIN',
  '/srv/flights/folder/3.BIN',
])('%j is refused', async (path) => {
  await expect(locate(path, roots)).rejects.toThrow('not in a folder allowed by --allow or --root');
});

test('what is there and no file, and what is not there, is told', async () => {
  await expect(locate('/srv/flights/a', roots)).rejects.toThrow('not a regular file');
  await expect(locate('/srv/flights/pipe', roots)).rejects.toThrow('not a regular file');
  await expect(locate('/srv/flights/none', roots)).rejects.toThrow('not found');
});

test('a root is two paths', () => {
  expect(parseRoot('/srv/flights/=/mnt/a=b')).toEqual({ from: '/srv/flights', to: '/mnt/a=b' });
  for (const word of ['/srv', 'srv=/mnt', '=/mnt', '/srv=', '']) expect(parseRoot(word)).toBeUndefined();
});
