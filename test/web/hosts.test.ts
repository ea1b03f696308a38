// The Log page without our server: as one file on a disk, and in a folder of any static host.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLog } from '../../src/entry/browser.ts';
import { contrast, SEEN } from '../../web/shared/contrast.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needCommand } from '../helpers/need.ts';
import { audit, tabThrough } from './accessibility.ts';
import { CHROMIUM, openPage, startBrowser } from './browser.ts';
import { drop, statisticsOf } from './log-page.ts';

const WEB = fileURLToPath(new URL('../../dist/web', import.meta.url));
const FOLDER = '/tools/skein/';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** A host that knows nothing but files. */
async function startHost(): Promise<Server> {
  const server = createServer(({ url = '' }, response) => {
    const path = new URL(url, 'http://host').pathname;
    const name = path.endsWith('/') ? `${path}index.html` : path;
    try {
      if (!name.startsWith(FOLDER)) throw new RangeError(`${name} is outside`);
      const bytes = readFileSync(join(WEB, name.slice(FOLDER.length)));
      response.writeHead(200, { 'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream' }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** Uses the page as one who was given it: all of it works but SQL. */
async function useAll(page: Page): Promise<void> {
  const sample = new Uint8Array(readFileSync(SAMPLE));
  await drop(page, 'flight.bin', sample);
  const table = (await openLog(sample)).table('ATT');
  if (!table) throw new Error('the sample has no table ATT');
  const roll = (await table.column('Roll')).numbers();
  const [, low, high] = /least (\S+), .* greatest ([^,]+),/.exec(await statisticsOf(page, 'ATT.Roll')) ?? [];
  expect([low, high].map((text) => Number(text.replace('−', '-')))).toEqual(
    [Math.min(...roll), Math.max(...roll)].map((value) => Number(value.toPrecision(6))),
  );
  await page.getByRole('button', { name: 'No problem found' }).click();
  await page.getByRole('list', { name: 'Findings of flight.bin' }).getByRole('listitem').first().waitFor();
  await page.getByRole('tab', { name: 'SQL' }).click();
  await page.getByText('SQL runs in the skein program, not in the browser').waitFor();
  await page.getByRole('button', { name: 'Map' }).click();
  const map = page.getByRole('application', { name: 'Map of the flight' });
  await map.locator('[data-state=ready]').waitFor();
  await map.getByText('Mode', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  const form = page.getByRole('form', { name: 'Export' });
  await form.getByLabel('Format').selectOption('parquet');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    form.getByRole('button', { name: 'Save file' }).click(),
  ]);
  expect(readFileSync(await download.path()).toString('latin1', 0, 4)).toMatch(/^PK|^PAR1/);
  await page.waitForURL(/#panes=ATT\.Roll/);
}

/** Chromium without a graphics card remarks on it. */
const serious = (troubles: readonly string[]): string[] =>
  troubles.filter((text) => !/GPU stall|WebGL|swiftshader/i.test(text));

/** A page with one of each fault that our audit knows, and what axe-core says of them. */
const BAD = `<html><main></main><main></main><button></button><button tabindex="2">a</button>
  <div role="button">b</div><a href="#" style="outline: none">c</a><svg role="img"></svg><p id="x"></p><p id="x"></p>`;
const FAULTS = [
  'the button "b" cannot be reached by keyboard',
  'there are 0 banners',
  'two elements have the id x',
  'a "c" does not show that it has the focus',
  'button-name: Buttons must have discernible text: button:nth-child(3)',
  'document-title: Documents must have <title> element to aid in navigation: html',
  'html-has-lang: <html> element must have a lang attribute: html',
  'landmark-no-duplicate-main: Document should not have more than one main landmark: main:nth-child(1)',
  'landmark-unique: Landmarks should have a unique role or role/label/title (i.e. accessible name) combination: main:nth-child(1)',
  'page-has-heading-one: Page should contain a level-one heading: html',
  'region: All page content should be contained by landmarks: a',
  'svg-img-alt: <svg> elements with an img or image role must have alternative text: svg',
  'tabindex: Elements should not have tabindex greater than zero: button:nth-child(4)',
  'target-size: All touch targets must be 24px large, or leave sufficient space: button:nth-child(3), button:nth-child(4)',
];

needCommand(CHROMIUM)('the Log page without a server of ours', () => {
  const folder = temporaryFolder();
  let browser: Browser;
  let host: Server;

  beforeAll(async () => {
    [browser, host] = await Promise.all([startBrowser(), startHost()]);
  });

  afterAll(async () => {
    await browser?.close();
    host?.close();
  });

  test('works as one file from a disk, and asks for nothing', async () => {
    const path = join(folder, 'My logs', 'skein-log.html');
    mkdirSync(join(folder, 'My logs'));
    copyFileSync(join(WEB, 'skein-log.html'), path);
    const address = pathToFileURL(path).href;
    const { page, context, troubles, requests } = await openPage(browser, address);
    await useAll(page);
    expect(requests.filter((url) => url !== address && !url.startsWith('blob:'))).toEqual([]);
    expect(serious(troubles)).toEqual([]);
    await context.close();
  });

  test('works in a folder of a static host where nothing it asks for is missing, and can be used by keyboard', async () => {
    const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    const { page, context, troubles, requests } = await openPage(browser, 'about:blank');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    page.on('requestfailed', (request) => refused.push(`${request.failure()?.errorText} ${request.url()}`));
    await page.setContent(BAD);
    expect((await audit(page)).wrong).toEqual(FAULTS);
    await page.goto(`${origin}${FOLDER}`);
    expect((await audit(page)).wrong).toEqual([]);
    await useAll(page);
    for (const tab of ['Events', 'Messages', 'Parameters', 'Report', 'SQL', 'Raw', 'File']) {
      const button = page.getByRole('tab', { name: tab });
      if ((await button.getAttribute('aria-selected')) !== 'true') await button.click();
      const { controls, wrong } = await audit(page);
      expect(wrong, tab).toEqual([]);
      expect(controls, tab).toBeGreaterThan(60);
      // drawing it without a graphics card takes most of the time
      if (tab === 'Events') await page.getByRole('button', { name: 'Map' }).click();
    }
    // in light themes and in safe colours lines have other colours, which can be seen there
    const line = page.getByRole('region', { name: /^Plot of ATT\.Roll/ }).locator('line');
    expect(await line.first().getAttribute('stroke')).toBe('#e5484d');
    await page.getByRole('button', { name: 'Colours for the colour-blind' }).click();
    expect(await line.first().getAttribute('stroke')).toBe('#d55e00');
    await page.getByLabel('Theme').selectOption('light');
    const colors = await line.evaluateAll((all) => all.map((each) => each.getAttribute('stroke') ?? ''));
    for (const color of colors) expect(contrast(color, '#ffffff'), color).toBeGreaterThanOrEqual(SEEN);
    // roll and what it should be have one colour, pitch and what it should be another
    expect([...new Set(colors)]).toEqual(['#d55e00', '#009e73']);
    expect(await tabThrough(page, 40)).toBeGreaterThan(38);
    expect(refused).toEqual([]);
    expect(requests.filter((url) => !url.replace(/^blob:/, '').startsWith(origin))).toEqual([]);
    expect(serious(troubles)).toEqual([]);
    await context.close();
  });

  test('can be installed, and after one visit opens logs with a map and without a network', async () => {
    const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    const { page, context, troubles, requests } = await openPage(browser, `${origin}${FOLDER}`);
    const session = await context.newCDPSession(page);
    const { errors, data = '{}' } = await session.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const handled = Object.values(
      (JSON.parse(data) as { file_handlers: { accept: object }[] }).file_handlers[0].accept,
    );
    for (const ending of ['.bin', '.tlog', '.ulg', '.pcap']) expect(handled.flat()).toContain(ending);
    expect(await page.evaluate(() => navigator.serviceWorker.ready.then(({ scope }) => scope))).toBe(
      `${origin}${FOLDER}`,
    );
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    // the browser of the test keeps nothing
    expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(['in-incognito']);
    const asked = requests.length;
    await context.setOffline(true);
    await page.reload();
    await page.getByRole('heading', { name: 'Open a flight log' }).waitFor();
    await useAll(page);
    expect(requests.slice(asked).filter((url) => !url.replace(/^blob:/, '').startsWith(origin))).toEqual([]);
    // the list of files is a request to the server, which is not there
    expect(serious(troubles).filter((text) => !text.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
    // another page of the same place is not answered from what is kept
    await expect(page.goto(`${origin}${FOLDER}live.html`)).rejects.toThrow(/ERR_INTERNET_DISCONNECTED/);
    await context.close();
  });
});
