// Logs of every format, one after the other in one page with its map open: each ends with a verdict.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLog } from '../../src/entry/index.ts';
import { isAll, isLong } from '../helpers/long.ts';
import { needCommand, needShared, sharedData } from '../helpers/need.ts';
import { CHROMIUM, openPage, startBrowser, startView, type Viewing } from './browser.ts';

/** Logs that are opened in one page. */
const IN_A_ROW = 25;

/** What is opened while one works: logs with and without positions, of all formats. Under CI it is all logs. */
const SOME = [
  'mavlink/node-mavlink_GH-5.bin',
  'xbus/1/output.bin',
  'pcap/autopilot_version.pcapng',
  'dataflash/px4-coolkesword-log001.bin',
  'nmea/plshd.txt',
  'mavlink/pymavlink_capture.mav2.battery_status.tlog',
  'dataflash/LA-underpowered.log',
  'dataflash/erle-erlebrain_APM_7.BIN',
  'pcap/ipal_nmea0183udp.pcapng',
  'flight/px4-quad.tlog',
];

const SMALL = sharedData('xbus', '1', 'output.bin');

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

/** Small files that are much alike for a page: one of some is opened, with SKEIN_ALL=1 each. Their answers are in test/facts. */
const ALIKE: readonly (readonly [folder: string, step: number])[] = [
  // they differ in their headers only
  ['/pcap/odd/', 20],
  ['/nmea/gpsd/', 3],
];

/** All files of the data but references to compare with. */
function logFiles(): string[] {
  if (!isLong) return SOME.map((name) => sharedData(name));
  const all = filesIn(sharedData())
    .filter((path) => !/\/ref\/|\/definitions\/|\.chk$|\.jsonl$|\.json$|\.golden$|\.tsv$|\.md$/.test(path))
    .sort();
  if (isAll) return all;
  const few = ALIKE.flatMap(([folder, step]) =>
    all.filter((path) => path.includes(folder)).filter((_, k) => k % step === 0),
  );
  return [...all.filter((path) => !ALIKE.some(([folder]) => path.includes(folder))), ...few];
}

function groupsOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, k) => list.slice(k * size, (k + 1) * size));
}

/** Whether the times of a log are guessed; undefined if it is not a log. */
async function isGuessed(path: string): Promise<boolean | undefined> {
  return openLog(new Uint8Array(readFileSync(path))).then(
    ({ clock }) => clock.guessed === true,
    () => undefined,
  );
}

/** Waits for the verdict on a file that was opened, and closes it; what went wrong instead is an error. */
async function verdictOf(page: Page, path: string): Promise<{ verdict: string; base: string }> {
  const badge = page.getByTitle('Health report');
  const alert = page.getByRole('alert');
  await badge.or(alert).first().waitFor({ timeout: 90_000 });
  if ((await alert.count()) > 0) throw new Error(`${path}: ${await alert.first().textContent()}`);
  const verdict = (await badge.textContent()) ?? '';
  const base = await page.getByLabel('Time base').inputValue();
  await page.getByRole('button', { name: `Close ${basename(path)}` }).click();
  await badge.waitFor({ state: 'detached' });
  return { verdict: verdict.trim(), base };
}

needCommand(CHROMIUM)('the Log page with its map', () => {
  let browser: Browser;
  let viewing: Viewing;

  beforeAll(async () => {
    [browser, viewing] = await Promise.all([startBrowser(), startView(SMALL)]);
  });

  afterAll(async () => {
    await browser?.close();
    await viewing?.close();
  });

  needShared(describe, 'mavlink')('has a verdict for each of many logs in a row', () => {
    for (const [k, group] of groupsOf(logFiles(), IN_A_ROW).entries()) {
      test(`${k + 1}: ${group.map((path) => basename(path)).join(', ')}`, { timeout: 600_000 }, async () => {
        const { page, context, troubles } = await openPage(browser, viewing.address, {
          width: 1440,
          height: 900,
        });
        try {
          // the server is there for one
          await verdictOf(page, SMALL);
          for (const path of group) {
            // some files are there because they are none
            const guessed = await isGuessed(path);
            if (guessed === undefined) continue;
            await page.getByLabel('Open log files').setInputFiles(path);
            const { verdict, base } = await verdictOf(page, path);
            expect(verdict, path).not.toBe('');
            expect(base === 'guessed', path).toBe(guessed);
          }
          expect(troubles).toEqual([]);
        } finally {
          await context.close();
        }
      });
    }
  });
});
