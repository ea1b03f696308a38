// npm run dialects -- FOLDER: compiles the official message definitions in FOLDER to the built-in table and its types.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileTable } from '../dist/formats/mavlink/dialect/compile-table.js';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: npm run dialects -- FOLDER\n');
  process.exit(2);
}

const files = new Map();
for (const file of readdirSync(folder).filter((name) => name.endsWith('.xml'))) {
  files.set(file, readFileSync(join(folder, file), 'utf8'));
}
const out = fileURLToPath(new URL('../src/formats/mavlink/dialect/', import.meta.url));
for (const [name, text] of Object.entries(compileTable(files))) {
  writeFileSync(join(out, `built-in-${name}.ts`), text);
  process.stderr.write(`built-in-${name}.ts: ${text.length} characters\n`);
}
