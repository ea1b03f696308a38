// DataFlash: a 200 MB log made from the sample; index, columns, rows and memory beside a plain loop over its bytes and a
// bare scan in C.
// node bench/dataflash.mjs [MB]
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { Indexer } from '../dist/core/indexer.js';
import { readColumns } from '../dist/core/read.js';
import { isNumeric } from '../dist/core/schema.js';
import { bytesSource } from '../dist/core/source.js';
import { openLog } from '../dist/entry/index.js';
import { dataflash } from '../dist/formats/dataflash/index.js';
import { FORMATS } from '../dist/formats/index.js';
import {
  bars,
  best,
  byteSum,
  printedNumbers,
  processorTime,
  repeated,
  rounds,
  table,
  withBuilt,
  withFile,
} from './bench.mjs';

const ROUNDS = rounds(7);

if (process.argv[2] === 'memory') {
  // a process of its own, so that its peak is that of this work alone
  const log = await openLog(process.argv[3]);
  const requests = log.tables.map(({ schema, offsets, rows }) => ({
    schema,
    offsets,
    fields: schema.fields,
    from: 0,
    to: rows,
  }));
  const columns = await readColumns(log.source, requests);
  console.log(peakMemory(), columns.length);
} else {
  await main(Number(process.argv[2] ?? 200));
}

/** The most that this process had in memory. What the system counts by default includes the parent's before it started. */
function peakMemory() {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const peak = /VmHWM:\s*(\d+) kB/.exec(status);
  return (peak ? Number(peak[1]) : process.resourceUsage().maxRSS) * 1024;
}

async function main(megabytes) {
  const bytes = repeated('copter-square.BIN', megabytes * 1e6);
  const source = bytesSource(bytes);
  const index = () => {
    const indexer = new Indexer(source);
    const decoder = FORMATS.find(({ name }) => name === dataflash.name).decoder(indexer);
    decoder.push(bytes);
    decoder.end();
    return indexer;
  };
  const { tables } = index();
  const request = (each, keep) => ({
    schema: each.schema,
    offsets: each.offsets,
    fields: each.fields.filter(keep),
    from: 0,
    to: each.rows,
  });
  const numeric = ({ type }) => isNumeric(type);
  const gps = tables.filter(({ name }) => name === 'GPS');
  const att = tables.find(({ name }) => name === 'ATT');

  let rows = 0;
  const { sum, copy, indexing, columns, one, objects } = await best(
    ROUNDS,
    {
      sum: () => byteSum(bytes),
      indexing: index,
      columns: () =>
        readColumns(
          source,
          tables.map((each) => request(each, numeric)),
        ),
      copy: () => bytes.slice(),
      one: () =>
        readColumns(
          source,
          gps.map((each) => request(each, () => true)),
        ),
      objects: async () => {
        rows = 0;
        for await (const row of att.records()) rows += row === undefined ? 0 : 1;
      },
    },
    processorTime,
  );
  const records = tables.reduce((total, each) => total + each.rows, 0);
  const bare = await withBuilt('scan', [], (program) =>
    withFile('flight.bin', bytes, (path) => {
      const [millis, found] = printedNumbers(program, path, String(ROUNDS));
      if (Math.abs(found - records) > records / 1000)
        throw new Error(`a bare scan finds ${found} records of ${records}`);
      return millis;
    }),
  );

  const size = bytes.length / 1e6;
  const line = (name, millis, note = '') => [
    name,
    millis.toFixed(0),
    (size / millis).toFixed(2),
    (sum / millis).toFixed(2),
    note,
  ];
  console.log(`${size.toFixed(0)} MB, ${records} records, ${tables.length} tables\n`);
  table(
    ['in memory', 'ms', 'GB/s', 'times byte sum', ''],
    [
      line('byte sum', sum),
      line('memory copy', copy),
      ...(bare === undefined ? [] : [line('bare scan in C', bare)]),
      line('index', indexing, `${(records / indexing / 1000).toFixed(1)} M records/s`),
      line('all numeric columns', columns),
      line('index + all numeric columns', indexing + columns),
      line('one type (GPS), all columns', one),
      ['rows as objects (ATT)', objects.toFixed(0), '', '', `${(rows / objects / 1000).toFixed(2)} M rows/s`],
    ],
  );

  const peak = await withFile('flight.bin', bytes, (path) => {
    const words = [new URL(import.meta.url).pathname, 'memory', path];
    return Number(execFileSync(process.execPath, words, { encoding: 'utf8' }).split(' ')[0]);
  });
  if (bare === undefined) console.log('\nleft out: the bare scan in C, for there is no compiler (cc)');
  console.log(`\npeak memory, all columns from a file: ${(peak / 1e6).toFixed(0)} MB\n`);
  bars([
    { name: 'index, times the byte sum', value: sum / indexing, bar: 1.5, atLeast: true },
    ...(bare === undefined
      ? []
      : [{ name: 'index, times the bare scan in C', value: bare / indexing, bar: 0.8, atLeast: true }]),
    {
      name: 'index and all numeric columns, times the byte sum',
      value: sum / (indexing + columns),
      bar: 0.35,
      atLeast: true,
    },
    { name: 'peak memory for all columns, times the file', value: peak / bytes.length, bar: 2.5 },
  ]);
}
