import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { reasonOf } from './find-logs.ts';

/** A folder that files may be read from, under the path that others know it by and under its path here. */
export interface Root {
  readonly from: string;
  readonly to: string;
}

/** `FROM=TO`; undefined where it is not that. */
export function parseRoot(word: string): Root | undefined {
  const at = word.indexOf('=');
  const [from, to] = [word.slice(0, Math.max(at, 0)), word.slice(at + 1)];
  return isAbsolute(from) && to !== '' ? { from: resolve(from), to: resolve(to) } : undefined;
}

/**
 * Where a file lies on this machine. The path may come from anybody: it must lie in one of the roots, also by what links
 * lead to, and be a plain file. What is not so is an error whose text says why.
 */
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
  if (!(await stat(real)).isFile()) throw new Error('is no plain file');
  return real;
}

const OUTSIDE = 'lies outside of the folders that this worker may read';

function isWithin(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
