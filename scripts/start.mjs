// What `npm start` does: the summary of the sample flight, and its track as a file to drop on any map.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from '../dist/cli/main.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const sample = join('sample', 'copter-square.BIN');
const track = join('out', 'copter-square.geojson');

process.chdir(root);
mkdirSync('out', { recursive: true });
const skein = (...words) => main(['node', 'skein', ...words]);
const codes = [await skein('info', sample), await skein('track', sample, '--to', 'geojson', '-o', track, '--force')];
console.log(`The track was written to ${join(root, track)}`);
// the log ends inside a record, as logs do when power is cut: code 3 says so and is no failure here
process.exitCode = codes.every((code) => code === 0 || code === 3) ? 0 : 1;
