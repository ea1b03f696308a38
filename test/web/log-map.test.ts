// The map of the Log page, and what stands beside it: one flight whose picture is known, then a second one.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modeColor } from '../../web/shared/colors.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { MadeLog } from '../helpers/made-log.ts';
import { needCommand } from '../helpers/need.ts';
import { CHROMIUM, openPage, startBrowser, startView, type Viewing, type WatchedPage } from './browser.ts';
import { drop, plots, statisticsOf } from './log-page.ts';
import { FLIGHT, madeFlight, PLACES, rollAt, throttleAt } from './made-flight.ts';
import { drawn, type Picture, pictureOf, seen } from './picture.ts';
import { archiveOfOneTile } from './pmtiles.ts';

const PATIENT = { timeout: 20_000 };
const rounded = (value: number): number => Number(value.toPrecision(6));
const [GUIDED, RTL] = ['GUIDED', 'RTL'].map((mode) => modeColor(mode));
const [ROLL, YAW] = ['#e5484d', '#5b7cfa'];
/** Colours of the dark theme: fence, rally points, home, texts. */
const [RED, GREEN, ACCENT] = ['#ff6369', '#3fb97f', '#35b8d6'];
const SECOND_DAY = { days: 2, north: 0.004, late: 7, gain: 0.2 };

/** More pixels than a colour has in the legend. */
const LEGEND = 100;
/** Without the arrow that points north. */
const BELOW_NORTH = { top: 0.2 };

/** A log of a sensor that never learned where it was, whose clock jumps by three hours. */
function jumpingLog(): Uint8Array {
  const made = new MadeLog().define('RNG', 'Qf', 'TimeUS,Distance');
  for (let row = 0; row < 20; row++) made.add('RNG', row * 100_000, row);
  for (let row = 0; row < 1200; row++) made.add('RNG', 10_800e6 + row * 100_000, row);
  return made.bytes();
}

/** What users put on the map. */
const LAYERS = ['photo.png', 'site.geojson', 'site.kml', 'world.pmtiles'];

/** A picture of one red pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);

/** Such files at a place; an image comes with its world file. */
function layerFiles(lon: number, lat: number) {
  const file = (name: string, buffer: Buffer) => ({ name, mimeType: '', buffer });
  const geometry = { type: 'Point', coordinates: [lon, lat] };
  const place = `<Point><coordinates>${lon},${lat}</coordinates></Point>`;
  const kml = `<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><name>pad</name>${place}</Placemark></kml>`;
  return [
    [file('site.geojson', Buffer.from(JSON.stringify({ type: 'Feature', properties: {}, geometry })))],
    [file('site.kml', Buffer.from(kml))],
    [file('world.pmtiles', Buffer.from(archiveOfOneTile(PIXEL)))],
    [file('photo.png', PIXEL), file('photo.pgw', Buffer.from(`0.001 0 0 -0.001 ${lon} ${lat}`))],
  ];
}

