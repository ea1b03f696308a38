import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { openEngine } from '../sql/engine.ts';
import { CATALOGUE_KINDS, ingestedIn } from './catalogue.ts';
import { catalogueState, LogIndex } from './catalogue-state.ts';
import { Ingester, type IngestOptions } from './ingest.ts';
import type { Lake } from './lake.ts';
import { lakeTables } from './lake-database.ts';
import { CHANGED, LakeFiles } from './lake-files.ts';
import { Originals } from './log-identity.ts';
import { membersText, namesIn, packFile, sealFile } from './packs.ts';
import { removeBroken } from './removal.ts';
import { readSeal, type SealedRule } from './seal.ts';

export async function checkLake(lake: Lake): Promise<LakeFiles> {
  return (await lookAt(lake)).files;
}

/** A log that was ingested, and where from. */
interface Origin {
  readonly path: string;
  readonly rule: SealedRule;
}

async function lookAt(lake: Lake): Promise<{ files: LakeFiles; origins: Map<string, Origin> }> {
  const files = new LakeFiles(lake);
  const engine = await openEngine();
  try {
    const sealed = await namesIn(lake.seals);
    const state = await catalogueState(lake);
    await files.findLost(sealed, state);
    for (const kind of CATALOGUE_KINDS) await files.brokenOf(kind, state);
    const logs = await new LogIndex(files, engine.connection).logs(state);
    const tables = await lakeTables(files, engine.connection, state, logs);
    for (const table of tables) if (table.schema === '') await table.query(engine.connection);
    const origins = new Map<string, Origin>(logs.map(({ log, path }) => [log, { path, rule: {} }]));
    for (const log of sealed) {
      const seal = await readSeal(lake.seal(log));
      if (seal === null) files.add(lake.seal(log), CHANGED, new Set([log]));
      if (seal?.path !== undefined) origins.set(log, { path: seal.path, rule: seal.rule ?? {} });
    }
    return { files, origins };
  } finally {
    engine.close();
  }
}

export interface Repair {
  /** Broken files, with the reason, and where they are now; null for those that were missing. */
  readonly files: readonly { readonly path: string; readonly problem: string; readonly aside: string | null }[];
  /** Logs that were ingested again, and those that could not be: what is whole of them stays. */
  readonly rebuilt: readonly string[];
  readonly lost: readonly { readonly log: string; readonly path: string | null; readonly reason: string }[];
}

/** Puts broken files aside and ingests their logs again, where these are still there. Nothing is deleted. */
export async function repairLake(lake: Lake, options: IngestOptions = {}): Promise<Repair> {
  await mendMembers(lake);
  const { files, origins } = await lookAt(lake);
  const put: { path: string; problem: string; aside: string | null }[] = [];
  for (const [path, problem] of files.problems) put.push({ path, problem, aside: await putAside(lake, path) });
  const rebuilt: string[] = [];
  const lost: { log: string; path: string | null; reason: string }[] = [];
  const originals = new Originals();
  const ingester = await Ingester.open(lake, options);
  try {
    for (const log of new Set([...files.logs.values()].flatMap((logs) => [...logs]))) {
      const origin = origins.get(log);
      const reason = origin ? await originals.problemOf({ log, path: origin.path }) : 'its file is no longer known';
      if (!origin || reason !== undefined) {
        lost.push({ log, path: origin?.path ?? null, reason: reason ?? '' });
        continue;
      }
      await removeBroken(lake, log);
      const { open, ...rule } = origin.rule;
      const given = { ...rule, open: { ...open, ...options.open } };
      const { status, reason: why } = await ingester.ingest(origin.path, given);
      if (status === 'ingested' || status === 'present' || status === 'outdated') rebuilt.push(log);
      else lost.push({ log, path: origin.path, reason: why ?? status });
    }
  } finally {
    await ingester.close();
  }
  return { files: put, rebuilt, lost };
}

/** A list of the members of a pack can be written again from the rows of its logs, if these are whole. */
async function mendMembers(lake: Lake): Promise<void> {
  await lake.packs.list();
  for (const path of [...lake.packs.broken]) {
    const folder = dirname(path);
    const logs = packFile({ folder }, 'logs');
    const seal = await readSeal(sealFile({ folder }));
    const engine = await openEngine({ threads: 1 });
    try {
      const text = membersText(new Map(await ingestedIn(engine.connection, [logs])));
      if (!seal) continue;
      await putAside(lake, path);
      await writeFile(path, text, { flag: 'wx' });
    } catch {
      // its logs are lost then, and named
    } finally {
      engine.close();
    }
  }
}

/** Where a broken file is now; null for one that is missing. */
async function putAside(lake: Lake, path: string): Promise<string | null> {
  const to = join(lake.quarantine, relative(lake.root, path));
  let free = to;
  for (let i = 2; await stat(free).catch(() => undefined); i++) free = `${to}.${i}`;
  await mkdir(dirname(free), { recursive: true });
  return rename(path, free).then(
    () => free,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
}
