import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { TallyReporter } from './test/reporter.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/**/*.test.ts'],
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
