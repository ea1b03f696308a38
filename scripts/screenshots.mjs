// Makes docs/log.png, the picture of the Log page in the README, from the sample flight. It needs Chromium.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const words = [path('bin/skein.js'), 'view', path('sample/copter-square.BIN'), '--no-open', '--json'];
const view = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(view.stdout, 'data');
const args = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 860 } });
  page.setDefaultTimeout(60_000);
  await page.goto(JSON.parse(String(line)).address);
  await page.getByTitle('Health report').waitFor();
  // the map says its grid in metres once it shows the flight
  await page.getByText(/^grid .*\d m\)$/).waitFor();
  await page.waitForTimeout(5000);
  await page.mouse.move(700, 260);
  await page.getByText('Lat', { exact: true }).waitFor();
  await page.waitForTimeout(1500);
  await page.screenshot({ path: path('docs/log.png') });
} finally {
  await browser.close();
  view.kill('SIGINT');
}
