import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { factsOf, makeReport, openLog } from '../../src/entry/browser.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { MadeLog } from '../helpers/made-log.ts';
import { needCommand, needShared, sharedData } from '../helpers/need.ts';
import { CHROMIUM, openPage, startBrowser, startView, type Viewing, type WatchedPage } from './browser.ts';
import { drop, plots, sampleTable, statisticsOf } from './log-page.ts';

const WEB = fileURLToPath(new URL('../../dist/web', import.meta.url));

needCommand(CHROMIUM)('the Log page in Chromium', () => {
  const folder = temporaryFolder();
  let browser: Browser;
  let viewing: Viewing;
  /** A visit that several tests share. */
  let visit: WatchedPage;
  const opened: WatchedPage[] = [];
  const open = async (address = viewing.address): Promise<WatchedPage> => {
    const watched = await openPage(browser, address);
    opened.push(watched);
    return watched;
  };

  beforeAll(async () => {
    [browser, viewing] = await Promise.all([startBrowser(), startView(SAMPLE)]);
    visit = await openPage(browser, viewing.address);
  });

  afterEach(async () => {
    for (const { context } of opened.splice(0)) await context.close();
  });

  afterAll(async () => {
    await browser?.close();
    expect(await viewing?.close()).toBe(0);
  });

  test('shows the sample: its vehicle, modes, fault and first plots with exact values; refuses what is no log; asks nobody but its server', async () => {
    const { page, troubles, requests } = visit;
    await statisticsOf(page, 'ATT.Roll');
    await page.getByText('ArduCopter V4.8.0-dev').first().waitFor();
    await page.getByRole('list', { name: 'Modes' }).getByText('RTL').waitFor();
    expect(await plots(page).count()).toBe(3);

    const canvas = plots(page).first().locator('canvas');
    const box = await canvas.boundingBox();
    if (!box) throw new Error('the plot has no place');
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const shown = plots(page).first().getByRole('listitem').first().locator('b');
    const read = async (): Promise<number> => Number((await shown.textContent())?.replace('−', '-'));
    await expect.poll(read, { timeout: 15_000 }).not.toBeNaN();
    const value = await read();
    const roll = (await (await sampleTable('ATT')).column('Roll')).numbers();
    expect([...roll].some((each) => Number(each.toPrecision(6)) === value)).toBe(true);

    // its only damage is a cut last record: no badge, a line in File
    await page.getByTitle('Health report').waitFor();
    expect(await page.getByRole('button', { name: /\bfaults?$/ }).count()).toBe(0);
    await page.getByRole('tab', { name: 'File' }).click();
    await page.getByText('last record cut (7 bytes)').waitFor();
    await page.getByRole('table', { name: 'Faults of copter-square.BIN' }).getByText('truncated').first().waitFor();

    writeFileSync(join(folder, 'letter.txt'), 'Dear reader, this is no log.\n');
    await page.getByLabel('Open log files').setInputFiles(join(folder, 'letter.txt'));
    await page.getByRole('alert').waitFor();
    expect(await plots(page).count()).toBe(3);

    expect(new Set(requests.map((url) => new URL(url).origin))).toEqual(new Set([new URL(viewing.address).origin]));
    expect(page.url()).not.toContain('token');
    expect(troubles).toEqual([]);
  });

  test('a field is found, plotted and zoomed; values are those of the library; the address restores it', async () => {
    const { page, troubles } = await open();
    await statisticsOf(page, 'ATT.Roll');
    await page.keyboard.press('/');
    await page.keyboard.type('baro press');
    await page
      .getByRole('button', { name: /^BARO\[0\]\.Press/ })
      .first()
      .click();
    const text = await statisticsOf(page, 'BARO[0].Press');
    const values = (await (await sampleTable('BARO')).column('Press')).numbers();
    const [, low, high] = /least (\S+), .* greatest ([^,]+),/.exec(text) ?? [];
    expect([Number(low), Number(high)]).toEqual(
      [Math.min(...values), Math.max(...values)].map((v) => Number(v.toPrecision(6))),
    );
    await page.keyboard.press('Escape');

    const box = await plots(page).last().locator('canvas').boundingBox();
    if (!box) throw new Error('the plot has no place');
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/window=/);
    const [from, to] = (/window=([\d.]+),([\d.]+)/.exec(page.url()) ?? []).slice(1).map(Number);
    expect(to - from).toBeGreaterThan(20);
    expect(to - from).toBeLessThan(40);
    const address = page.url();
    await page.keyboard.press('f');
    await page.waitForURL((url) => !url.hash.includes('window='));
    await page.keyboard.press('z');
    await page.waitForURL((url) => url.hash.includes('window='));

    const again = await open();
    await statisticsOf(again.page, 'ATT.Roll');
    await again.page.goto(address);
    await statisticsOf(again.page, 'BARO[0].Press');
    // Escape took the cursor away here, and there it is at take-off
    expect(again.page.url().replace(/&at=.*/, '')).toBe(address);
    expect([...troubles, ...again.troubles]).toEqual([]);
  });

  test('a damaged log that is dropped shows its faults and what could be saved; a hostile one is only text', async () => {
    const { page, troubles, requests } = await open();
    await statisticsOf(page, 'ATT.Roll');
    const damaged = new Uint8Array(readFileSync(SAMPLE)).slice(0, 600_000);
    damaged.fill(0x55, 300_000, 302_000);
    const { faults, records } = await openLog(damaged.slice());
    await drop(page, 'damaged.bin', damaged);
    await page.getByRole('tab', { name: 'File' }).click();
    const table = page.getByRole('table', { name: 'Faults of damaged.bin' });
    await table.waitFor();
    expect(await table.locator('tbody tr').count()).toBe(faults.kept.length);
    expect(await table.locator('tbody tr').first().textContent()).toContain(String(faults.kept[0].offset));
    await page.getByText(`${records.toLocaleString('en')} in`).waitFor();

    const evil = '<img src=x onerror=alert(1)>';
    const log = new MadeLog().define('<b>', 'Qf', 'TimeUS,<i>').define('MSG', 'QZ', 'TimeUS,Message');
    for (let row = 0; row < 20; row++) log.add('<b>', row * 100_000, row);
    const shown = [new Uint8Array(readFileSync(SAMPLE)), damaged];
    const messages = (await Promise.all(shown.map(async (bytes) => factsOf(await openLog(bytes)).messages()))).flat();
    log.add('MSG', 500_000, evil).add('MSG', 600_000, '{constructor.constructor("alert(2)")()}');
    for (let row = 0; row < 400; row++) log.add('MSG', 700_000 + row, 'small talk');
    await drop(page, `${evil}.bin`, log.bytes());
    await page.getByRole('tab', { name: 'Messages' }).click();
    await page.getByRole('cell', { name: evil, exact: true }).waitFor();
    // long lists come bit by bit, when one comes to their end
    const rows = page.getByRole('tabpanel', { name: 'Messages' }).locator('tbody tr');
    expect(await rows.count()).toBe(150);
    const toEnd = async (): Promise<number> => {
      await page.getByRole('tabpanel').evaluate((panel) => panel.scrollTo(0, panel.scrollHeight));
      return rows.count();
    };
    await expect.poll(toEnd, { timeout: 15_000 }).toBe(messages.length + 402);
    await page.getByLabel('Fields of').selectOption({ label: `${evil}.bin` });
    await page.getByRole('button', { name: /^"<b>"/ }).click();
    await page.getByRole('button', { name: /^<i>/ }).waitFor();
    // one that no preset knows begins with what it measured
    expect(await statisticsOf(page, '"<b>"."<i>"')).toContain('greatest 19');
    const expression = page.getByRole('combobox', { name: 'Expression' });
    await expression.fill('"<');
    await page.getByRole('option', { name: '"<b>"' }).waitFor();
    await expression.fill('"<b>"."<i>" + evil');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'evil is not a number' }).waitFor();
    await page.getByRole('tab', { name: 'Raw' }).click();
    await page.getByRole('columnheader', { name: 'Bytes' }).waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(requests.filter((url) => !url.startsWith(new URL(viewing.address).origin))).toEqual([]);
    expect(troubles).toEqual([]);
  });

  test('events, report and flights are those of the library; SQL is run by the server', async () => {
    const { page, troubles } = visit;
    const log = await openLog(new Uint8Array(readFileSync(SAMPLE)));
    const [events, report] = [await factsOf(log).events(), await makeReport(log)];
    await statisticsOf(page, 'ATT.Roll');
    await page.getByRole('button', { name: 'No problem found' }).click();
    const findings = page.getByRole('list', { name: 'Findings of copter-square.BIN' }).getByRole('listitem');
    expect(await findings.count()).toBe(report.findings.length);
    expect(await findings.first().textContent()).toContain(report.findings[0].title);
    await findings.getByRole('button', { name: 'Plot GPS[0].NSats' }).click();
    await statisticsOf(page, 'GPS[0].NSats');
    await page.getByRole('tab', { name: 'Events' }).click();
    const rows = page.getByRole('table', { name: 'Events' }).locator('tbody tr');
    expect(await rows.count()).toBe(events.filter(({ kind }) => kind !== 'parameter').length);
    await page.getByLabel('Flight', { exact: true }).selectOption('1');
    await page.waitForURL(/window=/);
    await page.getByRole('tab', { name: 'SQL' }).click();
    await page.getByLabel('SQL query').fill('SELECT count(*) AS n, max(Alt) AS top FROM GPS');
    await page.getByRole('button', { name: 'Run' }).click();
    const cells = page.getByRole('table', { name: 'Result' }).locator('tbody td');
    await cells.first().waitFor();
    const gps = await sampleTable('GPS');
    const top = Math.max(...(await gps.column('Alt')).numbers());
    expect(await cells.allTextContents()).toEqual([String(gps.rows), String(top)]);
    await page.getByLabel('SQL query').fill('SELECT * FROM GPZ');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').getByText('did you mean GPS?').waitFor();
    // the browser itself remarks on an answer with the status 400
    expect(troubles.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([]);
  });

  test('two logs are compared on one clock, and one is laid upon the other', async () => {
    const { page, troubles } = await open();
    await statisticsOf(page, 'ATT.Roll');
    const sample = new Uint8Array(readFileSync(SAMPLE));
    const other = sample.slice(0, 5_000_000);
    await drop(page, 'other.bin', other);
    // the next log comes into the same plots
    await statisticsOf(page, 'ATT.Roll');
    const list = page.getByRole('list', { name: 'Open files' });
    await list.getByRole('button', { name: 'other.bin', exact: true, pressed: true }).waitFor();
    await list.getByRole('button', { name: 'copter-square.BIN', exact: true }).click();
    await page.getByRole('button', { name: 'Compare' }).click();
    const traces = plots(page).first().getByRole('listitem').filter({ hasText: 'ATT.Roll' });
    await expect.poll(() => traces.count()).toBe(2);
    await page.waitForURL(/1!ATT\.Roll/);
    const shift = page.getByLabel('Seconds to move other.bin by');
    await shift.fill('12.5');
    await shift.press('Enter');
    await page.getByLabel('Align other.bin').selectOption('takeoff');
    await expect.poll(() => shift.inputValue()).toBe('0');
    // the same flight does not differ, until it is moved
    await page.getByRole('button', { name: 'Plot how ATT.Roll of other.bin differs' }).click();
    await page.waitForURL(/1-0!ATT\.Roll@right/);
    await expect
      .poll(() => statisticsOf(page, 'Δ ATT.Roll'), { timeout: 15_000 })
      .toContain('least 0, mean 0, greatest 0');
    await page.getByRole('button', { name: 'Move other.bin by dragging plots' }).click();
    const area = await plots(page).first().locator('.u-over').boundingBox();
    if (!area) throw new Error('the plot has no place');
    const windowOf = (): string => /&window=[^&]*/.exec(page.url())?.[0] ?? '';
    const shown = windowOf();
    await page.mouse.move(area.x + area.width / 2, area.y + 40);
    await page.mouse.down();
    await page.mouse.move(area.x + area.width * 0.6, area.y + 40, { steps: 3 });
    await page.mouse.up();
    await page.mouse.move(0, 0);
    await expect.poll(() => statisticsOf(page, 'Δ ATT.Roll')).not.toContain('least 0');
    const { start, end } = await factsOf(await openLog(sample)).span();
    await expect
      .poll(async () => Number(await shift.inputValue()), { timeout: 15_000 })
      .toBeCloseTo(((end ?? 0) - (start ?? 0)) / 1e7, 0);
    // it chose no stretch, and the address knows by how much
    expect(windowOf()).toBe(shown);
    await page.waitForURL(/&shift=0,-?\d/);
    await page.getByRole('tab', { name: 'Parameters' }).click();
    await page.getByLabel('Which').selectOption('differs');
    const [whole, half] = await Promise.all(
      [sample, other].map(async (bytes) => factsOf(await openLog(bytes)).parameters()),
    );
    const names = [...new Set([...whole.keys(), ...half.keys()])];
    const differing = names.filter((name) => !Object.is(whole.get(name)?.value, half.get(name)?.value));
    await page.getByText(`${differing.length} of ${whole.size}`, { exact: true }).waitFor();
    expect(troubles).toEqual([]);
  });
});

