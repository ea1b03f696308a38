// Every card of the Live page says what the API says, whichever tabs were clicked before.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SigningKey } from '../../src/formats/mavlink/key.ts';
import { systemMicros } from '../../src/node/wall-clock.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { isLong } from '../helpers/long.ts';
import { needCommand } from '../helpers/need.ts';
import { freeUdpPort, startLive, startLiveOn } from '../live/command.ts';
import type { Values } from '../vehicle/messages.ts';
import { type RunningVehicle, vehicleOverUdp } from '../vehicle/sockets.ts';
import type { SimulatedVehicle } from '../vehicle/vehicle.ts';
import { audit } from './accessibility.ts';
import { CHROMIUM, openPage, startBrowser, type WatchedPage, withoutMaps } from './browser.ts';

/** Tabs are in front in turn, and in each turn the vehicle changes so often: ten seconds in all. */
const TURNS = 3;
const CHANGES = 3;
/** What comes at the next poll of the page, on a busy machine. */
const PATIENT = { timeout: 60_000, interval: 100 };
const LOADS = process.env.SKEIN_ALL ? 6 : 1;

/** All cards in tabs, three at most in a place. */
const IN_TABS = [
  [
    ['status', 'charts', 'recorder'],
    ['battery', 'outputs', 'map'],
  ],
  [['instruments'], ['messages', 'inspector', 'command']],
];

/** What is shown, by card and label: a text, or a number where it is never the same twice. */
type Shown = Readonly<Record<string, string | number | null>>;

/** What grows or is measured all the time: it is between what the API said before and after the look, give or take. */
const MOVING: Readonly<Record<string, number>> = {
  'status uptime': 2,
  'status rate': 12,
  'links rate': 60,
  'inspector count': 0,
  'recorder messages': 0,
};

