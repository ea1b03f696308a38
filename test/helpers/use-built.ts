import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

const TESTS = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));
const BUILT = fileURLToPath(new URL('../../dist/', import.meta.url));

/**
 * Tests of the whole name the source, and are given what is built from it: that is what users run, it is loaded at once,
 * and it is several times as fast as modules in which the test runner has put hooks.
 */
export function useBuilt(): Plugin {
  return {
    name: 'use-built',
    enforce: 'pre',
    resolveId(name, importer) {
      if (!importer?.startsWith(TESTS) || !/^\.\.?\/.*\.ts$/.test(name)) return undefined;
      const path = fileURLToPath(new URL(name, pathToFileURL(importer)));
      if (!path.startsWith(SOURCE)) return undefined;
      return { id: `${BUILT}${path.slice(SOURCE.length, -'.ts'.length)}.js`, external: true };
    },
  };
}
