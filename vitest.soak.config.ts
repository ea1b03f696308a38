import { defineConfig } from 'vitest/config';
import { TallyReporter } from './test/helpers/reporter.ts';
import { useBuilt } from './test/helpers/use-built.ts';

// The long runs: the promises of the test suite again, at the figures of a release.
export default defineConfig({
  plugins: [useBuilt()],
  test: {
    server: { deps: { external: [/\/dist\//] } },
    include: ['test/**/*.soak.ts'],
    // There may be no soak test yet, and that is no failure.
    passWithNoTests: true,
    reporters: ['default', new TallyReporter()],
    // One at a time: a soak test measures time and memory, and a neighbour would spoil both.
    fileParallelism: false,
    testTimeout: 24 * 60 * 60 * 1000,
    hookTimeout: 10 * 60 * 1000,
  },
});
