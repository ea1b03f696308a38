import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordsOf, shell, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { MadeLog } from '../helpers/made-log.ts';
import { needCommand } from '../helpers/need.ts';

const folder = temporaryFolder();

/** Names of tables: at most four bytes, and still enough to leave a folder, clear a screen or turn the writing. */
const TABLES = [
  '../a',
  '/etc',
  '<b>',
  '"\'',
  'CON',
  'a:b',
  '\u001b[2J',
  '\u202e',
  '\u009b5',
  'a\tb',
  '\u0007\r',
  '=1+1',
];
const COLUMNS = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'same,same,same',
  '../../etc/passwd',
  '<img src=x onerror=alert(1)>',
  '\u001b]52;c;aGk=\u0007',
  '\u001b[35m\u202e\u2066evil\u2069',
  '"quoted"\\',
  "');--",
];
const TEXTS = [
  '\u001b[35mred\u001b[0m',
  '\u001b]0;title\u0007\u001b]8;;http://x\u001b\\link',
  'over\rwritten\u0008\u0008\u007f',
  '\u202eesrever\u202c \u200f\u061c\u2067',
  '\u0085\u009b31m',
  '</script><img src=x onerror=alert(1)>',
  '"}],"type":"FAKE"',
  'back\\slash \u2028 \ufeff',
];

const made = new MadeLog().define('MSG', 'QZ', 'TimeUS,Message').define('PARM', 'QNf', 'TimeUS,Name,Value');
TABLES.forEach((name, i) => {
  const columns = COLUMNS[i];
  made.define(name, columns === '' ? 'B' : 'B'.repeat(columns.split(',').length), columns).add(name, 1, 2, 3);
});
for (const [i, text] of TEXTS.entries())
  made
    .add('MSG', i, text)
    .add('PARM', i, text.slice(0, 5), i)
    .add('PARM', i + 1, text.slice(0, 5), i + 9);
const path = join(folder, 'hostile.BIN');
writeFileSync(path, made.bytes());

const ESCAPE = '\u001b';
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

describe('names and texts', () => {
  test('all come out of dump as they are, each line JSON', async () => {
    const before = Reflect.ownKeys(Object.prototype);
    const { stdout, code } = await skeinHere('dump', path);
    expect(code).toBe(0);
    const records = recordsOf(stdout);
    const others = records.filter(({ type }) => !['FMT', 'MSG', 'PARM'].includes(type));
    expect(others.map(({ type }) => type)).toEqual(TABLES);
    const expected = COLUMNS.map((columns) =>
      columns === 'same,same,same' ? ['same', 'same_2', 'same_3'] : columns === '' ? [] : [columns],
    );
    expect(others.map(({ data }) => Object.keys(data))).toEqual(expected);
    for (const { data } of others) expect(Object.values(data)).toEqual([1, 2, 3].slice(0, Object.keys(data).length));
    expect(records.filter(({ type }) => type === 'MSG').map(({ data }) => data.Message)).toEqual(TEXTS);
    expect(Reflect.ownKeys(Object.prototype)).toEqual(before);
  });

  test('are the same in info as JSON', async () => {
    const { stdout } = await skeinHere('info', '--json', path);
    const info = JSON.parse(stdout) as { tables: { name: string }[]; messages: { text: string }[] };
    expect(info.tables.map(({ name }) => name)).toEqual(expect.arrayContaining(TABLES));
    expect(info.messages.map(({ text }) => text)).toEqual(TEXTS);
  });

  test('choose a table by any name that has no comma', async () => {
    for (const name of TABLES) {
      const { stdout } = await skeinHere('dump', '--type', name, path);
      expect(recordsOf(stdout).map(({ type }) => type)).toEqual([name]);
    }
  });

  test('on standard error are harmless', async () => {
    const { stderr, code } = await skeinHere('dump', '--type', 'NONEOFTHEM', path);
    expect(code).toBe(2);
    expect(stderr).toContain('\\x1b[2J');
    expect(stderr).not.toMatch(OBEYED);
  });
});

needCommand('script')('on a terminal', () => {
  /** What a terminal gets to see of a command, its own line ends undone. */
  function shown(args: string): string {
    // without a terminal of its own the command gets the one that `script` makes, standard error included
    const { stdout } = shell(`script -qec "$SKEIN ${args}" /dev/null < /dev/null`, { TERM: 'xterm' });
    return stdout.replaceAll('\r\n', '\n');
  }

  test('info shows all of them and obeys none, in its own colours', () => {
    const text = shown(`info ${path}`);
    const colours = new Set(text.match(new RegExp(`${ESCAPE}\\[\\d+m`, 'g')));
    // bold, dim, and their end: nothing is damaged, so that nothing is yellow
    expect(colours).toEqual(new Set(['\u001b[1m', '\u001b[22m', '\u001b[2m']));
    expect(text.replaceAll(new RegExp(`${ESCAPE}\\[(1|2|22)m`, 'g'), '')).not.toMatch(OBEYED);
    expect(text).toContain('\\x1b[2J');
    expect(text).toContain('\\x202e');
  });

  test('dump and complaints are harmless too', () => {
    const text = shown(`dump ${path}`) + shown(`dump --type NONEOFTHEM ${path}`);
    expect(text).toContain('{"type":"MSG"');
    expect(text).toContain('no table NONEOFTHEM in this log');
    expect(text).not.toMatch(OBEYED);
  });

  test('damage is yellow', () => {
    const damaged = join(folder, 'damaged.BIN');
    writeFileSync(damaged, Buffer.concat([made.bytes(), Buffer.alloc(28, 0x55)]));
    expect(shown(`info ${damaged}`)).toContain(`faults     ${ESCAPE}[22m${ESCAPE}[33m1, 28 bytes lost${ESCAPE}[39m\n`);
  });

  test('bytes are refused there', () => {
    expect(shown(`export --to bin ${path}`)).toBe('skein: output is binary: give a file with -o, or redirect it\n');
  });
});