needCommand(CHROMIUM)('cards of the Live page', () => {
  const folder = temporaryFolder();
  let browser: Browser;

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
  });

  test(
    'say what the API says after bursts of clicks, as they are at first and all in tabs',
    async () => {
      const [port, station] = [await freeUdpPort(), await freeUdpPort()];
      const forward = `udpout:127.0.0.1:${station}`;
      const live = await startLive(
        port,
        0,
        '--record',
        join(folder, 'flights'),
        '--forward',
        forward,
        '--allow-commands',
      );
      const vehicle = await ChangingVehicle.start(port);
      try {
        // the same cards in other places
        const layouts = isLong ? [undefined, IN_TABS] : [undefined];
        for (let load = 0; load < LOADS; load++) {
          const pages = await Promise.all(layouts.map((layout) => CardsPage.open(browser, live.address, layout)));
          for (let turn = 0; turn < TURNS; turn++) {
            await Promise.all(pages.map((each) => each.click(turn)));
            vehicle.isMoving = true;
            await pages[0].page.waitForTimeout(1000);
            vehicle.isMoving = false;
            for (let change = 0; change < CHANGES; change++) {
              await vehicle.change(pages[0].origin);
              await Promise.all(pages.map((each) => each.expectApi()));
            }
          }
          for (const each of pages) await each.close();
        }
      } finally {
        await vehicle.close();
        await live.close();
      }
    },
    LOADS * 240_000,
  );

  test('show what is old in grey with its age: of one message, of all after a loss, and until it comes again after a reboot', async () => {
    const port = await freeUdpPort();
    const record = join(folder, 'aged');
    const running = await startLive(port, 0, '--heartbeat-timeout-ms', '1500', '--no-request', '--record', record);
    const flown = await ChangingVehicle.start(port);
    const { vehicle } = flown;
    const { page, context, troubles } = await openPage(browser, 'about:blank');
    page.setDefaultTimeout(PATIENT.timeout);
    try {
      await context.addInitScript(withoutMaps);
      await page.goto(running.address);
      await expect.poll(() => staleOf(page), PATIENT).toEqual([]);
      expect(await page.locator('.instrument.old').count()).toBe(0);
      await page.getByRole('tab', { name: 'Inspector' }).click();

      vehicle.broken.add('EKF_STATUS_REPORT');
      await expect.poll(() => staleOf(page), PATIENT).toEqual(['EKF']);
      await page
        .getByRole('region', { name: 'Status', exact: true })
        .getByText(/\d+ s old/)
        .waitFor();
      expect(await coloursOfStale(page)).toEqual([]);
      await expect.poll(() => oldMessages(page), PATIENT).toEqual(['EKF_STATUS_REPORT']);
      await page.getByRole('tab', { name: 'Messages' }).click();

      // the next best source says less: what it does not say is not shown any more
      const shown = (): Promise<string[]> => page.locator('[aria-label="Instruments"] dd').allInnerTexts();
      vehicle.broken.add('VFR_HUD');
      await expect.poll(shown, PATIENT).toEqual([expect.stringMatching(/^\d/), '–', '0.0 m/s', expect.any(String)]);
      expect(await page.getByRole('img', { name: /^height: \d/ }).count()).toBe(1);
      vehicle.broken.add('GLOBAL_POSITION_INT');
      await expect.poll(() => page.getByRole('img', { name: /^height: \d/ }).count(), PATIENT).toBe(0);
      expect((await shown())[3]).toBe('488.1 m');

      vehicle.isSilent = true;
      const all = ['EKF', 'Firmware', 'GPS', 'Home', 'Mission', 'RC', 'Radio', 'Uptime', 'battery', 'chip', 'head'];
      await expect.poll(() => staleOf(page), PATIENT).toEqual(all);
      await page.getByText('Heartbeat lost. All values are old.').waitFor();
      await expect.poll(() => page.locator('.instrument.old').count(), PATIENT).toBe(4);
      expect(await page.getByRole('img', { name: /^attitude: .*, old$/ }).count()).toBe(1);
      expect(await coloursOfStale(page)).toEqual([]);
      for (const theme of ['Light', 'Sunlight']) {
        await page.getByLabel('Theme').selectOption(theme);
        expect(await faintTexts(page), theme).toEqual([]);
      }

      // after a reboot only what came since is current
      for (const name of CHANGING) if (name !== 'SYSTEM_TIME') vehicle.broken.add(name);
      vehicle.isSilent = false;
      vehicle.reboot();
      await page.getByRole('list', { name: 'Messages' }).getByText('rebooted').first().waitFor();
      const before = ['EKF', 'Firmware', 'GPS', 'Home', 'Mission', 'RC', 'Radio', 'battery', 'chip'];
      await expect.poll(() => staleOf(page), PATIENT).toEqual(before);
      expect(await page.locator('.instrument.old').count()).toBe(4);
      vehicle.broken.clear();
      // sent once: when there is one
      vehicle.say('HOME_POSITION', HOME);
      vehicle.say('AUTOPILOT_VERSION', { flight_sw_version: 0x040603ff });
      await expect.poll(() => staleOf(page), PATIENT).toEqual([]);
      await expect.poll(() => page.locator('.instrument.old').count(), PATIENT).toBe(0);

      // the text of its console is in a file beside the log, which is the recording
      await expect.poll(() => readdirSync(record).some((name) => name.endsWith('.raw')), PATIENT).toBe(true);
      const recorder = page.getByRole('region', { name: 'Recorder' });
      await recorder.getByText(/\.(tlog|raw)$/).waitFor();
      expect(await recorder.getByText(/\.(tlog|raw)$/).allInnerTexts()).toEqual([expect.stringMatching(/\.tlog$/)]);

      // the table of links makes room for itself
      await page.getByRole('button', { name: /^Links/ }).click();
      const links = await page.getByRole('region', { name: 'Links' }).boundingBox();
      const card = await page.getByRole('region', { name: 'Status', exact: true }).boundingBox();
      expect(card?.y).toBeGreaterThanOrEqual((links?.y ?? Number.NaN) + (links?.height ?? 0));
      expect(troubles).toEqual([]);
    } finally {
      await flown.close();
      await context.close();
      await running.close();
    }
  }, 240_000);

  test('show a conflict and refused signatures in red', async () => {
    const port = await freeUdpPort();
    const keyFile = join(folder, 'key');
    writeFileSync(keyFile, '11'.repeat(32), { mode: 0o600 });
    const signed = `udpin:127.0.0.1:${await freeUdpPort()}`;
    const running = await startLive(port, 0, '--no-request');
    const vehicles = [await ChangingVehicle.start(port)];
    const { page, context } = await openPage(browser, 'about:blank');
    page.setDefaultTimeout(PATIENT.timeout);
    const strict = await startLiveOn(signed, 0, '--no-request', '--key-file', keyFile);
    const key = SigningKey.parse('22'.repeat(32));
    const stranger = await ChangingVehicle.start(Number(signed.split(':')[2]), key);
    try {
      await context.addInitScript(withoutMaps);
      await page.goto(running.address);
      const chip = page.getByRole('navigation', { name: 'Vehicles' }).getByRole('button');
      await chip.first().waitFor();
      vehicles.push(await ChangingVehicle.start(port));
      await page
        .getByRole('alert')
        .filter({ hasText: /system id 1 is also used from 127\.0\.0\.1:\d+/ })
        .first()
        .waitFor();
      await chip.getByText('▲ conflict').first().waitFor();
      expect(await chip.getByText('▲ conflict').first().evaluate(isRed)).toBe(true);
      expect((await audit(page)).wrong).toEqual([]);

      await page.goto(strict.address);
      await page
        .getByRole('alert')
        .filter({ hasText: /frames? refused: bad signature/ })
        .waitFor();
      const links = page.getByRole('region', { name: 'Links' });
      await links.getByText(/▲ .*refused: bad signature/).waitFor();
      expect(await links.getByText(/▲ .*refused: bad signature/).evaluate(isRed)).toBe(true);
      expect((await audit(page)).wrong).toEqual([]);
    } finally {
      for (const each of [...vehicles, stranger]) await each.close();
      await context.close();
      await Promise.all([running.close(), strict.close()]);
    }
  }, 240_000);
});

