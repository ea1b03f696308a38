import type { Log } from '../core/log.ts';
import type { Sheet } from '../core/sheet.ts';
import { sheetsOf } from '../sql/catalog.ts';
import type { Engine } from './engine.ts';
import { tableFolders } from './lake.ts';
import { type About, TableDraft, type TableFile } from './table-draft.ts';

/** Values of tables that are in memory at a time; a table with more is decoded while it is written. */
const LOADED_VALUES = 4_000_000;

/**
 * Writes each table of a log to a file in a folder: the rows of all its streams, one after the other, each with the id
 * of the log and the name of the stream. Fields keep their types; where two definitions of a table differ, columns are
 * united by name.
 */
export async function writeTables(
  engine: Engine,
  log: Log,
  id: string,
  folder: string,
  metadata: ReadonlyMap<string, string>,
): Promise<TableFile[]> {
  const byName = new Map<string, Sheet[]>();
  for (const sheet of await sheetsOf(log)) byName.set(sheet.name, [...(byName.get(sheet.name) ?? []), sheet]);
  const folders = tableFolders([...byName.keys()]);
  const drafts = [...byName].map(
    ([table, sheets]) => new TableDraft(engine.duckdb, table, sheets, folders.get(table) as string, folder),
  );
  const about = { id, metadata };
  const files: TableFile[] = [];
  let batch: TableDraft[] = [];
  let values = 0;
  const load = async (): Promise<void> => {
    if (batch.length > 0) files.push(...(await writeLoaded(engine, batch, about)));
    batch = [];
    values = 0;
  };
  for (const draft of drafts) {
    if (draft.values > LOADED_VALUES) {
      files.push(await writeScanned(engine, draft, about));
      continue;
    }
    if (values + draft.values > LOADED_VALUES) await load();
    batch.push(draft);
    values += draft.values;
  }
  await load();
  return files.filter(({ rows }) => rows > 0);
}

/** Writes a table whose rows are decoded on the way. */
async function writeScanned({ connection, scans }: Engine, draft: TableDraft, about: About): Promise<TableFile> {
  for (const sheet of draft.sheets) await sheet.ready();
  const copied = await connection.runAndReadAll(draft.copy((sheet) => scans.add(sheet), about));
  scans.clear();
  return draft.file(Number(copied.getRows()[0][0]));
}

/** Writes small tables all at once. */
async function writeLoaded(
  { connection, loader }: Engine,
  drafts: readonly TableDraft[],
  about: About,
): Promise<TableFile[]> {
  const sheets = drafts.flatMap((draft) => draft.sheets);
  for (const sheet of sheets) await sheet.ready();
  try {
    const loaded = await loader.load(sheets);
    const rowsOf = ({ sheets }: TableDraft): number =>
      sheets.reduce((sum, sheet) => sum + (loaded.get(sheet)?.rows ?? 0), 0);
    const filled = drafts.filter((draft) => rowsOf(draft) > 0);
    const copies = filled.map((draft) => draft.copy((sheet) => loaded.get(sheet)?.name ?? '', about));
    if (copies.length > 0) await connection.run(copies.join('; '));
    return await Promise.all(filled.map((draft) => draft.file(rowsOf(draft))));
  } finally {
    await loader.drop();
  }
}
