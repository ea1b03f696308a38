import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trimDataflash } from '../../src/export/dataflash.ts';
import { openLog } from '../../src/node/open.ts';
import { SAMPLE, SKEIN } from '../helpers/cli.ts';

const GIB = 2 ** 30;
const SIZE = 6 * GIB;
const NEEDED = 6.5e9;
const MEMORY = 1.5 * GIB;

/** Opens a log, reads two fields of GPS and of ATT, and says how much memory that took at most. */
const READER = `
import { readFileSync } from 'node:fs';
const [library, path] = process.argv.slice(1);
const { openLog } = await import(library);
const began = performance.now();
const log = await openLog(path);
const indexed = performance.now();
const found = { records: log.records, faults: log.faults.count, sums: {} };
for (const [name, stream, fields] of [['GPS', '0', ['Lat', 'Alt']], ['ATT', '', ['Roll', 'Pitch']]]) {
  const table = log.table(name, stream);
  for (const [i, column] of (await table.columns(fields)).entries()) {
    let sum = 0;
    for (const value of column.numbers()) sum += value;
    found.sums[name + '.' + fields[i]] = { rows: column.length, sum };
  }
}
const peak = Number(/VmHWM:\\s+(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
process.stdout.write(JSON.stringify({ ...found, peak, index: indexed - began, columns: performance.now() - indexed }));
`;

/** Runs the command and says how much memory it took at most. */
const COMMAND = `
import { readFileSync, writeSync } from 'node:fs';
const [main, ...args] = process.argv.slice(1);
const began = performance.now();
const code = await (await import(main)).main(['node', 'skein', ...args]);
const peak = Number(/VmHWM:\\s+(\\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
writeSync(3, JSON.stringify({ code, peak, took: performance.now() - began }));
`;

interface Read {
  readonly records: number;
  readonly faults: number;
  readonly sums: Readonly<Record<string, { readonly rows: number; readonly sum: number }>>;
  readonly peak: number;
  readonly index: number;
  readonly columns: number;
}

function child(script: string, ...args: string[]): { stdout: string; extra: string } {
  // a heap that could not hold the index and the columns twice
  const flags = ['--max-old-space-size=512', '--input-type=module', '-e', script, ...args];
  const run = spawnSync(process.execPath, flags, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
  });
  expect(run.stderr).toBe('');
  expect(run.status).toBe(0);
  return { stdout: run.stdout, extra: run.output[3] ?? '' };
}

const inMiB = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

const { bavail, bsize } = statfsSync(tmpdir());
const isRoom = bavail * bsize > NEEDED;

test.skipIf(!isRoom)(`a log of 6 GiB${isRoom ? '' : ` (skipped: less than ${NEEDED / 1e9} GB free)`}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'skein-large-'));
  try {
    // whole records only, so that one flight follows the other without a fault
    const flight = await openLog(SAMPLE);
    const pieces: Uint8Array[] = [];
    for await (const piece of trimDataflash(flight)) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    const times = Math.ceil(SIZE / bytes.length);
    const path = join(folder, 'large.BIN');
    const file = openSync(path, 'wx');
    for (let i = 0; i < times; i++) writeSync(file, bytes);
    closeSync(file);

    const library = new URL('../../dist/entry/index.js', import.meta.url).href;
    const read = JSON.parse(child(READER, library, path).stdout) as Read;
    console.log(
      `6 GiB, ${times} flights: ${read.records} records, index ${Math.round(read.index)} ms, ` +
        `four columns ${Math.round(read.columns)} ms, peak ${inMiB(read.peak)}`,
    );
    expect(read.peak).toBeLessThan(MEMORY);
    expect(read).toMatchObject({ records: flight.records * times, faults: 0 });
    for (const [name, stream, fields] of [
      ['GPS', '0', ['Lat', 'Alt']],
      ['ATT', '', ['Roll', 'Pitch']],
    ] as const) {
      const columns = (await flight.table(name, stream)?.columns(fields)) ?? [];
      for (const column of columns) {
        const { rows, sum } = read.sums[`${name}.${column.field.name}`];
        const once = column.numbers().reduce((total, value) => total + value, 0);
        expect(rows).toBe(column.length * times);
        // the same numbers added up in another order
        expect(Math.abs(sum - once * times)).toBeLessThan(1e-6 * Math.abs(once * times) + 1e-3);
      }
    }

    const main = SKEIN.replace('bin/skein.js', 'dist/cli/main.js');
    const info = child(COMMAND, main, 'info', '--json', path);
    const { code, peak, took } = JSON.parse(info.extra) as { code: number; peak: number; took: number };
    console.log(`skein info: ${Math.round(took)} ms, peak ${inMiB(peak)}`);
    expect(code).toBe(0);
    expect(peak).toBeLessThan(MEMORY);
    expect(JSON.parse(info.stdout)).toMatchObject({
      records: flight.records * times,
      size: bytes.length * times,
      vehicle: 'Copter',
      faults: { count: 0 },
    });
    // the last record of all is read at its place beyond 4 GiB
    const last = child(COMMAND, main, 'dump', '--type', 'MODE', path).stdout.trimEnd().split('\n');
    const modes = flight.table('MODE')?.rows ?? 0;
    expect(last).toHaveLength(modes * times);
    const { at } = JSON.parse(last[last.length - 1]) as { at: number };
    expect(at).toBe(bytes.length * (times - 1) + Number(flight.table('MODE')?.offsets.at(modes - 1)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
