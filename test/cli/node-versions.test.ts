// What is exported and said is the same to the byte on other versions of Node; .ci/run gets them where it can.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SAMPLE, SKEIN } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { PEERS } from '../helpers/peers.ts';

const TLOG = SAMPLE.replace('.BIN', '.tlog');
/** Every kind of field. */
const TYPES = 'GPS,ATT,MSG,PARM,MODE,IMU';
const COMMANDS: readonly (readonly string[])[] = [
  ['info', SAMPLE, '--json'],
  ['report', SAMPLE, '--json'],
  ['events', TLOG, '--json'],
  ...['csv', 'jsonl', 'parquet', 'arrow', 'mcap', 'bin'].map((to) => [
    'export',
    SAMPLE,
    '--to',
    to,
    '--type',
    TYPES,
    '-o',
  ]),
  ...['tlog', 'raw', 'pcap'].map((to) => ['export', TLOG, '--to', to, '-o']),
  ...['gpx', 'kml', 'geojson'].map((to) => ['track', SAMPLE, '--to', to, '-o']),
];

const folder = temporaryFolder();

/** What a command printed, and every file that it wrote. */
function answerOf(node: string, name: string, command: readonly string[]): Map<string, Buffer> {
  const out = join(folder, name);
  const args = command.at(-1) === '-o' ? [...command, out] : command;
  const answer = new Map([['', execFileSync(node, [SKEIN, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })]]);
  if (!existsSync(out)) return answer;
  const files = readdirSync(join(folder), { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  for (const { name: file, parentPath } of files) {
    const path = join(parentPath, file);
    if (path.startsWith(out)) answer.set(path.slice(out.length), readFileSync(path));
  }
  return answer;
}

/** What this version answers, asked once. */
const here = new Map<number, Map<string, Buffer>>();

describe.each(['node22', 'node24'])('on %s', (version) => {
  const node = join(PEERS, 'nodes', 'node_modules', version, 'bin', 'node');
  if (spawnSync(node, ['--version']).status !== 0) {
    test.skip(`all is the same to the byte (skipped: no ${node}; SKEIN_PEERS may say where)`);
    return;
  }
  test.each([...COMMANDS.entries()])('%i: %j: the same to the byte', (i, command) => {
    const expected = here.get(i) ?? answerOf(process.execPath, `here-${i}`, command);
    here.set(i, expected);
    const found = answerOf(node, `${version}-${i}`, command);
    expect([...found.keys()]).toEqual([...expected.keys()]);
    for (const [file, bytes] of found) expect(bytes.equals(expected.get(file) as Buffer), file).toBe(true);
    expect([...found.values()].some(({ length }) => length > 100)).toBe(true);
  });
});