/** Which rows of the status card are old, and its head, the battery and the chip. */
function staleOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const has = (selector: string): boolean => document.querySelector(selector) !== null;
    const rows = [...document.querySelectorAll<HTMLElement>('[aria-label="Status"] dt')]
      .filter((term) => term.nextElementSibling?.querySelector('.stale'))
      .map(({ innerText }) => innerText);
    if (has('[aria-label="Status"] .head .stale')) rows.push('head');
    if (has('[aria-label="Battery 1"].stale')) rows.push('battery');
    if (has('nav .chip .stale')) rows.push('chip');
    return has('[aria-label="Status"] dt') ? rows.sort() : ['nothing is shown'];
  });
}

/** Messages that the inspector shows as old. */
function oldMessages(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('tr:has(td.number.stale) .name')].map(({ innerText }) =>
      innerText.replaceAll(/[^A-Z_0-9]/g, ''),
    ),
  );
}

/** Old values that are in a colour. */
function coloursOfStale(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = 'var(--dim)';
    const dim = getComputedStyle(probe).color;
    probe.remove();
    return [...document.querySelectorAll<HTMLElement>('.stale, .stale *')]
      .filter((each) => each.innerText?.trim() && !each.querySelector('*') && getComputedStyle(each).color !== dim)
      .map(({ innerText }) => innerText);
  });
}

/** Old values of less contrast than WCAG's AA asks for, 4.5 to 1. */
function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const lightness = (color: string): number => {
      const [r, g, b] = (color.match(/[\d.]+/g) ?? []).map((text) => {
        const part = Number(text) / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const groundOf = (element: Element | null): string => {
      const color = element ? getComputedStyle(element).backgroundColor : 'rgb(255, 255, 255)';
      return /, 0\)$/.test(color) ? groundOf(element?.parentElement ?? null) : color;
    };
    return [...document.querySelectorAll<HTMLElement>('.stale')].flatMap((each) => {
      const [a, b] = [lightness(getComputedStyle(each).color), lightness(groundOf(each))];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      return contrast >= 4.5 ? [] : [`${each.innerText}: ${contrast.toFixed(1)}`];
    });
  });
}

function isRed(element: Element): boolean {
  const [red, green, blue] = (getComputedStyle(element).color.match(/\d+/g) ?? []).map(Number);
  return red > 1.5 * green && red > 1.5 * blue;
}

/** The arrangement as the page keeps it, for windows of any size. */
function keptFor(layout: readonly unknown[]): string {
  return JSON.stringify(
    Object.fromEntries(
      ['wide', 'medium', 'large'].flatMap((form) => [
        [`Copter ${form}`, layout],
        [` ${form}`, layout],
      ]),
    ),
  );
}

/** Clicks on tabs by chance. */
async function clicks(page: Page, count: number): Promise<void> {
  await page.evaluate(async (left) => {
    for (let i = 0; i < left; i++) {
      const tabs = document.querySelectorAll<HTMLElement>('[role="tab"]');
      tabs[Math.floor(Math.random() * tabs.length)].click();
      await new Promise((done) => setTimeout(done, 60 * Math.random()));
    }
  }, count);
}

