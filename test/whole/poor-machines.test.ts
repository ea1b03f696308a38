// Poor machines: few open files, no home, no temporary folder, a core that others use. A command works, or says why in
// one line.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SKEIN, shell } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needCommand } from '../helpers/need.ts';
import { sampleFile } from '../suite/sample.ts';

const folder = temporaryFolder();
const [BIN, TLOG] = ['copter-square.BIN', 'copter-square.tlog'].map((name) => {
  const path = join(folder, name);
  writeFileSync(path, sampleFile(name).bytes.slice(0, 400_000));
  return path;
});

const COMMANDS: Readonly<Record<string, string>> = {
  info: `info ${BIN}`,
  events: `events ${TLOG}`,
  report: `report ${BIN}`,
  'export --to csv': `export --to csv --type PARM ${BIN} -o - `,
  'export --to parquet': `export --to parquet --type PARM ${BIN} -o ${join(folder, '$RANDOM')}`,
  sql: `sql 'SELECT count(*) FROM PARM' ${BIN}`,
  ingest: `ingest ${BIN} --lake ${join(folder, '$RANDOM')}`,
  live: `live ${TLOG} --http 0 --duration 1`,
};

const MACHINES: Readonly<Record<string, string>> = {
  '64 open files': 'ulimit -n 64;',
  'no home': 'unset HOME;',
  'a home that cannot be written': 'export HOME=/proc;',
  'no temporary folder': 'export TMPDIR=/no/such/folder;',
  'a clock of 1970': 'export NODE_OPTIONS="--import data:text/javascript,Date.now=()=>9e5";',
};

describe.each(Object.keys(MACHINES))('%s', (machine) => {
  test.each(Object.keys(COMMANDS))('%s works, or says why', (name) => {
    const { code, stderr } = shell(`${MACHINES[machine]} $SKEIN ${COMMANDS[name]}`);
    expect([0, 1], stderr).toContain(code);
    expect(stderr).not.toMatch(/^ +at |Node\.js v/m);
    if (code === 1) expect(stderr).toMatch(/^skein: .*(open files|EMFILE|is not there|no such file).*$/m);
  });
});

needCommand('taskset')('one core', () => {
  test('at a load of 8: all commands at once work', { timeout: 300_000 }, async () => {
    const busy = Array.from({ length: 8 }, () => spawn('taskset', ['-c', '0', process.execPath, '-e', 'for(;;);']));
    try {
      const runs = Object.entries(COMMANDS).map(async ([name, words]) => {
        const child = spawn('taskset', ['-c', '0', 'bash', '-c', `${process.execPath} ${SKEIN} ${words}`], {
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        let stderr = '';
        child.stderr.on('data', (piece: Buffer) => {
          stderr += piece.toString();
        });
        const code = await new Promise((done) => child.once('close', done));
        return { name, code, stderr: code === 0 ? '' : stderr };
      });
      const all = Object.keys(COMMANDS).map((name) => ({ name, code: 0, stderr: '' }));
      expect(await Promise.all(runs)).toEqual(all);
    } finally {
      for (const child of busy) child.kill('SIGKILL');
    }
  });
});
