// The Log page in Chromium: the sample, a log of 200 MB made from it, and one as large made from a log of PX4. Time to the
// summary and to the first plot on the screen, the longest task of the page, frames a second in which plots are drawn while
// zooming, and memory of the page and its worker. Processor time is beside the time that passed: that of the page and
// its worker until then, that of the task. The window is too narrow for the map, which a machine without a graphics card
// draws in software; the sample is opened with it, too.
// node bench/web.mjs [MB]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
// biome-ignore lint/correctness/noUndeclaredDependencies: it is the one of the tests, not a peer
import { chromium } from 'playwright-core';
import { bars, ROOT, repeated, repeatedUlog, rounds, table, ULOG, withFile } from './bench.mjs';

const ZOOM_MILLISECONDS = 3000;
/** Milliseconds that a browser gets to come to rest: when it starts it does much that is not the page's. */
const REST = 1500;
const ROUNDS = rounds(3);
const NARROW = { viewport: { width: 1180, height: 800 }, args: ['--no-sandbox'] };
/** With room for the map, drawn by the processor, and all else of the page without WebGL. */
const WIDE = {
  viewport: { width: 1440, height: 900 },
  args: [...NARROW.args, '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-compositing'],
};
const BARS = { plotPerHundred: 800, ulogPlot: 1500, task: 80, frames: 50, memory: 600 };

const megabytes = Number(process.argv[2] ?? 200);
const sample = join(ROOT, 'sample', 'copter-square.BIN');
const small = await measured(sample);
const mapped = await measured(sample, WIDE);
const bytes = repeated('copter-square.BIN', megabytes * 1e6);
// so few that the sample is as large
const large =
  bytes.length === statSync(sample).size ? small : await withFile('large.BIN', bytes, (path) => measured(path));
const hundreds = bytes.length / 1e8;
const ulogBytes = existsSync(ULOG) ? repeatedUlog(megabytes * 1e6) : undefined;
const ulog = ulogBytes && (await withFile('large.ulg', ulogBytes, (path) => measured(path)));

const ms = (value) => `${Math.round(value)} ms`;
const both = ({ wall, processor }) => `${ms(wall)} (${Math.round(processor)})`;
const rows = [
  ['summary', (round) => both(round.summary), '-'],
  ['first plot', (round) => both(round.plot), `${ms(BARS.plotPerHundred)} per 100 MB`],
  ['longest task', (round) => both(round.longest), ms(BARS.task)],
  ['frames a second while zooming', (round) => round.frames.toFixed(0), BARS.frames],
  ['memory', (round) => `${Math.round(round.memory / 1e6)} MB`, `${BARS.memory} MB`],
];
table(
  [
    'time that passed (processor time)',
    'sample',
    'with the map',
    `${Math.round(bytes.length / 1e6)} MB`,
    'ULog',
    'bar',
  ],
  rows.map(([name, cell, bar]) => [name, cell(small), cell(mapped), cell(large), ulog ? cell(ulog) : '-', bar]),
);
if (ulog === undefined) console.log('left out: no log of PX4\n');
bars([
  { name: 'first plot, ms per 100 MB', value: large.plot.wall / hundreds, bar: BARS.plotPerHundred },
  { name: 'longest task, ms', value: Math.max(small.longest.wall, large.longest.wall), bar: BARS.task },
  { name: 'longest task with the map open, ms', value: mapped.longest.wall, bar: BARS.task },
  {
    name: 'longest task, ms of processor time',
    value: Math.max(small.longest.processor, large.longest.processor),
    bar: BARS.task,
  },
  {
    name: 'frames a second while zooming',
    value: Math.min(small.frames, mapped.frames, large.frames),
    bar: BARS.frames,
    atLeast: true,
  },
  { name: 'memory, MB', value: large.memory / 1e6, bar: BARS.memory },
  ...(ulog === undefined
    ? []
    : [
        {
          name: 'ULog, first plot, ms per 100 MB',
          value: (ulog.plot.wall / ulogBytes.length) * 1e8,
          bar: BARS.ulogPlot,
        },
        { name: 'ULog, longest task, ms', value: ulog.longest.wall, bar: BARS.task },
      ]),
]);

