// What `npm start` does: the summary of the sample flight, and the flight on the Log page until Ctrl-C.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from '../dist/cli/main.js';

const sample = join('sample', 'copter-square.BIN');

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const skein = (...words) => main(['node', 'skein', ...words]);
const codes = [await skein('info', sample), await skein('view', sample, ...process.argv.slice(2))];
// the log ends inside a record, as logs do when power is cut: code 3 is not a failure here
process.exitCode = codes.every((code) => code === 0 || code === 3) ? 0 : 1;
