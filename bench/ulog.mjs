// ULog: 200 MB made of a log of PX4, its times going on; index and columns beside a plain loop over its bytes, and beside
// @foxglove/ulog and pyulog on a part of it, all in memory.
// npm ci --prefix bench && node bench/ulog.mjs [MB]
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ULog } from '@foxglove/ulog';
import { Indexer } from '../dist/core/indexer.js';
import { readColumns } from '../dist/core/read.js';
import { isNumeric } from '../dist/core/schema.js';
import { bytesSource } from '../dist/core/source.js';
import { ulog } from '../dist/formats/ulog/index.js';
import { bars, best, byteSum, processorTime, ROOT, repeatedUlog, rounds, table, withFile } from './bench.mjs';

const ROUNDS = rounds(7);
/** MB that the others are given: they would take minutes for all of it. */
const PART = 20;
const PYTHON = join(ROOT, '.peers', 'bin', 'python');

const SIZE = Number(process.argv[2] ?? 200) * 1e6;
const part = repeatedUlog(Math.min(PART * 1e6, SIZE));

function index(of) {
  const indexer = new Indexer(bytesSource(of));
  const decoder = ulog.decoder(indexer);
  decoder.push(of);
  decoder.end();
  return indexer;
}

async function columns(of, { tables }) {
  const requests = tables.map(({ schema, offsets, fields, rows }) => ({
    schema,
    offsets,
    fields: fields.filter(({ type }) => isNumeric(type)),
    from: 0,
    to: rows,
  }));
  await readColumns(bytesSource(of), requests);
}

/** All messages as objects, which is what it makes of a log. */
async function foxglove() {
  const log = new ULog({
    open: async () => part.length,
    read: async (at, length) => part.slice(at, at + length),
    size: () => part.length,
  });
  await log.open();
  let count = 0;
  for await (const message of log.readMessages()) count += message === undefined ? 0 : 1;
  return count;
}

// one after the other: what one leaves behind would be cleared away in the other's time
const { ours } = await best(3 * ROUNDS, { ours: () => columns(part, index(part)) }, processorTime);
const { theirs } = await best(Math.min(ROUNDS, 3), { theirs: foxglove }, processorTime);

const bytes = repeatedUlog(SIZE);
const indexed = index(bytes);
if (indexed.faults.lost) throw new Error(`the log is damaged: ${indexed.faults.kept[0].text}`);
const { sum, indexing, reading } = await best(
  ROUNDS,
  { sum: () => byteSum(bytes), indexing: () => index(bytes), reading: () => columns(bytes, indexed) },
  processorTime,
);

/** Milliseconds of processor time that pyulog takes, its start left out; undefined where it is not installed. */
const pyulog = await withFile('part.ulg', part, (path) => {
  const code = [
    'import sys, time',
    'from pyulog import ULog',
    't = time.process_time()',
    'ULog(sys.argv[1])',
    'print((time.process_time() - t) * 1000)',
  ].join('\n');
  try {
    return Number(execFileSync(PYTHON, ['-c', code, path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return undefined;
  }
});

const records = indexed.tables.reduce((total, { rows }) => total + rows, 0);
const size = bytes.length / 1e6;
const line = (name, millis) => [name, millis.toFixed(0), (size / millis).toFixed(2), (sum / millis).toFixed(2)];
console.log(`${size.toFixed(0)} MB, ${records} records, ${indexed.tables.length} tables\n`);
table(
  ['in memory', 'ms', 'GB/s', 'times byte sum'],
  [
    line('byte sum', sum),
    line('index', indexing),
    line('all numeric columns', reading),
    line('index + all numeric columns', indexing + reading),
  ],
);
console.log(
  `\n${(part.length / 1e6).toFixed(0)} MB of it: ours ${ours.toFixed(0)} ms, @foxglove/ulog ${theirs.toFixed(0)} ms`,
);
console.log(pyulog === undefined ? 'pyulog is not installed: left out\n' : `pyulog ${pyulog.toFixed(0)} ms\n`);
bars([
  { name: 'index, times the byte sum', value: sum / indexing, bar: 1.2, atLeast: true },
  {
    name: 'index and all numeric columns, times the byte sum',
    value: sum / (indexing + reading),
    bar: 0.4,
    atLeast: true,
  },
  { name: 'index and columns, times @foxglove/ulog', value: theirs / ours, bar: 40, atLeast: true },
  ...(pyulog === undefined
    ? []
    : [{ name: 'index and columns, times pyulog', value: pyulog / ours, bar: 8, atLeast: true }]),
]);
