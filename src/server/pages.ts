import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FileToSend } from './file-answer.ts';
import type { ServerLimits } from './limits.ts';

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  map: 'application/json; charset=utf-8',
  geojson: 'application/geo+json',
  topojson: 'application/json; charset=utf-8',
  webmanifest: 'application/manifest+json',
  txt: 'text/plain; charset=utf-8',
  md: 'text/plain; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  wasm: 'application/wasm',
};

export const BYTES_TYPE = 'application/octet-stream';

/** Builders put a hash of the content into such names, so what they name never changes. */
const HASHED = /[.-][\w-]{8,}\.[a-z0-9]+$/i;
const FOR_EVER = 'private, max-age=31536000, immutable';
/** Kept, but asked for again each time: the answer is mostly that nothing changed. */
const ASK_AGAIN = 'private, no-cache';

/** The files of a folder by URL path, listed once: no path from the network reaches the file system. No links. */
export class Pages {
  private readonly files = new Map<string, FileToSend>();

  constructor(folder: string, limits: ServerLimits) {
    this.walk(folder, '/', limits, limits.pageDepth);
  }

  get size(): number {
    return this.files.size;
  }

  /** The file of a URL's path. A folder is its index.html. */
  find(path: string): FileToSend | undefined {
    const name = decoded(path);
    if (name === undefined) return undefined;
    return this.files.get(name.endsWith('/') ? `${name}index.html` : name);
  }

  private walk(folder: string, prefix: string, limits: ServerLimits, depth: number): void {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const { name } = entry;
      if (name.startsWith('.')) continue;
      const path = join(folder, name);
      if (entry.isDirectory() && depth > 0) this.walk(path, `${prefix}${name}/`, limits, depth - 1);
      if (!entry.isFile()) continue;
      if (this.files.size >= limits.pageFiles)
        throw new RangeError(`folder of pages holds more than ${limits.pageFiles} files`);
      const cache = prefix.includes('/assets/') && HASHED.test(name) ? FOR_EVER : ASK_AGAIN;
      this.files.set(`${prefix}${name}`, { path, type: typeOf(name), cache, plain: true });
    }
  }
}

function typeOf(name: string): string {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(TYPES, ending) ? TYPES[ending] : BYTES_TYPE;
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
