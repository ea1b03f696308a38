// Exit codes tell the truth: each command with each ending. Never 0 where data was lost, and standard error says why.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { Running } from '../bus/jobs.ts';
import { SAMPLE, shell, skein, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { need } from '../helpers/need.ts';
import { sampleFile } from '../suite/sample.ts';

const folder = temporaryFolder();
const log = join(folder, 'whole.BIN');
const lake = join(folder, 'lake');
const disk = join(folder, 'disk');
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'disk', '/mnt']).status === 0;

/** What a log may be like, and how a command that reads it ends. */
const LOGS: Readonly<Record<string, readonly [code: number, says: RegExp]>> = {
  whole: [0, /^(?!.*lost)/s],
  damaged: [3, /damaged\.BIN: 1,\d{3} bytes lost to damage/],
  text: [1, /not a log/],
  missing: [1, /missing\.BIN: no such file/],
  folder: [1, /folder\.BIN is a folder/],
};
const logOf = (kind: string): string => join(folder, `${kind}.BIN`);

/** Commands that read a log; `out` is a file that is not there yet. */
const COMMANDS: Readonly<Record<string, (log: string, out: string) => string[]>> = {
  info: (path) => ['info', path],
  'info --json': (path) => ['info', '--json', path],
  dump: (path) => ['dump', path, '--type', 'ATT'],
  track: (path) => ['track', path],
  events: (path) => ['events', path],
  params: (path) => ['params', path],
  report: (path) => ['report', path],
  'report --json': (path) => ['report', '--json', path],
  compare: (path) => ['compare', log, path],
  sql: (path) => ['sql', 'SELECT 1', path],
  'export --to csv': (path, out) => ['export', '--to', 'csv', '--type', 'PARM', path, '-o', out],
  'export --to jsonl': (path, out) => ['export', '--to', 'jsonl', '--type', 'PARM', path, '-o', out],
  'export --to parquet': (path, out) => ['export', '--to', 'parquet', '--type', 'PARM', path, '-o', out],
  'export --to mcap': (path, out) => ['export', '--to', 'mcap', '--type', 'PARM', path, '-o', out],
  'export --to arrow': (path, out) => ['export', '--to', 'arrow', '--type', 'PARM', path, '-o', out],
  'export --to bin': (path, out) => ['export', '--to', 'bin', path, '-o', out],
  repair: (path, out) => ['repair', path, '-o', out],
};
const WRITING = Object.keys(COMMANDS).filter((name) => /^(export|repair)/.test(name));

beforeAll(() => {
  const { bytes } = sampleFile('copter-square.BIN');
  const whole = bytes.slice(0, 400_000);
  writeFileSync(log, whole);
  const damaged = whole.slice();
  for (let i = 0; i < 1000; i++) damaged[200_000 + i] = i * 7;
  writeFileSync(logOf('damaged'), damaged);
  writeFileSync(logOf('text'), 'hello world\n'.repeat(100));
  for (const path of [logOf('folder'), disk]) mkdirSync(path);
  expect(skein(['ingest', log, '--lake', lake]).code).toBe(0);
});

let files = 0;
const newFile = (): string => join(folder, `out-${files++}`);

