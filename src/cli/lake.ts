import { existsSync } from 'node:fs';
import type { QueryLimits } from '../core/limits.ts';
import { Lake } from '../fleet/lake.ts';
import { LakeDatabase } from '../fleet/lake-database.ts';
import { UsageError } from './failure.ts';

/** Opens a lake that is there, for queries. */
export async function openLake(folder: string, limits: Partial<QueryLimits>): Promise<LakeDatabase> {
  const lake = new Lake(folder);
  if (!existsSync(lake.catalogue('logs')))
    throw new UsageError(`${folder} is no lake: skein ingest PATH... --lake ${folder} makes one`);
  return LakeDatabase.open(lake, limits);
}
