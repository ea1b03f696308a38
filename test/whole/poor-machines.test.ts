// Poor machines: few open files, no home, no temporary folder. A command works, or says why in one line.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shell } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
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
