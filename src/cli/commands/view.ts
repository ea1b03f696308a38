import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { uniqueNames } from '../../core/names.ts';
import type { FlightList } from '../../server/flight-list.ts';
import { HttpError } from '../../server/http.ts';
import type { LiveAction, ServedFile } from '../../server/view.ts';
import type { QueryLimits } from '../../sql/limits.ts';
import type { Sandbox } from '../../sql/sandbox.ts';
import { EXIT, sentence, stopSignal, UsageError } from '../failure.ts';
import { lakeAt } from '../lake.ts';
import { wholeNumber } from '../options.ts';
import { notice, Output } from '../output.ts';
import { pagesFolder } from '../pages.ts';
import { addLimitOptions, type LimitOptions, limitsOf, type SqlInput, sqlSandbox } from '../sql-sandbox.ts';

interface ViewOptions extends LimitOptions {
  readonly open: boolean;
  readonly port?: number;
  readonly lake?: string;
  readonly json?: boolean;
}

export const EXAMPLES = `
The browser decodes the files; this command serves them, on loopback only, until Ctrl-C.

Examples:
  skein view flight.BIN
  skein view flight.BIN flight.tlog imu.xbus    several logs on one clock
  skein view flight.BIN --no-open --port 8099   print the address, open nothing
  skein view --lake lake                        the flights of a lake, by list and map`;

export function build(command: Command): void {
  command
    .argument('[files...]', 'logs of any format')
    .option('--lake <folder>', 'list the flights of a lake; a click opens one')
    .option('--no-open', 'do not open the browser')
    .option('--port <n>', 'port to listen on (default: any free port)', wholeNumber('--port', 0, 65_535))
    .option('--json', 'the address as JSON');
  addLimitOptions(command);
}

export async function run(paths: readonly string[], options: ViewOptions): Promise<number> {
  if (paths.length === 0 && options.lake === undefined) throw new UsageError('give a log, or --lake FOLDER');
  if (paths.length > 0 && options.lake !== undefined) throw new UsageError('--lake cannot be combined with logs');
  const lake = options.lake === undefined ? undefined : await listOf(options.lake);
  for (const path of paths) await checkFile(path);
  const pages = pagesFolder();
  if (pages === undefined) throw new Error('the pages are not built: run npm run build');
  const names = uniqueNames(paths.map((path) => basename(path)));
  const files = paths.map((path, i) => ({ id: String(i + 1), name: names[i], path: resolve(path) }));
  const query = lake ? undefined : queryAction(files, limitsOf(options));
  const { serve } = await import('../../server/server.ts');
  const ended = stopSignal();
  const server = await serve(undefined, { pages, files, lake, actions: query ? [query] : [], port: options.port ?? 0 });
  const page = lake ? server.page.replace('/?', '/lake.html?') : server.page;
  try {
    await announce(page, options);
    if (options.open) browse(page);
    await ended.reached;
  } finally {
    await server.close();
    await query?.close();
  }
  return EXIT.well;
}

async function checkFile(path: string): Promise<void> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`${path}: no such file`) : error;
  });
  if (!stats.isFile()) throw new UsageError(`${path} is not a file`);
}

/** The list is read when the page asks for it: a lake may be large, and may be broken. */
async function listOf(folder: string): Promise<FlightList> {
  const { FlightList: List } = await import('../../server/flight-list.ts');
  return new List(lakeAt(folder));
}

async function announce(page: string, { json }: ViewOptions): Promise<void> {
  const output = new Output();
  if (json) output.json({ address: page });
  else output.write(`${page}\n`);
  await output.flush();
  notice('serving until Ctrl-C');
}

/** The program that opens an address, by system. */
const OPENERS: Readonly<Record<string, readonly [command: string, ...words: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  linux: ['xdg-open'],
};

/** Opens an address in the user's browser, if there is a screen. It may fail: the address was printed. */
function browse(address: string): void {
  const [command, ...words] = OPENERS[process.platform] ?? OPENERS.linux;
  const hasScreen = process.platform !== 'linux' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  if (!hasScreen) return;
  // no shell: the address is an argument, whatever it holds
  const child = spawn(command, [...words, address], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

/** Queries that run at a time, and that may wait. */
const RUNNING = 4;
const WAITING = 32;

interface QueryAction extends LiveAction {
  close(): Promise<void>;
}

/** SQL over the files of a page, a process for each query; the first one stays open for the next query. */
function queryAction(files: readonly ServedFile[], limits: QueryLimits): QueryAction {
  const busy = new Set<Sandbox<SqlInput>>();
  const waiting: (() => void)[] = [];
  let idle: Sandbox<SqlInput> | undefined;
  const run = async (body: unknown): Promise<unknown> => {
    const sql = (body as { sql?: unknown } | null)?.sql;
    if (typeof sql !== 'string' || sql.trim() === '')
      throw new HttpError(400, 'missing query: send {"sql": "SELECT ..."}');
    if (waiting.length >= WAITING) throw new HttpError(503, 'too many queries are waiting: try again later');
    while (busy.size >= RUNNING) await new Promise<void>((resolve) => waiting.push(resolve));
    const sandbox = idle ?? sqlSandbox({ paths: files.map(({ path }) => path), options: {} }, limits);
    idle = undefined;
    busy.add(sandbox);
    try {
      let json = '';
      for await (const text of sandbox.query({ sql, format: 'page' })) json += text;
      return Buffer.from(json);
    } catch (error) {
      throw new HttpError(400, sentence(error));
    } finally {
      // tables and views that a query made must not be there for the next
      if (idle || sandbox.isLarge || /create/i.test(sql)) await sandbox.close();
      else idle = sandbox;
      busy.delete(sandbox);
      waiting.shift()?.();
    }
  };
  const close = async (): Promise<void> => {
    for (const sandbox of [idle, ...busy]) await sandbox?.close();
  };
  return { name: 'query', summary: 'Runs SQL over the log files: {"sql": "SELECT ..."}.', run, close };
}
