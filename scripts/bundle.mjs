// Writes the built program once more, in few files, and beside each what the engine compiled of it: to load hundreds of
// modules and to compile them takes longer than to read most logs. What is of others stays in its packages. The library
// is not bundled.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { parseSync, Visitor } from 'rolldown/utils';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const isPackage = (id) => !id.startsWith('.') && !isAbsolute(id);
/** What is loaded together is one file, with all that it needs: the beginning, the opening of a log, what is found in it, a format. */
const groups = [
  { name: 'start', tags: ['$initial'] },
  { name: 'open', test: /[\\/]cli[\\/]load\.js$/ },
  { name: 'log', test: /[\\/](cli[\\/]summary|facts[\\/]facts)\.js$/ },
  { name: 'dataflash', test: /[\\/]formats[\\/]dataflash[\\/](index|clock)\.js$/ },
];
/** Lets bin/program.js import packages where it runs the files as scripts, which cannot themselves. */
const importPackages = {
  name: 'import-packages',
  renderChunk(code) {
    const places = [];
    const visitor = new Visitor({ ImportExpression: ({ start }) => places.push(start) });
    visitor.visit(parseSync('chunk.cjs', code).program);
    if (places.length === 0) return null;
    const pieces = [0, ...places].map((from, i) => code.slice(from, places[i]));
    const text = pieces.map((piece, i) => (i === 0 ? piece : piece.replace('import', 'importPackage'))).join('');
    return `${text}\nfunction importPackage(name) { return require.importPackage?.(name) ?? import(name); }\n`;
  },
};
const bundle = await rolldown({
  input: `${dist}cli/main.js`,
  platform: 'node',
  plugins: [importPackages],
  external: isPackage,
  logLevel: 'warn',
  // a format loads its clock when it needs it, which is at once in a program
  checks: { ineffectiveDynamicImport: false },
});
rmSync(`${dist}program`, { recursive: true, force: true });
await bundle.write({
  dir: `${dist}program`,
  format: 'cjs',
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name].cjs',
  codeSplitting: { groups },
});
const compile = fileURLToPath(new URL('compile.mjs', import.meta.url));
const { status } = spawnSync(process.execPath, [compile], { stdio: ['ignore', 'ignore', 'inherit'] });
process.exitCode = status ?? 1;
