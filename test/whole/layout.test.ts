import { describe, expect, test } from 'vitest';
import {
  codeFromText,
  crowded,
  cycles,
  defaultExports,
  importsOf,
  leftToDo,
  markupFromText,
  nodeOutOfPlace,
  notForBrowsers,
  outOfOrder,
  outsideOfPages,
  packagesOutOfPlace,
  readTree,
  type Tree,
} from './layout.ts';

interface Rule {
  readonly says: string;
  readonly check: (tree: Tree) => string[];
  /** Trees that break the rule, each in one way. */
  readonly broken: readonly Record<string, string>[];
  /** A tree that comes close and keeps it. */
  readonly kept: Record<string, string>;
}

const rules: Rule[] = [
  {
    says: 'a room imports only rooms before it',
    check: outOfOrder,
    broken: [
      { 'core/a.ts': "import { b } from '../formats/b.ts';", 'formats/b.ts': '' },
      { 'core/a.ts': "import type { B } from '../formats/b.ts';", 'formats/b.ts': '' },
      { 'core/a.ts': "import {\n  a,\n  b,\n} from '../formats/b.ts';", 'formats/b.ts': '' },
      { 'time/a.ts': "export { b } from '../formats/x/b.ts';", 'formats/x/b.ts': '' },
      { 'geo/a.ts': "export * from '../node/b.ts';", 'node/b.ts': '' },
      { 'node/a.ts': "const b = await import('../server/b.ts');", 'server/b.ts': '' },
      { 'report/a.ts': "import { b } from '../export/b.ts';", 'export/b.ts': '' },
      { 'server/a.ts': "import { b } from '../bus/b.ts';", 'bus/b.ts': '' },
      { 'lake/a.ts': "import '../cli/b.ts';", 'cli/b.ts': '' },
      { 'core/a.ts': "import { b } from '../entry/index.ts';", 'entry/index.ts': '' },
      { 'core/a.ts': "import { need } from '../../test/need.ts';" },
      { 'core/a.ts': "import { b } from './b.ts';" },
      { 'cli/a.ts': "import { b } from './b.test.ts';", 'cli/b.test.ts': '' },
      { 'helpers/a.ts': '' },
      { 'helpers.ts': '' },
    ],
    kept: {
      'core/a.ts': "import { b } from './b.ts';\n// import { c } from '../cli/c.ts';",
      'core/b.ts': "/**\n * import { c } from '../cli/c.ts';\n */",
      'core/b.test.ts': "import { need } from '../../test/need.ts';\nimport { c } from '../cli/c.ts';",
      'report/a.ts': "import { b } from '../time/b.ts';\nimport { c } from '../core/a.ts';",
      'time/b.ts': '',
      'entry/index.ts': "export * from './browser.ts';\nexport { a } from '../node/a.ts';",
      'entry/browser.ts': "export { a } from '../core/a.ts';",
      'node/a.ts': '',
    },
  },
  {
    says: 'no folder is crowded',
    check: crowded,
    broken: [Object.fromEntries(Array.from({ length: 27 }, (_, n) => [`core/a${n}.ts`, '']))],
    kept: Object.fromEntries(Array.from({ length: 26 }, (_, n) => [`core/a${n}.ts`, ''])),
  },
  {
    says: 'Node modules are imported only in the rooms from node on',
    check: nodeOutOfPlace,
    broken: [
      { 'core/a.ts': "import { readFileSync } from 'node:fs';" },
      { 'formats/x/a.ts': "import { readFileSync } from 'fs';" },
      { 'live/a.ts': "import type { Socket } from 'node:net';" },
      { 'time/a.ts': "const fs = await import('node:fs/promises');" },
      { 'report/a.ts': "export { join } from 'node:path';" },
    ],
    kept: {
      'node/a.ts': "import 'node:fs';",
      'sql/a.ts': "import 'node:fs';",
      'core/a.test.ts': "import 'node:fs';",
    },
  },
  {
    says: 'core and formats need no package',
    check: packagesOutOfPlace,
    broken: [
      { 'core/a.ts': "import color from 'picocolors';" },
      { 'formats/x/a.ts': "const x = await import('@scope/name/part');" },
    ],
    kept: { 'cli/a.ts': "import color from 'picocolors';", 'core/a.test.ts': "import { test } from 'vitest';" },
  },
  {
    says: 'nothing is exported as default',
    check: defaultExports,
    broken: [{ 'core/a.ts': 'export default 1;' }, { 'core/a.ts': 'const a = 1;\nexport { a as default };' }],
    kept: { 'core/a.ts': "export const text = 'default';\n// export default 1" },
  },
  {
    says: 'text never becomes code',
    check: codeFromText,
    broken: [
      { 'core/a.ts': "eval('1');" },
      { 'core/a.ts': "  return new Function('a', body);" },
      { 'core/a.ts': '/* so */ eval(x);' },
    ],
    kept: { 'core/a.ts': 'const retrieval = medieval(1);\n * eval(1)' },
  },
  {
    says: 'text never becomes markup',
    check: markupFromText,
    broken: [
      { 'server/a.ts': 'element.innerHTML = name;' },
      { 'server/a.ts': 'document.write(name);' },
      { 'log/A.svelte': '<p>{@html name}</p>' },
    ],
    kept: { 'server/a.ts': 'element.textContent = name;' },
  },
  {
    says: 'nothing is left to do',
    check: leftToDo,
    broken: [{ 'core/a.ts': '// TODO: later' }, { 'core/a.test.ts': '/* FIXME */' }],
    kept: { 'core/a.ts': 'const METHODOLOGY = 1;' },
  },
  {
    says: 'no imports run in a circle',
    check: cycles,
    broken: [
      { 'core/a.ts': "import './a.ts';" },
      {
        'core/a.ts': "import './b.ts';",
        'core/b.ts': "export * from './c.ts';",
        'core/c.ts': "await import('./a.ts');",
      },
      { 'core/z.ts': "import './a.ts';", 'core/a.ts': "import './b.ts';", 'core/b.ts': "import './a.ts';" },
    ],
    kept: {
      'core/a.ts': "import './b.ts';\nimport './c.ts';",
      'core/b.ts': "import './c.ts';",
      'core/c.ts': "import type { A } from './a.ts';",
    },
  },
];

