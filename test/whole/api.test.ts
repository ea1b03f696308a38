// The public surface: docs/api.md lists every name of every entry, and the example above each entry runs as it is.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = join(root, 'docs/api.md');

interface Entry {
  /** `skein/nmea` */
  readonly name: string;
  readonly about: string;
  readonly example: string;
  readonly values: readonly string[];
  readonly types: readonly string[];
}

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, unknown>;
};
const names = Object.keys(exports)
  .filter((path) => path !== './package.json')
  .map((path) => path.replace('.', 'skein'));
const entries = await Promise.all(names.map(entryOf));

async function entryOf(name: string): Promise<Entry> {
  const file = name === 'skein' ? 'index' : name.slice('skein/'.length);
  const text = readFileSync(join(root, `dist/entry/${file}.d.ts`), 'utf8');
  const [, comment = ''] = /^\/\*\*(.*?)\*\//s.exec(text) ?? [];
  const lines = comment.split('\n').map((line) => line.replace(/^ \* ?/, ''));
  const module = lines.findIndex((line) => line.startsWith('@module'));
  expect(lines[module], `@module of ${name}`).toBe(`@module ${name}`);
  const made = (await import(join(root, `dist/entry/${file}.js`))) as object;
  const values = Object.keys(made).sort();
  return {
    name,
    about: lines.slice(0, module).join(' ').trim(),
    example: lines
      .slice(lines.indexOf('@example') + 1)
      .join('\n')
      .trim(),
    values,
    types: [...typesOf(`dist/entry/${file}.d.ts`)].filter((type) => !values.includes(type)).sort(),
  };
}

/** Names that a declaration file exports, those of files that it passes on as a whole included. */
function typesOf(path: string): Set<string> {
  const text = readFileSync(join(root, path), 'utf8');
  const found = new Set<string>();
  for (const [, list] of text.matchAll(/^export (?:type )?\{([^}]*)\}/gm))
    for (const each of list.split(',')) found.add(each.trim().replace(/^type |.* as /g, ''));
  for (const [, name] of text.matchAll(
    /^export (?:declare )?(?:abstract )?(?:interface|type|class|const|function) (\w+)/gm,
  ))
    found.add(name);
  for (const [, from] of text.matchAll(/^export (?:type )?\* from '(.*)\.[jt]s'/gm))
    for (const name of typesOf(join(path, '..', `${from}.d.ts`))) found.add(name);
  found.delete('');
  return found;
}

function pageOf(): string {
  const code = (list: readonly string[]): string => list.map((name) => `\`${name}\``).join(' ');
  const parts = entries.map(({ name, about, values, types }) => {
    const lines = [`## ${name}`, about, `${values.length} values: ${code(values)}`, `Types: ${code(types)}`];
    return lines.filter((line) => line !== 'Types: ').join('\n\n');
  });
  return `# The public names

Written by \`npm run api\`; a test compares it with what is built, so that no name comes or goes unseen.

${parts.join('\n\n')}
`;
}

test('docs/api.md lists what is exported', () => {
  if (process.env.SKEIN_API) writeFileSync(PAGE, pageOf());
  expect(readFileSync(PAGE, 'utf8'), 'npm run api').toBe(pageOf());
});

test('the main entry is small', () => {
  expect(entries[0].values.length).toBeLessThanOrEqual(60);
});

describe('the example above each entry', () => {
  // in the package, where it can be imported by its name
  mkdirSync(join(root, 'out'), { recursive: true });
  const folder = mkdtempSync(join(root, 'out/api-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(entries)('$name runs and prints', ({ name, example }) => {
    const file = join(folder, `${name.replace('/', '-')}.mjs`);
    writeFileSync(file, example);
    expect(execFileSync(process.execPath, [file], { cwd: root, encoding: 'utf8' })).not.toBe('');
  });

  const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
  const snippets = [...page.matchAll(/^## (.*?)\n.*?^```js\n(.*?)^```/gms)].map(([, title, code]) => ({ title, code }));

  test('docs/library.md has one for each of its parts', () => expect(snippets.length).toBeGreaterThan(7));

  test.each(snippets)('docs/library.md: $title runs and prints', ({ title, code }) => {
    const file = join(folder, `${title.replace(/\W/g, '-')}.mjs`);
    writeFileSync(file, code);
    expect(execFileSync(process.execPath, [file], { cwd: root, encoding: 'utf8' })).not.toBe('');
  });

  test.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('is strict TypeScript, and so are our types (module %s, resolution %s)', (module, moduleResolution) => {
    for (const { name, example } of entries) writeFileSync(join(folder, `${name.replace('/', '-')}.mts`), example);
    const options = { module, moduleResolution, strict: true, skipLibCheck: false, noEmit: true, target: 'es2022' };
    const compilerOptions = { ...options, lib: ['es2023', 'dom', 'dom.iterable'], types: ['node'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});
