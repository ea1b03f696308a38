// What a person does on the Log page, for its tests.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { openLog, type RecordTable } from '../../src/entry/browser.ts';
import { SAMPLE } from '../helpers/cli.ts';

/** Drops files on the page, as a file manager does. */
export async function drop(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const text = Buffer.from(bytes).toString('base64');
  await page.evaluate(
    ([fileName, base64]) => {
      const data = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([data], fileName));
      window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    },
    [name, text],
  );
}

export const plots = (page: Page) => page.getByRole('region', { name: /^Plot of/ });

/** Waits until the plot of a field has its statistics: then its line is drawn too. */
export async function statisticsOf(page: Page, field: string): Promise<string> {
  const found = plots(page).getByRole('listitem').filter({ hasText: field }).locator('[title^="in this window"]');
  return (await found.first().getAttribute('title')) ?? '';
}

export async function sampleTable(name: string): Promise<RecordTable> {
  const log = await openLog(new Uint8Array(readFileSync(SAMPLE)));
  const table = log.table(name);
  if (!table) throw new Error(`the sample has no table ${name}`);
  return table;
}