const toTree = (files: Record<string, string>): Tree => new Map(Object.entries(files));

describe('imports are found', () => {
  test.each([
    ["import 'a';", 'a'],
    ['import "a";', 'a'],
    ["import a from 'a';", 'a'],
    ["import * as a from 'a';", 'a'],
    ["import type { A } from 'a';", 'a'],
    ["import { type A, b } from 'a';", 'a'],
    ["import a, { b } from 'a';", 'a'],
    ["import {\n  a,\n  type B as C,\n} from 'a';", 'a'],
    ["export * from 'a';", 'a'],
    ["export * as a from 'a';", 'a'],
    ["export type { A } from 'a';", 'a'],
    ["const a = await import('a');", 'a'],
    ["type A = import('a').A;", 'a'],
    ['const a = import(\n  `a`\n);', 'a'],
  ])('%j', (code, specifier) => {
    expect(importsOf(code).map((found) => found.specifier)).toEqual([specifier]);
  });

  test.each(["// import 'a';", " * import a from 'a';", "export const from = 'a';", "export const a = { from: 'a' };"])(
    'none in %j',
    (code) => {
      expect(importsOf(code)).toEqual([]);
    },
  );
});

describe('the rules of the layout', () => {
  const source = readTree(new URL('../../src/', import.meta.url), '.ts');

  test('there is something to check', () => {
    expect(source.size).toBeGreaterThan(0);
    expect([...source.values()].flatMap(importsOf).length).toBeGreaterThan(0);
  });

  for (const { says, check, broken, kept } of rules) {
    describe(says, () => {
      test.each(broken)('sees it broken, case %#', (files) => {
        expect(check(toTree(files))).toHaveLength(1);
      });

      test('sees it kept', () => {
        expect(check(toTree(kept))).toEqual([]);
      });

      test('the source keeps it', () => {
        expect(check(source)).toEqual([]);
      });
    });
  }
});

describe('the pages', () => {
  const folder = new URL('../../web/', import.meta.url);
  const pages: Tree = new Map([...readTree(folder, '.ts'), ...readTree(folder, '.svelte')]);

  test.each([
    [{ 'log/a.ts': "import { b } from '../../src/core/b.ts';" }],
    [{ 'log/a.ts': "import { b } from '../../src/entry/index.ts';" }],
    [{ 'log/a.ts': "import { b } from '../../src/entry/browser.ts';" }],
    [{ 'log/A.svelte': "<script>\n  import { b } from '../../src/node/b.ts';\n</script>" }],
    [{ 'log/a.ts': "import { readFileSync } from 'node:fs';" }],
    [{ 'log/a.ts': "import { b } from '../../src/server/wire.ts';" }],
    [{ 'log/a.ts': "import type { B } from '../../src/server/view.ts';" }],
  ])('what they must not import is seen, case %#', (files) => {
    expect(outsideOfPages(toTree(files))).toHaveLength(1);
  });

  test('what they may import is not', () => {
    const files = {
      'log/a.ts': "import { b } from '../../src/entry/pages.ts';\nimport { c } from '../shared/c.ts';",
      'log/b.ts': "import type { B } from '../../src/server/wire.ts';",
    };
    expect(outsideOfPages(toTree(files))).toEqual([]);
  });

  test.each([outsideOfPages, defaultExports, codeFromText, markupFromText, leftToDo, cycles])('keep %o', (check) => {
    const checked = [...pages].filter(([path]) => !path.endsWith('.config.ts'));
    expect(checked.length).toBeGreaterThan(20);
    expect(check(new Map(checked))).toEqual([]);
  });
});

describe('the browser-safe entry', () => {
  test.each([
    [{ 'browser.js': "import 'node:fs';" }],
    [{ 'browser.js': "import 'fs';" }],
    [{ 'browser.js': "import 'some-package';" }],
    [{ 'browser.js': "export * from './core/a.js';", 'core/a.js': "const fs = await import('node:fs');" }],
    [{ 'browser.js': "export * from './core/a.js';" }],
    [{}],
  ])('what a browser cannot load is seen, case %#', (files) => {
    expect(notForBrowsers(toTree(files), 'browser.js')).toHaveLength(1);
  });

  test('what it does not reach is not its concern', () => {
    const files = {
      'browser.js': "import './a.js';",
      'a.js': "import './browser.js';",
      'index.js': "import 'node:fs';",
    };
    expect(notForBrowsers(toTree(files), 'browser.js')).toEqual([]);
  });

  test.each(['browser', 'pages'])('the built entry %s loads in a browser', (name) => {
    const built = readTree(new URL('../../dist/', import.meta.url), '.js');
    expect(notForBrowsers(built, `entry/${name}.js`)).toEqual([]);
  });
});
