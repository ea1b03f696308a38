// A query of a few fields of a large log, decoding included, beside the same query of CSV files that were exported before.
// node bench/sql.mjs [MB]
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openLog } from '../dist/node/open.js';
import { LogDatabase } from '../dist/sql/database.js';
import { loadDuckdb } from '../dist/sql/engine.js';
import { wantedBy } from '../dist/sql/wanted.js';
import { bars, best, bestOfBoth, ROOT, repeatedDataflash, rounds, run, table, withFile, withFolder } from './bench.mjs';

const ROUNDS = rounds(5);
const { DuckDBInstance } = (await loadDuckdb()).api;
const bytes = repeatedDataflash(Number(process.argv[2] ?? 200) * 1e6);

/** A few fields of many tables, as a report asks for them. */
const MANY = {
  ATT: 'max(abs(Roll - DesRoll))',
  RATE: 'max(abs(R - RDes))',
  VIBE: 'max(VibeZ)',
  XKF1: 'max(abs(VN))',
  XKF4: 'max(SV)',
  MAG: 'max(abs(MagX))',
  BARO: 'max(Alt)',
  RCOU: 'max(C1)',
  CTUN: 'max(ThO)',
  PIDR: 'max(abs(P))',
  PIDP: 'max(abs(P))',
  ESC: 'max(RPM)',
};

/** Each with the tables that it reads. */
const QUERIES = [
  ['two fields of ESC', 'SELECT avg(RPM), max(Curr) FROM ESC', ['ESC']],
  ['ESC as of ATT', 'SELECT count(*), avg(e.RPM), max(a.Roll) FROM ESC e ASOF JOIN ATT a USING (time)', ['ESC', 'ATT']],
  [
    'ESC, IMU and RATE',
    'SELECT (SELECT max(RPM) FROM ESC), (SELECT avg(AccZ) FROM IMU), (SELECT max(ROut) FROM RATE)',
    ['ESC', 'IMU', 'RATE'],
  ],
  [
    'one field of a dozen tables',
    `SELECT ${Object.entries(MANY)
      .map(([name, value]) => `(SELECT ${value} FROM ${name})`)
      .join(', ')}`,
    Object.keys(MANY),
  ],
  ['two fields of IMU', 'SELECT avg(AccZ), max(GyrX) FROM IMU', ['IMU']],
  ['two fields of ATT', 'SELECT count(*), min(Roll), max(Pitch) FROM ATT WHERE Roll > 1', ['ATT']],
];

await withFile('flight.bin', bytes, (path) => withFolder((folder) => measure(path, folder)));

async function measure(path, folder) {
  const skein = join(ROOT, 'bin/skein.js');
  const wanted = [...new Set(QUERIES.flatMap(([, , tables]) => tables))].join(',');
  run(process.execPath, skein, 'export', path, '--to', 'csv', '--type', wanted, '-o', join(folder, 'csv'));
  const shareOf = await shares(path);
  const rows = [];
  const ratios = [];
  for (const [name, query, tables] of QUERIES) {
    const answers = {};
    const views = tables.map((each) => `CREATE VIEW ${each} AS FROM read_csv([${filesOf(folder, each)}])`);
    const { ours, csv } = await bestOfBoth(ROUNDS, {
      ours: async () => {
        answers.ours = await askLog(path, query);
      },
      csv: async () => {
        answers.csv = await askCsv(views, query);
      },
    });
    if (!same(answers.ours, answers.csv)) throw new Error(`${name}: ${answers.ours} and ${answers.csv} differ`);
    const share = tables.reduce((sum, each) => sum + shareOf(each), 0);
    const ratio = csv.wall / ours.wall;
    ratios.push({ name: `${name}, times the speed from CSV`, value: ratio, bar: 1, atLeast: true });
    rows.push([
      name,
      `${(share * 100).toFixed(1)} %`,
      csvSize(folder, tables).toFixed(0),
      ours.wall.toFixed(0),
      csv.wall.toFixed(0),
      ratio.toFixed(2),
      (csv.processor / ours.processor).toFixed(2),
    ]);
  }
  console.log(`${(bytes.length / 1e6).toFixed(0)} MB\n`);
  const head = ['', 'of the log', 'MB of CSV', 'ms from log', 'ms from CSV', 'times faster', 'by processor time'];
  table(head, rows);
  // bars.mjs has no bar for it
  if (!process.send) await compareCommands(folder, path);
  bars(ratios);
}

async function compareCommands(folder, path) {
  const [, query, [name]] = QUERIES[0];
  const { ours, csv } = await best(ROUNDS, {
    ours: () => run(process.execPath, join(ROOT, 'bin/skein.js'), 'sql', query, path),
    csv: () => run(process.execPath, '--input-type=module', '-e', csvProgram(folder, name, query)),
  });
  console.log(`\nthe first query from the start of Node on: ${ours.toFixed(0)} ms, from CSV ${csv.toFixed(0)} ms\n`);
}

async function askLog(path, query) {
  const database = await LogDatabase.open([{ file: 'flight', log: await openLog(path, { wanted: wantedBy(query) }) }]);
  const all = [];
  for await (const row of (await database.query(query)).rows()) all.push(row);
  database.close();
  return all;
}

async function askCsv(views, query) {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const view of views) await connection.run(view);
  const rows = (await connection.runAndReadAll(query)).getRows();
  instance.closeSync();
  return rows;
}

/** The least that a program must do that asks a CSV file. */
function csvProgram(folder, name, query) {
  return `import { DuckDBInstance } from '@duckdb/node-api';
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run(${JSON.stringify(`CREATE VIEW ${name} AS FROM read_csv([${filesOf(folder, name)}])`)});
    console.log((await connection.runAndReadAll(${JSON.stringify(query)})).getRows());`;
}

/** What part of the bytes of the log the records of a name are. */
async function shares(path) {
  const log = await openLog(path);
  const bytesOf = (tables) => tables.reduce((sum, { rows, schema }) => sum + rows * schema.maxSize, 0);
  return (name) => bytesOf(log.tablesNamed(name)) / log.source.size;
}

/** The CSV files of a table, those of all its streams. */
function pathsOf(folder, name) {
  const files = readdirSync(join(folder, 'csv')).filter((file) => new RegExp(`^${name}(_\\d+)?\\.csv$`).test(file));
  return files.map((file) => join(folder, 'csv', file));
}

function filesOf(folder, name) {
  return pathsOf(folder, name)
    .map((path) => `'${path}'`)
    .join(', ');
}

function csvSize(folder, tables) {
  return tables.flatMap((name) => pathsOf(folder, name)).reduce((sum, path) => sum + statSync(path).size, 0) / 1e6;
}

/** Sums of many numbers depend on their order in the last digits. */
function same(a, b) {
  return a.every((row, i) =>
    row.every((value, k) => Math.abs(Number(value) - Number(b[i][k])) <= 1e-6 * Math.abs(Number(value))),
  );
}
