import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import vm from 'node:vm';

/** What was compiled of a file, beside it. The engine takes it only if it is of the same version, and built with the same flags. */
const compiledOf = (path) => `${path}.compiled`;

/** The bundled program in a folder: CommonJS files, each compiled by what was kept of it when it was built. */
export class Program {
  /** Later versions of Node keep what they compiled by themselves. */
  static canKeep = process.version.startsWith('v20.');
  #folder;
  #outside;
  #loaded = new Map();
  #scripts = new Map();

  constructor(folder) {
    this.#folder = folder;
    this.#outside = createRequire(folder);
  }

  load(name) {
    const known = this.#loaded.get(name);
    if (known) return known.exports;
    const path = `${this.#folder}${name}`;
    const module = { exports: {} };
    this.#loaded.set(name, module);
    const script = new vm.Script(
      `(function (exports, require, module, __filename) {${readFileSync(path, 'utf8')}\n})`,
      { filename: path, cachedData: compiled(path) },
    );
    this.#scripts.set(path, script);
    const require = (id) => (id.startsWith('./') ? this.load(id.slice(2)) : this.#outside(id));
    // a script of its own cannot import: what the build wrote in place of it asks here
    require.importPackage = (name) => import(name);
    script.runInThisContext()(module.exports, require, module, path);
    return module.exports;
  }

  /** Writes what was compiled so far beside the files. */
  keep() {
    for (const [path, script] of this.#scripts) writeFileSync(compiledOf(path), script.createCachedData());
  }
}

/** What was kept of a file, unless the file is newer. */
function compiled(path) {
  const kept = statSync(compiledOf(path), { throwIfNoEntry: false });
  return kept && kept.mtimeMs >= statSync(path).mtimeMs ? readFileSync(compiledOf(path)) : undefined;
}
