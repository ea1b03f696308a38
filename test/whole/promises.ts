import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule } from 'vitest/node';
import { PROMISES, type PromiseRow } from './promise-table.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const PAGE: string = fileURLToPath(new URL('../../docs/promises.md', import.meta.url));

/**
 * Writes docs/promises.md after a whole run, where SKEIN_PROMISES=1 asks for it. A test gives a measured figure by
 * `annotate('12.3 MiB', 'A4')`, with the promise as the type.
 */
export class PromisesReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!process.env.SKEIN_PROMISES) return;
    writeFileSync(PAGE, pageOf(modules));
  }
}

interface FileRun {
  passed: number;
  failed: number;
  skipped: number;
}

function pageOf(modules: readonly TestModule[]): string {
  const runs = new Map<string, FileRun>();
  const figures = new Map<string, Set<string>>();
  for (const module of modules) {
    const run = { passed: 0, failed: 0, skipped: 0 };
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state !== 'pending') run[state]++;
      for (const { type, message } of test.annotations())
        figures.set(type, (figures.get(type) ?? new Set()).add(message));
    }
    runs.set(relative(ROOT, module.moduleId), run);
  }
  const date = new Date().toISOString().slice(0, 10);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const parts = Object.entries(PROMISES).map(([part, rows]) => {
    const lines = rows.map((row) => lineOf(row, runs, figures, date));
    return `## ${part}\n\n| # | promise | test | figure | measured |\n|---|---|---|---|---|\n${lines.join('\n')}\n`;
  });
  return `# What Skein promises about damage, load and hostile input

Written by the tests (\`npm run promises\`), ${date}, commit ${commit}. A promise that is ~~struck~~ does not hold, or no
test shows it yet; the text after it says what is missing. Files, captures, radio, the bus and shared lakes are hostile;
the local user, the local disk and the browser profile are trusted.

${parts.join('\n')}`;
}

function lineOf(
  { id, promise, tests, figure, missing }: PromiseRow,
  runs: ReadonlyMap<string, FileRun>,
  figures: ReadonlyMap<string, ReadonlySet<string>>,
  date: string,
): string {
  const found = tests.flatMap((name) => [...runs].filter(([file]) => matches(file, name)).map(([, run]) => run));
  const sum = (of: keyof FileRun): number => found.reduce((total, run) => total + run[of], 0);
  const ran = sum('failed') > 0 ? `**${sum('failed')} failed**, ${date}` : `${sum('passed')} tests passed, ${date}`;
  const said = [figure, ...(figures.get(id) ?? [])].filter((text) => text !== '').join('; ');
  const title = missing === undefined ? promise : `~~${promise}~~ ${missing}`;
  const names = tests.map((name) => `\`${name}\``).join(', ');
  return `| ${id} | ${title} | ${names || '–'} | ${said} | ${found.length === 0 ? 'by hand' : ran} |`;
}

/** Whether a file is named, by its path or by a pattern with `*`. */
export function matches(file: string, name: string): boolean {
  const [start, end] = name.split('*');
  return end === undefined ? file === name : file.startsWith(start) && file.endsWith(end);
}
