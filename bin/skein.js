#!/usr/bin/env node
import { existsSync } from 'node:fs';
import * as modules from 'node:module';

// Node 22.1 and later keep compiled modules between runs
modules.enableCompileCache?.();

const main = new URL('../dist/cli/main.js', import.meta.url);

// Asked of the disk and not of the import's error: an error inside the built program must show as itself.
if (existsSync(main)) {
  const program = await import(main.href);
  process.exitCode = await program.main(process.argv);
} else {
  process.stderr.write('skein is not built: run npm ci\n');
  process.exitCode = 1;
}
