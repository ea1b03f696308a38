import { addressOf, getJson } from '../shared/server.ts';
import type { LogPage } from './page.svelte.ts';

interface ServedFile {
  readonly id: string;
  readonly name: string;
}

/** Names a recording in the address of the page, in links of the Live page. */
const RECORDING = 'recording';
/** Names a log of a lake, in links of the Lake page. */
const LAKE_LOG = 'lake';

/** The page to go back to. */
export function homePage(): string {
  return new URLSearchParams(location.search).has(LAKE_LOG) ? './lake.html' : './';
}

/** Opens the files of `skein view`, the recording of `skein live`, or the log that the address names. */
export async function openServed(page: LogPage): Promise<void> {
  if (location.protocol === 'file:') return;
  const log = new URLSearchParams(location.search).get(LAKE_LOG);
  if (log !== null) {
    const path = `v1/lake/logs/${encodeURIComponent(log)}`;
    const { name } = await getJson<{ name: string }>(path).catch(() => ({ name: log }));
    void page.open(name, addressOf(`${path}/file`).href);
  }
  const wanted = new URLSearchParams(location.search).get(RECORDING);
  const recordings = wanted === null ? [] : await listOf('recordings');
  const chosen = recordings.filter(({ id }) => id === wanted).map((file) => ({ ...file, list: 'recordings' }));
  const files = (await listOf('files')).map((file) => ({ ...file, list: 'files' }));
  for (const { id, name, list } of [...chosen, ...files]) {
    void page.open(name, addressOf(`v1/${list}/${encodeURIComponent(id)}`).href, id);
  }
}

function listOf(list: 'files' | 'recordings'): Promise<readonly ServedFile[]> {
  return getJson<Record<typeof list, readonly ServedFile[]>>(`v1/${list}`).then(
    (answer) => answer[list],
    () => [],
  );
}
