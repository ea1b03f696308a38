import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { sharedData } from '../helpers/need.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const empty = mkdtempSync(join(tmpdir(), 'skein-data-'));
afterAll(() => rmdirSync(empty));

interface Run {
  readonly status: number | null;
  readonly output: string;
  readonly lastLine: string;
}

function run(fixture: string, env: Record<string, string>): Run {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', 'test/fixtures/vitest.config.ts', `${fixture}.fixture`];
  const inherited = { ...process.env };
  for (const name of ['CI', 'VITEST', 'SKEIN_DATA', 'FORCE_COLOR']) delete inherited[name];
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...inherited, NO_COLOR: '1', ...env },
  });
  return { status, output: stdout, lastLine: stdout.trimEnd().split('\n').at(-1) ?? '' };
}

describe('what a test needs and does not find', () => {
  test('is skipped, and the title says why', () => {
    const { status, output, lastLine } = run('need', { SKEIN_DATA: empty });
    expect(lastLine).toBe('2 passed, 0 failed, 2 skipped');
    expect(status).toBe(0);
    expect(output).toContain('has no-such-command (skipped: no command no-such-command)');
    expect(output).toContain('has no-such-folder (skipped: no ../shared/data/no-such-folder;');
  });

  test('fails under CI', () => {
    const { status, lastLine } = run('need', { SKEIN_DATA: empty, CI: 'true' });
    expect(lastLine).toBe('2 passed, 2 failed');
    expect(status).toBe(1);
  });

  test('is looked for beside the repository unless SKEIN_DATA says otherwise', () => {
    const before = process.env.SKEIN_DATA;
    delete process.env.SKEIN_DATA;
    expect(sharedData('pcap', 'odd')).toBe(join(root, '../shared/data/pcap/odd'));
    process.env.SKEIN_DATA = empty;
    expect(sharedData('pcap')).toBe(join(empty, 'pcap'));
    if (before === undefined) delete process.env.SKEIN_DATA;
    else process.env.SKEIN_DATA = before;
  });
});

describe('the last line of a run counts as failed', () => {
  test.each([
    ['a hook that throws', 'stray', '1 passed, 1 failed, 1 skipped'],
    ['a file that does not load', 'unloadable', '0 passed, 1 failed'],
    ['a rejection that nobody handles', 'rejection', '1 passed, 1 failed'],
  ])('%s', (_what, fixture, line) => {
    const { status, lastLine } = run(fixture, {});
    expect(lastLine).toBe(line);
    expect(status).toBe(1);
  });
});
