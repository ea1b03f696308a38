import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ParquetWriter, writeArrow, writeMcap } from '../../src/entry/export.ts';
import { openLog } from '../../src/node/open.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { readArrow, readMcap, readParquet } from '../helpers/exported.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const folder = temporaryFolder();

async function written(name: string, pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  const path = join(folder, name);
  writeFileSync(path, Buffer.concat(all));
  return path;
}

test('programs write tables as Parquet, Arrow and MCAP', async () => {
  const log = await openLog(SAMPLE);
  const [table] = log.tablesNamed('MODE');
  const modes = (await table.column('Mode')).numbers();
  const chosen = table.only([table.field('Mode') as NonNullable<ReturnType<typeof table.field>>]);
  const writer = await ParquetWriter.create({ metadata: new Map([['source', 'mine']]) });
  const path = join(folder, 'mode.parquet');
  await writer.write(chosen, path);
  writer.close();
  const parquet = await readParquet(path);
  expect(parquet.names).toEqual(['time', 'Mode']);
  expect(parquet.rows.map(({ values }) => values[0])).toEqual([...modes]);
  const arrow = readArrow(await written('mode.arrow', writeArrow(chosen)));
  expect(arrow.rows).toEqual(parquet.rows);
  const messages = await readMcap(await written('mode.mcap', writeMcap(log, { tables: [table] })));
  expect(messages.map(({ data }) => data.Mode)).toEqual([...modes]);
});
