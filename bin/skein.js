#!/usr/bin/env node
import { statSync } from 'node:fs';
import * as modules from 'node:module';

// Node 22.1 and later keep compiled modules between runs
modules.enableCompileCache?.();

const at = (name) => new URL(`../dist/${name}`, import.meta.url);
// Asked of the disk and not of the import's error: an error inside the built program must show as itself.
const builtAt = (name) => statSync(at(name), { throwIfNoEntry: false })?.mtimeMs ?? 0;

// in few files, unless only the modules were built since
const main = builtAt('program/main.js') > builtAt('.tsbuildinfo') ? 'program/main.js' : 'cli/main.js';
if (builtAt(main) > 0) {
  const program = await import(at(main).href);
  process.exitCode = await program.main(process.argv);
} else {
  process.stderr.write('skein is not built: run npm ci\n');
  process.exitCode = 1;
}
