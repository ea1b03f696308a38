// The Log page in Chromium: the sample and a log of 200 MB made from it. Time to the summary and to the first plot, the
// longest task of the page, frames a second while zooming, and memory of the page and its worker. The window is too
// narrow for the map, which a machine without a graphics card draws in software.
// node bench/web.mjs [MB]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
// biome-ignore lint/correctness/noUndeclaredDependencies: it is the one of the tests, not a peer
import { chromium } from 'playwright-core';
import { bars, ROOT, repeated, table, withFile } from './bench.mjs';

const ZOOM_MILLISECONDS = 3000;
const ROUNDS = 3;

const megabytes = Number(process.argv[2] ?? 200);
const sample = join(ROOT, 'sample', 'copter-square.BIN');
const small = await measured(sample);
const bytes = repeated('copter-square.BIN', megabytes * 1e6);
const large = await withFile('large.BIN', bytes, measured);

table(
  ['', 'summary', 'first plot', 'longest task', 'frames a second', 'memory'],
  [
    ['sample', ...cells(small)],
    [`${Math.round(bytes.length / 1e6)} MB`, ...cells(large)],
  ],
);
bars([
  { name: 'first plot, seconds per 100 MB', value: large.plot / 1000 / (bytes.length / 1e8), bar: 1.5 },
  { name: 'longest task, ms', value: Math.max(small.longest, large.longest), bar: 100 },
  { name: 'frames a second while zooming', value: Math.min(small.frames, large.frames), bar: 30, atLeast: true },
]);

function cells({ summary, plot, longest, frames, memory }) {
  const ms = (value) => `${Math.round(value)} ms`;
  return [ms(summary), ms(plot), ms(longest), frames.toFixed(0), `${Math.round(memory / 1e6)} MB`];
}

/** The best of some rounds: what else the machine does makes all of it slower, never faster. */
async function measured(path) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await oneRound(path));
  const least = (name) => Math.min(...rounds.map((each) => each[name]));
  const frames = Math.max(...rounds.map((each) => each.frames));
  return { summary: least('summary'), plot: least('plot'), longest: least('longest'), memory: least('memory'), frames };
}

async function oneRound(path) {
  const view = spawn(process.execPath, [join(ROOT, 'bin/skein.js'), 'view', path, '--no-open', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(view.stdout, 'data');
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1180, height: 800 } });
    await page.addInitScript(() => {
      globalThis.tasks = [0];
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) globalThis.tasks.push(duration);
      }).observe({ type: 'longtask', buffered: true });
    });
    await page.goto(JSON.parse(String(line)).address);
    const mark = async (name) => {
      await page.waitForFunction((wanted) => performance.getEntriesByName(wanted).length > 0, name, {
        timeout: 120_000,
      });
      return page.evaluate((wanted) => performance.getEntriesByName(wanted)[0].startTime, name);
    };
    const [summary, plot] = [await mark('skein-summary'), await mark('skein-drawn')];
    await page.getByTitle('Health report').waitFor({ timeout: 120_000 });
    const frames = await zoom(page);
    const longest = await page.evaluate(() => Math.max(...globalThis.tasks));
    return { summary, plot, longest, frames, memory: await rendererMemory(browser) };
  } finally {
    await browser.close();
    view.kill('SIGINT');
  }
}

/** Turns the wheel to and fro over a plot, and counts frames. */
async function zoom(page) {
  await page.mouse.move(700, 400);
  const counting = page.evaluate(
    (milliseconds) =>
      new Promise((resolve) => {
        let frames = 0;
        const began = performance.now();
        const step = (now) => {
          frames++;
          if (now - began < milliseconds) requestAnimationFrame(step);
          else resolve((frames / (now - began)) * 1000);
        };
        requestAnimationFrame(step);
      }),
    ZOOM_MILLISECONDS,
  );
  const end = Date.now() + ZOOM_MILLISECONDS;
  for (let turn = 0; Date.now() < end; turn++) await page.mouse.wheel(0, turn % 40 < 20 ? -60 : 60);
  return counting;
}

/** The most that the process of the page had in memory, its worker included. */
async function rendererMemory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const peaks = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0) * 1024);
  return Math.max(...peaks);
}
