import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { uniqueNames } from '../../core/names.ts';
import type { FlightList } from '../../server/flight-list.ts';
import { browse } from '../browse.ts';
import { EXIT, UsageError } from '../failure.ts';
import { lakeAt } from '../lake.ts';
import { Output, tell } from '../output.ts';
import { pagesFolder } from '../pages.ts';
import { addLimitOptions, type LimitOptions, limitsOf } from '../sql-sandbox.ts';

interface ViewOptions extends LimitOptions {
  readonly open: boolean;
  readonly port?: string;
  readonly lake?: string;
  readonly json?: boolean;
}

const EXAMPLES = `
The page decodes the files in the browser; this command hands them over, on this machine only, until Ctrl-C.

Examples:
  skein view flight.BIN
  skein view flight.BIN flight.tlog imu.xbus    several on one clock
  skein view flight.BIN --no-open --port 8099   print the address, open nothing
  skein view --lake lake                        the flights of a lake, by list and map`;

export function buildView(command: Command, done: (code: number) => void): void {
  command
    .argument('[files...]', 'logs of any format')
    .option('--lake <folder>', 'lists the flights of a lake that `skein ingest` made; a click opens one')
    .option('--no-open', 'do not open the browser')
    .option('--port <n>', 'the port to listen on; any that is free by default')
    .option('--json', 'the address as JSON');
  addLimitOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], options: ViewOptions) => done(await view(files, options)));
}

async function view(paths: readonly string[], options: ViewOptions): Promise<number> {
  const port = portOf(options);
  if (paths.length === 0 && options.lake === undefined) throw new UsageError('give a log, or --lake FOLDER');
  if (paths.length > 0 && options.lake !== undefined)
    throw new UsageError('--lake is for a lake, without logs beside it');
  const lake = options.lake === undefined ? undefined : await listOf(options.lake);
  for (const path of paths) await checkFile(path);
  const pages = pagesFolder();
  if (pages === undefined) throw new Error('the pages are not built: npm run build makes them');
  const names = uniqueNames(paths.map((path) => basename(path)));
  const files = paths.map((path, i) => ({ id: String(i + 1), name: names[i], path: resolve(path) }));
  const { QueryAction } = await import('../query-action.ts');
  const query = lake ? undefined : new QueryAction(files, limitsOf(options));
  const { serve } = await import('../../server/server.ts');
  const ended = interrupted();
  const server = await serve(undefined, { pages, files, lake, actions: query ? [query] : [], port });
  const page = lake ? server.page.replace('/?', '/lake.html?') : server.page;
  try {
    await announce(page, options);
    if (options.open) browse(page);
    await ended;
  } finally {
    await server.close();
    await query?.close();
  }
  return EXIT.well;
}

function portOf({ port }: ViewOptions): number {
  if (port === undefined) return 0;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65535) throw new UsageError(`--port ${port}: must be 0 to 65535`);
  return Number(port);
}

async function checkFile(path: string): Promise<void> {
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`no file ${path}`) : error;
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
  tell('the page is at this address until Ctrl-C');
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve());
  });
}