needCommand(CHROMIUM)('the map of the Log page', () => {
  const folder = temporaryFolder();
  let browser: Browser;
  let viewing: Viewing;
  let watched: WatchedPage;
  let page: Page;
  let home = '';

  beforeAll(async () => {
    const path = join(folder, 'jumps.bin');
    writeFileSync(path, jumpingLog());
    [browser, viewing] = await Promise.all([startBrowser(), startView(path)]);
    watched = await openPage(browser, viewing.address, { width: 1280, height: 860 });
    page = watched.page;
    home = `${new URL(page.url()).origin}/`;
  });

  afterAll(async () => {
    await browser?.close();
    expect(await viewing?.close()).toBe(0);
  });

  const map = (): Locator => page.getByRole('application', { name: 'Map of the flight' });
  const at = (): number => Number(/[#&]at=([-\d.]+)/.exec(page.url())?.[1] ?? Number.NaN);
  const go = (hash: string): Promise<unknown> => page.goto(home + hash);
  /** Seconds since boot of a second of the address. */
  const boot = (second: number): number => second + FLIGHT.begin;

  /** What is drawn over the map. */
  const over = (): Promise<Picture> => drawn(page.locator('.map-over'));
  /** How many of its pixels have exactly a colour: signs, not what is under them. */
  const signs = async (color: string): Promise<number> => (await over()).count(color, BELOW_NORTH, 0);
  const middleOf = async (color: string): Promise<readonly number[]> => (await over()).middle(color);
  const legendValue = async (text: string): Promise<number> =>
    Number(
      (await plots(page).getByRole('listitem').filter({ hasText: text }).first().locator('b').textContent())?.replace(
        '−',
        '-',
      ),
    );

  test('a log whose clock jumps begins with its densest part, and one without a place with the whole world under its grid', async () => {
    await page.getByText('The clock of this log jumps').waitFor();
    await page.waitForURL(/window=/);
    const [from, to] = (/window=([\d.]+),([\d.]+)/.exec(page.url()) ?? []).slice(1).map(Number);
    expect(from).toBeGreaterThan(10_700);
    expect(to - from).toBeLessThan(200);
    await map().locator('[data-state=ready]').waitFor();
    await map().getByText('This log has no position.').waitFor();
    // lines from edge to edge: meridians over all of the width, parallels over all of the height
    const world = await over();
    /** Where lines are along one side, from 0 to 1: all but a few pixels of the other side are drawn on. */
    const linesOf = (length: number, across: number, isInk: (i: number, k: number) => boolean): number[] =>
      Array.from({ length }, (_, i) => i).flatMap((i) => {
        const inked = Array.from({ length: across }, (_, k) => isInk(i, k)).filter(Boolean).length;
        return inked > 0.97 * across ? [i / length] : [];
      });
    const isInk = (x: number, y: number): boolean => world.alpha(x, y) > 20;
    const meridians = linesOf(world.width, world.height, isInk);
    const parallels = linesOf(world.height, world.width, (y, x) => isInk(x, y));
    for (const lines of [meridians, parallels]) {
      expect(lines.length).toBeGreaterThan(2);
      expect(Math.min(...lines)).toBeLessThan(0.35);
      expect(Math.max(...lines)).toBeGreaterThan(0.65);
    }
    await page.getByRole('button', { name: 'Close jumps.bin' }).click();
  });

  test('a flight opens at its take-off, which dials, sticks, servos, messages and the slider show', async () => {
    await drop(page, 'flight.bin', madeFlight());
    await expect.poll(() => boot(at()), PATIENT).toBe(FLIGHT.takeoff);
    const roll = rollAt(FLIGHT.takeoff);
    const dial = page.getByRole('img', { name: /^attitude: roll/ });
    await expect.poll(() => dial.getAttribute('aria-label'), PATIENT).toContain(`roll ${Math.round(roll)} degrees`);
    expect(await page.getByText('no attitude').count()).toBe(0);
    await page
      .locator('dt:text-is("Roll") + dd')
      .getByText(`${roll.toFixed(1).replace('-', '−')}°`)
      .waitFor();
    const beside = page.getByRole('region', { name: 'At the cursor' });
    await beside
      .getByRole('img', { name: `Stick, throttle and yaw: ${throttleAt(FLIGHT.takeoff)}, 1500 µs` })
      .waitFor();
    await beside.getByRole('img', { name: 'Servos: 1000, 1250, 1500, 2000 µs' }).waitFor();
    // each as high as its pulse is long, from 1000 to 2000
    const heights = await beside
      .locator('.level')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    expect(heights.map((height) => Math.round((100 * height) / heights[3]))).toEqual([0, 25, 50, 100]);
    const messages = beside.getByRole('list', { name: 'Messages before the cursor' }).getByRole('listitem');
    expect((await messages.allInnerTexts()).map((text) => text.replace(/^\S+ /, ''))).toEqual([
      'ArduCopter V4.6.0 (12345678)',
      'Arming motors',
    ]);

    // the slider moves the cursor, and all of it with it
    const slider = page.getByRole('slider', { name: 'Cursor in the flight' });
    const thumb = async (): Promise<number> => Number(await slider.inputValue());
    const length = FLIGHT.end - FLIGHT.begin;
    expect(await thumb()).toBeCloseTo((1000 * (FLIGHT.takeoff - FLIGHT.begin)) / length, -0.5);
    const track = await slider.boundingBox();
    if (!track) throw new Error('the slider has no place');
    await page.mouse.click(track.x + track.width / 2, track.y + track.height / 2);
    await expect.poll(at, PATIENT).toBeCloseTo(length / 2, 0);
    await messages.getByText('two seconds up').waitFor();
    const throttle = (): number => throttleAt(Math.floor(boot(at())));
    await expect.poll(() => beside.getByRole('img', { name: `${throttle()}, 1500 µs` }).count(), PATIENT).toBe(1);
    const dot = await beside
      .locator('circle')
      .first()
      .evaluate((each) => Number(each.getAttribute('cy')));
    expect(dot).toBeCloseTo(6 + 48 * (1 - (throttle() - 1000) / 1000), 3);
    await slider.press('ArrowRight');
    await expect.poll(thumb).toBeGreaterThan(500);
  });

  test('mission, fence, rally points and home are drawn, and each is switched off beside the map', async () => {
    await map().locator('[data-state=ready]').waitFor();
    await expect.poll(() => signs(GREEN), PATIENT).toBeGreaterThan(8);
    expect(await signs(RED)).toBeGreaterThan(30);
    expect(await signs(ACCENT)).toBeGreaterThan(25);
    const layers = ['Mission', 'Fence', 'Rally points', 'Events'];
    const text = await signs('#e8edf4');
    for (const name of layers) expect(await page.getByLabel(name, { exact: true }).isVisible(), name).toBe(true);
    await page.getByLabel('Fence').uncheck();
    await expect.poll(() => signs(RED), PATIENT).toBe(0);
    await page.getByLabel('Rally points').uncheck();
    await expect.poll(() => signs(GREEN), PATIENT).toBe(0);
    await page.getByLabel('Mission').uncheck();
    await expect.poll(() => signs('#e8edf4'), PATIENT).toBeLessThan(text - 40);
    // home is where the log says, whatever is switched off
    expect(await signs(ACCENT)).toBeGreaterThan(25);
    await page.getByLabel('Events').uncheck();
  });

  test('the track is broken where nothing is known of it, and what plots do not show of it is dimmed', async () => {
    const shown = await seen(map());
    // south in one mode, north in another, and no line from one to the other
    expect(shown.count(GUIDED, { top: 0.5 })).toBeGreaterThan(LEGEND + 40);
    expect(shown.count(RTL, { bottom: 0.5 })).toBeGreaterThan(100);
    const between = { top: 0.4, bottom: 0.6 };
    expect([GUIDED, RTL].map((color) => shown.count(color, between))).toEqual([0, 0]);
    // what lasted for a tenth of a second is in no legend
    const classes = map().locator('.map-legend-class');
    expect(await classes.allInnerTexts()).toEqual(['STABILIZE', 'GUIDED', 'RTL']);
    const names = await page.getByRole('list', { name: 'Modes' }).getByRole('listitem').allInnerTexts();
    expect(names).toEqual(['STABILIZE', 'GUIDED', 'RTL', 'armed', 'in flight']);

    await go(`#panes=ATT.Roll&window=${FLIGHT.found - FLIGHT.begin},${FLIGHT.end - FLIGHT.begin}`);
    await expect.poll(async () => (await seen(map())).count(GUIDED), PATIENT).toBeLessThan(LEGEND);
    const part = await seen(map());
    expect(part.count(RTL)).toBeGreaterThanOrEqual(shown.count(RTL));
    await page.keyboard.press('f');
    await expect.poll(async () => (await seen(map())).count(GUIDED), PATIENT).toBeGreaterThan(LEGEND + 40);
  });

  test('in sunlight the map is white paper', async () => {
    const white = async (): Promise<number> => {
      const picture = await seen(map());
      return picture.count('#ffffff', {}, 4) / (picture.width * picture.height);
    };
    await page.getByLabel('Theme').selectOption('contrast');
    await expect.poll(white, PATIENT).toBeGreaterThan(0.5);
    await page.getByLabel('Theme').selectOption('dark');
    await expect.poll(white, PATIENT).toBeLessThan(0.1);
  });

  test('the vehicle stays where the cursor is, also in space; the replay starts there, and the map follows while it plays', async () => {
    await go('#panes=ATT.Roll&at=22');
    await expect.poll(() => legendValue('ATT.Roll'), PATIENT).toBe(rounded(rollAt(boot(22))));
    const orange = '#f28c28';
    const flown = (boot(22) - FLIGHT.takeoff) / (FLIGHT.lost - FLIGHT.takeoff);
    const lon = PLACES.west + (PLACES.east - PLACES.west) * flown;
    await page.locator('dt:text-is("Lon") + dd').getByText(lon.toFixed(6)).waitFor();
    await page.mouse.move(5, 5);
    await expect.poll(() => signs(orange), PATIENT).toBeGreaterThan(20);
    const still = await middleOf(ACCENT);
    // a step of the cursor moves the vehicle, not the map
    const before = await middleOf(orange);
    await page.keyboard.press('Shift+ArrowLeft');
    await expect.poll(() => middleOf(orange), PATIENT).not.toEqual(before);
    expect(await middleOf(ACCENT)).toEqual(still);

    await page.getByLabel('Speed of the replay').selectOption('0.25');
    // the address follows a moment later
    const begun = 21;
    await expect.poll(at, PATIENT).toBe(begun);
    await page.getByRole('button', { name: 'Play' }).click();
    await expect.poll(() => middleOf(ACCENT), PATIENT).not.toEqual(still);
    await page.getByRole('button', { name: 'Pause' }).click();
    await expect.poll(at, PATIENT).toBeGreaterThan(begun);
    expect(at()).toBeLessThan(begun + 10);

    await page.getByRole('button', { name: '3D' }).click();
    const space = page.getByRole('img', { name: /^flight in space: altitude 420 metres, heading 90 degrees/ });
    await space.waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('img', { name: /^flight in space: the vehicle is nowhere/ }).waitFor();
    await page.getByRole('button', { name: '3D' }).click();
  });

  test('the track has the colour of a field, and layers of one’s own are there again at the next visit', async () => {
    await page.getByLabel('Colour of the track').selectOption('ATT.Roll');
    await map().getByText('ATT.Roll (deg)').waitFor();
    await page.waitForURL(/color=ATT\.Roll/);
    const layers = page.getByRole('list', { name: 'Layers of the map' });
    for (const files of layerFiles(PLACES.west, PLACES.south))
      await page.getByLabel('Layers of your own').setInputFiles(files);
    await expect.poll(() => layers.getByRole('listitem').allTextContents()).toHaveLength(LAYERS.length);
    expect((await layers.getByRole('listitem').allTextContents()).sort()).toEqual(LAYERS.map((name) => `${name} ×`));
    await page
      .getByLabel('Layers of your own')
      .setInputFiles({ name: 'x.json', mimeType: '', buffer: Buffer.from('{}') });
    await page.getByRole('alert').filter({ hasText: 'x.json: no GeoJSON' }).waitFor();
    // placemarks inside each other: each element is looked at once, not once for each placemark around it
    const nested = `${'<Placemark>'.repeat(500)}<Point><coordinates>8,47</coordinates></Point>${'<a/>'.repeat(100_000)}${'</Placemark>'.repeat(500)}`;
    await page
      .getByLabel('Layers of your own')
      .setInputFiles({ name: 'deep.kml', mimeType: '', buffer: Buffer.from(`<kml>${nested}</kml>`) });
    await layers.getByRole('button', { name: 'Remove layer deep.kml' }).click({ timeout: 5000 });
    await layers.getByRole('button', { name: 'Remove layer site.kml' }).click();
    await expect.poll(() => layers.getByRole('listitem').count()).toBe(LAYERS.length - 1);
    // a map that is made anew has them from the browser, but for the one that was removed
    await page.getByRole('button', { name: 'Map' }).click();
    await layers.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Map' }).click();
    const kept = LAYERS.filter((name) => name !== 'site.kml').map((name) => `${name} ×`);
    await expect
      .poll(async () => (await layers.getByRole('listitem').allTextContents()).sort(), { timeout: 15_000 })
      .toEqual(kept);
    for (const name of kept)
      await layers.getByRole('button', { name: `Remove layer ${name.replace(' ×', '')}` }).click();
    await layers.waitFor({ state: 'detached' });
  });

  test('a gap of the data is a gap of the line, marked below it', async () => {
    await go('#panes=ATT.Roll&at=22');
    await statisticsOf(page, 'ATT.Roll');
    const [[from, to], all] = [FLIGHT.gap.map((second) => second - FLIGHT.begin), FLIGHT.end - FLIGHT.begin];
    const plot = plots(page).first();
    /** Red pixels of the line, and of what marks a gap below it, between two parts of the width. */
    const red = async (begin: number, end: number): Promise<readonly number[]> => {
      const canvas = plot.locator('canvas');
      const [box, own] = [await plot.locator('.u-over').boundingBox(), await canvas.boundingBox()];
      if (!box || !own) throw new Error('the plot has no place');
      const part = {
        left: (box.x - own.x + begin * box.width) / own.width,
        right: (box.x - own.x + end * box.width) / own.width,
      };
      const bottom = (box.y - own.y + box.height) / own.height;
      const mark = 5 / own.height;
      const picture = await drawn(canvas);
      return [
        picture.count(ROLL, { ...part, bottom: bottom - mark }),
        picture.count(ROLL, { ...part, top: bottom - mark, bottom }),
      ];
    };
    const inside = [(from + 0.5) / all, (to - 0.5) / all] as const;
    await expect.poll(async () => (await red(0, from / all))[0], PATIENT).toBeGreaterThan(100);
    const [line, mark] = await red(...inside);
    expect(line).toBe(0);
    expect(mark).toBeGreaterThan(5);
  });

  test('all plots are saved as one picture and one drawing, a window as subtitles with its notes', async () => {
    await go('#panes=ATT.Roll;ATT.Yaw&window=21,31&at=22&tab=explain');
    for (const field of ['ATT.Roll', 'ATT.Yaw']) await statisticsOf(page, field);
    const panel = page.getByRole('tabpanel', { name: 'Explain' });
    await panel.getByRole('textbox', { name: 'Note' }).fill('gust');
    await panel.getByRole('button', { name: 'Add note' }).click();
    await panel.getByRole('button', { name: '0:22.0' }).waitFor();
    const saved = async (name: string): Promise<Buffer> => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        panel.getByRole('button', { name }).click(),
      ]);
      return readFileSync(await download.path());
    };
    const board = await pictureOf(page, await saved('All plots as PNG'));
    const canvases = await plots(page)
      .locator('canvas')
      .evaluateAll((all) => all.map((each) => [(each as HTMLCanvasElement).width, (each as HTMLCanvasElement).height]));
    expect(board.width).toBe(canvases[0][0]);
    expect(board.height).toBeGreaterThan(canvases[0][1] + canvases[1][1] + 60);
    const halves = [{ bottom: 0.47 }, { top: 0.5 }];
    expect(halves.map((half) => [board.count(ROLL, half) > 100, board.count(YAW, half) > 100])).toEqual([
      [true, false],
      [false, true],
    ]);

    const drawing = await page.evaluate(
      (text) => {
        const { documentElement: root } = new DOMParser().parseFromString(text, 'image/svg+xml');
        return [...root.children].map((part) => ({
          top: Number(part.getAttribute('y')),
          strokes: [...part.querySelectorAll('path')].map((path) => path.getAttribute('stroke')),
          points: part.querySelector('path')?.getAttribute('d')?.split('L').length ?? 0,
          texts: [...part.querySelectorAll('text')].map((each) => each.textContent),
        }));
      },
      String(await saved('All plots as SVG')),
    );
    expect(drawing.map(({ strokes }) => strokes)).toEqual([[ROLL], [YAW]]);
    expect(drawing[1].top).toBeGreaterThan(drawing[0].top);
    for (const [i, { points, texts }] of drawing.entries()) {
      expect(points).toBeGreaterThan(50);
      expect(texts).toContain(['ATT.Roll', 'ATT.Yaw'][i]);
    }

    await page.getByRole('banner').getByRole('button', { name: 'Export' }).click();
    const form = page.getByRole('form', { name: 'Export' });
    await form.getByLabel('Format').selectOption('srt');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      form.getByRole('button', { name: 'Save file' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('flight.srt');
    const cues = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n\n');
    expect(cues).toHaveLength(10);
    expect(cues[0]).toBe('1\n00:00:00,000 --> 00:00:01,000\nGUIDED   20.0 m   6.0 m/s');
    expect(cues[1]).toBe('2\n00:00:01,000 --> 00:00:02,000\nGUIDED   20.0 m   6.0 m/s\ngust');
  });

  test('a finding of the report is explained: its sentence, its evidence, and the SQL that shows it', async () => {
    await page.getByRole('tab', { name: 'Report' }).click();
    const card = page.getByRole('list', { name: 'Findings of flight.bin' }).getByRole('listitem');
    await card.filter({ hasText: 'Motors saturated' }).getByRole('button', { name: 'Explain' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Explain' });
    await panel.getByText(/^Motors saturated: Saturated in flight: motor 4 for \d+ s\./).waitFor();
    await statisticsOf(page, 'RCOU.C4');
    await panel.getByText(/SELECT time, "C4"\s+FROM "RCOU"\s+WHERE time BETWEEN make_timestamp\(/).waitFor();
    await panel.getByRole('button', { name: 'Remove note gust' }).click();
  });

  test('the next log has the same plots, units and window by arming; compared, each has its colour, track, modes, report and parameters', async () => {
    await go('#panes=ATT.Roll;GPS.Alt&window=19,39&at=22&units=aviation');
    await statisticsOf(page, 'GPS.Alt');
    await drop(page, 'second.bin', madeFlight(SECOND_DAY));
    const list = page.getByRole('list', { name: 'Open files' });
    await list.getByRole('button', { name: 'second.bin', exact: true, pressed: true }).waitFor();
    const { late } = SECOND_DAY;
    await page.waitForURL((url) => url.hash.includes(`window=${19 + late},${39 + late}`));
    expect(page.url()).toMatch(/#panes=ATT\.Roll;GPS\.Alt&.*units=aviation/);
    await expect.poll(() => legendValue('ATT.Roll'), PATIENT).toBe(rounded(rollAt(boot(22))));

    await page.getByRole('button', { name: 'Compare' }).click();
    await page
      .getByText('second.bin: not flown at the same time', { exact: false })
      .or(page.getByText('flight.bin: not flown at the same time', { exact: false }))
      .waitFor();
    await page.getByRole('button', { name: 'Align by arming' }).click();
    await page.waitForURL(/shift=0,\d/);
    const colors = await list.locator('rect').evaluateAll((all) => all.map((each) => each.getAttribute('fill') ?? ''));
    expect(new Set(colors).size).toBe(2);
    await page.keyboard.press('f');
    for (const color of colors)
      await expect.poll(async () => (await seen(map())).count(color), PATIENT).toBeGreaterThan(60);
    // a lane of modes for each, which no line of a plot crosses
    const modes = page.getByRole('img', { name: 'Modes over time' });
    expect(await modes.locator('.label').allInnerTexts()).toEqual(['second.bin', 'flight.bin']);
    const lanes = await seen(modes);
    // each mode begins in its full colour
    for (const half of [{ bottom: 0.5 }, { top: 0.5 }]) expect(lanes.count(RTL, half)).toBeGreaterThan(10);
    const [strip, top] = [await modes.boundingBox(), await plots(page).first().locator('.u-over').boundingBox()];
    expect((strip?.y ?? Number.NaN) + (strip?.height ?? 0)).toBeLessThanOrEqual(top?.y ?? 0);

    await page.getByRole('button', { name: 'Map' }).click();
    await page.getByRole('tab', { name: 'Report' }).click();
    const reports = page.getByRole('article');
    await expect.poll(() => reports.count(), PATIENT).toBe(2);
    const [left, right] = await reports.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()));
    expect(right.left).toBeGreaterThanOrEqual(left.right);
    expect(right.top).toBe(left.top);

    // of three logs, any two
    await drop(page, 'third.bin', madeFlight({ days: 4, gain: 0.3 }));
    await list.getByRole('button', { name: 'third.bin', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Parameters' }).click();
    const panel = page.getByRole('tabpanel', { name: 'Parameters' });
    await panel.getByLabel('Which').selectOption('differs');
    for (const [one, other, values] of [
      ['flight.bin', 'third.bin', ['0.1', '≠ 0.3']],
      ['third.bin', 'second.bin', ['0.3', '≠ 0.2']],
    ] as const) {
      await panel.getByLabel('Parameters of').selectOption(one);
      await panel.getByLabel('Beside those of').selectOption(other);
      const cells = panel.getByRole('row').nth(1).getByRole('cell');
      await expect
        .poll(async () => (await cells.allInnerTexts()).filter((_, i) => i !== 2 && i < 4), PATIENT)
        .toEqual(['ATC_RAT_RLL_P', ...values]);
      expect(await panel.getByRole('row').count()).toBe(2);
    }
  });

  test('nothing went wrong, and nobody else was asked', () => {
    expect(watched.troubles).toEqual([]);
    expect(watched.requests.filter((url) => !url.replace(/^blob:/, '').startsWith(home))).toEqual([]);
  });
});