describe.each(Object.keys(COMMANDS))('%s', (name) => {
  const run = COMMANDS[name];

  test.each(Object.keys(LOGS))('a log that is %s', async (kind) => {
    const [code, says] = LOGS[kind];
    const out = newFile();
    // queries run in a process whose standard error is that of the command
    const ended = name === 'sql' ? skein(run(logOf(kind), out)) : await skeinHere(...run(logOf(kind), out));
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(says)]);
    if (WRITING.includes(name)) expect(existsSync(out)).toBe(code !== 1);
    else if (code === 1) expect(ended.stdout).toBe('');
  });

  test('wrong usage', async () => {
    const { code, stdout, stderr } = await skeinHere(...run(log, newFile()), '--no-such-option');
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('--no-such-option')]);
  });

  const isWriting = WRITING.includes(name);
  if (isWriting) {
    test('ended by a signal as soon as it writes: nothing half-written has the name that was asked for', async () => {
      const place = newFile();
      mkdirSync(place);
      const running = new Running(...run(log, join(place, 'out')));
      const ended = running.end();
      let isOver = false;
      void ended.then(() => {
        isOver = true;
      });
      while (!isOver && readdirSync(place).length === 0) await sleep(2);
      await running.end('SIGTERM');
      const { code } = await ended;
      expect([0, null]).toContain(code);
      if (code === 0) return;
      // a folder may be there already, with drafts in it
      const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
      expect(files.map(({ name }) => name).filter((name) => !/^\..*\.part$/.test(name))).toEqual([]);
    });
  } else {
    test('a reader that went away is no error', () => {
      const words = run(log, '').map((word) => `'${word}'`);
      const { stdout, stderr } = shell(`$SKEIN ${words.join(' ')} | true; echo \${PIPESTATUS[0]}`);
      expect([stdout, stderr]).toEqual(['0\n', expect.not.stringMatching(/EPIPE|Error/)]);
    });
  }
  need(
    test,
    !isWriting || canMount,
    'no mounts of its own for a test',
  )('a disk that is full', () => {
    const words = ['$SKEIN', ...run(log, join(disk, 'out')).map((word) => `'${word}'`)].join(' ');
    // a file system of its own, and what is left there
    const line = isWriting
      ? `unshare -rm sh -c "mount -t tmpfs -o size=4k disk ${disk} && ${words}; e=\\$?; ls -AR ${disk}; exit \\$e"`
      : `${words} > /dev/full`;
    const { code, stdout, stderr } = shell(line);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/the disk is full|No space left/)]);
    expect(stdout.replaceAll(/\S*out:?$/gm, '').trim()).toBe(isWriting ? `${disk}:` : '');
  });
});

describe('lakes', () => {
  const broken = join(folder, 'broken');
  beforeAll(() => {
    expect(skein(['ingest', log, '--lake', broken]).code).toBe(0);
    const name = readdirSync(broken, { recursive: true, encoding: 'utf8' }).find((each) =>
      /ATT.*\.parquet$/.test(each),
    );
    const path = join(broken, String(name));
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1] ^= 1;
    writeFileSync(path, bytes);
  });
  const QUESTIONS: Readonly<Record<string, (lake: string) => string[]>> = {
    'lake check': (path) => ['lake', 'check', '--lake', path],
    'sql --lake': (path) => ['sql', '--lake', path, 'SELECT count(*) FROM ATT'],
    'fleet --trend': (path) => ['fleet', '--lake', path, '--trend', 'ATT.Roll'],
  };
  test.each(Object.keys(QUESTIONS))('%s', async (name) => {
    expect((await skeinHere(...QUESTIONS[name](lake))).code).toBe(0);
    const { code, stdout, stderr } = skein(QUESTIONS[name](broken));
    expect([code, stdout + stderr]).toEqual([3, expect.stringMatching(/ATT.*\.parquet/)]);
    expect((await skeinHere(...QUESTIONS[name](join(folder, 'none')))).code).toBeGreaterThan(0);
  });

  test('ingest', async () => {
    const into = ['--lake', join(folder, 'new')];
    expect(await skeinHere('ingest', logOf('damaged'), ...into)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('1 of them damaged'),
    });
    expect(await skeinHere('ingest', logOf('text'), ...into)).toMatchObject({ code: 1 });
    expect(await skeinHere('ingest', logOf('missing'), ...into)).toMatchObject({ code: 1 });
  });
});

describe('a bus that is away', () => {
  const bus = ['--bus', 'nats://127.0.0.1:1'];

  test('archive --drain that is interrupted has not archived all', async () => {
    const running = new Running('archive', ...bus, '--lake', join(folder, 'archive'), '--drain');
    await expect.poll(() => running.stderr, { timeout: 20_000 }).toContain('connection refused');
    expect(await running.end('SIGTERM')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^skein: bus nats:\/\/127.0.0.1:1: [^:]*refused\n.*interrupted: .*\n$/s),
    });
  });

  test('live says what waits for it', async () => {
    const part = join(folder, 'part.tlog');
    writeFileSync(part, sampleFile('copter-square.tlog').bytes.slice(0, 40_000));
    const { code, stderr } = skein(['live', part, '--http', '0', ...bus, '--bus-spool', join(folder, 'spool')]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/[\d,]+ bytes wait in the spool: .*\n$/)]);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('ingest that ends with %s has not ingested', async (signal) => {
    const running = new Running('ingest', ...bus, '--lake', lake, SAMPLE);
    await expect.poll(() => running.stderr, { timeout: 20_000 }).toContain('refused');
    await sleep(100);
    expect((await running.end(signal)).code).not.toBe(0);
  });
});
