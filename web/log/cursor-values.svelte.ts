import { onDestroy, untrack } from 'svelte';
import { newestOnly } from '../shared/newest.ts';
import type { LogPage } from './page.svelte.ts';

/** The values of fields of the first file at the cursor, as it moves. Made while a component is made. */
export class CursorValues {
  /** One for each field, NaN if unknown; none without a cursor. */
  values: readonly number[] = $state.raw([]);

  constructor(pageOf: () => LogPage, texts: () => readonly string[]) {
    const page = pageOf();
    let isGone = false;
    onDestroy(() => (isGone = true));
    const ask = newestOnly(
      async () => {
        const [{ cursor, first: file }, asked] = [page, texts()];
        const requests = file ? asked.map((text) => ({ file: file.key, text, offset: file.offset })) : [];
        const isKnown = cursor !== null && requests.length > 0;
        const answers = isKnown ? await page.worker.values(requests, cursor).catch(() => []) : [];
        this.values = answers.map((answer) => ('value' in answer ? answer.value : Number.NaN));
      },
      () => isGone,
    );
    $effect(() => {
      void [page.cursor, texts(), page.first?.offset];
      untrack(() => void ask());
    });
  }
}
