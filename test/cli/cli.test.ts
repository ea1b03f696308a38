import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Run, SAMPLE, shell, skein, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { MadeLog } from '../helpers/made-log.ts';

const COMMANDS = ['info', 'dump', 'track', 'export'];
const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

/** A log without a fault. */
const good = at('good.BIN');
writeFileSync(good, new MadeLog().define('ATT', 'Qc', 'TimeUS,Roll').add('ATT', 1_000_000, 12.5).bytes());
const letter = at('letter.txt');
writeFileSync(letter, 'Dear reader, this is no log.');

describe('help', () => {
  test.each(COMMANDS)('of %s goes to standard output, with examples', async (command) => {
    const run = await skeinHere(command, '--help');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(new RegExp(`^Usage: skein ${command} `));
    expect(run.stdout).toMatch(/\nExamples:\n {2}skein /);
    expect(await skeinHere('help', command)).toEqual(run);
  });

  test('without arguments is shown on standard error: it was not asked for', async () => {
    const { code, stdout, stderr } = await skeinHere();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const command of COMMANDS) expect(stderr).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  });

  test('as a whole names commands and exit codes', async () => {
    const { code, stdout } = await skeinHere('--help');
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
    // grouped by what people want to do
    for (const group of ['Look into a log:', 'Judge a flight:', 'Fly:', 'Keep many logs:'])
      expect(stdout).toMatch(new RegExp(`^${group}$`, 'm'));
    expect(stdout).toContain('Exit codes: 0 all well, 3 done but data was lost');
  });

  test('the version is that of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await skeinHere('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

describe('wrong usage is a sentence and exit code 2', () => {
  test.each([
    [['dmup', SAMPLE], 'unknown command dmup: did you mean dump?'],
    [['Info', SAMPLE], 'unknown command Info: did you mean info?'],
    [['info', '--jsn', SAMPLE], "unknown option '--jsn'\n(Did you mean --json?)"],
    [['dump', '--typ', 'GPS', SAMPLE], "unknown option '--typ'\n(Did you mean --type?)"],
    [['dump', '--type', 'GSP', SAMPLE], 'no table GSP in this log: did you mean GPS?'],
    [['dump', '--type', 'ATT,NOTHING', SAMPLE], 'no table NOTHING in this log: it has AHR2, ANG, '],
    [['dump', '--type', 'IMU[7]', SAMPLE], 'no table IMU[7] in this log: '],
    [['dump', '--limit', 'many', SAMPLE], '--limit many: expected a whole number'],
    [['dump', '--limit', '-1', SAMPLE], '--limit -1: expected a whole number'],
    [['dump', '--from', 'noon', SAMPLE], "'noon' is not a time: use +90s"],
    [['info', '--leap-seconds', 'x', SAMPLE], '--leap-seconds x: expected a whole number of seconds'],
    [['info', '--week-rollovers', 'x', SAMPLE], '--week-rollovers x: expected a whole number from -9 to 9'],
    [['dump', '--checksum', 'no', SAMPLE], 'Allowed choices are required, optional'],
    [['info'], "missing required argument 'files'"],
    [['dump'], "missing required argument 'file'"],
    [['dump', SAMPLE, SAMPLE], 'too many arguments'],
    [['track', '--to', 'shp', SAMPLE], 'Allowed choices are geojson, kml, gpx, wkt, csv'],
    [['track', '--source', 'GPS[9]', SAMPLE], 'GPS[9]'],
    [['export', SAMPLE], "required option '--to <format>' not specified"],
    [['export', '--to', 'bni', SAMPLE], 'Allowed choices are bin'],
  ])('skein %j', async (args, message) => {
    const { code, stdout, stderr } = await skeinHere(...args);
    expect(stderr).toMatch(/^skein: /);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });
});

describe('former names of options work for one more version, with a hint', () => {
  const hint = (text: string): string => `skein: ${text}; the old form will stop working in the next version\n`;

  test('dump --to TIME', async () => {
    const range = ['--type', 'GPS', '--from', '+60s'];
    const now = await skeinHere('dump', ...range, '--until', '+61s', SAMPLE);
    expect(now.stdout.trimEnd().split('\n')).toHaveLength(5);
    expect(await skeinHere('dump', ...range, '--to', '+61s', SAMPLE)).toEqual({
      ...now,
      stderr: hint('dump --to TIME is now --until TIME'),
    });
    expect((await skeinHere('dump', '--help')).stdout).not.toContain('--to');
  });

  test('replay --to LINK, --vehicle and --rate', async () => {
    const { code, stderr } = await skeinHere('replay', SAMPLE, '--vehicle', '--rate', '5', '--to', 'a.tlog');
    expect(code).toBe(2);
    expect(stderr).toBe(
      hint('replay --vehicle is now --answer') +
        hint('replay --rate N is now --pace N') +
        hint('replay --to LINK is now replay FILE LINK') +
        'skein: a.tlog is a file: skein export --to tlog writes one\n',
    );
    expect((await skeinHere('replay', SAMPLE)).stderr).toBe('skein: missing link: skein replay FILE LINK\n');
  });

  test('ingest --vehicle NAME', async () => {
    const run = await skeinHere('ingest', good, '--lake', at('named'), '--vehicle', 'falcon', '--vehicle-from', 'moon');
    expect(run.stderr).toContain(hint('ingest --vehicle NAME is now --vehicle-name NAME'));
  });
});

describe('what cannot be done is a sentence and exit code 1', () => {
  test.each([
    [['info', at('nothing.BIN')], `${at('nothing.BIN')}: no such file`],
    [[at('nothing.BIN')], `${at('nothing.BIN')}: no such file`],
    [['nosuchthing'], 'nosuchthing: no such file'],
    [['dump', folder], `${folder} is a folder, not a file`],
    [['dump', '/dev/null'], '/dev/null is not a regular file'],
    [['dump', letter], `${letter}: text: not a log; it begins with "Dear`],
    [['dump', '--follow', at('nothing.BIN')], `${at('nothing.BIN')}: no such file`],
    [['track', SAMPLE, '-o', at('no/track.kml')], `folder ${at('no')} not found`],
    [['track', SAMPLE, '-o', folder], `${folder} is a folder`],
    [['track', SAMPLE, '-o', letter], `${letter} already exists: use --force to replace it`],
    [['export', '--to', 'bin', SAMPLE, '-o', SAMPLE, '--force'], `${SAMPLE} is an input and is never overwritten`],
  ])('skein %j', async (args, message) => {
    const { code, stdout, stderr } = await skeinHere(...args);
    expect(stderr).toContain(`skein: ${message}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });
});

describe('exit codes of logs', () => {
  test.each(COMMANDS)('%s: 0 for a good or cut one, 3 for one that lost more', async (command) => {
    const to = command === 'export' ? ['--to', 'bin'] : [];
    expect((await skeinHere(command, ...to, good)).code).toBe(0);
    const cut = at('cut.BIN');
    writeFileSync(cut, readFileSync(good).subarray(0, -3));
    expect((await skeinHere(command, ...to, cut)).code).toBe(0);
    expect((await skeinHere(command, ...to, '--strict', cut)).code).toBe(3);
    const damaged = at('damaged.BIN');
    writeFileSync(damaged, Buffer.concat([readFileSync(good), Buffer.alloc(30, 0x55), readFileSync(good)]));
    expect((await skeinHere(command, ...to, damaged)).code).toBe(3);
  });

  test('a file alone is what info makes of it, whatever it is called', async () => {
    const info = await skeinHere('info', good);
    expect(info.code).toBe(0);
    expect(await skeinHere(good)).toEqual(info);
    const odd = at('dump');
    copyFileSync(good, odd);
    const both = await skeinHere(good, odd);
    expect(both).toMatchObject({ code: 0, stderr: '' });
    expect(both.stdout).toContain(`${odd}\n`);
  });
});

describe('a process of its own', () => {
  test('standard output has the data only, standard error the rest', () => {
    const track = skein(['track', '--to', 'csv', SAMPLE]);
    expect(track.stderr).toMatch(/^skein: \d+ points of \d+ records of GPS\[0\].*\n$/);
    expect(track.stdout).not.toContain('skein');
    expect(track.code).toBe(0);
    const dump = skein(['dump', '--type', 'MODE', SAMPLE]);
    expect(dump).toMatchObject({ code: 0, stderr: '' });
  });

  test('a reader that went away is no error: dump, track and help end quietly', () => {
    const run = shell(
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
      '$SKEIN dump $SAMPLE | head -1; echo ${PIPESTATUS[0]}; $SKEIN track $SAMPLE --to csv 2>/dev/null | head -1 | wc -l; echo ${PIPESTATUS[0]}; $SKEIN help dump | true; echo ${PIPESTATUS[0]}',
    );
    const lines = run.stdout.trimEnd().split('\n');
    expect(JSON.parse(lines[0])).toMatchObject({ type: 'FMT', at: 0 });
    expect(lines.slice(1)).toEqual(['0', '1', '0', '0']);
    expect(run.stderr).toBe('');
  });

  test('a disk that is full is one sentence', () => {
    const run = shell('$SKEIN dump $SAMPLE > /dev/full; echo $?; $SKEIN info --json $SAMPLE > /dev/full; echo $?');
    expect(run.stdout).toBe('1\n1\n');
    expect(run.stderr).toBe('skein: the disk is full\nskein: the disk is full\n');
  });

  test('colours are for terminals, also where a build runs', () => {
    const run = skein(['info', good], { CI: 'true', FORCE_COLOR: '1' });
    expect(run.stdout).not.toContain('\u001b');
  });

  test('has a sentence where it was not built', () => {
    const bin = join(folder, 'bin');
    const run = shell(
      `mkdir ${bin} && cp ${new URL('../../bin/skein.js', import.meta.url).pathname} ${bin}/skein.mjs && node ${bin}/skein.mjs`,
    );
    expect(run).toEqual({ code: 1, stdout: '', stderr: 'skein is not built: run npm ci\n' });
  });
});

describe('what the engine compiled of the program', () => {
  const place = at('program');
  const answer = (): Run => shell(`node ${place}/bin/skein.js info --json $SAMPLE`);

  beforeAll(() => {
    for (const name of ['bin', 'dist/program', 'package.json'])
      cpSync(new URL(`../../${name}`, import.meta.url), join(place, name), {
        recursive: true,
        preserveTimestamps: true,
      });
    symlinkSync(new URL('../../node_modules', import.meta.url), join(place, 'node_modules'));
  });

  test('changes no answer: missing, damaged, older than the program', () => {
    const whole = shell('$SKEIN info --json $SAMPLE');
    expect(whole.code).toBe(0);
    expect(answer()).toEqual(whole);
    const folder = join(place, 'dist/program');
    const kept = readdirSync(folder).filter((name) => name.endsWith('.compiled'));
    expect(kept.includes('main.cjs.compiled')).toBe(process.version.startsWith('v20.'));
    for (const name of kept) writeFileSync(join(folder, name), new Uint8Array(10_000).fill(7));
    expect(answer()).toEqual(whole);
    for (const name of kept) rmSync(join(folder, name));
    expect(answer()).toEqual(whole);
  });

  test('of an older program is not taken', () => {
    const file = join(place, 'dist/program/start.cjs');
    cpSync(new URL('../../dist/program/', import.meta.url), join(place, 'dist/program'), {
      recursive: true,
      preserveTimestamps: true,
    });
    // as long as before: the engine itself compares no more than that
    writeFileSync(file, readFileSync(file, 'utf8').replace('what failed, what to check', 'WHAT FAILED, WHAT TO CHECK'));
    expect(shell(`node ${place}/bin/skein.js --help`).stdout).toContain('WHAT FAILED');
  });
});

describe('the same everywhere', () => {
  const places = {
    here: { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' },
    there: { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
  };
  const line =
    'for ARGS in "info" "info --json" "dump --type GPS,MSG,BAT --from 2026-11-15T18:13:00 --until -20s" "track --to gpx" "track --to csv --from +30s"; do $SKEIN $ARGS $SAMPLE 2>&1; done';

  test('whatever time zone and language', () => {
    const [here, there] = [shell(line, places.here), shell(line, places.there)];
    expect(here.stdout.length).toBeGreaterThan(100_000);
    expect(createHash('sha256').update(there.stdout).digest('hex')).toBe(
      createHash('sha256').update(here.stdout).digest('hex'),
    );
    // 18:13:00 is UTC wherever it is typed
    expect(here.stdout).toContain('"time":1794766380.');
  });
});

describe('inputs', () => {
  const input = at('input.BIN');
  const hash = (): string => createHash('sha256').update(readFileSync(input)).digest('hex');
  let before = '';

  beforeAll(() => {
    copyFileSync(SAMPLE, input);
    before = hash();
  });

  test.each([
    ['info', []],
    ['info', ['--json', '--faults']],
    ['dump', ['--limit', '10']],
    ['track', ['--to', 'kml', '-o', at('track.kml')]],
    ['export', ['--to', 'bin', '--type', 'ATT', '-o', at('part.BIN')]],
    ['events', []],
    ['params', []],
    ['report', []],
    ['compare', [SAMPLE]],
    ['check', []],
    ['ingest', ['--lake', at('lake')]],
    ['export', ['--to', 'bin', '-o', input, '--force']],
    ['track', ['-o', input, '--force']],
  ])('are as before after %s %j', async (command, options) => {
    const run: Run = await skeinHere(command, input, ...options);
    expect([0, 1, 3]).toContain(run.code);
    expect(hash()).toBe(before);
  });
});
