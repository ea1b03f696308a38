import { copyFileSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Ingester } from '../../src/lake/ingest.ts';
import { Lake } from '../../src/lake/lake.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needCommand } from '../helpers/need.ts';
import { changedFlight, machineId, SAMPLE_VEHICLE, smallFlight } from '../lake/fleet-logs.ts';
import { auditAll } from './accessibility.ts';
import { CHROMIUM, openPage, startBrowser, startView, type Viewing } from './browser.ts';
import { clickAround } from './clicks.ts';

const PATIENCE = { timeout: 20_000 };

/** What no browser must take for anything but the name of a file. */
const HOSTILE = '<img src=x onerror=alert(1)>.BIN';
const OTHER = machineId(7).slice(0, 16);

needCommand(CHROMIUM)('the flights of a lake in Chromium', () => {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  const lake = new Lake(join(folder, 'lake'));
  const gone = join(logs, 'gone.BIN');
  let browser: Browser;
  let viewing: Viewing;

  beforeAll(async () => {
    mkdirSync(logs);
    copyFileSync(SAMPLE, join(logs, 'square.BIN'));
    const flight = await smallFlight();
    for (const [name, days] of [
      [HOSTILE, 1],
      ['gone.BIN', 2],
      ['third.BIN', 3],
    ] as const)
      writeFileSync(join(logs, name), await changedFlight(flight, { machine: machineId(7), days }));
    const [made, ...opened] = await Promise.all([ingest(), startBrowser()]);
    void made;
    browser = opened[0];
    renameSync(gone, join(folder, 'elsewhere.BIN'));
    viewing = await startView('--lake', lake.root);
  });

  async function ingest(): Promise<void> {
    const ingester = await Ingester.open(lake);
    for (const name of ['square.BIN', HOSTILE, 'gone.BIN', 'third.BIN'])
      expect(await ingester.ingest(join(logs, name))).toMatchObject({ status: 'ingested' });
    await ingester.close();
  }

  afterAll(async () => {
    await browser?.close();
    expect(await viewing?.close()).toBe(0);
  });

  const rows = (page: Page) => page.getByRole('table', { name: 'Flights' }).locator('tbody tr:not(.unmade)');
  const texts = (page: Page): Promise<string[]> => rows(page).allInnerTexts();
  const summary = (page: Page, text: string) => page.getByRole('status', { name: 'Summary' }).getByText(text).waitFor();

  test('they are listed, filtered, sorted, found on the map and opened in Log; changes and damage are told', async () => {
    const { page, context, troubles, requests } = await openPage(browser, viewing.address);
    await summary(page, '4 flights');
    await summary(page, '2 vehicles');
    expect(await rows(page).count()).toBe(4);
    // hostile names are text, and a log that is gone is told as that
    await rows(page).getByRole('link', { name: HOSTILE }).waitFor();
    await rows(page).getByText(`the log is no longer at ${gone}`).waitFor();

    await page.getByLabel('Vehicle', { exact: true }).selectOption(OTHER);
    await summary(page, '3 flights');
    await page.getByLabel('From').fill('2026-11-17');
    await page.getByLabel('From').blur();
    await expect.poll(() => texts(page), PATIENCE).toHaveLength(2);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('square guided');
    await expect.poll(() => texts(page), PATIENCE).toHaveLength(1);
    expect(page.url()).toContain('#text=square+guided');
    const [text] = await texts(page);
    for (const part of [SAMPLE_VEHICLE, '2026-11-15', '18:13:12', '1:22', '166 m', '20 m', 'GUIDED', 'RTL', '633 mAh'])
      expect(text).toContain(part);

    // the map shows the one that is left: pointing at its path marks its row, and the other way round
    const map = page.getByRole('application', { name: 'Map of the flights' });
    await map.locator('.track-map[data-state="ready"]').waitFor();
    const box = await map.boundingBox();
    if (!box) throw new Error('the map has no place');
    const marked = page.locator('tr.hovered');
    await expect
      .poll(async () => {
        for (let i = 1; i < 80 && (await marked.count()) === 0; i++)
          await page.mouse.move(box.x + (box.width * i) / 80, box.y + box.height / 2);
        return marked.count();
      }, PATIENCE)
      .toBe(1);
    await map.getByText(`${SAMPLE_VEHICLE} · 2026-11-15 · 18:13:12`).waitFor();
    await page.mouse.move(5, 5);
    await rows(page).first().hover();
    await map.getByText(SAMPLE_VEHICLE).waitFor();
    // only what this part of the map shows: all flights began at one place
    await page.getByLabel('In this part of the map').check();
    await page.getByLabel('Search').fill('');
    await summary(page, '4 flights');
    expect(page.url()).toContain('box=');

    await page.getByRole('button', { name: 'Start (UTC)' }).click();
    await expect.poll(async () => (await texts(page))[0], PATIENCE).toContain('2026-11-15');
    await page.waitForURL(/sort=start/);
    const address = page.url();
    await rows(page).first().getByText('1:22').click();
    await page.waitForURL(/\?lake=[0-9a-f]{32}#/);
    await page
      .getByRole('region', { name: /^Plot of/ })
      .getByRole('listitem')
      .filter({ hasText: 'ATT.Roll' })
      .first()
      .waitFor();
    await page.getByRole('heading', { name: 'square.BIN' }).waitFor();
    // the flight fills the plots, with a little room
    const [from, to] = (/window=([\d.]+),([\d.]+)/.exec(page.url()) ?? []).slice(1).map(Number);
    expect(to - from).toBeCloseTo(82.4 * 1.06, 0);

    // the way back leads to the same list, and the address restores it
    await page.goBack();
    await expect.poll(() => page.locator('tr.chosen').count(), PATIENCE).toBe(1);
    expect(page.url()).toContain(address);
    expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(new Set([new URL(viewing.address).origin]));
    expect(troubles).toEqual([]);

    // from here on there is no need to draw a map
    await page.getByRole('button', { name: 'Map' }).click();
    await page.getByRole('button', { name: 'Clear' }).click();
    // by keyboard: the chosen row has the focus, and is told as selected
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown']) await page.keyboard.press(key);
    const focused = page.locator('tr:focus');
    expect(await focused.getAttribute('aria-selected')).toBe('true');
    expect(await focused.getAttribute('aria-rowindex')).toBe('3');
    expect(await page.getByRole('row', { selected: true }).count()).toBe(1);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await auditAll(page)).toEqual([]);
    // clicks by chance; a row would lead to its log
    await clickAround(page, 500, 2, 'a, tbody, [role=application]');
    await page.goto(address.replace(/#.*/, ''));
    await summary(page, '4 flights');
    expect(troubles).toEqual([]);
    // a file with the right name and another content is no longer the log
    const third = (await rows(page).filter({ hasText: 'third.BIN' }).getByRole('link').getAttribute('href')) ?? '';
    truncateSync(join(logs, 'third.BIN'), 1000);
    const other = await context.newPage();
    await other.goto(new URL(third, page.url()).href);
    await other
      .getByRole('alert')
      .getByText(`the log is no longer at ${join(logs, 'third.BIN')}`)
      .waitFor();
    const log = /lake=([0-9a-f]{32})/.exec(third)?.[1] ?? '';
    truncateSync(lake.catalogueFile('flights', log), 100);
    // a new name in the catalogue makes the page look again
    writeFileSync(lake.catalogueFile('logs', 'ab'), 'half a file');
    await page.getByRole('alert').filter({ hasText: 'ab.parquet cannot be read' }).waitFor();
    await page
      .getByRole('alert')
      .filter({ hasText: `${log}.parquet cannot be read` })
      .waitFor();
    await summary(page, '3 flights');
  });
});
