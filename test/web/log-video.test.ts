// A video beside the log: it shows what the cursor shows, and plays with it.
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { factsOf, openLog } from '../../src/entry/browser.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { needCommand } from '../helpers/need.ts';
import { audit } from './accessibility.ts';
import { CHROMIUM, openPage, startBrowser, startView, type Viewing, type WatchedPage, withoutMaps } from './browser.ts';
import { drop, statisticsOf } from './log-page.ts';
import { shownSecond, webm } from './video.ts';

const SECONDS = 30;
const PATIENT = { timeout: 20_000 };

needCommand(CHROMIUM)('a video beside the log', () => {
  let browser: Browser;
  let viewing: Viewing;
  let watched: WatchedPage;
  let page: Page;
  let bytes: Buffer;
  /** Seconds of the log at which it was armed. */
  let armed = 0;

  beforeAll(async () => {
    [browser, viewing] = await Promise.all([startBrowser(), startView(SAMPLE)]);
    const facts = factsOf(await openLog(new Uint8Array(readFileSync(SAMPLE))));
    armed = ((await facts.phases()).armed[0].start - ((await facts.span()).start ?? 0)) / 1e6;
    watched = await openPage(browser, viewing.address, { width: 1280, height: 900 });
    page = watched.page;
    await page.addInitScript(withoutMaps);
    await page.reload();
    await statisticsOf(page, 'ATT.Roll');
    await page.waitForURL(/at=/);
    bytes = await webm(page, SECONDS);
  });

  afterAll(async () => {
    await browser?.close();
    expect(await viewing?.close()).toBe(0);
  });

  const panel = () => page.getByRole('region', { name: 'Video' });
  const at = (): number => Number(/[#&]at=([-\d.]+)/.exec(page.url())?.[1] ?? Number.NaN);
  const state = () =>
    panel()
      .locator('video')
      .evaluate((video: HTMLVideoElement) => ({
        at: video.currentTime,
        isPaused: video.paused,
        isSeeking: video.seeking,
      }));
  /** The second that the picture shows. */
  const shown = (): Promise<number> => shownSecond(panel().locator('video'));

  test('it begins at arming, and follows the cursor', async () => {
    await page
      .getByLabel('Video of the flight')
      .setInputFiles({ name: 'flight.webm', mimeType: 'video/webm', buffer: bytes });
    const first = at();
    await expect.poll(shown, PATIENT).toBe(Math.floor(first - armed));
    for (let press = 0; press < 3; press++) await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(at, PATIENT).toBeCloseTo(first + 3, 3);
    await expect.poll(shown, PATIENT).toBe(Math.floor(first + 3 - armed));
    expect((await state()).at).toBeCloseTo(first + 3 - armed, 3);
    // before it begins it shows nothing, and says so
    await page.goto(`${page.url().replace(/at=[^&]*/, 'at=5')}`);
    await panel().getByText('The video begins later.').waitFor();
    await page.goto(`${page.url().replace(/at=[^&]*/, `at=${armed + SECONDS + 1}`)}`);
    await panel().getByText('The video is over.').waitFor();
  });

  test('it is moved by hand, which is undone and in the address', async () => {
    await page.goto(`${page.url().replace(/at=[^&]*/, 'at=50')}`);
    const begins = panel().getByLabel('Second of the log at which the video begins');
    await begins.fill('43.5');
    await begins.press('Enter');
    await page.waitForURL(/video=43\.5/);
    await expect.poll(shown, PATIENT).toBe(6);
    await panel().getByRole('slider').fill('11.5');
    await page.waitForURL(/video=38\.5/);
    await expect.poll(shown, PATIENT).toBe(11);
    await page.keyboard.press('Control+z');
    await expect.poll(shown, PATIENT).toBe(6);
    await panel().getByLabel('Align the video').selectOption('by the starts');
    await page.waitForURL(/video=0(&|$)/);
    await panel().getByText('The video is over.').waitFor();
    await page.keyboard.press('Control+z');
    await expect.poll(shown, PATIENT).toBe(6);
  });

  test('it plays with the replay, and stands where that stops', async () => {
    await page.getByLabel('Speed of the replay').selectOption('2×');
    await page.getByRole('button', { name: 'Play' }).click();
    await expect.poll(async () => (await state()).isPaused, PATIENT).toBe(false);
    await expect.poll(async () => (await state()).at, PATIENT).toBeGreaterThan(8);
    await page.getByRole('button', { name: 'Pause' }).click();
    const settled = async (): Promise<number> => {
      const now = await state();
      return now.isPaused && !now.isSeeking ? now.at - (at() - 43.5) : Number.NaN;
    };
    await expect.poll(settled, PATIENT).toBeCloseTo(0, 3);
    expect((await audit(page)).wrong).toEqual([]);
  });

  test('a link has its place, a drop opens it, and what cannot be played says so', async () => {
    await page.goto(`${page.url().replace(/at=[^&]*/, 'at=50')}`);
    await page.reload();
    await statisticsOf(page, 'ATT.Roll');
    await drop(page, 'flight.webm', bytes);
    await expect.poll(shown, PATIENT).toBe(6);
    await drop(page, 'broken.mp4', new Uint8Array(2000).fill(7));
    await panel().getByText('broken.mp4: this browser cannot play it').waitFor();
    await panel().getByRole('button', { name: 'Close the video' }).click();
    await panel().waitFor({ state: 'detached' });
  });

  test('nothing was uploaded, and nothing went wrong', () => {
    const home = new URL(viewing.address).origin;
    expect(watched.requests.filter((url) => !url.startsWith(home) && !url.startsWith('blob:'))).toEqual([]);
    expect(watched.troubles).toEqual([]);
  });
});
