import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An input of a format, with the name that tests call it by. */
export interface Sample {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A file's bytes as an array of their own: a Buffer slices otherwise than a Uint8Array does. */
export function readBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(path));
}

/** One of the files in sample/. */
export function sampleFile(name: string): Sample {
  return { name, bytes: readBytes(fileURLToPath(new URL(`../../sample/${name}`, import.meta.url))) };
}

/** The folder of the corpus that holds a format's inputs. */
export function corpusFolder(format: string): string {
  return fileURLToPath(new URL(`../corpus/${format}/`, import.meta.url));
}

/** All files of a folder that end in one of the suffixes, by name. */
export function filesIn(folder: string, ...suffixes: readonly string[]): Sample[] {
  const names = readdirSync(folder).filter((name) => suffixes.some((suffix) => name.endsWith(suffix)));
  return names.sort().map((name) => ({ name, bytes: readBytes(join(folder, name)) }));
}
