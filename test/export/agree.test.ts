import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RecordTable } from '../../src/core/table.ts';
import { skeinHere } from '../helpers/cli.ts';
import { dumpedRows, type ReadRow, readArrow, readCsv, readMcap, readParquet } from '../helpers/exported.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { isLong } from '../helpers/long.ts';
import { needShared, sharedData } from '../helpers/need.ts';

const folder = temporaryFolder();

/** Logs that have nothing that others do not; SKEIN_ALL=1 asks for them, too. */
const MORE: readonly (readonly string[])[] = [
  ['dataflash', 'edancain-5.BIN'],
  ['dataflash', 'LA-underpowered.log'],
  ['mavlink', 'EAICS_flight.tlog'],
];
/** Logs of every kind and age, small enough that all their values can be compared. */
const LOGS: readonly (readonly string[])[] = [
  ...(process.env.SKEIN_ALL ? MORE : []),
  ...(isLong ? [['dataflash', 'px4-dragon-log001.px4log']] : []),
  ['dataflash', 'pbarker-6.BIN'],
  ['dataflash', 'pymavlink-test.BIN'],
  ['dataflash', 'erle-copter_27-9-2014_70.BIN'],
  ['flight', 'copter-signed.tlog'],
  ['mavlink', 'node-mavlink_data.mavlink'],
  ['flight', 'copter-square.nmea'],
  ['nmea', 'gpsd', 'quectel-l76k-nmea.log'],
  ['xbus', '2', 'output.bin'],
];

/** The file that a table went to: tables keep their order, so that the n-th of a stem is the n-th file of it. */
function filesOf(tables: Iterable<RecordTable>, extension: string): string[] {
  const counts = new Map<string, number>();
  return [...tables].map(({ name, stream }) => {
    const stem = (stream === '' ? name : `${name}_${stream}`).replace(/[^A-Za-z0-9_ .()[\]-]/g, '_');
    const count = (counts.get(stem.toLowerCase()) ?? 0) + 1;
    counts.set(stem.toLowerCase(), count);
    return `${stem}${count > 1 ? `_${count}` : ''}.${extension}`;
  });
}

async function exported(path: string, format: string): Promise<string> {
  const out = join(folder, `${path.replaceAll(/[^A-Za-z0-9]/g, '_')}-${format}`);
  const run = await skeinHere('export', path, '--to', format, '-o', out);
  expect(run.code, run.stderr).toBeOneOf([0, 3]);
  return out;
}

/** Compares by pieces: what differs in a hundred thousand rows would be too long to print. */
function expectSame(title: string, found: readonly ReadRow[], wanted: readonly ReadRow[]): void {
  expect(found.length, title).toBe(wanted.length);
  for (let row = 0; row < wanted.length; row++)
    if (JSON.stringify(found[row]) !== JSON.stringify(wanted[row]))
      expect(found[row], `${title} ${row}`).toEqual(wanted[row]);
}

needShared(describe, 'dataflash')('what was written reads as `dump` prints it:', () => {
  describe.each(LOGS.map((parts) => [parts.join('/'), sharedData(...parts)]))('%s', (_, path) => {
    test('Parquet, by DuckDB', async () => {
      const dumped = await dumpedRows(path);
      const out = await exported(path, 'parquet');
      expect(readdirSync(out).sort()).toEqual(filesOf(dumped.keys(), 'parquet').sort());
      const files = filesOf(dumped.keys(), 'parquet');
      for (const [i, rows] of [...dumped.values()].entries())
        expectSame(files[i], (await readParquet(join(out, files[i]))).rows, rows);
    });

    test('Arrow, by apache-arrow', async () => {
      const dumped = await dumpedRows(path);
      const out = await exported(path, 'arrow');
      const files = filesOf(dumped.keys(), 'arrow');
      for (const [i, rows] of [...dumped.values()].entries()) {
        const { rows: found, metadata } = readArrow(join(out, files[i]));
        expectSame(files[i], found, rows);
        expect(path.endsWith(metadata.get('source') ?? 'none')).toBe(true);
      }
    });

    test('CSV', async () => {
      const dumped = await dumpedRows(path);
      const out = await exported(path, 'csv');
      const files = filesOf(dumped.keys(), 'csv');
      for (const [i, [table, rows]] of [...dumped].entries()) {
        const [head, ...cells] = readCsv(readFileSync(join(out, files[i]), 'utf8'));
        expect(head[0]).toBe('time');
        expect(new Set(head).size).toBe(head.length);
        expectSame(
          files[i],
          cells.map((row) => csvRow(table, row)),
          rows,
        );
      }
    });

    test('MCAP, by @mcap/core', async () => {
      const dumped = await dumpedRows(path);
      const file = join(folder, `${path.replaceAll(/[^A-Za-z0-9]/g, '_')}.mcap`);
      expect((await skeinHere('export', path, '--to', 'mcap', '-o', file)).code).toBeOneOf([0, 3]);
      const byTopic = new Map<string, ReadRow[]>();
      for (const { topic, data } of await readMcap(file)) {
        const rows = byTopic.get(topic) ?? [];
        byTopic.set(topic, rows);
        rows.push({ time: null, values: Object.values(data) });
      }
      const wanted = [...dumped.values()].map((rows) => rows.map(({ values }) => JSON.stringify(values)).sort());
      const found = [...byTopic.values()].map((rows) => rows.map(({ values }) => JSON.stringify(values)).sort());
      const sorted = (lists: string[][]): string[] => lists.map((list) => list.join('\n')).sort();
      expect(sorted(found).length).toBe(sorted(wanted).length);
      expect(sorted(found).join('\n\n') === sorted(wanted).join('\n\n')).toBe(true);
    });
  });
});

/** Cells as the values that they stand for. */
function csvRow(table: RecordTable, [time, ...cells]: readonly string[]): ReadRow {
  let at = 0;
  const values = table.fields.map((field) => {
    if (field.type === 'unknown') return cells[at++] === '' ? null : 'not empty';
    if (field.type === 'text') return plainText(cells[at++]);
    if (field.type === 'bytes') return cells[at++];
    if (field.count === 1) return number(cells[at++]);
    const elements = cells.slice(at, at + field.count);
    at += field.count;
    return field.invalidByFirst && elements.every((cell) => cell === '') ? null : elements.map(number);
  });
  expect(at).toBe(cells.length);
  return { time: time === '' ? null : Number(time), values };
}

/** Text that would be run is marked by a quote. */
function plainText(cell: string): string {
  return /^'\s*[=+\-@\t\r]/.test(cell) || /^'[\s\S]*[\n\r]\s*[=+\-@]/.test(cell) ? cell.slice(1) : cell;
}

function number(cell: string): unknown {
  if (cell === '' || cell === 'NaN' || cell.endsWith('Infinity')) return null;
  const value = Number(cell);
  expect(Number.isNaN(value), cell).toBe(false);
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(cell) && Math.abs(value) < 2 ** 64
    ? cell
    : value;
}
