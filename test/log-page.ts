// What a person does on the Log page, for its tests.
import type { Locator, Page } from 'playwright-core';

/** Drops a file on the page, as a file manager does. */
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

export function plots(page: Page): Locator {
  return page.getByRole('region', { name: /^Plot of/ });
}

/** Waits until the plot of a field has its statistics: then its line is drawn too. */
export async function statisticsOf(page: Page, field: string): Promise<string> {
  const found = plots(page).getByRole('listitem').filter({ hasText: field }).locator('[title^="in this window"]');
  return (await found.first().getAttribute('title')) ?? '';
}
