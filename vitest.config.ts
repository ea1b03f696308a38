import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { TallyReporter } from './test/reporter.ts';

/** Tests beside the code that replace modules. */
const ALONE = ['src/query/database.test.ts', 'src/node/file.test.ts'];

export default defineConfig({
  test: {
    projects: [
      // Small tests beside the code share modules that are loaded already: loading them took longer than most tests.
      { extends: true, test: { name: 'code', include: ['{src,web}/**/*.test.ts'], exclude: ALONE, isolate: false } },
      // These measure time and memory, or start programs: each file in a process of its own.
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts', ...ALONE] } },
    ],
    reporters: ['default', new TallyReporter()],
    // Files of many megabytes are decoded on machines that do other work at the same time.
    maxWorkers: Math.max(2, availableParallelism()),
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
