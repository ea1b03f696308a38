import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SAMPLE } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { many } from '../helpers/long.ts';
import { concat, Random } from '../suite/random.ts';

const VARIANTS = many(300, 60);
const folder = temporaryFolder();

/** Definitions, parameters, messages and the first seconds of flight. */
const piece = new Uint8Array(readFileSync(SAMPLE)).slice(0, 120_000);

/** One to eight of the ways in which files go wrong. */
function corrupted(seed: number): Uint8Array {
  const random = new Random(seed);
  let bytes: Uint8Array = piece.slice();
  for (let left = random.between(1, 8); left > 0; left--) {
    const from = random.below(bytes.length);
    const to = Math.min(bytes.length, from + random.between(1, 4000));
    switch (random.below(7)) {
      case 0:
        bytes[from] ^= 1 << random.below(8);
        break;
      case 1:
        bytes[from] = random.below(256);
        break;
      case 2:
        bytes.fill(random.pick([0, 0xff, 0xa3]), from, to);
        break;
      case 3:
        bytes.set(random.bytes(to - from), from);
        break;
      case 4:
        bytes = concat(bytes.subarray(0, from), bytes.subarray(to));
        break;
      case 5:
        bytes = concat(bytes.subarray(0, to), bytes.subarray(from));
        break;
      default:
        bytes = bytes.slice(0, Math.max(1, to));
    }
  }
  return bytes;
}

/**
 * Runs every command on every file in one process of the built program, with little memory; what they print is thrown
 * away, but dump's lines must be JSON. Hands exit codes back through descriptor 3.
 */
const DRIVER = `
import { readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
const [main, folder] = process.argv.slice(1);
const program = await import(main);
const codes = {};
let printed = '';
process.stdout.write = (piece, done) => {
  if (typeof piece === 'string') printed += piece;
  done?.();
  return true;
};
for (const name of readdirSync(folder).sort()) {
  for (const args of [['info', '--faults'], ['info', '--json'], ['dump'], ['track'], ['export', '--to', 'bin']]) {
    printed = '';
    const code = await program.main(['node', 'skein', ...args, join(folder, name)]);
    if (args[0] === 'dump') for (const line of printed.trimEnd().split('\\n')) if (line !== '') JSON.parse(line);
    if (args[1] === '--json' && code !== 1) JSON.parse(printed);
    codes[code] = (codes[code] ?? 0) + 1;
  }
}
writeSync(3, JSON.stringify(codes));
`;

describe('files that went wrong in many ways', () => {
  test(`${VARIANTS} of them crash no command`, { timeout: 120_000 }, () => {
    const files = join(folder, 'files');
    mkdirSync(files);
    for (let seed = 0; seed < VARIANTS; seed++)
      writeFileSync(join(files, String(seed).padStart(4, '0')), corrupted(seed));
    const main = new URL('../../dist/cli/main.js', import.meta.url).href;
    const run = spawnSync(
      process.execPath,
      ['--max-old-space-size=256', '--input-type=module', '-e', DRIVER, main, files],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe', 'pipe'], maxBuffer: 1 << 28 },
    );
    expect(run.stderr).not.toMatch(/\n {4}at |Error:|Warning/);
    expect(run.status).toBe(0);
    const codes = JSON.parse(run.output[3] ?? '{}') as Record<string, number>;
    expect(Object.keys(codes).filter((code) => !['0', '1', '3'].includes(code))).toEqual([]);
    expect(Object.values(codes).reduce((sum, count) => sum + count, 0)).toBe(VARIANTS * 5);
    // most of them lost something, and it was told
    expect(codes[3]).toBeGreaterThan(VARIANTS);
  });
});
