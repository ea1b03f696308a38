import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { zip } from '../bus/made-archive.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needCommand } from '../helpers/need.ts';
import { sampleFile } from '../suite/sample.ts';
import { CHROMIUM, openPage, startBrowser, startView, type Viewing } from './browser.ts';

needCommand(CHROMIUM)('archives on the Log page', () => {
  const folder = temporaryFolder();
  let browser: Browser;
  let viewing: Viewing;

  beforeAll(async () => {
    const nmea = sampleFile('copter-square.nmea').bytes;
    const tlog = new Uint8Array(readFileSync(SAMPLE.replace(/BIN$/, 'tlog')));
    writeFileSync(join(folder, 'one.zip'), zip([{ name: 'a/first.nmea', bytes: nmea }]));
    writeFileSync(
      join(folder, 'two.zip'),
      zip([
        { name: 'first.nmea', bytes: nmea },
        { name: 'second.tlog', bytes: tlog },
      ]),
    );
    [browser, viewing] = await Promise.all([startBrowser(), startView(SAMPLE)]);
  });

  afterAll(async () => {
    await browser?.close();
    expect(await viewing?.close()).toBe(0);
  });

  test('with one log it is opened, with several one is chosen', async () => {
    const { page, troubles } = await openPage(browser, viewing.address);
    const files = page.getByRole('list', { name: 'Open files' });
    await files.getByText('dataflash').waitFor();
    await page.getByLabel('Open log files').setInputFiles(join(folder, 'one.zip'));
    await files.getByText(/^nmea/).waitFor();
    await page.getByLabel('Open log files').setInputFiles(join(folder, 'two.zip'));
    await files.getByText('archive with 2 logs: choose one').waitFor();
    await files.getByRole('button', { name: 'second.tlog' }).click();
    await files.getByText(/^tlog/).waitFor();
    await files.getByText('two.zip#second.tlog').waitFor();
    expect(await files.getByRole('alert').count()).toBe(0);
    expect(troubles).toEqual([]);
  });
});
