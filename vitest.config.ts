import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { TallyReporter } from './test/reporter.ts';
import { useBuilt } from './test/use-built.ts';

/** Tests beside the code that replace modules. */
const ALONE = ['src/query/database.test.ts', 'src/node/file.test.ts'];
/** Tests that start programs, servers and browsers, and wait for them most of the time. */
const WAITING = [
  'test/bus*.test.ts',
  'test/{web,live}-*.test.ts',
  'test/cli-live.test.ts',
  'test/{links,recorder}/*.test.ts',
  'web/demo/*.test.ts',
];
const CORES = Math.max(2, availableParallelism());

/** What is covered can be told of the source only. */
const isBuilt = !process.argv.includes('--coverage');

export default defineConfig({
  plugins: isBuilt ? [useBuilt()] : [],
  test: {
    // taken as it is, and not looked at by the test runner
    server: { deps: { external: [/\/dist\//] } },
    projects: [
      // Small tests beside the code share modules that are loaded already: loading them took longer than most tests.
      {
        extends: true,
        test: { name: 'code', include: ['{src,web}/**/*.test.ts'], exclude: [...ALONE, ...WAITING], isolate: false },
      },
      // These measure time and memory: each file in a process of its own.
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts', ...ALONE], exclude: WAITING } },
      {
        extends: true,
        test: { name: 'waiting', include: WAITING, maxWorkers: CORES + 1, sequence: { groupOrder: 1 } },
      },
    ],
    reporters: ['default', new TallyReporter()],
    maxWorkers: CORES,
    // Files of many megabytes are decoded on machines that do other work at the same time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.test.ts'],
      reporter: ['text', 'json-summary'],
    },
  },
});
