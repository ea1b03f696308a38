// The rules of the source tree, over files given as a map from path to text: so a test can show each rule a tree that
// breaks it, and the real tree is only one more.
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';

/** Paths with `/`, relative to the folder that was read. */
export type Tree = ReadonlyMap<string, string>;

/** One import, re-export or dynamic import, as it is written. */
export interface Import {
  readonly specifier: string;
  /** Whether the compiler erases it. */
  readonly typeOnly: boolean;
}

/**
 * The rooms, each line above the one before it: a room imports only rooms of lines before its own, and none beside it.
 * `server` may not import `bus` either.
 */
const ORDER: readonly (readonly string[])[] = [
  ['core'],
  ['time'],
  ['formats'],
  ['series'],
  ['geo'],
  ['facts', 'sensors'],
  ['report', 'export', 'check', 'live'],
  ['node', 'sql'],
  ['lake', 'links'],
  ['bus'],
  ['session'],
  ['server'],
  ['cli', 'entry'],
];
const RANK: ReadonlyMap<string, number> = new Map(ORDER.flatMap((rooms, rank) => rooms.map((room) => [room, rank])));

const MAY_USE_NODE: ReadonlySet<string> = new Set(ORDER.slice(ORDER.findIndex(([room]) => room === 'node')).flat());

/** A folder with more files than this is more than one room. */
const MOST_FILES = 26;

/** Packages that core, formats and the browser-safe entry may import. */
export const BROWSER_PACKAGES: ReadonlySet<string> = new Set(['saxes', 'xz-decompress']);

export function readTree(folder: URL, suffix: string): Tree {
  const tree = new Map<string, string>();
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = entry.replaceAll('\\', '/');
    if (path.endsWith(suffix)) tree.set(path, readFileSync(new URL(path, folder), 'utf8'));
  }
  return tree;
}

/** The text without comments that begin a line: an example in them may import what the code must not. */
function withoutComments(text: string): string {
  return text.replace(/^[ \t]*(\/\/.*|\/\*((?!\*\/).)*(\*\/)?|\*\/|\*(?= |$).*)/gm, '');
}

