import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { commitFile } from './ingest.ts';
import type { Lake } from './lake.ts';

const ID = /^[0-9a-f]{16}$/;

/** The id of a lake, which those on other machines know it by, wherever they have its folder; null where it has none. */
export async function readLakeId(lake: Lake): Promise<string | null> {
  const text = await readFile(lake.idFile, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (text === null) return null;
  if (!ID.test(text.trim())) throw new Error(`${lake.idFile} holds no id of a lake: 16 hexadecimal digits are wanted`);
  return text.trim();
}

/** The id of a lake, which is made where there is none. Any number of programs may do so at a time: all get the same. */
export async function lakeId(lake: Lake): Promise<string> {
  const known = await readLakeId(lake);
  if (known !== null) return known;
  for (const folder of [lake.staging, lake.catalogue('')]) await mkdir(folder, { recursive: true });
  const id = randomBytes(8).toString('hex');
  const draft = join(lake.staging, `id-${id}`);
  const file = await open(draft, 'wx');
  try {
    await file.write(`${id}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await commitFile(draft, lake.idFile);
  await unlink(draft).catch(() => undefined);
  return (await readLakeId(lake)) ?? id;
}
