import { existsSync } from 'node:fs';
import { Lake } from '../fleet/lake.ts';
import type { LakeDatabase, LakeDatabaseOptions } from '../fleet/lake-database.ts';
import { UsageError } from './failure.ts';

/** Opens a lake that is there, for queries. */
export async function openLake(folder: string, limits: LakeDatabaseOptions): Promise<LakeDatabase> {
  const lake = lakeAt(folder);
  const { LakeDatabase: Database } = await import('../fleet/lake-database.ts');
  return Database.open(lake, limits);
}

export function lakeAt(folder: string): Lake {
  const lake = new Lake(folder);
  if (!existsSync(lake.catalogue('logs')))
    throw new UsageError(`${folder} is no lake: skein ingest PATH... --lake ${folder} makes one`);
  return lake;
}
