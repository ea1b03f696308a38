import type { LogPage } from './page.svelte.ts';

interface ServedFile {
  readonly id: string;
  readonly name: string;
}

/** Opens the files that `skein view` was started with. A page without that server has none. */
export async function openServed(page: LogPage): Promise<void> {
  for (const { id, name } of await servedFiles()) {
    void page.open(name, new URL(`v1/files/${encodeURIComponent(id)}`, document.baseURI).href, id);
  }
}

async function servedFiles(): Promise<ServedFile[]> {
  try {
    const answer = await fetch(new URL('v1/files', document.baseURI));
    if (!answer.ok) return [];
    const { files } = (await answer.json()) as { files: ServedFile[] };
    return files;
  } catch {
    return [];
  }
}
