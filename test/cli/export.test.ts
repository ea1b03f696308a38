import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordsOf, SAMPLE, shell, skein, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { textLog } from '../helpers/made-log.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

describe('a part of a log', () => {
  test('by type and time has the same records, times and offsets of its own', async () => {
    const part = at('part.BIN');
    const run = await skeinHere(
      'export',
      '--to',
      'bin',
      '--type',
      'ATT,IMU[0]',
      '--from',
      '+60s',
      '--until',
      '+62s',
      '-o',
      part,
      SAMPLE,
    );
    expect(run).toEqual({ code: 0, stdout: '', stderr: '' });
    const [whole, cut] = [
      await skeinHere('dump', '--type', 'ATT,IMU[0]', '--from', '+60s', '--until', '+62s', SAMPLE),
      await skeinHere('dump', '--type', 'ATT,IMU[0]', part),
    ];
    const plain = (stdout: string): unknown[] => recordsOf(stdout).map(({ at: _, ...rest }) => rest);
    expect(cut.code).toBe(0);
    expect(plain(cut.stdout)).toEqual(plain(whole.stdout));
    expect(plain(cut.stdout).length).toBeGreaterThan(50);
  });

  test('goes to standard output as bytes', () => {
    const run = shell('$SKEIN export --to bin --type MODE $SAMPLE > "$PART"', { PART: at('out.BIN') });
    expect(run).toEqual({ code: 0, stdout: '', stderr: '' });
    const written = skein(['export', '--to', 'bin', '--type', 'MODE', SAMPLE, '-o', at('file.BIN')]);
    expect(written.code).toBe(0);
    expect(readFileSync(at('out.BIN')).equals(readFileSync(at('file.BIN')))).toBe(true);
  });

  test('of a text log is refused in a sentence', async () => {
    const text = at('text.log');
    writeFileSync(text, textLog('FMT, 132, 67, MSG, Z, Message', 'MSG, hello'));
    const run = await skeinHere('export', '--to', 'bin', text, '-o', at('never.BIN'));
    expect(run).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`--to bin needs a log of format dataflash; ${text} is dataflash-text\n`),
    });
    expect(existsSync(at('never.BIN'))).toBe(false);
  });
});

describe('a file that is written', () => {
  test('is not written over without being asked to', async () => {
    const path = at('track.csv');
    expect((await skeinHere('track', '--to', 'csv', '-o', path, SAMPLE)).code).toBe(0);
    const before = readFileSync(path, 'utf8');
    const again = await skeinHere('track', '--to', 'csv', '--until', '+60s', '-o', path, SAMPLE);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain(`${path} already exists: use --force to replace it`);
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect((await skeinHere('track', '--to', 'csv', '--until', '+60s', '-o', path, '--force', SAMPLE)).code).toBe(0);
    expect(readFileSync(path, 'utf8').length).toBeLessThan(before.length);
  });

  test('- is standard output', async () => {
    const [dash, none] = [await skeinHere('track', '-o', '-', SAMPLE), await skeinHere('track', SAMPLE)];
    expect(dash).toEqual(none);
    expect(JSON.parse(dash.stdout)).toMatchObject({ type: 'Feature' });
    expect(existsSync('-')).toBe(false);
  });

  const small = at('small');
  mkdirSync(small);
  // in a name space of its own, so that nothing is left mounted
  const mounting = ['-rm', 'mount', '-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small];
  const canMount = spawnSync('unshare', mounting).status === 0;

  test.skipIf(!canMount)(
    `on a full disk leaves nothing${canMount ? '' : ' (skipped: no file system can be mounted)'}`,
    () => {
      const script = `mount -t tmpfs -o size=64k tmpfs ${small} && $SKEIN export --to bin -o ${small}/part.BIN $SAMPLE; echo $?; ls -A ${small} | wc -l`;
      const run = shell(`unshare -rm sh -c '${script}'`);
      expect(run.stdout).toBe('1\n0\n');
      expect(run.stderr).toBe('skein: the disk is full\n');
      expect(readdirSync(small)).toEqual([]);
    },
  );
});
