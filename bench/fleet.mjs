// Many logs into a lake: the sample as flights of ten vehicles on different days, on one core and on two. It needs taskset.
// node bench/fleet.mjs [LOGS]
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openInput } from '../dist/formats/open.js';
import { Lake } from '../dist/lake/lake.js';
import { LakeDatabase } from '../dist/lake/lake-database.js';
import { bars, best, ingestLine, ROOT, rounds, run, table, withFolder } from './bench.mjs';

const COUNT = Number(process.argv[2] ?? 100);
const VEHICLES = 10;
const ROUNDS = rounds(2);
const DAY = 24 * 60 * 60 * 1000;
const MACHINE = '3d1219c7c4c5404aaa1f6d2a48adfda4';
const skein = join(ROOT, 'bin', 'skein.js');

/** Where the sample has its GPS times, and the id of its machine. */
async function placesOf(bytes) {
  const log = await openInput(bytes);
  const times = log.tablesNamed('GPS').flatMap((each) =>
    Array.from({ length: each.rows }, (_, row) => {
      const at = each.offsets.at(row);
      return { week: at + each.field('GWk').offset, millis: at + each.field('GMS').offset };
    }),
  );
  return { times, machine: Buffer.from(bytes.buffer).indexOf(MACHINE) };
}

/** The sample by another vehicle, some days later. */
function changed(sample, { times, machine }, vehicle, days) {
  const bytes = sample.slice();
  const view = new DataView(bytes.buffer);
  for (const { week, millis } of times) {
    const then = view.getUint16(week, true) * 7 * DAY + view.getUint32(millis, true) + days * DAY;
    view.setUint16(week, Math.floor(then / (7 * DAY)), true);
    view.setUint32(millis, then % (7 * DAY), true);
  }
  bytes.set(Buffer.from(vehicle.toString(16).padStart(8, 'f')), machine);
  return bytes;
}

await withFolder(async (folder) => {
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  const sample = new Uint8Array(readFileSync(join(ROOT, 'sample', 'copter-square.BIN')));
  const places = await placesOf(sample);
  for (let i = 0; i < COUNT; i++)
    writeFileSync(join(logs, `${i}.BIN`), changed(sample, places, i % VEHICLES, Math.floor(i / VEHICLES)));
  // each run has its own lake: removing thousands of files is not measured
  let lake;
  const ingest = (workers, before = []) =>
    run(...before, process.execPath, skein, 'ingest', logs, '--lake', lake, '--workers', String(workers));
  const fresh =
    (...how) =>
    () => {
      lake = mkdtempSync(join(folder, 'lake-'));
      ingest(...how);
    };
  const times = await best(ROUNDS, { core: fresh(1, ['taskset', '-c', '0']), one: fresh(1), two: fresh(2) });
  const again = await best(ROUNDS, { two: () => ingest(2) });
  const database = await LakeDatabase.open(new Lake(lake));
  const ask = async (sql) => {
    for await (const [value] of (await database.query(sql)).rows()) return Number(value);
  };
  const asked = await best(3, {
    all: () => ask('SELECT avg(Volt) FROM BAT'),
    pruned: () => ask("SELECT avg(Volt) FROM BAT WHERE vehicle = 'fffffff0c4c5404a'"),
  });
  const counted = await ask('SELECT count(DISTINCT log) FROM BAT');
  database.close();
  if (counted !== COUNT) throw new Error(`${counted} logs are in the lake and not ${COUNT}`);
  const files = readdirSync(lake, { recursive: true }).map((name) => statSync(join(lake, name)));
  const size = files.reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
  const megabytes = (COUNT * sample.length) / 1e6;
  console.log(
    `${COUNT} logs, ${megabytes.toFixed(0)} MB; the lake has ${(size / 1e6).toFixed(0)} MB in ${files.filter((each) => each.isFile()).length} files\n`,
  );
  const line = (name, millis) => ingestLine(name, millis, COUNT, megabytes);
  table(
    ['', 's', 'logs/s', 'MB/s'],
    [
      line('ingested by one worker on one core', times.core),
      line('ingested by one worker on two cores', times.one),
      line('ingested by two workers on two cores', times.two),
      line('again, nothing to do', again.two),
    ],
  );
  console.log(
    `\naverage of a field: ${asked.all.toFixed(0)} ms of all logs, ${asked.pruned.toFixed(0)} ms of one vehicle\n`,
  );
  bars([
    { name: 'two cores, times the speed of one', value: times.core / times.two, bar: 1.6, atLeast: true },
    { name: 'a second run, times the speed of the first', value: times.two / again.two, bar: 5, atLeast: true },
  ]);
});
