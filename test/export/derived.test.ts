import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordsOf, skeinHere } from '../helpers/cli.ts';
import { readArrow, readCsv, readMcap, readParquet } from '../helpers/exported.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needShared, sharedData } from '../helpers/need.ts';

const folder = temporaryFolder();
let count = 0;

/** Writes a table that is made from others to one file of a format. */
async function exported(path: string, type: string, format: string): Promise<string> {
  const out = join(folder, `${count++}.${format}`);
  const target = format === 'parquet' ? join(folder, `folder-${count++}`) : out;
  const run = await skeinHere('export', path, '--to', format, '--type', type, '-o', target);
  expect(run.code, run.stderr).toBeOneOf([0, 3]);
  return target === out ? out : join(target, readdirSync(target)[0]);
}

/** As JSON has it, which knows no zero below zero. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

needShared(describe, 'xbus')('tables that are made from others, in every format:', () => {
  describe.each([
    ['IMUData', sharedData('xbus', '2', 'output.bin')],
    ['GNSSData', sharedData('flight', 'copter-square.nmea')],
  ])('%s', (type, path) => {
    const dumped = async (): Promise<{ times: (number | null)[]; rows: unknown[][] }> => {
      const records = recordsOf((await skeinHere('dump', '--type', type, path)).stdout);
      expect(records.length).toBeGreaterThan(20);
      return {
        times: records.map(({ time }) => time),
        rows: records.map(({ data }) => Object.values(data).map((value) => value ?? null)),
      };
    };

    test('CSV', async () => {
      const { times, rows } = await dumped();
      const [head, ...cells] = readCsv(readFileSync(await exported(path, type, 'csv'), 'utf8'));
      expect(head.length).toBe(rows[0].length + 1);
      const isText = [null, ...rows[0]].map((value) => typeof value === 'string');
      const found = cells.map((row) => row.map((cell, i) => (isText[i] ? cell : cell === '' ? null : Number(cell))));
      expect(asJson(found)).toEqual(rows.map((row, i) => [times[i], ...row]));
    });

    test('JSON lines', async () => {
      const { times, rows } = await dumped();
      const lines = recordsOf(readFileSync(await exported(path, type, 'jsonl'), 'utf8'));
      expect(lines.map(({ time }) => time)).toEqual(times);
      expect(lines.map(({ data }) => Object.values(data).map((value) => value ?? null))).toEqual(rows);
    });

    test('Parquet and Arrow', async () => {
      const { times, rows } = await dumped();
      const wanted = rows.map((values, i) => ({ time: times[i], values }));
      expect(asJson((await readParquet(await exported(path, type, 'parquet'))).rows)).toEqual(wanted);
      expect(asJson(readArrow(await exported(path, type, 'arrow')).rows)).toEqual(wanted);
    });

    test('MCAP', async () => {
      const { times, rows } = await dumped();
      const messages = await readMcap(await exported(path, type, 'mcap'));
      expect(new Set(messages.map(({ topic }) => topic.split('/')[1]))).toEqual(new Set([type]));
      // the reader sorts by time
      const found = messages.map(({ data }) => JSON.stringify(Object.values(data).map((value) => value ?? null)));
      expect(found.toSorted()).toEqual(rows.map((row) => JSON.stringify(row)).toSorted());
      const timed = new Set(messages.map(({ time }, i) => `${Number(time / 1000n) / 1e6} ${found[i]}`));
      const isThere = (row: unknown[], i: number): boolean => timed.has(`${times[i]} ${JSON.stringify(row)}`);
      expect(rows.filter((row, i) => times[i] !== null && !isThere(row, i))).toEqual([]);
    });
  });

  test('beside the records that they are made from, in the order of the source', async () => {
    const path = sharedData('xbus', '2', 'output.bin');
    const [imu, packets] = await Promise.all(
      ['IMUData', 'MTData2'].map(async (type) => recordsOf((await skeinHere('dump', '--type', type, path)).stdout)),
    );
    const messages = await readMcap(await exported(path, 'MTData2,IMUData', 'mcap'));
    const counts = new Map<string, number>();
    for (const { topic } of messages) counts.set(topic.split('/')[1], (counts.get(topic.split('/')[1]) ?? 0) + 1);
    expect([counts.get('IMUData'), counts.get('MTData2')]).toEqual([imu.length, packets.length]);
    const half = imu[Math.floor(imu.length / 2)].time ?? 0;
    const out = join(folder, 'part.mcap');
    await skeinHere('export', path, '--to', 'mcap', '--type', 'IMUData', '--from', `${half}`, '-o', out);
    expect((await readMcap(out)).length).toBe(imu.filter(({ time }) => time !== null && time >= half).length);
  });
});
