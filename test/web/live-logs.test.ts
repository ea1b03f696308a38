// The logs on a vehicle's card, on the Live page: listed, downloaded, stopped, opened, and why nothing is there.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/folder.ts';
import { needCommand } from '../helpers/need.ts';
import { freeUdpPort, startLive } from '../live/command.ts';
import { Random } from '../suite/random.ts';
import { cardOf } from '../vehicle/log-bench.ts';
import { vehicleOverUdp } from '../vehicle/sockets.ts';
import { auditAll } from './accessibility.ts';
import { CHROMIUM, openPage, startBrowser, withoutMaps } from './browser.ts';

const SAMPLE = fileURLToPath(new URL('../../sample/copter-square.BIN', import.meta.url));
/** Where pictures of the card go, to be looked at; none by default. */
const PICTURES = process.env.SKEIN_PICTURES;

needCommand(CHROMIUM)('the Logs card', () => {
  const folder = join(temporaryFolder(), 'flights');
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  test('lists, downloads, stops, opens and says why not', { timeout: 240_000 }, async () => {
    const port = await freeUdpPort();
    const live = await startLive(port, 0, '--record', folder);
    const flight = new Uint8Array(readFileSync(SAMPLE)).slice(0, 400_000);
    const card = cardOf(false, [flight, new Random(3).bytes(2_000_000)], 1_763_000_000);
    const { vehicle, close } = await vehicleOverUdp(port, { up: 60, ...card });
    const { page, context, troubles } = await openPage(browser, 'about:blank');
    page.setDefaultTimeout(60_000);
    const picture = async (name: string): Promise<void> => {
      if (!PICTURES) return;
      for (const theme of ['Dark', 'Light'])
        for (const width of [390, 1440]) {
          await page.setViewportSize({ width, height: 900 });
          await page.getByLabel('Theme').selectOption(theme);
          await logs.scrollIntoViewIfNeeded();
          await page.waitForTimeout(500);
          await page.screenshot({ path: join(PICTURES, `${name}-${theme}-${width}.png`) });
        }
      await page.setViewportSize({ width: 1180, height: 800 });
    };
    const logs = page.getByRole('region', { name: "On the vehicle's card" });
    const state = logs.getByRole('status');
    const rows = logs.getByRole('list', { name: 'Logs on the vehicle' }).getByRole('listitem');
    try {
      await context.addInitScript(withoutMaps);
      await page.goto(live.address);
      await page.getByRole('tab', { name: 'Logs' }).click();
      // nothing is asked before the user asks
      await state.getByText('Not listed yet.').waitFor();
      await page.waitForTimeout(1500);
      expect(vehicle.requests.filter(({ name }) => /^LOG_|^FILE_/.test(name))).toEqual([]);
      // by the keyboard
      await logs.getByRole('button', { name: 'List' }).focus();
      await page.keyboard.press('Enter');
      await expect
        .poll(() => rows.allInnerTexts(), { timeout: 30_000 })
        .toEqual([
          expect.stringMatching(/00000002\.BIN\s+2025-11-13 02:30, 2\.0 MB\s+↓/),
          expect.stringMatching(/00000001\.BIN\s+2025-11-13 02:13, 400\.0 kB\s+↓/),
        ]);
      expect(await auditAll(page)).toEqual([]);

      await logs.getByRole('button', { name: 'Download 00000002.BIN' }).click();
      const bar = logs.getByRole('progressbar', { name: 'Downloading 00000002.BIN' });
      await expect
        .poll(() => bar.evaluate((each: HTMLProgressElement) => each.value), { timeout: 30_000 })
        .toBeGreaterThan(0);
      await logs.getByText(/^[\d.]+ k?B of 2\.0 MB, [\d.]+ k?B\/s, \d+:\d\d left$/).waitFor();
      expect(await logs.getByRole('button', { name: 'Download 00000001.BIN' }).isDisabled()).toBe(true);
      expect(await auditAll(page)).toEqual([]);
      await picture('running');
      await logs.getByRole('button', { name: 'Stop' }).click();
      await logs.getByText('Not saved: stopped').waitFor();
      expect(readdirSync(folder).filter((name) => !/^\d/.test(name))).toEqual([]);

      await logs.getByRole('button', { name: 'Download 00000001.BIN' }).click();
      await logs.getByText('saved, checksum equal').waitFor();
      expect(new Uint8Array(readFileSync(join(folder, 'vehicle-1-00000001.BIN')))).toEqual(flight);
      await page.getByRole('region', { name: 'Logs' }).getByText('vehicle-1-00000001.BIN').first().waitFor();
      expect(await auditAll(page)).toEqual([]);
      await picture('saved');
      const [log] = await Promise.all([context.waitForEvent('page'), logs.getByRole('link', { name: 'Open' }).click()]);
      await log.getByText('vehicle-1-00000001.BIN').first().waitFor();
      await log.getByTitle('Health report').waitFor();
      await log.close();

      vehicle.set({ armed: true });
      await state.getByText('Armed: disarm to download.').waitFor();
      expect(await logs.getByRole('button', { name: 'List again' }).isDisabled()).toBe(true);
      expect(await auditAll(page)).toEqual([]);
      await picture('armed');
      vehicle.set({ armed: false });
      vehicle.logs.logs = [];
      const { files } = cardOf(false, []);
      Object.assign(vehicle.files, { files });
      await state.waitFor({ state: 'detached' });
      await logs.getByRole('button', { name: 'List again' }).click();
      await state.getByText('No logs.').waitFor();
      vehicle.isSilent = true;
      await state.getByText('The vehicle does not answer.').waitFor();
      expect(troubles).toEqual([]);
    } finally {
      await context.close();
      await close();
      await live.close();
    }
  });
});