export function importsOf(text: string): Import[] {
  const code = withoutComments(text);
  const found: Import[] = [];
  for (const match of code.matchAll(/^[ \t]*(?:import|export)\b(\s+type\b)?[^'"`;=()]*?\bfrom\s*(['"])(.+?)\2/gm)) {
    found.push({ specifier: match[3], typeOnly: match[1] !== undefined });
  }
  for (const match of code.matchAll(/^[ \t]*import\s*(['"])(.+?)\1/gm)) {
    found.push({ specifier: match[2], typeOnly: false });
  }
  for (const match of code.matchAll(/\b(?:import|require)\s*\(\s*(['"`])(.+?)\1/g)) {
    found.push({ specifier: match[2], typeOnly: false });
  }
  return found;
}

const isRelative = (specifier: string): boolean => /^\.{1,2}(\/|$)/.test(specifier);

const isTest = (path: string): boolean => path.endsWith('.test.ts');

/** `core` of core/bytes.ts. */
const placeOf = (path: string): string => path.split('/')[0];

const packageOf = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

/** The path within the tree that a relative import of `path` names; it begins with `../` when it leaves the tree. */
const targetOf = (path: string, specifier: string): string => posix.join(posix.dirname(path), specifier);

/** Imports against the order of the rooms. Tests beside a file may import what they like. */
export function outOfOrder(tree: Tree): string[] {
  const found: string[] = [];
  for (const [path, text] of tree) {
    if (isTest(path)) continue;
    const rank = RANK.get(placeOf(path));
    if (rank === undefined) {
      found.push(`${path}: ${placeOf(path)} is not a room`);
      continue;
    }
    for (const { specifier } of importsOf(text)) {
      if (!isRelative(specifier)) continue;
      const target = targetOf(path, specifier);
      const targetRank = RANK.get(placeOf(target));
      const [from, to] = [placeOf(path), placeOf(target)];
      if (targetRank === undefined || isTest(target)) found.push(`${path}: imports ${specifier}, outside of the order`);
      else if (targetRank > rank) found.push(`${path}: imports ${specifier}, a room above it`);
      else if (targetRank === rank && from !== to) found.push(`${path}: imports ${specifier}, a room beside it`);
      else if (from === 'server' && to === 'bus')
        found.push(`${path}: imports ${specifier}, which a server does without`);
      else if (!tree.has(target)) found.push(`${path}: imports ${specifier}, which is not a file`);
    }
  }
  return found;
}

/** Folders with so many files that nobody can hold them in the head. */
export function crowded(tree: Tree): string[] {
  const counts = new Map<string, number>();
  for (const path of tree.keys())
    if (!isTest(path)) counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > MOST_FILES).map(([folder, count]) => `${folder}: ${count} files`);
}

export function nodeOutOfPlace(tree: Tree): string[] {
  const found: string[] = [];
  for (const [path, text] of tree) {
    if (isTest(path) || MAY_USE_NODE.has(placeOf(path))) continue;
    for (const { specifier } of importsOf(text)) {
      if (isBuiltin(specifier)) found.push(`${path}: imports ${specifier}`);
    }
  }
  return found;
}

/** Packages imported by core and formats, which promise to need none. */
export function packagesOutOfPlace(tree: Tree): string[] {
  const found: string[] = [];
  for (const [path, text] of tree) {
    if (isTest(path) || !['core', 'formats'].includes(placeOf(path))) continue;
    for (const { specifier } of importsOf(text)) {
      if (isRelative(specifier) || isBuiltin(specifier)) continue;
      if (!BROWSER_PACKAGES.has(packageOf(specifier))) found.push(`${path}: imports ${specifier}`);
    }
  }
  return found;
}

/**
 * What the pages import of the rest: only their own entry and the types of the wire, and nothing of Node. Tests
 * and settings are no pages.
 */
export function outsideOfPages(tree: Tree): string[] {
  const found: string[] = [];
  for (const [path, text] of tree) {
    if (isTest(path) || path.endsWith('.config.ts')) continue;
    for (const { specifier, typeOnly } of importsOf(text)) {
      const target = isRelative(specifier) ? targetOf(path, specifier) : '';
      const isAllowed = target === '../src/entry/pages.ts' || (typeOnly && target === '../src/server/wire.ts');
      const isOutside = target.startsWith('../') && !isAllowed;
      if (isOutside || isBuiltin(specifier)) found.push(`${path}: imports ${specifier}`);
    }
  }
  return found;
}

/** Lines that match, as `path:line: what`. */
function linesWith(tree: Tree, pattern: RegExp, prepare: (text: string) => string): string[] {
  const found: string[] = [];
  for (const [path, text] of tree) {
    for (const [index, line] of prepare(text).split('\n').entries()) {
      if (pattern.test(line)) found.push(`${path}:${index + 1}: ${line.trim()}`);
    }
  }
  return found;
}

export function defaultExports(tree: Tree): string[] {
  return linesWith(tree, /^\s*export\s+default\b|^\s*export\s*\{[^}]*\bas\s+default\b/, withoutComments);
}

export function codeFromText(tree: Tree): string[] {
  return linesWith(tree, /\beval\s*\(|\bFunction\s*\(/, withoutComments);
}

export function markupFromText(tree: Tree): string[] {
  return linesWith(tree, /\.(inner|outer)HTML\b|\binsertAdjacentHTML\b|\bdocument\.write|\{@html\b/, withoutComments);
}

export function leftToDo(tree: Tree): string[] {
  return linesWith(tree, /\b(TODO|FIXME)\b/, (text) => text);
}

/** Each import cycle once, as the way around it. Imports of types alone are erased and close no cycle. */
export function cycles(tree: Tree): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const visit = (path: string): void => {
    const start = way.indexOf(path);
    if (start >= 0) found.push([...way.slice(start), path].join(' -> '));
    if (start >= 0 || done.has(path)) return;
    way.push(path);
    for (const { specifier, typeOnly } of importsOf(tree.get(path) ?? '')) {
      if (isRelative(specifier) && !typeOnly) visit(targetOf(path, specifier));
    }
    way.pop();
    done.add(path);
  };
  for (const path of tree.keys()) visit(path);
  return found;
}

/** What a browser could not load, in the built files that are reached from `entry`. */
export function notForBrowsers(tree: Tree, entry: string): string[] {
  const found: string[] = [];
  const reached = new Set<string>([entry]);
  // A set hands out what is added while it is walked.
  for (const path of reached) {
    const text = tree.get(path);
    if (text === undefined) {
      found.push(`${path}: no such file`);
      continue;
    }
    for (const { specifier } of importsOf(text)) {
      if (isRelative(specifier)) reached.add(targetOf(path, specifier));
      else if (isBuiltin(specifier) || !BROWSER_PACKAGES.has(packageOf(specifier))) {
        found.push(`${path}: imports ${specifier}`);
      }
    }
  }
  return found;
}
