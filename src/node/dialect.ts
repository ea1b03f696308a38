import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DialectError } from '../formats/mavlink/dialect/declarations.ts';
import type { Dialect } from '../formats/mavlink/dialect/definition.ts';
import { DIALECT_LIMITS } from '../formats/mavlink/dialect/limits.ts';

/** Reads a MAVLink definition file and its includes: from the same folder, else the built-in ones. */
export async function readDialect(path: string): Promise<Dialect> {
  // most runs need no XML at all
  const { loadDialect } = await import('../formats/mavlink/dialect/compile.ts');
  const root = await realpath(path);
  const folder = dirname(root);
  return loadDialect((file) => readDefinitions(folder, file), basename(root));
}

async function readDefinitions(folder: string, file: string): Promise<string | undefined> {
  const path = await realpath(join(folder, file)).catch(absent);
  if (path === undefined) return undefined;
  if (dirname(path) !== folder) throw new DialectError(file, 1, `the file is a link that leads out of ${folder}`);
  const found = await stat(path);
  if (!found.isFile()) throw new DialectError(file, 1, `${path} is not a file`);
  // bytes are never fewer than characters: what is too long is not even read
  const { characters } = DIALECT_LIMITS;
  if (found.size > characters)
    throw new DialectError(file, 1, `the file has ${found.size} bytes, at most ${characters} are accepted`);
  return readFile(path, 'utf8');
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
