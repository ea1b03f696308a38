// All benches in small, best of some rounds once: each ratio beside its bar, with a margin for what is small and for the machine.
// A miss ends with 1. npm run bench:bars [NAME...]
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isReached, table } from './bench.mjs';

const MARGIN = 1.5;
const ROUNDS = 5;
/** Milliseconds after which a bench is ended: it takes seconds. */
const LONGEST = 120_000;
/** Rounds of what starts programs that take seconds. */
const FEW = 2;

/**
 * Each bench with its size, and what it needs: programs, and packages of bench/package.json. One that is not installed is
 * left out, and named.
 */
const BENCHES = [
  { name: 'dataflash', args: [100] },
  { name: 'ulog', args: [60], packages: ['@foxglove/ulog'], files: ['../shared/data/flight/px4-quad.ulg'] },
  { name: 'mavlink', args: [12], packages: ['node-mavlink'] },
  { name: 'nmea', args: [8], packages: ['nmea-simple', 'gps'] },
  { name: 'pcap', args: [16], packages: ['pcap-decoder', 'pcap-parser'] },
  { name: 'xbus', args: [10] },
  { name: 'check', args: [40] },
  { name: 'info', args: [204] },
  { name: 'export', args: [40] },
  { name: 'sql', args: [60], rounds: 3 },
  { name: 'fleet', args: [4], rounds: FEW, programs: ['taskset'] },
  { name: 'fleet-bus', args: [4], rounds: FEW, programs: ['nats-server'] },
  { name: 'bus', args: [2], programs: ['nats-server'] },
  { name: 'live', args: [4, 1], packages: ['node-mavlink'] },
  { name: 'web', args: [100], rounds: FEW, programs: ['chromium'] },
  { name: 'live-page', args: [50, 1], programs: ['chromium'] },
];

/** Bars that are not reached, with what was measured on a quiet machine: until they are, they get no worse. */
const KNOWN_MISSES = {
  'dataflash: index, times the bare scan in C': 0.74,
  'info: skein report, times reading the file': 5,
};

const require = createRequire(import.meta.url);

function isPackage(name) {
  try {
    return require.resolve(name) !== '';
  } catch {
    return false;
  }
}

/** The bars that a bench reported, how long it took, and what it printed. */
async function measured({ name, args, rounds = ROUNDS }) {
  const began = performance.now();
  const child = fork(fileURLToPath(new URL(`${name}.mjs`, import.meta.url)), args.map(String), {
    env: { ...process.env, SKEIN_BENCH_ROUNDS: String(rounds) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    timeout: LONGEST,
  });
  const bars = [];
  let printed = '';
  child.on('message', (list) => bars.push(...list));
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      printed += text;
    });
  const [code] = await once(child, 'close');
  const isFailed = code !== 0 || bars.length === 0;
  return { bars, seconds: (performance.now() - began) / 1000, printed, isFailed };
}

const meant = process.argv.slice(2);
const rows = [];
const notes = [];
const began = performance.now();
for (const bench of BENCHES.filter(({ name }) => meant.length === 0 || meant.includes(name))) {
  const { name, packages = [], programs = [], files = [] } = bench;
  const missing = [
    ...packages.filter((each) => !isPackage(each)),
    ...programs.filter((each) => spawnSync('which', [each]).status !== 0),
    ...files.filter((each) => !existsSync(new URL(`../${each}`, import.meta.url))),
  ];
  if (missing.length > 0) {
    notes.push(`left out: ${name}, for ${missing.join(' and ')} cannot be found`);
    continue;
  }
  process.stderr.write(`${name} ... `);
  const { bars, seconds, printed, isFailed } = await measured(bench);
  process.stderr.write(`${seconds.toFixed(0)} s\n`);
  for (const each of bars) {
    const title = `${name}: ${each.name}`;
    const goal = KNOWN_MISSES[title] ?? each.bar;
    const isOk = isReached({ ...each, bar: goal }, MARGIN);
    if (!isOk) process.exitCode = 1;
    const sign = each.atLeast ? '>=' : '<=';
    const bar = (value) => `${sign} ${Number(value.toFixed(2))}`;
    const limit = each.atLeast ? goal / MARGIN : goal * MARGIN;
    const word = isReached(each, MARGIN) ? 'ok' : 'known miss';
    rows.push([title, each.value.toFixed(2), bar(each.bar), bar(limit), isOk ? word : 'MISS']);
  }
  if (isFailed) {
    process.exitCode = 1;
    notes.push(`failed: ${name}\n${printed}`);
  }
}
table(['', 'measured', 'bar', `with ${MARGIN}`, ''], rows);
console.log(`\n${rows.length} bars in ${((performance.now() - began) / 1000).toFixed(0)} s`);
for (const note of notes) console.log(note);
