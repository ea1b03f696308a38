import { expect, test } from 'vitest';
import { EXIT, sentence, UsageError } from './failure.ts';

const coded = (code: string, path?: string): Error => Object.assign(new Error('raw text'), { code, path });

test.each([
  [coded('ENOENT', '/a'), '/a: no such file'],
  [coded('ENOENT'), 'file: no such file'],
  [coded('EACCES', '/a'), '/a: permission denied'],
  [coded('EPERM', '/a'), '/a: permission denied'],
  [coded('EISDIR', '/a'), '/a is a folder, not a file'],
  [coded('ENOSPC'), 'the disk is full'],
  [coded('EMFILE', '/a'), 'too many open files: allow more with ulimit -n, such as 1024'],
  [coded('EOTHER', '/a'), 'raw text'],
  [new UsageError('say it otherwise'), 'say it otherwise'],
  ['thrown text', 'thrown text'],
])('%s in a sentence', (error, text) => {
  expect(sentence(error)).toBe(text);
});

test('the exit codes are those of the help', () => {
  expect(EXIT).toEqual({ well: 0, failed: 1, usage: 2, damage: 3 });
});
