#!/usr/bin/env node
import { statSync } from 'node:fs';
import * as modules from 'node:module';
import { fileURLToPath } from 'node:url';

// Node 22.1 and later keep compiled modules between runs
modules.enableCompileCache?.();

const at = (name) => new URL(`../dist/${name}`, import.meta.url);
// Asked of the disk and not of the import's error: an error inside the built program must show as itself.
const builtAt = (name) => statSync(at(name), { throwIfNoEntry: false })?.mtimeMs ?? 0;

async function load() {
  // in few files, unless only the modules were built since
  if (builtAt('program/main.cjs') <= builtAt('.tsbuildinfo')) return import(at('cli/main.js').href);
  const { Program } = await import('./program.js');
  if (!Program.canKeep) return import(at('program/main.cjs').href);
  return new Program(fileURLToPath(at('program/'))).load('main.cjs');
}

if (builtAt('program/main.cjs') > 0 || builtAt('cli/main.js') > 0) {
  const program = await load();
  process.exitCode = await program.main(process.argv);
} else {
  process.stderr.write('skein is not built: run npm ci\n');
  process.exitCode = 1;
}
