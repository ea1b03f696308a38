import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Opens the sample with the built library and prints a hash of all that can be asked of it. */
const SCRIPT = `
import { createHash } from 'node:crypto';
import { openLog } from './dist/entry/index.js';
const log = await openLog('sample/copter-square.BIN');
const hash = createHash('sha256');
for (const table of log.tables) {
  const columns = await table.columns();
  hash.update(JSON.stringify([table.name, table.stream, table.fields.map(({ name, type, unit }) => [name, type, unit])]));
  for (const column of columns) hash.update(column.bits8).update(String(column.at(0)));
  hash.update(new Uint8Array((await table.times()).buffer));
}
hash.update(JSON.stringify([log.clock.kind, log.clock.source, log.faults.kept]));
console.log(log.records, hash.digest('hex'));
`;

function run(env: Readonly<Record<string, string>>, ...flags: string[]): string {
  const args = [...flags, '--input-type=module', '-e', SCRIPT];
  return execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', env: { PATH: process.env.PATH, ...env } });
}

describe('the same records in any place', () => {
  let here = '';
  beforeAll(() => {
    here = run({ TZ: 'UTC', LANG: 'C' });
  });

  test('are found at all', () => {
    expect(here).toMatch(/^228940 [0-9a-f]{64}\n$/);
  });

  test.each([
    [{ TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }],
    [{ TZ: 'America/St_Johns', LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' }],
  ])('%o', (env) => {
    expect(run(env)).toBe(here);
  });

  test('where no code may be made of text', () => {
    expect(run({}, '--disallow-code-generation-from-strings')).toBe(here);
  });
});
