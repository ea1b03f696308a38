import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BROWSER_PACKAGES } from './layout.ts';

/** A target, or targets by condition, as the export map nests them. */
type Target = string | { readonly [condition: string]: Target };

interface Manifest {
  readonly version: string;
  readonly type: string;
  readonly sideEffects: boolean;
  readonly bin: Record<string, string>;
  readonly exports: Record<string, Target>;
  readonly scripts: Record<string, string>;
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

function npm(args: string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

// Without the scripts: they would build dist anew under the feet of the tests that run beside these.
function pack(...args: string[]): Packed {
  const [packed] = JSON.parse(npm(['pack', '--json', '--ignore-scripts', ...args], root)) as Packed[];
  return packed;
}

function filesOf(target: Target): string[] {
  return typeof target === 'string' ? [target] : Object.values(target).flatMap(filesOf);
}

/** Every order of conditions in the map, outermost first. */
function conditionsOf(target: Target): string[][] {
  if (typeof target === 'string') return [];
  return [Object.keys(target), ...Object.values(target).flatMap(conditionsOf)];
}

describe('package.json', () => {
  test('is a module without side effects', () => {
    expect(manifest.type).toBe('module');
    expect(manifest.sideEffects).toBe(false);
  });

  test.each(Object.entries(manifest.devDependencies))('pins %s to one version: %s', (_name, version) => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('has every package that core, formats and the browser-safe entry may import', () => {
    for (const name of BROWSER_PACKAGES) expect(manifest.dependencies).toHaveProperty([name]);
  });

  test('runs nothing on the machine of whoever installs it', () => {
    expect(Object.keys(manifest.scripts)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(pre|post)?install$/)]),
    );
  });
});

describe('the export map', () => {
  test('has these entries', () => {
    expect(Object.keys(manifest.exports)).toEqual([
      '.',
      ...['browser', 'dataflash', 'mavlink', 'nmea', 'xbus', 'live', 'sql', 'check', 'export', 'server'].map(
        (name) => `./${name}`,
      ),
      './package.json',
    ]);
  });

  test.each(Object.values(manifest.exports).flatMap(filesOf))('%s exists', (file) => {
    expect(existsSync(join(root, file))).toBe(true);
  });

  test('names types first and the default last, for the first match wins', () => {
    for (const conditions of Object.values(manifest.exports).flatMap(conditionsOf)) {
      expect(conditions.at(-1)).toBe('default');
      if (conditions.includes('types')) expect(conditions[0]).toBe('types');
    }
  });

  test('is what the package answers to when it is imported by its name', () => {
    const script = "const all = await import('skein'); process.stdout.write(String(Object.keys(all).length))";
    const print = (...flags: string[]): number =>
      Number(execFileSync('node', [...flags, '--input-type=module', '-e', script], { cwd: root, encoding: 'utf8' }));
    const forNode = print();
    const forBrowsers = print('--conditions=browser');
    expect(forBrowsers).toBeGreaterThan(0);
    expect(forNode).toBeGreaterThanOrEqual(forBrowsers);
  });
});

describe('the packed files', () => {
  const paths = pack('--dry-run').files.map((file) => file.path);

  test('hold the program, the library and the licence', () => {
    const needed = [
      'package.json',
      'LICENSE',
      'bin/skein.js',
      'dist/entry/index.js',
      'dist/entry/index.d.ts',
      'dist/entry/browser.js',
    ];
    expect(paths).toEqual(
      expect.arrayContaining([
        ...needed,
        'dist/entry/browser.d.ts',
        'dist/cli/main.js',
        'dist/program/main.cjs',
        'dist/web/index.html',
      ]),
    );
  });

  test('hold nothing else', () => {
    const expected =
      /^(package\.json|LICENSE|(README|CHANGELOG|ARCHITECTURE|CONTRIBUTING|SECURITY)\.md|docs\/[\w-]+\.(md|png|svg|conf)|examples\/[\w-]+\/main\.mjs|bin\/(skein|program)\.js|dist\/program\/[\w-]+\.cjs(\.compiled)?|dist\/.+\.(js|js\.map|d\.ts))$/;
    const page =
      /^dist\/web\/((index|live|lake|skein-log)\.html|v1\/files|manifest\.webmanifest|icon-(192|512)\.png)$|^dist\/web\/assets\/[\w.-]+\.(js|css|svg)$/;
    expect(
      paths.filter((path) => !(expected.test(path) || page.test(path)) || /\.test\.|^sample\/|^test\//.test(path)),
    ).toEqual([]);
  });

  test('hold no file in dist whose source is gone', () => {
    const sourceOf = (path: string): string => path.replace(/^dist/, 'src').replace(/(\.d\.ts|\.js\.map|\.js)$/, '.ts');
    // the folders of the pages and of the bundled program are emptied by each build
    const compiled = paths.filter((path) => path.startsWith('dist/') && !/^dist\/(web|program)\//.test(path));
    const stale = compiled.filter((path) => !existsSync(join(root, sourceOf(path))));
    expect(stale, 'npm run clean, then npm run build').toEqual([]);
  });

  test('the program may be executed', () => {
    expect(statSync(join(root, manifest.bin.skein)).mode & 0o111).toBe(0o111);
  });
});

describe('installed from the packed file into an empty folder', () => {
  let folder = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'skein-install-'));
    const { filename } = pack('--pack-destination', folder);
    const options = ['--no-audit', '--no-fund', '--prefer-offline', '--omit=dev', '--loglevel=error'];
    npm(['install', ...options, '--prefix', folder, join(folder, filename)], folder);
  }, 240_000);

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('skein --version prints the version', () => {
    const printed = execFileSync(join(folder, 'node_modules/.bin/skein'), ['--version'], { encoding: 'utf8' });
    expect(printed).toBe(`${manifest.version}\n`);
  });

  test('the library can be imported', () => {
    const script = "await import('skein'); await import('skein/browser'); process.stdout.write('imported')";
    const printed = execFileSync('node', ['--input-type=module', '-e', script], { cwd: folder, encoding: 'utf8' });
    expect(printed).toBe('imported');
  });
});
