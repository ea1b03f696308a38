import type { LogPage } from './page.svelte.ts';

interface ServedFile {
  readonly id: string;
  readonly name: string;
}

/** What names a recording in the address of the page: the live page leads here by it. */
const RECORDING = 'recording';
/** What names a log of a lake there: the list of its flights leads here by it. */
const LAKE_LOG = 'lake';

/** The page that led here, and that the way back goes to. */
export function homePage(): string {
  return new URLSearchParams(location.search).has(LAKE_LOG) ? './lake.html' : './';
}

/**
 * Opens the files that `skein view` was started with, and the recording of `skein live` or the log of a lake that the
 * address names, as much of it as there is by now. Other hosts have an empty list, which is built with the pages; a page
 * on disk has none.
 */
export async function openServed(page: LogPage): Promise<void> {
  if (location.protocol === 'file:') return;
  const log = new URLSearchParams(location.search).get(LAKE_LOG);
  if (log !== null) {
    const path = `v1/lake/logs/${encodeURIComponent(log)}`;
    void page.open((await nameOf(path)) ?? log, new URL(`${path}/file`, document.baseURI).href);
  }
  const wanted = new URLSearchParams(location.search).get(RECORDING);
  const recordings = wanted === null ? [] : await listOf('recordings');
  const chosen = recordings.filter(({ id }) => id === wanted).map((file) => ({ ...file, list: 'recordings' }));
  const files = (await listOf('files')).map((file) => ({ ...file, list: 'files' }));
  for (const { id, name, list } of [...chosen, ...files]) {
    void page.open(name, new URL(`v1/${list}/${encodeURIComponent(id)}`, document.baseURI).href, id);
  }
}

async function listOf(list: 'files' | 'recordings'): Promise<ServedFile[]> {
  try {
    const answer = await fetch(new URL(`v1/${list}`, document.baseURI));
    if (!answer.ok) return [];
    return ((await answer.json()) as Record<typeof list, ServedFile[]>)[list];
  } catch {
    return [];
  }
}

async function nameOf(path: string): Promise<string | undefined> {
  try {
    return ((await (await fetch(new URL(path, document.baseURI))).json()) as { name?: string }).name;
  } catch {
    return undefined;
  }
}
