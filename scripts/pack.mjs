// Packs what is built to node_modules/.cache/skein.tgz for the checkers of packages: they themselves would build it again.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../node_modules/.cache/', import.meta.url));
mkdirSync(cache, { recursive: true });
const folder = mkdtempSync(join(cache, 'pack-'));
const words = ['npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', `"${folder}"`];
const { status } = spawnSync(words.join(' '), { stdio: 'inherit', shell: true });
if (status === 0) renameSync(join(folder, readdirSync(folder)[0]), join(cache, 'skein.tgz'));
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
