// What the Log page shows first, of every kind of file: plots, or what the file is and what to do.
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SAMPLE } from '../helpers/cli.ts';
import { needCommand, needShared, sharedData } from '../helpers/need.ts';
import { auditAll } from './accessibility.ts';
import { CHROMIUM, openPage, startBrowser, startView, type Viewing, type WatchedPage } from './browser.ts';
import { drop, plots, statisticsOf } from './log-page.ts';

needCommand(CHROMIUM)('what the Log page shows first', () => {
  let browser: Browser;
  let viewing: Viewing;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    [browser, viewing] = await Promise.all([startBrowser(), startView(SAMPLE)]);
    watched = await openPage(browser, viewing.address);
    page = watched.page;
    await statisticsOf(page, 'ATT.Roll');
  });

  afterAll(async () => {
    await browser?.close();
    expect(await viewing?.close()).toBe(0);
  });

  const closeAll = async (): Promise<void> => {
    const close = page.getByRole('list', { name: 'Open files' }).getByRole('button', { name: /^Close / });
    while ((await close.count()) > 0) await close.first().click();
  };

  const nothing = () => page.getByRole('region', { name: 'Nothing to plot' });

  test('the cards of the report show their evidence, what is well before what is not known', async () => {
    await page.getByTitle('Health report').click();
    const cards = page.getByRole('list', { name: /^Findings of/ }).getByRole('listitem');
    await cards.first().waitFor();
    const severities = await cards.evaluateAll((all) => all.map(({ className }) => className.split(' ')[0]));
    expect(severities).toContain('ok');
    expect(severities).toContain('no-data');
    expect(severities.lastIndexOf('ok')).toBeLessThan(severities.indexOf('no-data'));
    const picture = cards
      .filter({ hasText: 'VIBE' })
      .first()
      .getByRole('img', { name: /VIBE.* over time/ });
    await picture.scrollIntoViewIfNeeded();
    await expect.poll(() => picture.locator('path').count()).toBeGreaterThan(0);
    const path = await picture.locator('path').first().getAttribute('d');
    expect((path ?? '').split('L').length).toBeGreaterThan(20);
    expect(path).not.toContain('NaN');
    await page.getByRole('button', { name: 'Close details' }).click();
  });

  test('it can be used by all at every width', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.getByRole('tab', { name: 'Report' }).click();
    expect(await auditAll(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close details' }).click();
  });

  test('on a phone, plots keep their height beside the map, and everything of the bar is in reach', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Map' }).click();
    await page.getByRole('application', { name: 'Map of the flight' }).waitFor();
    const boxes = await plots(page).evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    for (const height of boxes) expect(height).toBeGreaterThanOrEqual(180);
    await page.getByRole('button', { name: 'Map' }).click();
    expect(await page.getByLabel('Flight', { exact: true }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'More' }).click();
    for (const label of ['Flight', 'Time base', 'Theme'])
      expect(await page.getByLabel(label, { exact: true }).isVisible(), label).toBe(true);
    await page.getByLabel('Flight', { exact: true }).selectOption('1');
    await page.waitForURL(/window=/);
    await page.getByLabel('Time base').selectOption('From arming');
    await page.waitForURL(/base=arm/);
    await page.getByRole('button', { name: 'Export' }).click();
    const form = page.getByRole('form', { name: 'Export' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      form.getByRole('button', { name: 'Save file' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.(csv|zip)$/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByRole('button', { name: 'More' }).click();
    await page.setViewportSize({ width: 1180, height: 800 });
    await page.keyboard.press('f');
  });

  test('plots stand beside each other in one step, and a link restores that', async () => {
    const lefts = (): Promise<number> =>
      plots(page).evaluateAll((all) => new Set(all.map((each) => Math.round(each.getBoundingClientRect().left))).size);
    expect(await lefts()).toBe(1);
    await page.getByLabel('Columns of plots').selectOption('2');
    await expect.poll(lefts).toBe(2);
    // each column has its times; what shows the whole log is as wide as before
    const axes = page.getByText('1:00', { exact: true });
    await expect.poll(() => axes.count()).toBe(2);
    const [strip, pane] = await page.evaluate(() =>
      ['[aria-label="Overview"] svg', '[aria-label^="Plot of"]'].map(
        (each) => document.querySelector(each)?.getBoundingClientRect().width ?? Number.NaN,
      ),
    );
    expect(strip).toBeGreaterThan(1.5 * pane);
    await page.waitForURL(/columns=2/);
    await page.reload();
    await statisticsOf(page, 'ATT.Roll');
    expect(await lefts()).toBe(2);
    await page.keyboard.press('c');
    await expect.poll(lefts).toBe(3);
    await page.keyboard.press('c');
    await expect.poll(lefts).toBe(1);
  });

  test.each([
    ['empty.bin', new Uint8Array(), 'empty.bin is empty', /0 bytes/],
    ['zeros.bin', new Uint8Array(5000), 'zeros.bin holds no data', /5000 bytes of 0x00/],
    [
      'noise.bin',
      Uint8Array.from({ length: 900 }, (_, i) => (i * i * 31 + 7 * i + 129) % 251),
      'noise.bin was not opened',
      /unknown binary data/,
    ],
    ['page.BIN', new TextEncoder().encode('<html><body>404</body></html>'), 'page.BIN was not opened', /Web page/],
  ])('%s says what it is and what to do, with nothing empty around it', async (name, bytes, title, text) => {
    await closeAll();
    await drop(page, name, bytes);
    await nothing().getByRole('heading', { name: title }).waitFor();
    await nothing().getByText(text).waitFor();
    expect(await nothing().getByRole('listitem').count()).toBeGreaterThan(0);
    expect(await page.getByRole('application').count()).toBe(0);
    expect(
      await page
        .getByRole('region', { name: 'Nothing to plot' })
        .evaluate((each) => each.scrollWidth <= each.clientWidth),
    ).toBe(true);
  });

  test('after one visit the page of a server opens without it, with the log that the system gives it', async () => {
    const nmea = readFileSync(SAMPLE.replace(/BIN$/, 'nmea'), 'latin1').slice(0, 20_000);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await watched.context.setOffline(true);
    await page.addInitScript((text) => {
      const handle = { getFile: async () => new File([text], 'launched.nmea') };
      const launchQueue = { setConsumer: (take: (launch: object) => void) => take({ files: [handle] }) };
      Object.defineProperty(window, 'launchQueue', { value: launchQueue });
    }, nmea);
    await page.reload();
    await page.getByRole('list', { name: 'Open files' }).getByText(/^nmea/).waitFor();
    await expect.poll(() => plots(page).count()).toBeGreaterThan(0);
    await watched.context.setOffline(false);
  });

  test('nothing went wrong', () => {
    // the list of files is a request to the server, which was not there
    expect(watched.troubles.filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  });

  needShared(test, 'pcap')(
    'logs of sensors and captures begin with plots too; a capture without telemetry says so',
    async () => {
      for (const [name, field] of [
        ['xbus/1/output.bin', /EulerAngles.*roll/],
        ['nmea/gpsd/ait250.log', /RMC.*speed_kn/],
        ['nmea/gpsd/sounder.log', /DBT.*depth/],
        ['pcap/ipal_MAVLink.pcap', /ATTITUDE/],
      ] as const) {
        await closeAll();
        await drop(page, name, readFileSync(sharedData(...name.split('/'))));
        await plots(page).getByRole('listitem').filter({ hasText: field }).first().waitFor();
      }
      await closeAll();
      await drop(page, 'LACP.pcap', readFileSync(sharedData('pcap', 'odd', 'tcpdump_tests', 'LACP.pcap')));
      await nothing().getByRole('heading', { name: 'LACP.pcap has no telemetry in it' }).waitFor();
      expect(watched.troubles.filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
    },
  );
});
