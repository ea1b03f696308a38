// Links of the pages lead somewhere: in the repository, and those of the README in the package too.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...docs.map((name) => `docs/${name}`),
];

function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** What a page links to in the repository: the paths, and the headings they name. */
function linksOf(page: string): { readonly path: string; readonly heading: string }[] {
  return [...read(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path, heading = ''] = target.split('#');
      return { path: path === '' ? page : join(dirname(page), path), heading };
    });
}

function headingsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(pages)('%s', (page) => {
  test('links to what is there', () => {
    for (const { path, heading } of linksOf(page)) {
      expect(existsSync(join(root, path)), path).toBe(true);
      if (heading !== '') expect(headingsOf(path), path).toContain(heading);
    }
  });
});

test('every page of docs is linked from the README', () => {
  const linked = linksOf('README.md').map(({ path }) => path);
  expect(linked).toEqual(expect.arrayContaining(docs.map((name) => `docs/${name}`)));
});

test('the links of the README lead somewhere in the installed package', () => {
  const packed = execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--dry-run'], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ files }] = JSON.parse(packed) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  for (const { path } of linksOf('README.md'))
    expect(
      paths.some((packedPath) => packedPath === path || packedPath.startsWith(`${path}/`)),
      path,
    ).toBe(true);
});

test('ARCHITECTURE.md names files and folders that are there, on one page', () => {
  const text = read('ARCHITECTURE.md');
  const named = [...text.matchAll(/`((?:src|web|test)\/[\w./-]+)`/g)].map(([, path]) => path);
  expect(named.length).toBeGreaterThan(20);
  for (const path of named) expect(existsSync(join(root, path)), path).toBe(true);
  expect(text.split('\n').length).toBeLessThan(120);
});
