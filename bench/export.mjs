// Exports of a large log beside DuckDB alone, which writes the same tables from its own memory.
// node bench/export.mjs [MB]
import { createWriteStream, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeCsv } from '../dist/export/csv.js';
import { openInMemory } from '../dist/node/open.js';
import { loadDuckdb } from '../dist/sql/engine.js';
import { ParquetWriter } from '../dist/sql/parquet.js';
import { bars, bestOfBoth, repeated, rounds, table, withFile, withFolder } from './bench.mjs';

const ROUNDS = rounds(3);
const { DuckDBInstance } = (await loadDuckdb()).api;
const bytes = repeated('copter-square.BIN', Number(process.argv[2] ?? 200) * 1e6);

/** Three at a time, as the command does. */
async function parquet(path, folder) {
  const log = await openInMemory(path);
  const tables = tablesOf(log);
  const writer = await ParquetWriter.create();
  let next = 0;
  const work = async () => {
    while (next < tables.length) {
      const index = next++;
      await writer.write(tables[index], join(folder, `${index}.parquet`));
    }
  };
  await Promise.all(Array.from({ length: 5 }, work));
  writer.close();
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

async function csv(path, folder) {
  const log = await openInMemory(path);
  for (const [index, table] of tablesOf(log).entries()) {
    const out = createWriteStream(join(folder, `${index}.csv`));
    for await (const piece of writeCsv(table)) {
      if (!out.write(piece)) await new Promise((resolve) => out.once('drain', resolve));
    }
    await new Promise((resolve) => out.end(resolve));
  }
}

function tablesOf(log) {
  return log.tables.filter(({ rows }) => rows > 0);
}

function size(folder) {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1e6;
}

await withFile('flight.bin', bytes, (path) => withFolder((folder) => measure(path, folder)));

async function measure(path, folder) {
  const ours = join(folder, 'ours');
  const theirs = join(folder, 'theirs');
  const texts = join(folder, 'csv');
  const theirTexts = join(folder, 'their-csv');
  for (const each of [ours, theirs, texts, theirTexts]) mkdirSync(each);
  const rows = await parquet(path, ours);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const count = readdirSync(ours).length;
  for (let i = 0; i < count; i++)
    await connection.run(`CREATE TABLE t${i} AS FROM read_parquet('${join(ours, `${i}.parquet`)}')`);
  const copy = async (target, options, extension) => {
    for (let i = 0; i < count; i++)
      await connection.run(`COPY t${i} TO '${join(target, `${i}.${extension}`)}' (${options})`);
  };
  const times = await bestOfBoth(ROUNDS, {
    parquet: () => parquet(path, ours),
    duckParquet: () => copy(theirs, 'FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2', 'parquet'),
  });
  const slow = await bestOfBoth(1, {
    csv: () => csv(path, texts),
    duckCsv: () => copy(theirTexts, 'FORMAT csv', 'csv'),
  });
  instance.closeSync();
  console.log(`${(bytes.length / 1e6).toFixed(0)} MB, ${rows} rows in ${count} tables\n`);
  const line = (name, { wall, processor }, megabytes) => [
    name,
    wall.toFixed(0),
    (rows / wall / 1000).toFixed(2),
    processor.toFixed(0),
    megabytes.toFixed(0),
  ];
  table(
    ['', 'ms', 'M rows/s', 'processor ms', 'MB written'],
    [
      line('Parquet, from the log', times.parquet, size(ours)),
      line('Parquet, DuckDB from its memory', times.duckParquet, size(theirs)),
      line('CSV, from the log', slow.csv, size(texts)),
      line('CSV, DuckDB from its memory', slow.duckCsv, size(theirTexts)),
    ],
  );
  console.log('');
  bars([
    {
      name: 'Parquet, times the speed of DuckDB from its memory',
      value: times.duckParquet.wall / times.parquet.wall,
      bar: 0.5,
      atLeast: true,
    },
    // DuckDB writes with all cores
    {
      name: 'CSV, times the speed of DuckDB from its memory, by processor time',
      value: slow.duckCsv.processor / slow.csv.processor,
      bar: 0.7,
      atLeast: true,
    },
  ]);
}