/** Brings the tab of that number to the front of every place, and opens a message in the inspector. */
async function chooseTabs(page: Page, round: number): Promise<void> {
  await page.evaluate((number) => {
    for (const list of document.querySelectorAll('[role="tablist"]')) {
      const tabs = list.querySelectorAll<HTMLElement>('[role="tab"]');
      tabs[number % tabs.length].click();
    }
  }, round);
  const message = page.getByRole('button', { name: 'VFR_HUD', exact: true, expanded: false });
  if ((await message.count()) > 0) await message.click();
}

/** A page with the cards, its clicks, and what it shows beside what the API says. */
class CardsPage {
  readonly page: Page;
  readonly origin: string;
  private readonly watched: WatchedPage;
  private readonly hasFocus: boolean;
  /** What was seen, and with how many values. */
  private readonly seen = new Map<string, Set<string | number | null>>();

  private constructor(watched: WatchedPage, origin: string, hasFocus: boolean) {
    this.watched = watched;
    this.page = watched.page;
    this.origin = origin;
    this.hasFocus = hasFocus;
  }

  static async open(browser: Browser, address: string, layout: typeof IN_TABS | undefined): Promise<CardsPage> {
    const watched = await openPage(browser, 'about:blank');
    const { page, context } = watched;
    page.setDefaultTimeout(PATIENT.timeout);
    await context.addInitScript(withoutMaps);
    await context.addInitScript(watchSpeeds);
    if (layout) {
      await context.addInitScript((kept) => localStorage.setItem('skein-live-layout', kept), keptFor(layout));
    }
    await page.goto(address);
    await page.getByRole('tab', { name: 'Inspector' }).waitFor();
    await page.getByRole('button', { name: /^Links/ }).click();
    return new CardsPage(watched, new URL(address).origin, layout === undefined);
  }

  async click(turn: number): Promise<void> {
    await clicks(this.page, 12);
    await this.page.waitForTimeout(300);
    await clicks(this.page, 12);
    await chooseTabs(this.page, turn);
    if (this.hasFocus) await this.page.getByLabel('Note for the recording').focus();
  }

  /** Each card equals the API, as soon as it asked for the last change. */
  async expectApi(): Promise<void> {
    await expect
      .poll(async () => {
        const before = await askedOf(this.origin);
        const shown = await this.page.evaluate(shownOn);
        return this.differing(shown, before, await askedOf(this.origin));
      }, PATIENT)
      .toEqual([]);
  }

  private differing(shown: Shown, before: Shown, after: Shown): string[] {
    return Object.entries(shown).flatMap(([name, value]) => {
      const seen = this.seen.get(name) ?? new Set();
      this.seen.set(name, seen.add(value));
      const told = [before[name], after[name]];
      return isTold(value, told, MOVING[name]) ? [] : [`${name}: ${value}, not ${told.join(' | ')}`];
    });
  }