describe('the built pages', () => {
  /** Bytes that a browser loads before it shows the page, compressed as servers do. */
  function firstLoad(name: string): number {
    const html = readFileSync(join(WEB, name), 'utf8');
    const links = [...html.matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css))"/g)].map(([, path]) => path);
    expect(links.length).toBeGreaterThan(1);
    return [html, ...links.map((path) => readFileSync(join(WEB, path)))].reduce(
      (sum, part) => sum + gzipSync(part).length,
      0,
    );
  }

  test.each(['index.html', 'live.html'])('%s is painted with less than 150 kB', (name) => {
    expect(firstLoad(name)).toBeLessThan(150_000);
  });

  test('hold no script or style inline, and name no other host', () => {
    for (const name of readdirSync(WEB).filter((file) => file.endsWith('.html') && file !== 'skein-log.html')) {
      const html = readFileSync(join(WEB, name), 'utf8');
      expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i);
      expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//i);
      expect(html).toContain("default-src 'self'");
    }
  });

  test('the page for a disk allows its own script and style, and no request', () => {
    const html = readFileSync(join(WEB, 'skein-log.html'), 'utf8');
    const [policy] = /(?<=Content-Security-Policy"\s+content=")[^"]*/.exec(html) ?? [''];
    const [script, ...others] = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text]) => text);
    const [style] = [...html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text]) => text);
    const hash = (text: string): string => createHash('sha256').update(text).digest('base64');
    expect(others).toEqual([]);
    expect(policy.split('; ').sort()).toEqual([
      "base-uri 'none'",
      'connect-src blob:',
      "default-src 'none'",
      "form-action 'none'",
      'img-src data: blob:',
      'media-src blob:',
      `script-src 'sha256-${hash(script)}'`,
      `style-src 'sha256-${hash(style)}'`,
      'worker-src blob:',
    ]);
  });
});

