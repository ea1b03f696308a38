import { readFileSync } from 'node:fs';
import { parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, test } from 'vitest';
import { readExpression } from '../../../src/entry/browser.ts';
import { SAMPLE } from '../../../test/helpers/cli.ts';
import { MadeLog } from '../../../test/helpers/made-log.ts';
import { exportLog } from './export-log.ts';
import { OpenLog } from './open-log.ts';

const open = (bytes: Uint8Array): Promise<OpenLog> => OpenLog.open(new Blob([bytes as BlobPart]), () => {});

async function parquetRows(blob: Blob): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({ file: await blob.arrayBuffer() });
}

describe('exports in the browser', () => {
  let sample: OpenLog;
  let middle = 0;

  beforeAll(async () => {
    sample = await open(new Uint8Array(readFileSync(SAMPLE)));
    const { start, end } = await sample.summary();
    middle = ((start ?? 0) + (end ?? 0)) / 2;
  });

  test.each(['GPS', 'ATT', 'MSG', 'BAT'])('%s as Parquet has every value of the log', async (name) => {
    const table = sample.log.table(name);
    if (!table) throw new Error(`the sample has no ${name}`);
    const request = { format: 'parquet', name: 'x', tables: [{ name, stream: table.stream }] } as const;
    const { blob, name: file } = await exportLog(sample, request);
    const rows = await parquetRows(blob);
    expect(file).toMatch(/\.parquet$/);
    expect(rows).toHaveLength(table.rows);
    const [columns, times] = [await table.columns(), await table.times()];
    const wrong: unknown[] = [];
    for (let row = 0; row < table.rows; row++) {
      if ((rows[row].time as Date).getTime() !== Math.floor(times[row] / 1000)) wrong.push([row, 'time']);
      for (const column of columns) {
        const read = rows[row][column.field.name];
        const value = typeof read === 'bigint' ? column.exact(row) : column.at(row);
        if (!Object.is(read, value)) wrong.push([row, column.field.name, read, value]);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('keep integers of 64 bits, arrays and missing values in Parquet', async () => {
    const log = new MadeLog().define('BIG', 'QqaIf', 'TimeUS,Low,List,Wide,Real');
    log.add('BIG', 18_446_744_073_709_551_615n, -9_223_372_036_854_775_808n, [1, -2], 4_294_967_295, Number.NaN);
    const made = await open(log.bytes());
    const tables = [{ name: 'BIG', stream: '' }];
    const [row] = await parquetRows((await exportLog(made, { format: 'parquet', name: 'x', tables })).blob);
    expect(row).toMatchObject({
      TimeUS: 18_446_744_073_709_551_615n,
      Low: -9_223_372_036_854_775_808n,
      Wide: 4_294_967_295n,
      Real: Number.NaN,
    });
    expect((JSON.parse(String(row.List)) as number[]).slice(0, 3)).toEqual([1, -2, 0]);
  });

  test('of a window hold the rows of that window', async () => {
    const tables = [{ name: 'ATT', stream: '' }];
    const { blob } = await exportLog(sample, { format: 'csv', name: 'x', tables, from: middle, to: middle + 1e6 });
    const [head, ...lines] = (await blob.text()).trimEnd().split('\n');
    expect(head).toMatch(/^time,TimeUS,/);
    const times = (await sample.log.table('ATT')?.times()) ?? new Float64Array(0);
    const wanted = times.filter((time) => time >= middle && time < middle + 1e6);
    expect(lines.map((line) => line.split(',')[0])).toEqual([...wanted].map((time) => (time / 1e6).toFixed(6)));
  });

  test('have a table for each expression, with its times and values', async () => {
    const expressions = ['deriv(ATT.Roll) / 2', 'BARO[0].Alt - CTUN.Alt'];
    const range = { from: middle, to: middle + 1e6 };
    for (const text of expressions) {
      const request = { name: 'x', tables: [], expressions: [text], ...range };
      const csv = await exportLog(sample, { format: 'csv', ...request });
      const [head, ...lines] = (await csv.blob.text()).trimEnd().split('\n');
      expect(head).toBe(`time,${text}`);
      const { times, values } = await readExpression(sample.log, text);
      const own = [...times.keys()].filter((row) => times[row] >= range.from && times[row] < range.to);
      expect(own.length).toBeGreaterThan(5);
      expect(lines).toEqual(own.map((row) => `${(times[row] / 1e6).toFixed(6)},${values[row]}`));
      const parquet = await exportLog(sample, { format: 'parquet', ...request });
      const rows = await parquetRows(parquet.blob);
      expect(rows.map((row) => Object.values(row)[1])).toEqual(own.map((row) => values[row]));
    }
    const both = await exportLog(sample, { format: 'csv', name: 'x', tables: [], expressions });
    expect(both.name).toBe('x-csv.zip');
  });

  test('as JSON lines are those of the whole log in its order', async () => {
    const tables = [
      { name: 'ATT', stream: '' },
      { name: 'GPS', stream: '0' },
    ];
    const { blob } = await exportLog(sample, { format: 'jsonl', name: 'x', tables, from: middle, to: middle + 1e6 });
    const records = (await blob.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; at: number });
    expect(new Set(records.map(({ type }) => type))).toEqual(new Set(['ATT', 'GPS']));
    expect(records.map(({ at }) => at)).toEqual(records.map(({ at }) => at).toSorted((a, b) => a - b));
  });

  test.each(['geojson', 'kml', 'gpx'] as const)('as %s are the track', async (format) => {
    const { blob, name } = await exportLog(sample, { format, name: '../evil', from: middle, to: middle + 5e6 });
    expect(name).not.toContain('/');
    expect((await blob.text()).length).toBeGreaterThan(200);
  });

  test('have the notes of the user: a point in a track, a line in subtitles; none outside of the track', async () => {
    const range = { from: middle, to: middle + 5e6 };
    const notes = [
      { from: middle + 2e6, to: null, text: 'odd roll <here>' },
      { from: middle - 60e6, to: null, text: 'long before' },
    ];
    const exported = async (format: 'geojson' | 'gpx' | 'kml' | 'srt'): Promise<string> =>
      (await exportLog(sample, { format, name: 'x', notes, ...range })).blob.text();
    const { features } = JSON.parse(await exported('geojson')) as {
      features: { properties: { name: string }; geometry: { type: string; coordinates: number[] } }[];
    };
    expect(features.map(({ properties, geometry }) => [properties.name, geometry.type])).toEqual([
      ['x', 'LineString'],
      ['odd roll <here>', 'Point'],
    ]);
    const gps = sample.log.tables.find(({ name }) => name === 'GPS');
    const [times, lat] = [await gps?.times(), (await gps?.column('Lat'))?.numbers()];
    const row = times?.findLastIndex((time) => time <= middle + 2e6) ?? -1;
    expect(features[1].geometry.coordinates[1]).toBeCloseTo(lat?.[row] ?? Number.NaN, 6);
    for (const format of ['gpx', 'kml'] as const) {
      const text = await exported(format);
      expect(text).toContain('odd roll &lt;here&gt;');
      expect(text).not.toContain('long before');
    }
    expect(await exported('srt')).toContain('00:00:02,000 --> 00:00:03,000\nGUIDED');
    expect(await exported('srt')).toMatch(/00:00:02,000 -->.*\n.*\nodd roll ‹here>/);
  });

  test('of all tables come in a zip', async () => {
    const { blob, name } = await exportLog(sample, { format: 'csv', name: 'x', from: middle, to: middle + 1e5 });
    expect(name).toBe('x-csv.zip');
    expect([...new Uint8Array(await blob.slice(0, 4).arrayBuffer())]).toEqual([0x50, 0x4b, 3, 4]);
  });
});
