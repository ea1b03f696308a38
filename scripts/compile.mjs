// Keeps what the engine compiles of the bundled program while it looks into the sample: what most commands need.
import { fileURLToPath } from 'node:url';
import { Program } from '../bin/program.js';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
if (Program.canKeep) {
  const program = new Program(path('dist/program/'));
  const { main } = program.load('main.cjs');
  for (const command of ['info', 'report']) await main(['node', 'skein', command, path('sample/copter-square.BIN')]);
  program.keep();
}
