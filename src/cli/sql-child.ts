import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { uniqueNames } from '../core/names.ts';
import type { OpenOptions } from '../formats/open.ts';
import { openInMemory, openLog } from '../node/open.ts';
import { LogDatabase } from '../sql/database.ts';
import { writeResult } from '../sql/parquet.ts';
import { QueryError, QueryLimitError } from '../sql/query-error.ts';
import {
  type SandboxAnswer,
  type SandboxFailure,
  type SandboxMessage,
  type SandboxQuery,
  type SandboxSetting,
  tooLarge,
} from '../sql/sandbox.ts';
import type { SqlDatabase } from '../sql/sql-database.ts';
import { type UserFile, userFileKind } from '../sql/user-file.ts';
import { wantedBy } from '../sql/wanted.ts';
import { EXIT, sentence, UsageError } from './failure.ts';
import { codeOf, load } from './load.ts';
import { Output } from './output.ts';
import { RESULT_FORMATS } from './result-formats.ts';
import type { SqlInput } from './sql-sandbox.ts';

/* The process that answers SQL: it opens logs or a lake, then runs queries one at a time. */

const say = (answer: SandboxAnswer): void => {
  process.send?.(answer);
};

function failureOf(error: unknown): SandboxFailure {
  const isMistake = error instanceof QueryError || error instanceof UsageError;
  const kind = isMistake ? 'mistake' : error instanceof QueryLimitError ? 'limit' : 'other';
  return { message: sentence(error), kind };
}

let setting: SandboxSetting<SqlInput>;
let database: Promise<SqlDatabase>;
/** Names what is broken in a lake. */
let brokenCode = (): number => EXIT.well;

// Ctrl-C is handled by the parent
process.on('SIGINT', () => undefined);
const end = (): void => {
  try {
    // the engine's threads may still write to it
    rmSync(process.argv[2], { recursive: true, force: true, maxRetries: 3 });
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
};
process.on('disconnect', end);
// the parent may be gone already
if (!process.connected) end();
process.on('message', async (message: SandboxMessage<SqlInput>) => {
  if ('open' in message) {
    setting = message.open;
    database = open(setting);
    database.catch((error) => say({ failed: failureOf(error) }));
  } else if ('query' in message) await answer(message.query);
  else (await database).interrupt();
});

async function open({ input, limits }: SandboxSetting<SqlInput>): Promise<SqlDatabase> {
  // time and memory are watched from outside
  const own = { ...limits, milliseconds: Number.POSITIVE_INFINITY };
  if (input.lake !== undefined) {
    const { openLake, noticeBroken } = await import('./lake.ts');
    const lake = await openLake(input.lake, own);
    say({ opened: { tables: namesOf(lake), code: EXIT.well } });
    brokenCode = () => noticeBroken(lake.files);
    return lake;
  }
  const { paths, options, query } = input;
  const names = uniqueNames(paths.map((path) => basename(path)));
  const wanted = query === undefined ? undefined : wantedBy(query);
  const how = wanted ? (path: string, more: OpenOptions) => openLog(path, { ...more, wanted }) : openInMemory;
  const files: UserFile[] = [];
  const logs: { file: string; log: Awaited<ReturnType<typeof load>> }[] = [];
  for (const [i, path] of paths.entries()) {
    const kind = userFileKind(path);
    if (kind) files.push({ path, kind });
    else logs.push({ file: names[i], log: await load(path, options, how) });
  }
  const opened = await LogDatabase.open(logs, { ...own, files, si: options.si });
  const code = codeOf(
    logs.map(({ log }) => log),
    options,
  );
  say({ opened: { tables: namesOf(opened), code } });
  return opened;
}

function namesOf({ tables }: SqlDatabase): SqlDatabase['tables'] {
  return tables.map(({ schema, name, columns }) => ({ schema, name, columns }));
}

async function answer({ sql, format, path }: SandboxQuery): Promise<void> {
  const { answerBytes, memoryBytes } = setting.limits;
  const output = new Output();
  let bytes = 0;
  try {
    const result = await (await database).query(sql);
    if (path !== undefined) await writeResult(result, path, memoryBytes);
    else
      for await (const text of RESULT_FORMATS[format](result)) {
        bytes += Buffer.byteLength(text);
        if (bytes > answerBytes) throw tooLarge(answerBytes);
        if (output.data(text)) await output.flush();
      }
    await output.flush();
    say({ ended: bytes, code: brokenCode() });
  } catch (error) {
    await output.flush();
    say({ ended: bytes, failure: failureOf(error) });
  }
}
