// Builds unless what is built is newer than all that it is made from: the tests need it, and building takes a while.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = ['src', 'web', 'package.json', 'package-lock.json', 'tsconfig.json'];
// what the build writes last
const BUILT = join(root, 'dist/web/skein-log.html');

/** The latest change of a file, or of any in a folder. */
function changedAt(path) {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, changedAt(join(path, name))), found.mtimeMs);
}

const built = statSync(BUILT, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (SOURCES.some((name) => changedAt(join(root, name)) > built)) {
  const { status } = spawnSync('npm', ['run', 'build'], { cwd: root, stdio: 'inherit', shell: true });
  process.exitCode = status ?? 1;
}
