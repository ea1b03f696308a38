import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsOf, type Log, openLog, readExpression } from '../../src/entry/browser.ts';
import { SAMPLE, skein } from '../helpers/cli.ts';
import { needCommand } from '../helpers/need.ts';
import { CHROMIUM, openPage, startBrowser, startView, type Viewing, type WatchedPage, withoutMaps } from './browser.ts';
import { clickAround } from './clicks.ts';
import { plots, sampleTable, statisticsOf } from './log-page.ts';
import { drawn } from './picture.ts';

const PATIENT = { timeout: 15_000 };

/** Numbers of a text such as "least −1.5, mean 2". */
function numbersIn(text: string): number[] {
  return [...text.replaceAll('−', '-').matchAll(/-?\d+(\.\d+)?(e-?\d+)?/g)].map(([number]) => Number(number));
}

const rounded = (value: number): number => Number(value.toPrecision(6));

/** How many pixels of a plot have about a colour. */
const inkOf = async (plot: Locator, color: string): Promise<number> =>
  (await drawn(plot.locator('canvas'))).count(color);

const [RED, GREEN] = ['#e5484d', '#30a46c'];
/** The window of 60 to 61 s, as the command says it. */
const WINDOW = ['--from', '+60s', '--until', '+61s'];

// one visit for all of it: to open the page takes longer than any of this
needCommand(CHROMIUM)('plots of the Log page', () => {
  let browser: Browser;
  let viewing: Viewing;
  let watched: WatchedPage;
  let page: Page;
  let log: Log;
  let home = '';

  beforeAll(async () => {
    [browser, viewing] = await Promise.all([startBrowser(), startView(SAMPLE)]);
    log = await openLog(new Uint8Array(readFileSync(SAMPLE)));
    watched = await openPage(browser, 'about:blank');
    page = watched.page;
    await page.addInitScript(withoutMaps);
    await page.goto(viewing.address);
    home = `${new URL(page.url()).origin}/`;
    await statisticsOf(page, 'ATT.Roll');
  });

  afterAll(async () => {
    await browser?.close();
    expect(await viewing?.close()).toBe(0);
  });

  /** Shows a view by its address, as a link does. */
  async function visit(hash: string, count: number): Promise<void> {
    await page.goto(home + hash);
    await expect.poll(() => plots(page).count(), PATIENT).toBe(count);
  }

  test('an expression is completed, plotted, and has the values of the library', async () => {
    const box = page.getByRole('combobox', { name: 'Expression' });
    await box.click();
    await page.keyboard.type('lowp');
    await page.getByRole('option', { name: /^ƒ?lowpass\(/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('ATT.');
    const options = page.getByRole('listbox', { name: 'Completions' }).getByRole('option');
    await options.filter({ hasText: 'DesRoll' }).waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await box.getAttribute('aria-activedescendant')).toBe(await options.nth(1).getAttribute('id'));
    await page.keyboard.type('Rol');
    await expect.poll(() => options.first().textContent()).toContain('Roll');
    await page.keyboard.press('Tab');
    await expect.poll(() => box.inputValue()).toBe('lowpass(ATT.Roll');
    await page.keyboard.type(', 0.5) * 2');
    await page.keyboard.press('Enter');
    const text = 'lowpass(ATT.Roll, 0.5) * 2';
    const [low, , high] = numbersIn((await statisticsOf(page, text)).replace(/,.*greatest/, ', 0, greatest'));
    const { values } = await readExpression(log, text);
    expect([low, high]).toEqual([Math.min(...values), Math.max(...values)].map(rounded));
    await page.waitForURL((url) => decodeURIComponent(url.hash).includes(text));
  });

  test('what is wrong with an expression is shown where it is, and is mended by a click', async () => {
    const box = page.getByRole('combobox', { name: 'Expression' });
    await box.fill('deriv(BARO[0].Alr)');
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert');
    await alert.getByText('no field in BARO is named Alr at 14').waitFor();
    expect(await alert.locator('mark').textContent()).toBe('Alr');
    expect(await box.getAttribute('aria-invalid')).toBe('true');
    await alert.getByRole('button', { name: 'Write Alt' }).click();
    await expect.poll(() => box.inputValue()).toBe('deriv(BARO[0].Alt)');
    await page.keyboard.press('Enter');
    await statisticsOf(page, 'deriv(BARO[0].Alt)');
    await page.getByRole('button', { name: 'Forget deriv(BARO[0].Alt)' }).click();
    await expect.poll(() => plots(page).count()).toBe(4);
  });

  test('fields are shown over each other, as spectrum, spectrogram and histogram, and a link restores it', async () => {
    const hash = '#panes=xy+:ATT.Roll,ATT.Pitch;spectrum:ATT.Roll;histogram:ATT.Roll;spectrogram:ATT.Pitch';
    await visit(hash, 4);
    const [xy, spectrum, histogram, spectrogram] = [0, 1, 2, 3].map((i) => plots(page).nth(i));
    await expect.poll(() => inkOf(xy, GREEN), PATIENT).toBeGreaterThan(200);
    await expect.poll(() => inkOf(spectrum, RED), PATIENT).toBeGreaterThan(200);
    await expect.poll(() => inkOf(histogram, RED), PATIENT).toBeGreaterThan(100);
    // the strongest power has this colour
    await expect.poll(() => inkOf(spectrogram, '#ffd166'), PATIENT).toBeGreaterThan(10);
    // its scale has the same colours, and says what they mean
    const scale = spectrogram.getByRole('img', { name: /^Colours: power from -?\d+ to -?\d+ dB$/ });
    const [low, high] = numbersIn((await scale.getAttribute('aria-label')) ?? '');
    expect(high - low).toBe(60);
    expect(numbersIn(await scale.innerText())).toEqual([low, high]);
    expect(await scale.locator('i').evaluate((each) => getComputedStyle(each).backgroundImage)).toMatch(
      /rgb\(255, 209, 102\)\)$/,
    );
    await page.waitForURL((url) => url.hash.replace(/&at=.*/, '') === hash);
    expect(await xy.getByRole('button', { name: 'Equal scales' }).getAttribute('aria-pressed')).toBe('true');
    const linear = await inkOf(spectrum, RED);
    await spectrum.getByRole('button', { name: 'Logarithmic power' }).click();
    await expect.poll(() => inkOf(spectrum, RED), PATIENT).not.toBe(linear);
    await spectrum.getByLabel('Kind of plot').selectOption('Time');
    await page.waitForURL(/;ATT\.Roll;histogram/);
    await histogram.locator('.u-over').hover();
    await histogram.getByText(/: [\d.]+ %$/).waitFor();
  });

  test('without a plot over time, the modes and times are as wide as the columns', async () => {
    await visit('#panes=xy:ATT.Roll,ATT.Pitch;histogram:ATT.Yaw&columns=2', 2);
    const ends = (): Promise<number[]> =>
      page.getByText('2:00', { exact: true }).evaluateAll((all) =>
        all.map((each) => {
          const axis = each.closest('section')?.getBoundingClientRect();
          return (axis?.right ?? Number.NaN) - each.getBoundingClientRect().right;
        }),
      );
    // the last tick is near the end of each axis, and inside of it
    await expect.poll(async () => (await ends()).filter((room) => room > 0 && room < 100).length, PATIENT).toBe(2);
  });

  test('units, time base and statistics of the window are those that are asked for', async () => {
    await visit('#panes=CTUN.Alt', 1);
    await statisticsOf(page, 'CTUN.Alt');
    await page.getByLabel('Units').selectOption('Aviation');
    await page.waitForURL(/units=aviation/);
    const alt = (await (await sampleTable('CTUN')).column('Alt')).numbers();
    await page.getByRole('tab', { name: 'Statistics' }).click();
    const row = page.getByRole('table', { name: 'Statistics of the window' }).getByRole('row').nth(1);
    await row.getByRole('cell', { name: 'ft', exact: true }).waitFor();
    const cells = (await row.getByRole('cell').allTextContents()).slice(2).map((text) => numbersIn(text)[0]);
    const feet = [...alt].map((metres) => metres / 0.3048);
    const sum = feet.reduce((all, each) => all + each, 0);
    expect([cells[0], cells[2]]).toEqual([Math.min(...feet), Math.max(...feet)].map(rounded));
    expect(cells[1]).toBeCloseTo(sum / feet.length, 2);
    await page.getByLabel('Units').selectOption('Log units');
    await page.getByRole('button', { name: 'Close details' }).click();

    const [{ start }, { armed }] = [await factsOf(log).span(), await factsOf(log).phases()];
    await page.getByLabel('Time base').selectOption('From arming');
    const slider = page.getByRole('slider', { name: 'Shown window' });
    const before = (armed[0].start - (start ?? 0)) / 1e6;
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain(`−0:${before.toFixed(3)}`);
    await slider.blur();
    await page.keyboard.press('x');
    await page.waitForURL(/base=utc/);
  });

  test('two places are measured: time, change and slope', async () => {
    await visit('#panes=CTUN.Alt&window=40,60', 1);
    await statisticsOf(page, 'CTUN.Alt');
    await page.keyboard.press('d');
    const box = await plots(page).first().locator('canvas').boundingBox();
    if (!box) throw new Error('the plot has no place');
    for (const share of [0.3, 0.6]) await page.mouse.click(box.x + box.width * share, box.y + box.height / 2);
    await page.mouse.move(box.x + box.width * 0.9, box.y + box.height / 2);
    const item = plots(page).first().getByRole('listitem').first();
    await expect.poll(async () => numbersIn((await item.textContent()) ?? '').length, PATIENT).toBeGreaterThan(1);
    const [change, slope] = numbersIn((await item.textContent()) ?? '');
    const [seconds] = numbersIn((await page.getByText(/^Δt/).textContent()) ?? '');
    expect(seconds).toBeGreaterThan(4);
    expect(seconds).toBeLessThan(7);
    expect(change).toBeGreaterThan(0);
    expect(slope).toBeCloseTo(change / seconds, 2);
    await page.keyboard.press('d');
  });

  test('plots are kept as a preset, written to a file, and read from it', async () => {
    await visit('#panes=xy:ATT.Roll,ATT.Pitch;GPS%5B0%5D.NSats@right', 2);
    await page.getByRole('button', { name: 'Save plots' }).click();
    await page.keyboard.type('Mine');
    await page.keyboard.press('Enter');
    const presets = page.getByRole('region', { name: 'Presets' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      presets.getByRole('button', { name: 'Export' }).click(),
    ]);
    const written = readFileSync(await download.path());
    expect(JSON.parse(String(written))).toMatchObject([{ name: 'Mine', panes: [{ kind: 'xy' }, { kind: 'time' }] }]);
    await presets.getByRole('button', { name: 'Remove preset Mine' }).click();
    await presets.getByRole('button', { name: 'Mine', exact: true }).waitFor({ state: 'detached' });
    await presets.getByRole('button', { name: 'Motors' }).click();
    await page.waitForURL(/RCOU/);
    await page
      .getByLabel('Presets to read')
      .setInputFiles({ name: 'p.json', mimeType: 'application/json', buffer: written });
    await presets.getByRole('button', { name: 'Mine', exact: true }).click();
    await page.waitForURL(/#panes=xy:ATT\.Roll,ATT\.Pitch;GPS%5B0%5D\.NSats@right/);
    await page
      .getByLabel('Presets to read')
      .setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('hello') });
    await page.getByRole('alert').getByText('not a file of presets').waitFor();
  });

  test('a line is dragged to the right axis of another plot', async () => {
    await visit('#panes=ATT.Roll,ATT.Pitch;BAT%5B0%5D.Volt', 2);
    // values that come later move the names
    for (const field of ['ATT.Roll', 'ATT.Pitch']) await statisticsOf(page, field);
    const label = plots(page).first().getByTitle('ATT.Pitch (drag it to another plot)');
    const [from, to] = [await label.boundingBox(), await plots(page).last().boundingBox()];
    if (!from || !to) throw new Error('the plots have no place');
    await page.mouse.move(from.x + 10, from.y + 8);
    await page.mouse.down();
    await page.mouse.move(from.x + 40, from.y + 30, { steps: 4 });
    await page.mouse.move(to.x + to.width * 0.9, to.y + to.height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/#panes=ATT\.Roll;BAT%5B0%5D\.Volt,ATT\.Pitch@right/);
  });

  test('the rows of a table follow the cursor and lead it, by mouse and by keys, and are copied', async () => {
    await visit('#panes=ATT.Roll&window=60,61', 1);
    await statisticsOf(page, 'ATT.Roll');
    await page.getByRole('button', { name: /^ATT 10 Hz/ }).click();
    const leaf = page.getByRole('button', { name: /^Roll deg roll as estimated/ });
    // what the log tells of its fields comes after the words
    await expect.poll(() => leaf.getAttribute('title'), PATIENT).toMatch(/^Plot ATT\.Roll\n.*\nfloat32$/);
    await page.getByRole('button', { name: 'Show the rows of ATT' }).click();
    await page.waitForURL(/;table:ATT\.TimeUS/);
    const grid = page.getByRole('grid', { name: 'Rows of ATT' });
    const chosen = grid.locator('tr[aria-selected=true] td');
    const cells = async (): Promise<number[]> => (await chosen.allTextContents()).map((text) => numbersIn(text)[0]);
    const table = await sampleTable('ATT');
    const [us, roll] = (await table.columns(['TimeUS', 'Roll'])).map((column) => column.numbers());
    await expect.poll(() => grid.getAttribute('aria-rowcount'), PATIENT).toBe(String(table.rows + 1));

    const box = await plots(page).first().locator('canvas').boundingBox();
    if (!box) throw new Error('the plot has no place');
    // the plot may not be as low yet as the table beside it makes it
    await page.mouse.click(box.x + box.width / 2, box.y + 60);
    const value = async (): Promise<string> =>
      (await plots(page).first().getByRole('listitem').first().locator('b').textContent()) ?? '';
    await expect.poll(cells, PATIENT).toHaveLength(table.fields.length + 2);
    const at = us.indexOf((await cells())[2]);
    expect(Math.fround((await cells())[4])).toBe(roll[at]);
    await expect.poll(async () => numbersIn(await value())[0], PATIENT).toBe(rounded(roll[at]));

    const row = grid.locator('tbody tr').nth(12);
    await expect.poll(() => row.locator('td').nth(2).textContent(), PATIENT).toMatch(/\d/);
    const clicked = us.indexOf(numbersIn((await row.locator('td').nth(2).textContent()) ?? '')[0]);
    await row.click();
    await expect.poll(async () => numbersIn(await value())[0], PATIENT).toBe(rounded(roll[clicked]));
    for (const [key, wanted] of [
      ['ArrowDown', clicked + 1],
      ['End', table.rows - 1],
      ['ArrowUp', table.rows - 2],
      ['Home', 0],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(async () => (await cells())[2], PATIENT).toBe(us[wanted]);
    }
    await expect.poll(async () => numbersIn(await value())[0], PATIENT).toBe(rounded(roll[0]));

    await page.goto(`${home}#panes=table:ATT.Roll&window=60,61`);
    // it begins where the window does, and stays where it is scrolled to by hand
    await expect.poll(() => grid.locator('tbody td').first().textContent(), PATIENT).not.toBe('1');
    await grid.evaluate((element) => element.parentElement?.parentElement?.scrollTo(0, 0));
    const top = grid.locator('tbody tr').first();
    await expect.poll(() => top.getAttribute('aria-rowindex'), PATIENT).toBe('2');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy CSV' }).click();
    await page.getByRole('status').getByText('copied').waitFor();
    const [head, ...lines] = (await page.evaluate(() => navigator.clipboard.readText())).trimEnd().split('\n');
    expect(await top.getAttribute('aria-rowindex')).toBe('2');
    const { start } = await factsOf(log).span();
    const rows = await table.slice((start ?? 0) + 60e6, (start ?? 0) + 61e6);
    const names = head.split(',');
    expect(lines.map((line) => Number(line.split(',')[names.indexOf('Roll')]))).toEqual([
      ...roll.slice(rows.from, rows.to),
    ]);
  });

  test('the window is exported, with its expressions, and what was saved is read back', async () => {
    const { start } = await factsOf(log).span();
    const table = await sampleTable('ATT');
    const rows = await table.slice((start ?? 0) + 60e6, (start ?? 0) + 61e6);
    const roll = [...(await table.column('Roll', rows)).numbers()];
    const expression = 'ATT.Roll * 2';
    for (const [shown, name, wanted] of [
      ['ATT.Roll', 'copter-square-ATT.csv', roll],
      [expression, null, roll.map((value) => value * 2)],
    ] as const) {
      await visit(`#panes=${encodeURIComponent(shown)}&window=60,61`, 1);
      await plots(page).getByTitle(`${shown} (drag`).waitFor();
      await page.getByRole('banner').getByRole('button', { name: 'Export' }).click();
      const form = page.getByRole('form', { name: 'Export' });
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        form.getByRole('button', { name: 'Save file' }).click(),
      ]);
      if (name !== null) expect(download.suggestedFilename()).toBe(name);
      const text = readFileSync(await download.path(), 'utf8');
      if (name !== null) expect(text).toBe(skein(['export', SAMPLE, '--to', 'csv', '--type', 'ATT', ...WINDOW]).stdout);
      const [head, ...lines] = text.trimEnd().split('\n');
      const at = head.split(',').indexOf(name === null ? shown : 'Roll');
      expect(lines.map((line) => Number(line.split(',')[at]))).toEqual(wanted);
    }
  });

  test('five hundred clicks by chance leave a page that works', async () => {
    await visit('#panes=ATT.Roll;GPS%5B0%5D.Alt&tab=events', 2);
    // a closed log would leave nothing to click on, and nobody sends at the address that a WebSocket is offered with
    await clickAround(page, 500, 1, 'a, [aria-label^="Close copter"], section[aria-label="Connect"]');
    await page.goto(`${home}#panes=CTUN.Alt`);
    await page.reload();
    await statisticsOf(page, 'CTUN.Alt');
  });

  test('nothing went wrong meanwhile, and nobody else was asked', () => {
    // a browser lets a script ask for files once in a while
    expect(watched.troubles.filter((text) => !text.startsWith('File chooser dialog'))).toEqual([]);
    expect(watched.requests.filter((url) => !url.startsWith(home) && !url.startsWith('blob:'))).toEqual([]);
  });
});
