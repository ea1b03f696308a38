import { existsSync } from 'node:fs';
import { Lake } from '../lake/lake.ts';
import type { LakeDatabase, LakeDatabaseOptions } from '../lake/lake-database.ts';
import type { LakeFiles } from '../lake/lake-files.ts';
import { LAKE_LIMITS } from '../lake/limits.ts';
import { EXIT, UsageError } from './failure.ts';
import { notice } from './output.ts';
import { counted } from './words.ts';

/** Opens an existing lake for queries. */
export async function openLake(folder: string, limits: LakeDatabaseOptions): Promise<LakeDatabase> {
  const lake = lakeAt(folder);
  const { LakeDatabase: Database } = await import('../lake/lake-database.ts');
  return Database.open(lake, limits);
}

/** Lists broken files that an answer leaves out, and returns the exit code. */
export function noticeBroken(files: LakeFiles): number {
  const { problems, sentences } = files;
  for (const line of sentences.slice(0, LAKE_LIMITS.problems)) notice(line);
  const more = problems.size - LAKE_LIMITS.problems;
  if (more > 0) notice(`and ${counted(more, 'more file')}`);
  if (problems.size > 0) notice('the answer leaves them out; fix: skein lake repair --lake FOLDER');
  noticeUnhashed(files);
  return problems.size > 0 ? EXIT.damage : EXIT.well;
}

export function noticeUnhashed({ unhashed }: LakeFiles): void {
  if (unhashed.size === 0) return;
  notice(
    `${counted(unhashed.size, 'file')} without a hash, written by an earlier version: changes in them are not found`,
  );
}

export function lakeAt(folder: string): Lake {
  const lake = new Lake(folder);
  if (!existsSync(lake.catalogue('logs')))
    throw new UsageError(`${folder} is not a lake; create one: skein ingest PATH... --lake ${folder}`);
  return lake;
}
