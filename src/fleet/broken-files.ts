import { sqlText } from '../core/names.ts';
import { CATALOGUE_KINDS } from './catalogue.ts';
import { singlesIn } from './catalogue-state.ts';
import { openEngine } from './engine.ts';
import type { Lake } from './lake.ts';
import { packFile } from './packs.ts';

/** Files of the catalogue that cannot be read, and why. All are tried, so it is for when something went wrong. */
export async function brokenFiles(lake: Lake): Promise<Map<string, string>> {
  const broken = new Map<string, string>();
  const engine = await openEngine();
  try {
    for (const path of await catalogueFiles(lake)) {
      // all of it is read: the end of a file may be whole and the rest not
      await engine.connection.run(`SELECT max(hash(each)) FROM read_parquet(${sqlText(path)}) each`).catch((error) => {
        broken.set(path, error instanceof Error ? error.message.split('\n')[0] : String(error));
      });
    }
  } finally {
    engine.close();
  }
  return broken;
}

async function catalogueFiles(lake: Lake): Promise<string[]> {
  const packs = await lake.packs.list();
  const files: string[] = [];
  for (const kind of CATALOGUE_KINDS) {
    for (const log of await singlesIn(lake.catalogue(kind))) files.push(lake.catalogueFile(kind, log));
    for (const pack of packs) files.push(packFile(pack, kind));
  }
  return files;
}
