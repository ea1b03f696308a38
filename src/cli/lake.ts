import { existsSync } from 'node:fs';
import { Lake } from '../lake/lake.ts';
import type { LakeDatabase, LakeDatabaseOptions } from '../lake/lake-database.ts';
import type { LakeFiles } from '../lake/lake-files.ts';
import { LAKE_LIMITS } from '../lake/limits.ts';
import { EXIT, UsageError } from './failure.ts';
import { tell } from './output.ts';
import { counted } from './words.ts';

/** Opens a lake that is there, for queries. */
export async function openLake(folder: string, limits: LakeDatabaseOptions): Promise<LakeDatabase> {
  const lake = lakeAt(folder);
  const { LakeDatabase: Database } = await import('../lake/lake-database.ts');
  return Database.open(lake, limits);
}

/** Names broken files that an answer is without; the exit code says so too. */
export function tellBroken(files: LakeFiles): number {
  const { problems, sentences } = files;
  for (const line of sentences.slice(0, LAKE_LIMITS.problems)) tell(line);
  const more = problems.size - LAKE_LIMITS.problems;
  if (more > 0) tell(`and ${counted(more, 'more file')}`);
  if (problems.size > 0) tell('the answer is without them: skein lake repair --lake FOLDER');
  tellUnhashed(files);
  return problems.size > 0 ? EXIT.damage : EXIT.well;
}

export function tellUnhashed({ unhashed }: LakeFiles): void {
  if (unhashed.size === 0) return;
  tell(
    `${counted(unhashed.size, 'file')} without a hash, written by an earlier version: changes in them are not found`,
  );
}

export function lakeAt(folder: string): Lake {
  const lake = new Lake(folder);
  if (!existsSync(lake.catalogue('logs')))
    throw new UsageError(`${folder} is not a lake; create one: skein ingest PATH... --lake ${folder}`);
  return lake;
}
