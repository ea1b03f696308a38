// A query of a few fields of a large log, decoding included, beside the same query of CSV files that were exported before.
// node bench/sql.mjs [MB]
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHeld } from '../dist/node/open.js';
import { LogDatabase } from '../dist/query/database.js';
import { loadDuckdb } from '../dist/query/duckdb.js';
import { bars, best, ROOT, repeated, run, table, withFile } from './bench.mjs';

const ROUNDS = 3;
const { DuckDBInstance } = (await loadDuckdb()).api;
const bytes = repeated('copter-square.BIN', Number(process.argv[2] ?? 200) * 1e6);

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
  ['one table of two streams', 'SELECT avg(AccZ), max(GyrX) FROM IMU', ['IMU']],
  ['one small table', 'SELECT count(*), min(Roll), max(Pitch) FROM ATT WHERE Roll > 1', ['ATT']],
  [
    'a dozen tables',
    `SELECT ${Object.entries(MANY)
      .map(([name, value]) => `(SELECT ${value} FROM ${name})`)
      .join(', ')}`,
    Object.keys(MANY),
  ],
];

await withFile('flight.bin', bytes, async (path) => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-bench-'));
  const skein = join(ROOT, 'bin/skein.js');
  try {
    const wanted = [...new Set(QUERIES.flatMap(([, , tables]) => tables))].join(',');
    run(process.execPath, skein, 'export', path, '--to', 'csv', '--type', wanted, '-o', join(folder, 'csv'));
    const rows = [];
    const total = { ours: 0, csv: 0 };
    for (const [name, query, tables] of QUERIES) {
      const answers = {};
      const times = await best(ROUNDS, {
        ours: async () => {
          const database = await LogDatabase.open([{ file: 'flight', log: await openHeld(path) }]);
          answers.ours = await rowsOf((await database.query(query)).rows());
          database.close();
        },
        csv: async () => {
          const instance = await DuckDBInstance.create(':memory:');
          const connection = await instance.connect();
          for (const each of tables)
            await connection.run(`CREATE VIEW ${each} AS FROM read_csv([${filesOf(folder, each)}])`);
          answers.csv = (await connection.runAndReadAll(query)).getRows();
          instance.closeSync();
        },
      });
      if (!same(answers.ours, answers.csv)) throw new Error(`${name}: ${answers.ours} and ${answers.csv} differ`);
      total.ours += times.ours;
      total.csv += times.csv;
      rows.push([name, times.ours.toFixed(0), times.csv.toFixed(0), (times.csv / times.ours).toFixed(2)]);
    }
    console.log(`${(bytes.length / 1e6).toFixed(0)} MB\n`);
    table(['', 'ms from the log', 'ms from CSV', 'times faster'], rows);
    const command = await best(ROUNDS, { sql: () => run(process.execPath, skein, 'sql', QUERIES[0][1], path) });
    console.log(`\nthe whole command, first query: ${command.sql.toFixed(0)} ms`);
    console.log('');
    bars([{ name: 'all queries, times the speed from CSV', value: total.csv / total.ours, bar: 1, atLeast: true }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

async function rowsOf(rows) {
  const all = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** The CSV files of a table, those of all its streams. */
function filesOf(folder, name) {
  const files = readdirSync(join(folder, 'csv')).filter((file) => new RegExp(`^${name}(_\\d+)?\\.csv$`).test(file));
  return files.map((file) => `'${join(folder, 'csv', file)}'`).join(', ');
}

/** Sums of many numbers depend on their order in the last digits. */
function same(a, b) {
  return a.every((row, i) =>
    row.every((value, k) => Math.abs(Number(value) - Number(b[i][k])) <= 1e-6 * Math.abs(Number(value))),
  );
}
