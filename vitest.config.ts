import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/helpers/long-first.ts';
import { TallyReporter } from './test/helpers/reporter.ts';
import { useBuilt } from './test/helpers/use-built.ts';
import { PromisesReporter } from './test/whole/promises.ts';

/** Tests beside the code that replace modules. */
const ALONE = ['src/sql/database.test.ts', 'src/node/{file,one-pass}.test.ts'];
/** Tests that start programs, servers and browsers, and wait for them most of the time. */
const WAITING = ['test/{bus,web,live,links,session}/*.test.ts', 'test/cli/live.test.ts', 'web/demo/*.test.ts'];
/** Tests that measure how time grows, in processor time: last, with nothing else beside them. */
const MEASURED = ['test/formats/*/*flood.test.ts'];
const CORES = Math.max(2, availableParallelism());

export default defineConfig({
  plugins: [useBuilt()],
  test: {
    // taken as it is, and not looked at by the test runner
    server: { deps: { external: [/\/dist\//] } },
    globalSetup: ['test/helpers/fresh-build.ts'],
    projects: [
      // Small tests beside the code share modules that are loaded already: loading them took longer than most tests.
      {
        extends: true,
        test: { name: 'code', include: ['{src,web}/**/*.test.ts'], exclude: [...ALONE, ...WAITING], isolate: false },
      },
      // These measure time and memory: each file in a process of its own.
      {
        extends: true,
        test: { name: 'whole', include: ['test/**/*.test.ts', ...ALONE], exclude: [...WAITING, ...MEASURED] },
      },
      {
        extends: true,
        test: {
          name: 'waiting',
          include: WAITING,
          maxWorkers: CORES + 1,
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: 'measured', include: MEASURED, sequence: { groupOrder: 2 } } },
    ],
    sequence: { sequencer: LongFirst },
    reporters: ['default', new TallyReporter(), new PromisesReporter()],
    maxWorkers: CORES,
    // Files of many megabytes are decoded on machines that do other work at the same time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
