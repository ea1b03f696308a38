// A page that stays open while `skein live` is started again, with a new token.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/folder.ts';
import { needCommand } from '../helpers/need.ts';
import { freeUdpPort, startLive } from '../live/command.ts';
import { vehicleOverUdp } from '../vehicle/sockets.ts';
import { audit } from './accessibility.ts';
import { CHROMIUM, openPage, startBrowser, withoutMaps } from './browser.ts';

needCommand(CHROMIUM)('an open page after a restart of the server', () => {
  const folder = temporaryFolder();

  test('has its buttons off and asks for the token, and goes on with it', async () => {
    const port = await freeUdpPort();
    const record = join(folder, 'flights');
    const first = await startLive(port, 0, '--record', record);
    const vehicle = await vehicleOverUdp(port, { system: 1 });
    const browser = await startBrowser();
    try {
      const { page, context } = await openPage(browser, 'about:blank');
      await context.addInitScript(withoutMaps);
      await page.goto(first.address);
      const mark = page.getByRole('button', { name: 'Mark', exact: true });
      await mark.click();
      await page.getByText('marked: mark').waitFor();
      const access = page.getByRole('alert', { name: 'Access' });
      expect(await access.count()).toBe(0);

      await first.kill();
      const second = await startLive(port, first.port, '--record', record);
      try {
        expect(second.address).not.toBe(first.address);
        await access.waitFor({ timeout: 30_000 });
        await expect.poll(() => mark.isDisabled(), { timeout: 10_000 }).toBe(true);
        expect((await audit(page)).wrong).toEqual([]);
        await access.getByRole('textbox').fill('0123456789abcdef0123456789abcdef');
        await access.getByRole('button', { name: 'Unlock' }).click();
        await access.getByText('wrong token in the address').waitFor();
        await access.getByRole('textbox').fill(second.address);
        await access.getByRole('button', { name: 'Unlock' }).click();
        await access.waitFor({ state: 'detached' });
        await mark.click({ timeout: 30_000 });
        await page.getByText('marked: mark').waitFor();
        expect(page.url()).not.toContain('token');
      } finally {
        await second.close();
      }
    } finally {
      await browser.close();
      await vehicle.close();
      await first.kill();
    }
  });
});
