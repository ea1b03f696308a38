// Makes the pictures of the README: docs/log.png from the sample flight, docs/live.png from a replay of it. It needs
// Chromium. node scripts/screenshots.mjs [log|live]
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const started = [];
const skein = (...words) => {
  const child = spawn(process.execPath, [path('bin/skein.js'), ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  return child;
};
const args = ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader'];
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
const recordings = mkdtempSync(join(tmpdir(), 'skein-screenshots-'));
try {
  const wanted = process.argv[2];
  if (wanted !== 'live') await pictureLog();
  if (wanted !== 'log') await pictureLive();
} finally {
  await browser.close();
  const ends = started.map((child) => (child.exitCode === null ? once(child, 'exit') : undefined));
  for (const child of started) child.kill('SIGINT');
  await Promise.all(ends);
  rmSync(recordings, { recursive: true });
}

async function pictureLog() {
  const view = skein('view', path('sample/copter-square.BIN'), '--no-open', '--json');
  const [line] = await once(view.stdout, 'data');
  const page = await browser.newPage({ viewport: { width: 1440, height: 860 } });
  page.setDefaultTimeout(60_000);
  await page.goto(JSON.parse(String(line)).address);
  await page.getByTitle('Health report').waitFor();
  // the map has its legend once it shows the flight
  await page.locator('.map-legend-class').first().waitFor();
  await page.waitForTimeout(5000);
  await page.mouse.move(700, 260);
  await page.getByText('Lat', { exact: true }).waitFor();
  await page.waitForTimeout(1500);
  await page.screenshot({ path: path('docs/log.png') });
}

/** The vehicle on its way back from the third corner of its square. */
async function pictureLive() {
  const port = await freePort();
  const live = skein('live', `udpin:127.0.0.1:${port}`, '--http', '0', '--record', recordings);
  let printed = '';
  while (!printed.includes('API at')) printed += String((await once(live.stderr, 'data'))[0]);
  const page = await browser.newPage({ viewport: { width: 1440, height: 860 } });
  page.setDefaultTimeout(120_000);
  await page.goto(/page at (\S+)/.exec(printed)[1]);
  skein('replay', path('sample/copter-square.tlog'), `udpout:127.0.0.1:${port}`, '--answer', '--speed', '2');
  await page.getByRole('tab', { name: 'Inspector' }).click();
  await page.getByLabel('Find a message').fill('GLOBAL');
  await page.getByRole('button', { name: 'GLOBAL_POSITION_INT', exact: true }).click();
  await page.waitForFunction(isFarther, 50, { polling: 200 });
  await page.getByRole('button', { name: 'Follow' }).click();
  await page.getByRole('button', { name: 'show all' }).click();
  await page.waitForFunction((metres) => !globalThis.isFarther(metres), 39, { polling: 100 });
  await page.screenshot({ path: path('docs/live.png') });
}

/** Runs in the page: whether the vehicle is farther from home than N metres. */
function isFarther(metres) {
  globalThis.isFarther = (limit) => {
    const label = [...document.querySelectorAll('[aria-label="Status"] dt')].find((dt) => dt.textContent === 'Home');
    return Number.parseFloat(label?.nextElementSibling?.textContent ?? '') > limit;
  };
  return globalThis.isFarther(metres);
}

async function freePort() {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise((done) => socket.close(done));
  return port;
}