needShared(
  describe,
  'flight',
  'px4-quad.ulg',
)('a log of PX4', () => {
  test('opens as one of ArduPilot: attitude in degrees, modes, events, report, map', async () => {
    const file = sharedData('flight', 'px4-quad.ulg');
    const viewing = await startView(file);
    const browser = await startBrowser();
    try {
      const { page, troubles } = await openPage(browser, viewing.address);
      await page
        .getByText(/PX4 V1\.18\.0/)
        .first()
        .waitFor();
      await page.getByRole('list', { name: 'Modes' }).getByText('AUTO_RTL').waitFor();
      expect(await plots(page).count()).toBe(3);
      const canvas = plots(page).first().locator('canvas');
      const box = await canvas.boundingBox();
      if (!box) throw new Error('the plot has no place');
      await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
      const shown = plots(page).first().getByRole('listitem').first().locator('b');
      const read = async (): Promise<number> => Number((await shown.textContent())?.replace('\u2212', '-'));
      await expect.poll(read, { timeout: 15_000 }).not.toBeNaN();
      const report = await makeReport(await openLog(new Uint8Array(readFileSync(file))));
      await page.getByRole('button', { name: 'No problem found' }).click();
      const findings = page.getByRole('list', { name: 'Findings of px4-quad.ulg' }).getByRole('listitem');
      expect(await findings.count()).toBe(report.findings.length);
      await page.getByRole('tab', { name: 'Events' }).click();
      await page.getByRole('table', { name: 'Events' }).getByText('took off').waitFor();
      await page.getByRole('button', { name: 'Map' }).click();
      const map = page.getByRole('application', { name: 'Map of the flight' });
      await map.locator('[data-state=ready]').waitFor();
      await page.getByRole('img', { name: /^attitude: roll -?\d+ degrees/ }).waitFor();
      expect(troubles).toEqual([]);
    } finally {
      await browser.close();
      await viewing.close();
    }
  });
});
