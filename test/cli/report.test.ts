import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SAMPLE, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { MadeLog } from '../helpers/made-log.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

function fileOf(name: string, content: string | Uint8Array): string {
  writeFileSync(at(name), content);
  return at(name);
}

/** A flight of ten seconds with vibration of so much. */
function flight(vibration: number): MadeLog {
  const made = new MadeLog()
    .define('MSG', 'QZ', 'TimeUS,Message')
    .define('EV', 'QB', 'TimeUS,Id')
    .define('VIBE', 'Qfff', 'TimeUS,VibeX,VibeY,VibeZ')
    .add('MSG', 1, 'ArduCopter V4.5.7')
    .add('EV', 1_000_000, 10)
    .add('EV', 2_000_000, 28);
  for (let k = 0; k < 100; k++) made.add('VIBE', 2_000_000 + k * 100_000, 5, vibration, 1);
  return made.add('EV', 12_000_000, 18).add('EV', 12_100_000, 11);
}

const good = fileOf('good.BIN', flight(5).bytes());
const shaky = fileOf('shaky.BIN', flight(40).bytes());
const broken = fileOf('broken.BIN', flight(70).bytes());

interface Json {
  readonly file: string;
  readonly verdict: string;
  readonly counts: Record<string, number>;
  readonly findings: { title: string; severity: string; from: number | null; value: number; source: string }[];
}

const json = async (...args: string[]): Promise<Json> =>
  JSON.parse((await skeinHere('report', '--json', ...args)).stdout) as Json;

describe('report', () => {
  test('tells what is wrong first, with numbers, source and fields', async () => {
    const { stdout, stderr, code } = await skeinHere('report', broken);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    const lines = stdout.split('\n').map((line) => line.trim());
    expect(lines[0]).toBe(broken);
    expect(lines[2]).toBe('1 failure');
    expect(lines.slice(4, 6)).toEqual([
      'What went wrong',
      expect.stringMatching(/^2\.0 s +Vibration: VIBE\.VibeY reached 70/),
    ]);
    expect(stdout).toMatch(/\n +FAIL +Vibration +2\.0 s to 11\.9 s\n/);
    expect(stdout).toContain('VIBE.VibeY reached 70 m/s² in flight; above 60 m/s² for 10 s.');
    expect(stdout).toContain('70 m/s², limit 60 (ArduPilot wiki, Diagnosing problems using logs); VIBE.VibeX');
    expect(stdout).toMatch(/FAIL: 1 failure, 0 warnings/);
    expect(stdout).toMatch(/no data +.*Attitude/);
  });

  test('the steps of what came first are in one column, whatever their times', async () => {
    const made = new MadeLog()
      .define('MSG', 'QZ', 'TimeUS,Message')
      .define('EV', 'QB', 'TimeUS,Id')
      .define('VIBE', 'Qfff', 'TimeUS,VibeX,VibeY,VibeZ')
      .add('MSG', 1, 'ArduCopter V4.5.7')
      .add('EV', 1_000_000, 10)
      .add('EV', 2_000_000, 28);
    for (let k = 20; k < 660; k++) made.add('VIBE', k * 100_000, 5, k < 550 ? 5 : 70, 1);
    made.add('MSG', 66_000_000, 'Crash: Disarming').add('EV', 66_100_000, 11);
    const { stdout } = await skeinHere('report', fileOf('minute.BIN', made.bytes()));
    const chain = stdout.split('\n\n')[1].split('\n').slice(1);
    expect(chain[0]).toMatch(/^ {2} +55\.0 s {2}Vibration: /);
    expect(chain.at(-1)).toMatch(/^ {2}1 min 6\.0 s {2}Crash/);
    expect(new Set(chain.map((line) => line.search(/[A-Z]/))).size).toBe(1);
  });

  test('--all tells what is well and what could not be told', async () => {
    const { stdout } = await skeinHere('report', '--all', good);
    expect(stdout).toContain('VIBE.VibeX was at most 5 m/s² in flight.');
    expect(stdout).toContain('No GPS receiver in the log.');
  });

  test('--json: times in seconds', async () => {
    const { verdict, counts, findings } = await json(broken);
    expect(verdict).toBe('fail');
    expect(counts.fail).toBe(1);
    expect(findings[0]).toMatchObject({
      title: 'Vibration',
      severity: 'fail',
      from: 2,
      to: 11.9,
      value: 70,
      threshold: 60,
    });
    const text = await skeinHere('report', '--to', 'json', broken, good);
    expect((JSON.parse(text.stdout) as Json[]).map(({ file }) => file)).toEqual([broken, good]);
  });

  test.each([
    [good, 'fail', 0],
    [good, 'warn', 0],
    [shaky, 'fail', 0],
    [shaky, 'warn', 1],
    [broken, 'fail', 1],
    [broken, 'warn', 1],
  ])('%s with --fail-on %s', async (file, severity, expected) => {
    expect((await skeinHere('report', '--fail-on', severity, file)).code).toBe(expected);
  });

  test('without --fail-on findings do not make it fail, but damage is told', async () => {
    expect((await skeinHere('report', broken)).code).toBe(0);
    expect((await skeinHere('report', '--strict', SAMPLE)).code).toBe(3);
  });

  test('--rules: thresholds of your own', async () => {
    const rules = fileOf('rules.json', '{"vibration": {"warn": 1, "fail": 4}, "gps": false}');
    const { findings } = await json('--rules', rules, good);
    expect(findings[0]).toMatchObject({ title: 'Vibration', severity: 'fail', source: rules });
    expect(findings.some(({ title }) => title === 'GPS')).toBe(false);
    const wrong = fileOf('wrong.json', '{"vibration": {"fial": 4}}');
    const run = await skeinHere('report', '--rules', wrong, good);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('vibration has no rule fial: did you mean fail?');
    expect((await skeinHere('report', '--rules', at('absent.json'), good)).code).toBe(2);
  });

  test('--print-rules gives a file that --rules takes', async () => {
    const { stdout } = await skeinHere('report', '--print-rules');
    const printed = fileOf('printed.json', stdout);
    const [own, standard] = [await json('--rules', printed, broken), await json(broken)];
    expect(own.counts).toEqual(standard.counts);
  });

  test('--to html writes one page, and does not overwrite it', async () => {
    const page = at('page.html');
    expect((await skeinHere('report', broken, '--to', 'html', '-o', page)).code).toBe(0);
    expect(readFileSync(page, 'utf8')).toContain('<h1>broken.BIN</h1>');
    expect((await skeinHere('report', broken, '--to', 'html', '-o', page)).code).toBe(1);
    expect((await skeinHere('report', good, broken, '--to', 'html', '-o', page)).code).toBe(2);
  });

  test('several files: one that cannot be read does not hide the others', async () => {
    const { stdout, stderr, code } = await skeinHere('report', at('absent.BIN'), broken);
    expect(code).toBe(1);
    expect(stderr).toContain('absent.BIN');
    expect(stdout).toContain('FAIL');
  });

  test('no file is wrong usage', async () => {
    expect((await skeinHere('report')).code).toBe(2);
  });
});
