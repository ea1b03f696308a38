import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { recordsOf, SAMPLE, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { MadeLog } from '../helpers/made-log.ts';

const folder = temporaryFolder();
const TLOG = fileURLToPath(new URL('../../sample/copter-square.tlog', import.meta.url));

interface PrintedEvent {
  readonly kind: string;
  readonly time: number;
  readonly severity: string;
  readonly text: string;
}

async function eventsOf(...args: string[]): Promise<PrintedEvent[]> {
  const { stdout } = await skeinHere('events', '--json', ...args);
  return stdout === ''
    ? []
    : stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as PrintedEvent);
}

describe('events', () => {
  test('are lines of a table, with their number on standard error', async () => {
    const run = await skeinHere('events', SAMPLE, '--kind', 'arm,takeoff,landing,disarm');
    expect(run.code).toBe(0);
    const words = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/).slice(2));
    expect(words).toEqual([
      ['notice', 'arm', 'armed by MAVLink'],
      ['notice', 'takeoff', 'took off'],
      ['notice', 'landing', 'landed'],
      ['notice', 'disarm', 'disarmed after landing'],
    ]);
    expect(run.stderr).toBe('skein: 4 events\n');
  });

  test('may be chosen by severity, time and flight', async () => {
    const all = await eventsOf(SAMPLE);
    const grave = await eventsOf(SAMPLE, '--severity', 'notice');
    expect(grave).toEqual(all.filter(({ severity }) => severity !== 'info'));
    expect(grave.length).toBeLessThan(all.length);
    const [arm, disarm] = ['arm', 'disarm'].map((kind) => all.find((event) => event.kind === kind)?.time ?? Number.NaN);
    const flown = await eventsOf(SAMPLE, '--flight', '1');
    expect(flown).toEqual(all.filter(({ time }) => time >= arm && time <= disarm));
    const early = await eventsOf(SAMPLE, '--flight', '1', '--until', '+5s');
    expect(early).toEqual(all.filter(({ time }) => time >= arm && time < arm + 5));
  });

  test('of several files say which', async () => {
    const { stdout } = await skeinHere('events', '--json', '--kind', 'arm', SAMPLE, TLOG);
    const files = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { file: string }).file);
    expect(files).toEqual([SAMPLE, TLOG]);
  });

  test('of kinds and flights that there are not are refused', async () => {
    expect(await skeinHere('events', SAMPLE, '--kind', 'modes')).toMatchObject({ code: 2, stdout: '' });
    expect((await skeinHere('events', SAMPLE, '--flight', '2')).stderr).toContain('the log has 1 flight');
    expect((await skeinHere('events', SAMPLE, '--flight', '-1')).code).toBe(2);
  });

  test('cannot break the lines', async () => {
    const path = join(folder, 'lines.BIN');
    writeFileSync(path, new MadeLog().define('MSG', 'QZ', 'TimeUS,Message').add('MSG', 1, 'one\ntwo\r\nthree').bytes());
    const { stdout } = await skeinHere('events', path);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('a flight', () => {
  test('is a range of time for dump, track and export', async () => {
    const records = recordsOf((await skeinHere('dump', SAMPLE, '--type', 'EV', '--flight', '1')).stdout);
    expect(records.map(({ data }) => data.Id)).toEqual([10, 15, 57, 28, 62, 17, 18, 11]);
    const lines = (await skeinHere('track', SAMPLE, '--to', 'csv', '--flight', '1')).stdout.trimEnd().split('\n');
    const csv = await skeinHere('export', SAMPLE, '--to', 'csv', '--type', 'GPS', '--flight', '1');
    expect(csv.stdout.trimEnd().split('\n')).toHaveLength(lines.length);
    expect((await skeinHere('dump', SAMPLE, '--flight', '7')).code).toBe(2);
  });

  test('is told by info', async () => {
    const { stdout } = await skeinHere('info', '--json', SAMPLE);
    const { flights, events } = JSON.parse(stdout) as { flights: Record<string, number>[]; events: { count: number } };
    expect(flights).toHaveLength(1);
    expect(flights[0]).toMatchObject({ number: 1, open: false, modes: [{ mode: 'GUIDED' }, { mode: 'RTL' }] });
    expect(events.count).toBe((await eventsOf(SAMPLE)).length);
    const page = (await skeinHere('info', SAMPLE)).stdout;
    expect(page).toMatch(/ {2}flights {4}1: 2026-11-15 18:13:12\.384 for 1 min 22\.4 s, /);
    expect(page).toMatch(/ {2}events {5}no errors or warnings in \d+ events \(skein events\)/);
  });
});

describe('params', () => {
  test('are names and values, by a pattern', async () => {
    const all = await skeinHere('params', SAMPLE);
    const some = await skeinHere('params', SAMPLE, 'atc_rat_*_p');
    const wanted = all.stdout.split('\n').filter((line) => /^ATC_RAT_\w*_P /.test(line));
    expect(wanted).toHaveLength(3);
    const cells = (text: string): string[][] =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ +/));
    expect(cells(some.stdout)).toEqual(cells(wanted.join('\n')));
    expect(some.stderr).toMatch(/^skein: 3 parameters of \d+\n$/);
  });

  test('that changed have every value', async () => {
    const { stdout } = await skeinHere('params', SAMPLE, '--changed', '--json', 'MOT_*');
    const [parameter] = JSON.parse(stdout) as { name: string; value: number; changes: { value: number }[] }[];
    expect(parameter.name).toBe('MOT_THST_HOVER');
    expect(parameter.changes).toHaveLength(2);
    expect(parameter.value).toBe(parameter.changes[1].value);
  });

  test('that are not the default', async () => {
    const { stdout } = await skeinHere('params', SAMPLE, '--non-default', '--json');
    const found = JSON.parse(stdout) as { value: number; default: number | null }[];
    expect(found.length).toBeGreaterThan(0);
    for (const { value, default: initial } of found) expect(initial === null || initial === value).toBe(false);
    expect((await skeinHere('params', TLOG, '--non-default')).stderr).toContain('the log has no defaults');
  });

  test('of a file that was written before do not differ', async () => {
    const saved = join(folder, 'saved.param');
    const { stdout } = await skeinHere('export', SAMPLE, '--to', 'param');
    writeFileSync(saved, stdout);
    expect(await skeinHere('params', SAMPLE, '--diff', saved, '--all')).toMatchObject({
      stdout: '',
      stderr: 'skein: 0 differences\n',
    });
    writeFileSync(
      saved,
      stdout
        .replace(/^RTL_\w+,.*\n/m, '')
        .replace(/^(STAT_BOOTCNT),.*$/m, '$1,77')
        .concat('NEW_ONE,1\n'),
    );
    const { stdout: lines, stderr } = await skeinHere('params', SAMPLE, '--diff', saved);
    expect(lines).toMatch(/^NEW_ONE +- +-> +1\nRTL_\w+ +\S+ +-> +-\n$/);
    expect(stderr).toBe('skein: 2 differences, 1 calibrations and counters hidden: see --all\n');
    const json = JSON.parse((await skeinHere('params', SAMPLE, '--diff', saved, '--json')).stdout) as Record<
      string,
      unknown
    >;
    expect(json).toMatchObject({ a: SAMPLE, b: saved, hidden: 1 });
    expect(json.differences).toHaveLength(2);
  });

  test('are refused with options that do not match', async () => {
    expect((await skeinHere('params', SAMPLE, '--all')).code).toBe(2);
    expect((await skeinHere('params', SAMPLE, '--diff', TLOG, '--changed')).code).toBe(2);
    expect((await skeinHere('params', join(folder, 'absent.param'))).code).toBe(1);
  });
});