/** The best of some rounds: what else the machine does makes all of it slower, never faster. */
async function measured(path, look = NARROW) {
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await oneRound(path, look));
  const least = (pick) => Math.min(...rounds.map(pick));
  const times = (name) => ({
    wall: least((round) => round[name].wall),
    processor: least((round) => round[name].processor),
  });
  return {
    summary: times('summary'),
    plot: times('plot'),
    longest: times('longest'),
    memory: least(({ memory }) => memory),
    frames: Math.max(...rounds.map(({ frames }) => frames)),
  };
}

async function oneRound(path, { viewport, args }) {
  const view = spawn(process.execPath, [join(ROOT, 'bin/skein.js'), 'view', path, '--no-open', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(view.stdout, 'data');
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  try {
    const page = await browser.newPage({ viewport });
    await page.addInitScript(countDrawings);
    await page.waitForTimeout(REST);
    await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', 'blink.user_timing'] });
    await page.goto(JSON.parse(String(line)).address);
    await page.waitForFunction(() => performance.getEntriesByName('skein-drawn').length > 0, undefined, {
      timeout: 120_000,
    });
    if (!(await page.evaluate(hasLines))) throw new Error('the first plot was announced, and has no line');
    await page.getByTitle('Health report').waitFor({ timeout: 120_000 });
    const plotted = await page.evaluate(() => performance.getEntriesByName('skein-drawn')[0].startTime);
    const frames = await zoom(page);
    const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
    return { ...timesOf(traceEvents, plotted), frames, memory: await rendererMemory(browser) };
  } finally {
    await browser.close();
    view.kill('SIGINT');
  }
}

/** In the page: notes when a plot is drawn, which begins with clearing it. */
function countDrawings() {
  globalThis.drawings = 0;
  const { prototype } = CanvasRenderingContext2D;
  const { clearRect } = prototype;
  prototype.clearRect = function (...box) {
    globalThis.drawings++;
    clearRect.apply(this, box);
  };
}

/** In the page: whether the first plot has pixels of about the colour that its first line has. */
function hasLines() {
  const plot = document.querySelector('section[aria-label^="Plot of"]');
  const canvas = plot.querySelector('canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const color = Number.parseInt(plot.querySelector('line').getAttribute('stroke').slice(1), 16);
  const [red, green, blue] = [color >> 16, (color >> 8) & 255, color & 255];
  let found = 0;
  for (let at = 0; at < data.length; at += 4)
    if (Math.abs(data[at] - red) + Math.abs(data[at + 1] - green) + Math.abs(data[at + 2] - blue) < 100) found++;
  return found > 50;
}

/**
 * What a trace says of the page's process: its marks and its longest task, in milliseconds by both clocks.
 * @param milliseconds from when the page was asked for to the first plot
 */
function timesOf(events, milliseconds) {
  const marked = (name) => events.find((event) => event.name === name && event.cat.includes('blink.user_timing'));
  const drawn = marked('skein-drawn');
  const own = events.filter(({ pid }) => pid === drawn.pid);
  const begin = drawn.ts - milliseconds * 1000;
  const tasks = own.filter(({ name, ph, ts }) => ph === 'X' && name.endsWith('RunTask') && ts >= begin);
  const until = ({ ts }) => ({
    wall: (ts - begin) / 1000,
    processor: tasks.filter((task) => task.ts < ts).reduce((sum, { tdur = 0 }) => sum + tdur / 1000, 0),
  });
  const main = tasks.filter(({ tid }) => tid === drawn.tid);
  return {
    summary: until(marked('skein-summary')),
    plot: until(drawn),
    longest: {
      wall: Math.max(...main.map(({ dur }) => dur / 1000)),
      processor: Math.max(...main.map(({ tdur = 0 }) => tdur / 1000)),
    },
  };
}

/** Turns the wheel to and fro over a plot, and counts the frames in which plots were drawn. */
async function zoom(page) {
  const plot = await page.locator('.plot').first().boundingBox();
  await page.mouse.move(plot.x + plot.width / 2, plot.y + plot.height / 2);
  const counting = page.evaluate(
    (milliseconds) =>
      new Promise((resolve) => {
        let [frames, seen] = [0, globalThis.drawings];
        const began = performance.now();
        const step = (now) => {
          if (globalThis.drawings > seen) frames++;
          seen = globalThis.drawings;
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
