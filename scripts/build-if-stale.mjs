// Builds what is older than what it is made from: the library in seconds, the pages only where they are needed.
// node scripts/build-if-stale.mjs [--library]
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const LIBRARY = ['src', 'package.json', 'tsconfig.json'];
const PAGES = [...LIBRARY, 'web', 'package-lock.json'];

/** The latest change of a file, or of any in a folder. */
function changedAt(path) {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, changedAt(join(path, name))), found.mtimeMs);
}

/** Whether something changed after the file that a build writes last. */
function isStale(built, sources) {
  const time = statSync(join(root, built), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return sources.some((name) => changedAt(join(root, name)) > time);
}

function run(...words) {
  // a test runner sets NODE_ENV, for which pages would be built as for development: several times slower
  const env = { ...process.env, NODE_ENV: 'production' };
  const { status } = spawnSync('npm', words, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'], shell: true });
  process.exitCode = status ?? 1;
}

if (process.argv.includes('--library')) {
  if (isStale('dist/.tsbuildinfo', LIBRARY)) run('run', 'build:library');
} else if (isStale('dist/web/skein-log.html', PAGES)) run('run', 'build');
