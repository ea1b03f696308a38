// What one looks at on the Log page: the cursor, axes, states and steps back. One visit for all of it.
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsOf, type Log, openLog } from '../../src/entry/browser.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { needCommand, needShared, sharedData } from '../helpers/need.ts';
import { CHROMIUM, openPage, startBrowser, startView, type Viewing, type WatchedPage } from './browser.ts';
import { plots, sampleTable } from './log-page.ts';
import { drawn } from './picture.ts';

const PATIENT = { timeout: 15_000 };
const rounded = (value: number): number => Number(value.toPrecision(6));

needCommand(CHROMIUM)('a view of the Log page', () => {
  let browser: Browser;
  let viewing: Viewing;
  let watched: WatchedPage;
  let page: Page;
  let log: Log;
  let home = '';
  let start = 0;

  beforeAll(async () => {
    [browser, viewing] = await Promise.all([startBrowser(), startView(SAMPLE)]);
    log = await openLog(new Uint8Array(readFileSync(SAMPLE)));
    start = (await factsOf(log).span()).start ?? 0;
    watched = await openPage(browser, viewing.address);
    page = watched.page;
    home = `${new URL(page.url()).origin}/`;
  });

  afterAll(async () => {
    await browser?.close();
    expect(await viewing?.close()).toBe(0);
  });

  const cursor = () => page.getByLabel('Cursor', { exact: true });
  const legend = (text: string) => plots(page).getByRole('listitem').filter({ hasText: text }).first();
  const valueAtCursor = async (text: string): Promise<number> =>
    Number((await legend(text).locator('b').textContent())?.replace('−', '-'));
  const at = (): number => Number(/[#&]at=([-\d.]+)/.exec(page.url())?.[1] ?? Number.NaN);

  async function visit(hash: string, count: number): Promise<void> {
    await page.goto(home + hash);
    await expect.poll(() => plots(page).count(), PATIENT).toBe(count);
  }

  async function area(): Promise<{ x: number; y: number; width: number; height: number }> {
    const box = await plots(page).first().locator('.u-over').boundingBox();
    if (!box) throw new Error('the plot has no place');
    return box;
  }

  /** The sample of a field that is the last one at a second of the address or before it. */
  async function sampleOf(
    field: string,
    seconds: number,
  ): Promise<{ value: number; row: number; times: Float64Array }> {
    const table = await sampleTable('ATT');
    const [times, values] = [await table.times(), (await table.column(field)).numbers()];
    const row = times.findLastIndex((time) => time <= start + Math.round(seconds * 1e6));
    return { value: rounded(values[row]), row, times };
  }

  test('it opens with the cursor at take-off, and dials that show it', async () => {
    await cursor().waitFor();
    const [{ takeoff }] = await factsOf(log).flights();
    await expect.poll(at, PATIENT).toBeCloseTo(((takeoff ?? 0) - start) / 1e6, 1);
    await expect.poll(() => valueAtCursor('ATT.Roll'), PATIENT).toBe((await sampleOf('Roll', at())).value);
  });

  test('a click sets the cursor on a sample, where it stays; the pointer shows the difference', async () => {
    const box = await area();
    await page.mouse.click(box.x + box.width * 0.55, box.y + box.height / 2);
    await page.mouse.move(5, 5);
    const share = (0.55 * ((await factsOf(log).span()).end! - start)) / 1e6;
    await expect.poll(at, PATIENT).toBeCloseTo(share, 0);
    // first where the pointer is, then on the sample that is near
    const toSample = async (): Promise<number> => {
      const { row, times } = await sampleOf('Roll', at());
      return Math.round(at() * 1e6) - (times[row] - start);
    };
    await expect.poll(toSample, PATIENT).toBe(0);
    const clicked = at();
    const { value, row, times } = await sampleOf('Roll', clicked);
    expect(Math.round(clicked * 1e6)).toBe(times[row] - start);
    await expect.poll(() => valueAtCursor('ATT.Roll'), PATIENT).toBe(value);

    // a box zoom leaves line and values where they are
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 3 });
    await page.mouse.up();
    await page.waitForURL(/window=/);
    expect(at()).toBe(clicked);
    expect(await valueAtCursor('ATT.Roll')).toBe(value);
    const pointed = (await page.getByLabel('Pointer', { exact: true }).textContent()) ?? '';
    const [, from, to] = /window=([\d.]+),([\d.]+)/.exec(page.url())?.map(Number) ?? [];
    expect(Number(pointed.replace('−', '-').replace(' s', ''))).toBeCloseTo(from + 0.6 * (to - from) - clicked, 1);
    const line = await plots(page).first().locator('.cursor').first().boundingBox();
    expect((line?.x ?? 0) - box.x).toBeCloseTo(((clicked - from) / (to - from)) * box.width, -0.5);
    // the line of the pointer is thin and dotted, and the legend has by how much each value is another one there
    const thin = plots(page).first().locator('.cursor.pointer');
    expect(((await thin.boundingBox())?.x ?? 0) - box.x).toBeCloseTo(0.6 * box.width, -0.5);
    expect(await thin.evaluate((each) => getComputedStyle(each).borderLeft)).toMatch(/^1px dotted/);
    await expect.poll(() => legend('ATT.Roll').locator('.change').innerText(), PATIENT).toMatch(/^[+−]\d/);
    await page.mouse.move(5, 5);

    // samples and seconds
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => Math.round(at() * 1e6), PATIENT).toBe(times[row + 1] - start);
    await expect.poll(() => valueAtCursor('ATT.Roll'), PATIENT).toBe((await sampleOf('Roll', at())).value);
    for (let press = 0; press < 3; press++) await page.keyboard.press('ArrowLeft');
    await expect.poll(() => Math.round(at() * 1e6), PATIENT).toBe(times[row - 2] - start);
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(() => Math.round(at() * 1e6), PATIENT).toBe(times[row - 2] - start + 1e6);
    const before = page.url();
    await page.keyboard.press('Alt+ArrowRight');
    await expect.poll(() => page.url(), PATIENT).not.toBe(before);
    expect(Math.round(at() * 1e6)).toBe(times[row - 2] - start + 1e6);
    await page.keyboard.press('Escape');
    await cursor().waitFor({ state: 'detached' });
    await expect.poll(at).toBeNaN();
  });

  test('all steps are undone and done again, by keys and by the browser', async () => {
    await visit('#panes=ATT.Roll;ATT.Pitch;BAT%5B0%5D.Volt', 3);
    const first = page.url();
    await plots(page).nth(1).getByRole('button', { name: 'Remove this plot' }).click();
    await page.waitForURL((url) => !url.hash.includes('Pitch'));
    await page.mouse.move(5, 5);
    await page.keyboard.press('+');
    await page.waitForURL(/window=/);
    const box = await area();
    await page.mouse.move(box.x + 100, box.y + box.height / 2);
    await page.keyboard.down('Shift');
    await page.mouse.wheel(0, -200);
    await page.keyboard.up('Shift');
    await page.waitForURL(/~l:/);
    const last = page.url();
    // at once, before the address follows
    await page.getByRole('tab', { name: 'Statistics' }).focus();
    await page.keyboard.press('Control+z');
    await page.waitForURL((url) => !url.hash.includes('~l:') && url.hash.includes('window='));
    await page.goBack();
    await page.waitForURL((url) => !url.hash.includes('window='));
    expect(await plots(page).count()).toBe(2);
    await page.keyboard.press('z');
    await expect.poll(() => plots(page).count(), PATIENT).toBe(3);
    expect(page.url()).toBe(first);
    for (const key of ['Control+Shift+z', 'Control+y', 'Control+Shift+z']) {
      const now = page.url();
      await page.keyboard.press(key);
      await expect.poll(() => page.url(), PATIENT).not.toBe(now);
    }
    expect(page.url()).toBe(last);
  });

  test('the first step back of a visit does not leave the page', async () => {
    const fresh = await openPage(browser, home);
    await fresh.page.getByLabel('Cursor', { exact: true }).waitFor();
    await fresh.page.waitForURL(/at=/);
    const url = fresh.page.url();
    for (let press = 0; press < 3; press++) await fresh.page.keyboard.press('Control+z');
    await fresh.page.waitForTimeout(300);
    expect(fresh.page.url()).toBe(url);
    await fresh.context.close();
  });

  test('the times and the legend stay where they are', async () => {
    await visit(
      '#panes=ATT.Roll,ATT.DesRoll,ATT.Pitch;ATT.Yaw;BAT%5B0%5D.Volt;CTUN.Alt;GPS%5B0%5D.NSats;VIBE%5B0%5D.VibeX',
      6,
    );
    const axis = page.getByRole('region', { name: 'Time' });
    const [seen, lowest] = [
      await axis.boundingBox(),
      await page.getByRole('region', { name: 'Details' }).boundingBox(),
    ];
    expect((seen?.y ?? 0) + (seen?.height ?? 0)).toBeCloseTo(lowest?.y ?? 0, 0);
    const heads = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('.panes header')].map((head) => (head as HTMLElement).offsetHeight),
      );
    await page.keyboard.press('Escape');
    const without = await heads();
    const box = await area();
    await page.mouse.click(box.x + 200, box.y + 20);
    await page.mouse.move(box.x + 300, box.y + 20);
    await page.getByLabel('Pointer', { exact: true }).waitFor();
    await expect.poll(() => valueAtCursor('ATT.Roll'), PATIENT).not.toBeNaN();
    expect(await heads()).toEqual(without);
  });

  /** Pixels of the numbers beside the first plot. */
  async function numbersOfAxis(): Promise<number> {
    const canvas = plots(page).first().locator('canvas');
    const [box, own] = [await area(), await canvas.boundingBox()];
    if (!own) throw new Error('the plot is not drawn');
    // dim texts on nothing
    const right = (box.x - own.x - 4) / own.width;
    return (await drawn(canvas)).count('#9aa7b8', { right });
  }

  test('fields with another unit get another axis; an axis without values has no numbers', async () => {
    await visit('#panes=BAT%5B0%5D.Volt', 1);
    await page.getByRole('searchbox', { name: 'Search fields' }).fill('BAT[0].RemPct');
    await page
      .getByRole('button', { name: /^BAT\[0\]\.RemPct/ })
      .first()
      .click();
    await page.waitForURL(/RemPct@right/);
    const axes = ['left', 'right'].map((side) => plots(page).first().locator(`.axis-unit.${side}`).innerText());
    expect(await Promise.all(axes)).toEqual(['V', '%']);
    await expect.poll(numbersOfAxis, PATIENT).toBeGreaterThan(30);
    await page.getByRole('searchbox', { name: 'Search fields' }).fill('BAT[0].CurrTot');
    await page
      .getByRole('button', { name: /^BAT\[0\]\.CurrTot/ })
      .first()
      .click();
    // a third unit is a plot of itself
    await page.waitForURL(/RemPct@right;BAT%5B0%5D\.CurrTot/);
    await page.getByRole('searchbox', { name: 'Search fields' }).fill('');
    // before the first sample there is nothing
    await visit('#panes=XKF4%5B0%5D.OFN&window=0,0.4', 1);
    await plots(page).getByText('No value in this window.').waitFor();
    expect(await numbersOfAxis()).toBe(0);
  });

  test('modes and switches are lanes with names, their values those of the log', async () => {
    await visit('#panes=ATT.Roll', 1);
    for (const field of ['MODE.Mode', 'ARM.ArmState', 'XKF4[0].SS']) {
      await page.getByRole('searchbox', { name: 'Search fields' }).fill(field);
      await page.getByRole('button', { name: field }).first().click();
      await page.waitForURL((url) => decodeURIComponent(url.hash).includes(field));
    }
    await page.getByRole('searchbox', { name: 'Search fields' }).fill('');
    expect(decodeURIComponent(page.url())).toContain(';lanes:MODE.Mode,ARM.ArmState,XKF4[0].SS');
    // each has its lane, and in it colours
    const lanes = plots(page).last().locator('.plot.lanes');
    const rows = await lanes.locator('.label').count();
    expect(rows).toBeGreaterThanOrEqual(3);
    expect(await lanes.evaluate((each) => each.clientHeight)).toBe(20 * rows);
    const painted = (): Promise<number> =>
      lanes.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
        const { data } = (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(
          ...([0, 0, canvas.width, canvas.height] as const),
        );
        return data.filter((value, i) => i % 4 === 3 && value > 0).length;
      });
    await expect.poll(painted, PATIENT).toBeGreaterThan(5000);
    const modes = await factsOf(log).modes();
    const said = (field: string): Promise<string | null> => legend(field).locator('b').textContent();
    for (const { mode, start: from, end } of modes) {
      const seconds = ((from + end) / 2 - start) / 1e6;
      await page.goto(`${home}${new URL(page.url()).hash.replace(/&at=[^&]*/, '')}&at=${seconds}`);
      await expect.poll(() => said('MODE.Mode'), PATIENT).toBe(mode);
    }
    const [{ start: armed }] = (await factsOf(log).phases()).armed;
    await page.goto(`${home}${new URL(page.url()).hash.replace(/&at=[^&]*/, '')}&at=${(armed - start) / 1e6 + 1}`);
    await expect.poll(() => said('ARM.ArmState'), PATIENT).toBe('armed');
    await expect.poll(() => said('XKF4[0].SS'), PATIENT).toMatch(/attitude.*uses GPS/);
  });

  needShared(test, 'dataflash/macs-214.BIN')(
    'the next log comes into the same view, and both are compared as equals',
    async () => {
      const path = sharedData('dataflash', 'macs-214.BIN');
      const next = await openLog(new Uint8Array(readFileSync(path)));
      const names = new Set(next.tables.map(({ name }) => name));
      const lacking = log.tables.find(({ name, stream, rows }) => stream === '' && rows > 1000 && !names.has(name));
      const field = lacking?.fields.find(({ type }) => type === 'float32');
      const text = `${lacking?.name}.${field?.name}`;
      await visit(`#panes=ATT.Roll,ATT.DesRoll;${text}`, 2);
      await page.getByLabel('Open log files').setInputFiles(path);
      const list = page.getByRole('list', { name: 'Open files' });
      await list.getByRole('button', { name: 'macs-214.BIN', exact: true, pressed: true }).waitFor();
      // what it lacks keeps its place, and says so
      await legend(text)
        .getByText('no table')
        .or(legend(text).getByText(/has no/))
        .first()
        .waitFor();
      expect(await plots(page).count()).toBe(2);
      const rolls = next.table('ATT');
      const known = [...((await rolls?.column('Roll'))?.numbers() ?? [])].map(rounded);
      await expect.poll(async () => known.includes(await valueAtCursor('ATT.Roll')), PATIENT).toBe(true);

      const compare = page.getByRole('button', { name: 'Compare' });
      await compare.click();
      await page.waitForURL(/1!ATT\.Roll.*compare=1/);
      const lines = () =>
        plots(page)
          .first()
          .locator('li line')
          .evaluateAll((all) =>
            all.map((line) => [line.getAttribute('stroke'), line.getAttribute('stroke-dasharray')]),
          );
      const [[one, solid], [oneWanted, dashes], [other, otherSolid], [, otherDashes]] = await lines();
      expect(one).toBe(oneWanted);
      expect(other).not.toBe(one);
      expect([solid, otherSolid]).toEqual(['', '']);
      expect(dashes).not.toBe('');
      expect(otherDashes).toBe(dashes);
      await page.getByRole('button', { name: 'Align by arming' }).click();
      const armed = await Promise.all([log, next].map(async (each) => (await factsOf(each).phases()).armed[0].start));
      await expect
        .poll(() => Number(/shift=0,(-?[\d.]+)/.exec(page.url())?.[1]), PATIENT)
        .toBeCloseTo((armed[1] - armed[0]) / 1e6, 3);
      await page.getByRole('button', { name: 'Align by arming' }).waitFor({ state: 'detached' });
      await compare.click();
      await page.waitForURL((url) => !url.hash.includes('1!') && !url.hash.includes('compare'));
      await page.getByRole('button', { name: 'Close macs-214.BIN' }).click();
      await expect.poll(() => legend(text).locator('b').count(), PATIENT).toBe(1);
      expect(await plots(page).count()).toBe(2);
    },
  );

  test('a window is explained, noted and copied for a post', async () => {
    await visit('#panes=ATT.Roll&window=40,60&at=50&tab=explain', 1);
    const panel = page.getByRole('tabpanel', { name: 'Explain' });
    await panel.getByText(/^0:40\.0 to 1:00\.0 \(20\.0 s\), armed, in GUIDED\.$/).waitFor();
    await panel
      .getByText(`WHERE time BETWEEN make_timestamp(${start + 40e6}) AND make_timestamp(${start + 60e6})`)
      .waitFor();
    await panel.getByRole('textbox', { name: 'Note' }).fill('odd roll here');
    await panel.getByRole('button', { name: 'Add note' }).click();
    await panel.getByRole('button', { name: '0:50.0' }).waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const [picture] = await Promise.all([
      page.waitForEvent('download'),
      panel.getByRole('button', { name: 'Copy as Markdown' }).click(),
    ]);
    expect(picture.suggestedFilename()).toBe('copter-square.png');
    await panel.getByText('Markdown copied').waitFor();
    const post = await page.evaluate(() => navigator.clipboard.readText());
    expect(post).toContain('armed, in GUIDED.');
    expect(post).toContain('- 0:50.0: odd roll here');
    expect(post).toContain('![plots](copter-square.png)');
    // the next visit has it, by what is in the log
    await page.reload();
    await panel.getByText('odd roll here').waitFor();
    await panel.getByRole('button', { name: 'Remove note odd roll here' }).click();
  });

  test('nothing went wrong meanwhile', () => {
    expect(watched.troubles).toEqual([]);
  });

  needShared(test, 'flight/copter-square.tlog')(
    'a telemetry log is shown in degrees and volts, or in its own units',
    async () => {
      const path = sharedData('flight', 'copter-square.tlog');
      const other = await openLog(new Uint8Array(readFileSync(path)));
      const shown = await startView(path);
      const visitor = await openPage(browser, shown.address);
      const one = visitor.page;
      // the address follows a moment later than the cursor
      await one.waitForURL(/&at=/);
      const { hash } = new URL(one.url());
      await one.goto(
        `${new URL(one.url()).origin}/#panes=ATTITUDE%5B1:1%5D.roll;SYS_STATUS%5B1:1%5D.voltage_battery${hash.slice(hash.indexOf('&'))}`,
      );
      await expect.poll(() => plots(one).count(), PATIENT).toBe(2);
      const seconds = Number(/[#&]at=([-\d.]+)/.exec(one.url())?.[1]);
      const begin = (await factsOf(other).span()).start ?? 0;
      const valueAt = async (table: string, field: string): Promise<number> => {
        const found = other.tables.find(({ name, stream }) => name === table && stream === '1:1');
        const [times, values] = [await found?.times(), (await found?.column(field))?.numbers()];
        return values?.[times?.findLastIndex((time) => time <= begin + Math.round(seconds * 1e6)) ?? -1] ?? Number.NaN;
      };
      const read = async (i: number): Promise<string> =>
        (await plots(one).nth(i).getByRole('listitem').first().textContent()) ?? '';
      const [roll, volts] = [await valueAt('ATTITUDE', 'roll'), await valueAt('SYS_STATUS', 'voltage_battery')];
      const numberIn = (text: string): number =>
        Number(/-?[\d.]+(e-?\d+)?(?=\s*(deg|rad|V|mV)\b)/.exec(text.replaceAll('−', '-'))?.[0]);
      await expect.poll(async () => numberIn(await read(0)), PATIENT).toBe(rounded((roll * 180) / Math.PI));
      expect(await read(0)).toContain('deg');
      expect(numberIn(await read(1))).toBe(rounded(volts / 1000));
      await one.getByLabel('Units').selectOption('Log units');
      await expect.poll(() => read(0), PATIENT).toContain('rad');
      expect(numberIn(await read(1))).toBe(volts);
      await visitor.context.close();
      await shown.close();
    },
  );
});
