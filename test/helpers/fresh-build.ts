import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../scripts/build-if-stale.mjs', import.meta.url));

/** Before the first test: tests run on what is built, so that must be newer than its source. */
export function setup(): void {
  const files = process.argv.slice(2).filter((word) => /test|src|web/.test(word));
  // the pages take longer to build, and few tests look at them
  const needsPages = files.length === 0 || files.some((file) => /web|whole|server/.test(file));
  const { status } = spawnSync(process.execPath, [SCRIPT, ...(needsPages ? [] : ['--library'])], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed: see above');
}
