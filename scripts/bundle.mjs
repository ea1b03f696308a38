// Writes the built program once more, in few files: to load hundreds of modules takes longer than to read most logs.
// What is of others stays in its packages. The library is not bundled.
import { rmSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const isPackage = (id) => !id.startsWith('.') && !isAbsolute(id);
const bundle = await rolldown({ input: `${dist}cli/main.js`, platform: 'node', external: isPackage, logLevel: 'warn' });
rmSync(`${dist}program`, { recursive: true, force: true });
await bundle.write({ dir: `${dist}program`, chunkFileNames: '[name].js' });
