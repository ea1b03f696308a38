import type { Reporter, SerializedError, TestModule } from 'vitest/node';

/**
 * Ends a run with one line that a person and a script can read alike: `12 passed, 0 failed`, and `, 3 skipped` where
 * some were.
 */
export class TallyReporter implements Reporter {
  #line = '';
  #waiting = false;

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    this.#line = tally(modules, errors.length);
    if (this.#waiting) return;
    this.#waiting = true;
    // Coverage tables and warnings are still to come when a run ends: only the exit of the process is after them.
    process.once('exit', () => process.stdout.write(`\n${this.#line}\n`));
  }
}

function tally(modules: readonly TestModule[], strayErrors: number): string {
  let passed = 0;
  // An error outside of any test fails the run, so the line must not say that nothing failed.
  let failed = strayErrors;
  let skipped = 0;
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed++;
      else if (state === 'failed') failed++;
      else skipped++;
    }
    // A file that did not load, or a hook that threw, fails without a failed test of its own.
    failed += module.errors().length;
    for (const suite of module.children.allSuites()) failed += suite.errors().length;
  }
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
