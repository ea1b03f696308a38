import type { LogPage } from './page.svelte.ts';

interface ServedFile {
  readonly id: string;
  readonly name: string;
}

/** What names a recording in the address of the page: the live page leads here by it. */
const RECORDING = 'recording';

/**
 * Opens the files that `skein view` was started with, and the recording of `skein live` that the address names, as much of
 * it as there is by now. Other hosts have an empty list, which is built with the pages; a page on disk has none.
 */
export async function openServed(page: LogPage): Promise<void> {
  if (location.protocol === 'file:') return;
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
