import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../web', import.meta.url));

/** The folder of the built pages; undefined if they were not built. */
export function pagesFolder(): string | undefined {
  return existsSync(FOLDER) ? FOLDER : undefined;
}
