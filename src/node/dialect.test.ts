import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readDialect } from './dialect.ts';

let folder = '';
const at = (...parts: string[]): string => join(folder, ...parts);
const message = (id: number, name: string): string => `<messages><message id="${id}" name="${name}"/></messages>`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-dialect-'));
  mkdirSync(at('in'));
  writeFileSync(at('outside.xml'), `<mavlink>${message(3, 'OUTSIDE')}</mavlink>`);
  writeFileSync(at('in', 'base.xml'), `<mavlink>${message(1, 'BASE')}</mavlink>`);
  writeFileSync(at('in', 'my own.xml'), `<mavlink><include>base.xml</include>${message(2, 'MINE')}</mavlink>`);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('reads a file and what it includes', async () => {
  const dialect = await readDialect(at('in', 'my own.xml'));
  expect(dialect.name).toBe('my own');
  expect([...dialect.messages.values()].map(([{ name }]) => name)).toEqual(['BASE', 'MINE']);
});

it('follows a link to the file itself, and then reads from where it is', async () => {
  symlinkSync(at('in', 'my own.xml'), at('link.xml'));
  expect((await readDialect(at('link.xml'))).messages.size).toBe(2);
});

it('takes the built-in file where an included one is not there', async () => {
  writeFileSync(at('in', 'more.xml'), `<mavlink><include>minimal.xml</include>${message(9, 'MORE')}</mavlink>`);
  expect([...(await readDialect(at('in', 'more.xml'))).messages.keys()]).toEqual([0, 9]);
});

it('does not leave the folder by a link', async () => {
  symlinkSync(at('outside.xml'), at('in', 'out.xml'));
  writeFileSync(at('in', 'leaves.xml'), '<mavlink><include>out.xml</include></mavlink>');
  await expect(readDialect(at('in', 'leaves.xml'))).rejects.toThrow('out.xml:1: the file is a link that leads out of');
});

it('says what is not there, no file, or too large', async () => {
  await expect(readDialect(at('gone.xml'))).rejects.toThrow(/ENOENT.*gone\.xml/);
  mkdirSync(at('in', 'folder.xml'));
  await expect(readDialect(at('in', 'folder.xml'))).rejects.toThrow('folder.xml is not a file');
  writeFileSync(at('in', 'large.xml'), '');
  truncateSync(at('in', 'large.xml'), 2 ** 40);
  await expect(readDialect(at('in', 'large.xml'))).rejects.toThrow(
    'large.xml:1: the file has 1099511627776 bytes, at most 8388608 are accepted',
  );
});

it('passes on what is wrong with the file', async () => {
  writeFileSync(at('in', 'bad.xml'), '<mavlink>\n<messages><message id="x" name="A"/></messages></mavlink>');
  await expect(readDialect(at('in', 'bad.xml'))).rejects.toThrow('bad.xml:2: id "x" of message A is not 0 to 16777215');
  symlinkSync(at('in', 'loop.xml'), at('in', 'loop.xml'));
  writeFileSync(at('in', 'loops.xml'), '<mavlink><include>loop.xml</include></mavlink>');
  await expect(readDialect(at('in', 'loops.xml'))).rejects.toThrow('ELOOP');
});
