import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SAMPLE, skein } from '../helpers/cli.ts';

describe('skein view refuses with a sentence', () => {
  test.each([
    ['a file that is not there', ['missing.BIN'], 1, 'missing.BIN: no such file'],
    ['a folder', [dirname(SAMPLE)], 2, 'is not a file'],
    ['no log and no lake', [], 2, 'give a log, or --lake FOLDER'],
    ['a lake that is none', ['--lake', dirname(SAMPLE)], 2, 'is not a lake; create one: skein ingest PATH... --lake'],
    ['a port that is none', [SAMPLE, '--port', '70000'], 2, '--port 70000: must be 0 to 65535'],
  ])('%s', (_what, words, code, text) => {
    const run = skein(['view', ...words, '--no-open']);
    expect(run.stderr).toContain(text);
    expect(run.stdout).toBe('');
    expect(run.code).toBe(code);
  });
});
