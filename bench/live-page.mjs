// The Live page in Chromium with fifty vehicles at twenty messages a second each, map included, which a machine without a
// graphics card draws in software: frames a second and the longest task, of all vehicles and of one of them.
// node bench/live-page.mjs [VEHICLES]
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { join } from 'node:path';
// biome-ignore lint/correctness/noUndeclaredDependencies: it is the one of the tests, not a peer
import { chromium } from 'playwright-core';
import { builtinDialect } from '../dist/formats/mavlink/builtin.js';
import { Encoder } from '../dist/formats/mavlink/encode.js';
import { bars, ROOT, table } from './bench.mjs';

const PORT = 14_650;
const TURNS = 10;
const MILLISECONDS = 5000;
const ROUNDS = 3;
const vehicles = Number(process.argv[2] ?? 50);

const live = spawn(
  process.execPath,
  [join(ROOT, 'bin/skein.js'), 'live', `udpin:127.0.0.1:${PORT}`, '--http', '0', '--no-request'],
  { stdio: ['ignore', 'ignore', 'pipe'] },
);
let printed = '';
while (!printed.includes('API at')) printed += String((await once(live.stderr, 'data'))[0]);
const address = /page at (\S+)/.exec(printed)[1];
const stop = fly();
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
  stop();
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
  await page.waitForTimeout(5000);
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

/** Vehicles in circles, each with two messages ten times a second. Returns what ends it. */
function fly() {
  const socket = createSocket('udp4');
  const encoders = Array.from(
    { length: vehicles },
    (_, i) => new Encoder(builtinDialect(), { system: i + 1, component: 1 }),
  );
  let turn = 0;
  const timer = setInterval(() => {
    turn++;
    for (const [i, encoder] of encoders.entries()) {
      const send = (name, values) => socket.send(encoder.message(name, values), PORT, '127.0.0.1', () => undefined);
      const angle = turn / 40 + i;
      send('ATTITUDE', { time_boot_ms: turn * 100, roll: 0.2 * Math.sin(angle), pitch: 0.1, yaw: angle % Math.PI });
      if (turn % TURNS === 1)
        send('HEARTBEAT', { type: 2, autopilot: 3, base_mode: 209, custom_mode: 5, system_status: 4 });
      else send('GLOBAL_POSITION_INT', placeAt(turn, angle, i));
    }
  }, 1000 / TURNS);
  return () => {
    clearInterval(timer);
    socket.close();
  };
}

function placeAt(turn, angle, index) {
  const [lat, lon] = [-35.363 + 0.002 * Math.cos(angle), 149.165 + 0.002 * Math.sin(angle) + 0.0002 * index];
  return {
    time_boot_ms: turn * 100,
    lat: Math.round(lat * 1e7),
    lon: Math.round(lon * 1e7),
    alt: 600_000,
    relative_alt: 1000 * index,
    hdg: Math.round((((angle * 180) / Math.PI + 90) % 360) * 100),
  };
}
