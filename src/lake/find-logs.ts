import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { placeOf } from '../node/open.ts';
import { LAKE_LIMITS } from './limits.ts';

interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  /** When it was last written, in milliseconds. */
  readonly modified: number;
  /** Whether it was named itself, and not found in a folder: it is then meant to be a log. */
  readonly isNamed: boolean;
}

/** Something that could not be looked at. */
interface NotFound {
  readonly path: string;
  readonly reason: string;
}

export interface FoundFiles {
  /** The largest first, each file once, whatever ways lead to it. */
  readonly files: readonly FoundFile[];
  readonly failures: readonly NotFound[];
}

/** The files of paths, folders and patterns (`*`, `?`, `[...]`, `**`), without hidden names and the lake itself. */
export async function findFiles(words: readonly string[], lakeRoot?: string): Promise<FoundFiles> {
  const walk = new Walk(lakeRoot === undefined ? undefined : await realpath(lakeRoot).catch(() => undefined));
  for (const word of words) {
    const { file, entry } = await placeOf(word);
    if (entry !== undefined) await walk.enterArchive(resolve(word), file);
    else if (await stat(word).catch(() => undefined)) await walk.enter(resolve(word), true, 0);
    else if (/[*?[]/.test(word)) await walk.match(word);
    else walk.failures.push({ path: word, reason: 'not found, or permission denied' });
  }
  const files = [...walk.files.values()].sort((a, b) => b.bytes - a.bytes || (a.path < b.path ? -1 : 1));
  return { files, failures: walk.failures };
}

class Walk {
  readonly files = new Map<string, FoundFile>();
  readonly failures: NotFound[] = [];
  /** Folders that were looked at, by their place on the disk: links may run in a circle. */
  private readonly seen = new Set<string>();
  private readonly excluded: string | undefined;

  constructor(excluded: string | undefined) {
    this.excluded = excluded;
  }

  async enter(path: string, isNamed: boolean, depth: number): Promise<void> {
    try {
      const found = await stat(path, { bigint: true });
      const key = `${found.dev}:${found.ino}`;
      if (found.isFile()) {
        const known = this.files.get(key);
        const file = { path, bytes: Number(found.size), modified: Number(found.mtimeMs), isNamed };
        if (!known || (isNamed && !known.isNamed)) this.files.set(key, file);
      } else if (!found.isDirectory()) {
        if (isNamed) this.failures.push({ path, reason: 'not a regular file' });
      } else if (!this.seen.has(key)) {
        this.seen.add(key);
        await this.look(path, depth);
      }
    } catch (error) {
      this.failures.push({ path, reason: reasonOf(error) });
    }
  }

  /** A log that is named in an archive. */
  async enterArchive(path: string, archive: string): Promise<void> {
    const { size, mtimeMs } = await stat(archive);
    this.files.set(path, { path, bytes: size, modified: mtimeMs, isNamed: true });
  }

  private async look(folder: string, depth: number): Promise<void> {
    if (this.excluded !== undefined && (await realpath(folder)) === this.excluded) return;
    if (depth >= LAKE_LIMITS.folderDepth) {
      this.failures.push({ path: folder, reason: `more than ${LAKE_LIMITS.folderDepth} folders deep` });
      return;
    }
    for (const name of (await readdir(folder)).sort()) {
      if (!name.startsWith('.')) await this.enter(join(folder, name), false, depth + 1);
    }
  }

  async match(pattern: string): Promise<void> {
    const isAbsolute = pattern.startsWith(sep) || pattern.startsWith('/');
    const parts = pattern.split(/[/\\]/).filter((part) => part !== '');
    const before = this.files.size + this.failures.length;
    await this.step(isAbsolute ? '/' : '.', parts, 0);
    if (this.files.size + this.failures.length === before)
      this.failures.push({ path: pattern, reason: 'no file matches' });
  }

  private async step(folder: string, parts: readonly string[], depth: number): Promise<void> {
    const [part, ...rest] = parts;
    if (part === undefined) return this.enter(resolve(folder), false, 0);
    if (!/[*?[]/.test(part)) {
      const next = join(folder, part);
      if (await stat(next).catch(() => undefined)) await this.step(next, rest, depth + 1);
      return;
    }
    const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = entries.map(({ name }) => name).sort();
    if (part === '**') {
      await this.step(folder, rest, depth);
      // links are not followed here, so that nothing runs in a circle
      const folders = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
      if (depth < LAKE_LIMITS.folderDepth)
        for (const { name } of folders) await this.step(join(folder, name), parts, depth + 1);
      return;
    }
    const matches = matcher(part);
    for (const name of names) if (matches(name)) await this.step(join(folder, name), rest, depth + 1);
  }
}

/** Whether a name fits a pattern; hidden ones only where the pattern names the dot. */
function matcher(pattern: string): (name: string) => boolean {
  const source = pattern.replace(/\[!?[^\]]*\]|[\\^$.|+(){}*?[\]]/g, (piece) => {
    if (piece === '*') return '[^/]*?';
    if (piece === '?') return '[^/]';
    if (piece.length > 2 && piece.startsWith('['))
      return `[${piece
        .slice(1, -1)
        .replace(/^!/, '^')
        .replace(/[\\[\]]/g, '\\$&')}]`;
    return `\\${piece}`;
  });
  const expression = new RegExp(`^${source}$`, 'u');
  return (name) => (pattern.startsWith('.') || !name.startsWith('.')) && expression.test(name);
}

/** Why a file cannot be had, in words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied';
  if (code === 'ELOOP') return 'a link to itself';
  if (code === 'ENOENT') return 'not found, or a broken link';
  return message;
}

/** A folder that files may be read from, under the path that others know it by and under its path here. */
export interface Root {
  readonly from: string;
  readonly to: string;
}

export function parseRoot(word: string): Root | undefined {
  const at = word.indexOf('=');
  const [from, to] = [word.slice(0, Math.max(at, 0)), word.slice(at + 1)];
  return isAbsolute(from) && to !== '' ? { from: resolve(from), to: resolve(to) } : undefined;
}

/** The path of a regular file inside one of the roots, with links resolved; otherwise throws an error that says why. */
export async function locate(path: string, roots: readonly Root[]): Promise<string> {
  // the longest is the one that is meant
  const [root] = roots.filter(({ from }) => isWithin(from, path)).sort((a, b) => b.from.length - a.from.length);
  if (normalize(path) !== path || root === undefined) throw new Error(OUTSIDE);
  const place = join(root.to, relative(root.from, path));
  const real = await realpath(place).catch((error: unknown) => {
    throw new Error(reasonOf(error));
  });
  const folders = await Promise.all(roots.map(({ to }) => realpath(to).catch(() => undefined)));
  if (!folders.some((folder) => folder !== undefined && isWithin(folder, real))) throw new Error(OUTSIDE);
  if (!(await stat(real)).isFile()) throw new Error('not a regular file');
  return real;
}

const OUTSIDE = 'not in a folder allowed by --allow or --root';

function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