  async close(): Promise<void> {
    const names = Object.keys(await askedOf(this.origin));
    // those of tabs were in front for a third of the time
    const unseen = names.filter((name) => (this.seen.get(name)?.size ?? 0) < (/^outputs/.test(name) ? 1 : 2));
    expect(unseen, 'what never changed').toEqual([]);
    const speeds = await this.page.evaluate(() => (window as unknown as { speeds: Speeds }).speeds);
    expect(speeds.differing, 'speed on the tape and beside it').toEqual([]);
    expect(speeds.frames).toBeGreaterThan(20);
    // who types is not interrupted by what comes
    if (this.hasFocus)
      expect(await this.page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Note for the recording');
    expect(this.watched.troubles).toEqual([]);
    await this.watched.context.close();
  }
}

/** @param slack for what is never the same twice; undefined for what is */
function isTold(
  value: string | number | null,
  told: readonly (string | number | null | undefined)[],
  slack: number | undefined,
): boolean {
  if (typeof value !== 'number') return told.includes(value);
  const numbers = told.filter((each): each is number => typeof each === 'number');
  // digits are rounded
  const most = slack ?? 0.06 + Math.abs(value) * 0.002;
  const least = slack === 0 ? Number.POSITIVE_INFINITY : most;
  return value >= Math.min(...numbers) - least && value <= Math.max(...numbers) + most;
}

interface Detail {
  readonly armed: boolean;
  readonly mode: string;
  readonly rate: number;
  readonly position: { readonly altitude: number; readonly heading: number };
  readonly batteries: readonly {
    readonly voltage: number;
    readonly current: number;
    readonly remaining: number;
    readonly consumed: number;
  }[];
  readonly state: {
    readonly uptime: number;
    readonly attitude: { readonly roll: number };
    readonly speed: { readonly ground: number; readonly air: number; readonly climb: number };
    readonly gps: { readonly satellites: number; readonly hdop: number };
    readonly ekf: { readonly velocity: number; readonly compass: number };
    readonly radio: { readonly rssi: number; readonly remoteRssi: number };
    readonly rc: { readonly rssi: number };
    readonly mission: { readonly current: number; readonly total: number };
    readonly texts: readonly { readonly text: string }[];
  };
}

/** What the page should show by what the API says. */
async function askedOf(origin: string): Promise<Shown> {
  const get = async <T>(path: string): Promise<T> => (await fetch(`${origin}/v1/${path}`)).json() as Promise<T>;
  const [detail, { messages }, { links }, recorder] = await Promise.all([
    get<Detail>('vehicles/1'),
    get<{ messages: { message: string; count: number }[] }>('vehicles/1/messages'),
    get<{ links: { name: string; forward: boolean; bytesOut: number }[] }>('links'),
    get<{ state: string; frames: number }>('recorder'),
  ]);
  const { armed, mode, state } = detail;
  const { gps, ekf, radio, rc, mission, speed, texts } = state;
  const [pack] = detail.batteries;
  const told = armed ? 'armed' : 'disarmed';
  return {
    'chip armed': told,
    'chip mode': mode,
    'chip charge': pack.remaining,
    'status armed': told,
    'status mode': mode,
    'status satellites': gps.satellites,
    'status HDOP': gps.hdop,
    'status EKF velocity': ekf.velocity,
    'status EKF compass': ekf.compass,
    'status mission': `item ${mission.current} of ${mission.total}`,
    'status radio': `RSSI ${radio.rssi}, remote ${radio.remoteRssi}`,
    'status RC': rc.rssi,
    'status uptime': state.uptime,
    'status rate': detail.rate,
    'battery charge': pack.remaining,
    'battery volts': pack.voltage,
    'battery amperes': pack.current,
    'battery used': pack.consumed,
    'instruments ground speed': speed.ground,
    'instruments speed tape': speed.ground,
    'instruments air speed': speed.air,
    'instruments climb': speed.climb,
    'instruments altitude': detail.position.altitude,
    'instruments roll': Math.round(state.attitude.roll),
    'charts ground speed': speed.ground,
    'messages last': texts.at(-1)?.text ?? null,
    'inspector count': messages.find(({ message }) => message === 'VFR_HUD')?.count ?? null,
    'inspector ground speed': speed.ground,
    'recorder messages': recorder.frames,
    'links rate': detail.rate,
    'outputs forward': links.some(({ forward, bytesOut }) => forward && bytesOut > 0) ? 'sending' : 'open',
  };
}

/** Frames in which the speed was on the tape and in digits, and where they differed. */
interface Speeds {
  frames: number;
  readonly differing: string[];
}

/** In the page: compares the speed on the tape with that in digits in each frame. */
function watchSpeeds(): void {
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    this.canvas.dataset.text = text;
    fillText.call(this, text, ...rest);
  };
  const speeds: Speeds = { frames: 0, differing: [] };
  Object.assign(window, { speeds });
  const look = (): void => {
    const tape = document.querySelector<HTMLElement>('[aria-label^="speed"] canvas')?.dataset.text;
    const digits = document.querySelector<HTMLElement>('[aria-label="Instruments"] dd')?.innerText;
    if (tape !== undefined && digits !== undefined) {
      speeds.frames++;
      if (digits !== (tape === '– –' ? '–' : `${tape} m/s`)) speeds.differing.push(`${tape} beside ${digits}`);
    }
  };
  // as the frame is shown: after all that draws in it
  const next = (): void => {
    setTimeout(look);
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

/** In the page: what it shows, of the cards that are seen. */
async function shownOn(): Promise<Record<string, string | number | null>> {
  // instruments are drawn in frames, which may be rare on a busy machine
  for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
  const shown: Record<string, string | number | null> = {};
  const textOf = (selector: string): string | undefined =>
    document.querySelector<HTMLElement>(selector)?.innerText.replaceAll(/\s+/g, ' ').replaceAll('−', '-');
  const put = (name: string, text: string | undefined, pattern: RegExp, isNumber = true): void => {
    if (text === undefined) return;
    const [, found] = pattern.exec(text) ?? [];
    shown[name] = found === undefined ? `"${text}"` : isNumber ? Number(found.replaceAll(',', '')) : found;
  };
  const rowOf = (card: string, label: string): string | undefined => {
    const terms = [...document.querySelectorAll<HTMLElement>(`[aria-label="${card}"] dt`)];
    const value = terms.find(({ innerText }) => innerText.trim() === label)?.nextElementSibling;
    return value instanceof HTMLElement ? value.innerText.replaceAll(/\s+/g, ' ').replaceAll('−', '-') : undefined;
  };
  const labelOf = (selector: string): string | undefined =>
    document.querySelector(selector)?.getAttribute('aria-label')?.replaceAll('−', '-');

  const chip = textOf('nav .chip[aria-pressed="true"]');
  put('chip armed', chip, /(armed|disarmed)/, false);
  put('chip mode', chip, /armed (.+?) battery/, false);
  put('chip charge', chip, /battery (\d+) %/);
  const head = textOf('[aria-label="Status"] .head');
  put('status armed', head, /(armed|disarmed)/, false);
  put('status mode', textOf('[aria-label="Status"] .mode'), /^(.*)$/, false);
  put('status satellites', rowOf('Status', 'GPS'), /(\d+) sat/);
  put('status HDOP', rowOf('Status', 'GPS'), /HDOP ([\d.]+)/);
  put('status EKF velocity', rowOf('Status', 'EKF'), /vel ([\d.]+)/);
  put('status EKF compass', rowOf('Status', 'EKF'), /mag ([\d.]+)/);
  put('status mission', rowOf('Status', 'Mission'), /^(.*)$/, false);
  put('status radio', rowOf('Status', 'Radio'), /^(.*)$/, false);
  put('status RC', rowOf('Status', 'RC'), /RSSI (\d+)/);
  const uptime = rowOf('Status', 'Uptime');
  if (uptime !== undefined) {
    const [minutes, seconds] = /^(\d+):(\d+)/.exec(uptime)?.slice(1).map(Number) ?? [Number.NaN, Number.NaN];
    shown['status uptime'] = minutes * 60 + seconds + 0.5;
  }
  put('status rate', rowOf('Status', 'Link'), /^(\d+) msg/);
  const pack = textOf('[aria-label="Battery 1"]');
  put('battery charge', pack, /(\d+) %/);
  put('battery volts', pack, /([\d.]+) V/);
  put('battery amperes', pack, /([\d.]+) A/);
  put('battery used', pack, /([\d.]+) mAh/);
  put('instruments ground speed', rowOf('Instruments', 'Ground'), /([-\d.]+) m/);
  put('instruments speed tape', labelOf('[aria-label^="speed"]'), /speed: ([-\d.]+) m/);
  put('instruments air speed', rowOf('Instruments', 'Air'), /([-\d.]+) m/);
  put('instruments climb', rowOf('Instruments', 'Climb'), /([-\d.]+) m/);
  put('instruments altitude', rowOf('Instruments', 'AMSL'), /([-\d.]+) m/);
  put('instruments roll', labelOf('.instrument.attitude'), /roll ([-\d.]+)/);
  put('charts ground speed', textOf('button[title="Remove VFR_HUD.groundspeed"]'), /groundspeed ([-\d.]+)/);
  put('messages last', textOf('[aria-label="Messages"] li:has(.text:not(.event)) .text'), /^(.*)$/, false);
  const rows = [...document.querySelectorAll<HTMLElement>('tr')].map((row) => row.innerText.replaceAll(/\s+/g, ' '));
  put(
    'inspector count',
    rows.find((row) => /^. VFR_HUD /.test(row)),
    /VFR_HUD [\d.]+ (\d+)/,
  );
  put(
    'inspector ground speed',
    rows.find((row) => row.startsWith('groundspeed ')),
    /groundspeed ([-\d.]+)/,
  );
  put('recorder messages', textOf('[aria-label="Recorder"]'), /([\d,]+) messages/);
  put('outputs forward', rowOf('Outputs', 'Forward'), / (\w+)$/, false);
  put('links rate', textOf('[aria-label="Links"] tbody tr'), /([\d.]+)\/s/);
  return shown;
}

/** What is sent five times a second, each time with new values. */
const CHANGING = [
  ...['RAW_IMU', 'SYSTEM_TIME', 'GPS_RAW_INT', 'EKF_STATUS_REPORT', 'RC_CHANNELS', 'RADIO_STATUS', 'HOME_POSITION'],
  ...['MISSION_CURRENT', 'ATTITUDE', 'GLOBAL_POSITION_INT', 'VFR_HUD', 'SYS_STATUS', 'BATTERY_STATUS'],
];
const HOME = { latitude: -353632620, longitude: 1491652370, altitude: 584_000, q: [1, 0, 0, 0] };

/** A vehicle of which every value changes when the test says so, and its motion all the time while it moves. */
class ChangingVehicle {
  /** Whether speed and place change with each message. */
  isMoving = false;
  private state = 0;
  private motion = 0;
  private readonly running: RunningVehicle;

  private constructor(running: RunningVehicle) {
    this.running = running;
  }

  static async start(port: number, key?: SigningKey): Promise<ChangingVehicle> {
    const running = await vehicleOverUdp(port, {
      up: 70,
      mode: 2,
      ...(key ? { key } : {}),
      streams: Object.fromEntries(['HEARTBEAT', ...CHANGING].map((name) => [name, 5])),
      values: (name) => changing.valuesOf(name),
    });
    const changing = new ChangingVehicle(running);
    changing.vehicle.tick(systemMicros());
    changing.vehicle.say('AUTOPILOT_VERSION', { flight_sw_version: 0x040603ff });
    return changing;
  }

  get vehicle(): SimulatedVehicle {
    return this.running.vehicle;
  }

  close(): Promise<void> {
    return this.running.close();
  }

  /** Everything changes; returns when the API has it. */
  async change(origin: string): Promise<void> {
    this.state++;
    this.motion++;
    const { vehicle, state } = this;
    vehicle.set({ armed: state % 2 === 1, customMode: [0, 2, 5, 4, 6][state % 5] });
    vehicle.rates.set('RAW_IMU', 5 + 20 * (state % 4));
    const count = vehicle.sent.get('BATTERY_STATUS') ?? 0;
    // all of it was sent
    await expect.poll(() => vehicle.sent.get('BATTERY_STATUS'), PATIENT).toBeGreaterThan(count + 1);
    vehicle.say('STATUSTEXT', { severity: 6, text: `state ${state}` });
    await expect.poll(async () => (await askedOf(origin))['messages last'], PATIENT).toBe(`state ${state}`);
  }

  private valuesOf(name: string): Values | undefined {
    if (name === 'VFR_HUD' && this.isMoving) this.motion++;
    const { state, motion } = this;
    const power = state;
    const [charge, voltage, current] = [95 - (power % 60), 12_600 - (power % 40) * 30, 900 + power * 20];
    const values: Readonly<Record<string, Values>> = {
      GPS_RAW_INT: { eph: 70 + 10 * (state % 9), satellites_visible: 8 + (state % 12) },
      EKF_STATUS_REPORT: { velocity_variance: 0.05 * (state % 8), compass_variance: 0.03 * (state % 9) },
      RC_CHANNELS: { rssi: 100 + (state % 100) },
      RADIO_STATUS: { rssi: 150 + (state % 50), remrssi: 100 + (state % 50) },
      MISSION_CURRENT: { seq: state % 9, total: 9 },
      ATTITUDE: { roll: 0.1 * Math.sin(motion), yaw: motion % 3 },
      GLOBAL_POSITION_INT: { alt: 584_000 + (motion % 900) * 1100, relative_alt: (motion % 900) * 1100 },
      VFR_HUD: { airspeed: 3 + (motion % 9), groundspeed: 2 + (motion % 11) * 0.7, climb: (motion % 5) - 2 },
      SYS_STATUS: { voltage_battery: voltage, current_battery: current, battery_remaining: charge },
      BATTERY_STATUS: {
        voltages: [voltage, ...new Array<number>(9).fill(65535)],
        ...{ current_battery: current, current_consumed: 10 * power, battery_remaining: charge },
      },
      HOME_POSITION: HOME,
    };
    return values[name];
  }
}
