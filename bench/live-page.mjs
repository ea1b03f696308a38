// The Live page in Chromium with fifty vehicles at twenty messages a second each, those of a real flight, map included, which a machine without a
// graphics card draws in software: frames a second and the longest task, of all vehicles and of one of them.
// node bench/live-page.mjs [VEHICLES] [SECONDS]
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
// biome-ignore lint/correctness/noUndeclaredDependencies: it is the one of the tests, not a peer
import { chromium } from 'playwright-core';
import { bars, ROOT, rounds, table } from './bench.mjs';

const PORT = 14_650;
/** Messages a second of each vehicle, longest run in seconds, and frames of the flight from one vehicle to the next. */
const RATE = 20;
const SECONDS = 300;
const SPREAD = 60;
/** HEARTBEAT, ATTITUDE and GLOBAL_POSITION_INT. */
const IDS = [0, 30, 33];
const MILLISECONDS = 1000 * Number(process.argv[3] ?? 5);
const ROUNDS = rounds(3);
const vehicles = Number(process.argv[2] ?? 50);

const live = spawn(
  process.execPath,
  [join(ROOT, 'bin/skein.js'), 'live', `udpin:127.0.0.1:${PORT}`, '--http', '0', '--no-request'],
  { stdio: ['ignore', 'ignore', 'pipe'] },
);
let printed = '';
while (!printed.includes('API at')) printed += String((await once(live.stderr, 'data'))[0]);
const address = /page at (\S+)/.exec(printed)[1];
const flight = {
  port: PORT,
  vehicles,
  rate: RATE * vehicles,
  seconds: SECONDS,
  sockets: 1,
  garbage: 0,
  spread: SPREAD,
  ids: IDS,
};
const sender = fork(join(ROOT, 'bench/live-sender.mjs'), [JSON.stringify(flight)]);
// a machine without a graphics card: only the map is drawn through WebGL, in software
const args = ['--no-sandbox', '--disable-gpu', '--enable-unsafe-swiftshader'];
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
try {
  const fleet = await measured('#fleet');
  const one = await measured('#vehicle=1');
  table(
    ['', 'frames a second', 'longest task', 'tasks above 50 ms', 'messages missed'],
    [
      [`${vehicles} vehicles`, ...cells(fleet)],
      ['one of them', ...cells(one)],
    ],
  );
  bars([
    { name: 'frames a second', value: Math.min(fleet.frames, one.frames), bar: 30, atLeast: true },
    { name: 'longest task, ms', value: Math.max(fleet.longest, one.longest), bar: 100 },
  ]);
} finally {
  await browser.close();
  sender.kill();
  live.kill('SIGINT');
}

function cells({ frames, longest, long, missed }) {
  return [frames.toFixed(0), `${Math.round(longest)} ms`, String(long), missed];
}

/** The best of some rounds in one visit: what else the machine does makes all of it slower, never faster. */
async function measured(hash) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(address + hash);
  await page.locator('.track-map[data-state="ready"]').waitFor({ timeout: 60_000 });
  await page.waitForTimeout(MILLISECONDS);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await page.evaluate(watch, MILLISECONDS));
  const missed = (await page.getByText('messages missed').count()) > 0 ? 'yes' : 'none';
  await context.close();
  const best = rounds.sort((a, b) => b.frames - a.frames)[0];
  return { ...best, longest: Math.min(...rounds.map(({ longest }) => longest)), missed };
}

/** Runs in the page. */
async function watch(milliseconds) {
  const tasks = [];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration);
  });
  observer.observe({ type: 'longtask' });
  const begun = performance.now();
  let frames = 0;
  while (performance.now() - begun < milliseconds) {
    await new Promise(requestAnimationFrame);
    frames++;
  }
  const seconds = (performance.now() - begun) / 1000;
  observer.disconnect();
  return { frames: frames / seconds, longest: Math.max(0, ...tasks), long: tasks.length };
}
