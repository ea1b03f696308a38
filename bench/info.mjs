// What a log is and how it flew: `skein info` and `skein report` of a 204 MB log made from the sample, each a process of
// its own, beside one that starts node and reads the file; and how often a report reads a file too large for memory.
// node bench/info.mjs [MB]
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bars, ROOT, repeated, rounds, table, withFile } from './bench.mjs';

const ROUNDS = rounds(5);
const SKEIN = join(ROOT, 'bin/skein.js');
/** Tells on a pipe when a process ends its milliseconds of processor time and, where the system counts, the bytes that it read. */
const TELL = `data:text/javascript,${encodeURIComponent(`
import { existsSync, readFileSync, writeSync } from 'node:fs';
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const io = existsSync('/proc/self/io') ? readFileSync('/proc/self/io', 'latin1') : '';
  writeSync(3, JSON.stringify({ processor: (user + system) / 1000, read: Number(/rchar: (\\d+)/.exec(io)?.[1]) }));
});
`)}`;
/** Bytes of a file that is not held in memory. */
const LARGE = 270e6;

const bytes = repeated('copter-square.BIN', Number(process.argv[2] ?? 204) * 1e6);
const size = bytes.length / 1e6;
const works = (path) => ({
  read: ['-e', `require('node:fs').readFileSync(${JSON.stringify(path)})`],
  info: [SKEIN, 'info', path],
  report: [SKEIN, 'report', path],
  version: [SKEIN, '--version'],
  sample: [SKEIN, 'info', join(ROOT, 'sample/copter-square.BIN')],
});
const least = await withFile('flight.bin', bytes, (path) => measured(works(path)));
const large = repeated('copter-square.BIN', LARGE);
const reads = await withFile('large.bin', large, (path) => run('report', works(path).report).read / large.length);

console.log(`${size.toFixed(0)} MB\n`);
const line = (title, { wall, processor }) => [
  title,
  wall.toFixed(0),
  processor.toFixed(0),
  (wall / least.read.wall).toFixed(2),
  (processor / least.read.processor).toFixed(2),
];
table(
  ['', 'ms', 'ms of processor', 'times reading', 'by processor'],
  [
    line('start node and read the file', least.read),
    line('skein info', least.info),
    line('skein report', least.report),
    line('skein --version', least.version),
    line('skein info of the sample', least.sample),
  ],
);
console.log('');
bars([
  { name: 'skein info, times reading the file', value: least.info.wall / least.read.wall, bar: 2.5 },
  { name: 'skein info of the sample, times skein --version', value: least.sample.wall / least.version.wall, bar: 2.2 },
  { name: 'skein report, times reading the file', value: least.report.wall / least.read.wall, bar: 4 },
  ...(reads > 0
    ? [{ name: 'skein report of a file too large for memory, times that it is read', value: reads, bar: 3 }]
    : []),
]);

/** The least time and processor time of each process, in turns. */
function measured(commands) {
  const least = Object.fromEntries(
    Object.keys(commands).map((name) => [name, { wall: Infinity, processor: Infinity }]),
  );
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, args] of Object.entries(commands)) {
      const began = performance.now();
      const { processor } = run(name, args);
      least[name].wall = Math.min(least[name].wall, performance.now() - began);
      least[name].processor = Math.min(least[name].processor, processor);
    }
  }
  return least;
}

/** What a process told of itself. */
function run(name, args) {
  const { status, output } = spawnSync(process.execPath, ['--import', TELL, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  if (status !== 0 && status !== 3) throw new Error(`${name} ended with ${status}`);
  return JSON.parse(output[3]);
}
