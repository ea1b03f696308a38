import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readBlocks } from '../../src/core/records.ts';
import type { RecordTable } from '../../src/core/table.ts';
import { LineWriter } from '../../src/export/json-line.ts';
import { openInMemory, openLog } from '../../src/node/open.ts';
import { LogDatabase } from '../../src/sql/database.ts';
import { jsonOf } from '../../src/sql/result.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { many } from '../helpers/long.ts';
import { needShared, sharedData } from '../helpers/need.ts';

const folder = temporaryFolder();

/** Rows of each table that are compared value by value; of larger tables so many, from the first to the last. */
const ROWS = 60;
/** Files that are no logs, captures of other protocols, and of logs that are much alike all but some. */
const OTHERS =
  /\/(ref|spec|definitions|conformance|corrupt|odd|strict|wrapped)\/|COPYING|LICENSE|outputconfig|\/thayer_rural.*pcap$|\/gpsd\/[^a-f][^/]*$|\.(json|jsonl|md|chk|tsv|golden|ulg|xml|txt)$/;

/** Larger logs have nothing that these do not, and take most of the time; SKEIN_ALL=1 asks for them, too. */
const LARGEST = process.env.SKEIN_ALL ? Number.POSITIVE_INFINITY : many(1e6, 3e5);

function logsIn(path: string): string[] {
  return readdirSync(path).flatMap((name) => {
    const each = join(path, name);
    const found = statSync(each);
    if (found.isDirectory()) return logsIn(each);
    return OTHERS.test(each) || found.size > LARGEST ? [] : [each];
  });
}

const root = sharedData();
const all = needsData() ? logsIn(root) : [];

function needsData(): boolean {
  return statSync(root, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The n-th row of some: all of few, else evenly spread with both ends. */
const isChosen = (row: number, rows: number): boolean =>
  rows <= ROWS || Math.floor((row * (ROWS - 1)) / (rows - 1)) !== Math.floor(((row - 1) * (ROWS - 1)) / (rows - 1));

/** Chosen rows of every table as `dump` prints them: their numbers, times and values. */
async function dumped(
  path: string,
): Promise<Map<RecordTable, [row: number, time: number | null, values: unknown[]][]>> {
  const log = await openLog(path);
  const found = new Map(log.tables.map((table) => [table, [] as [number, number | null, unknown[]][]]));
  for await (const block of readBlocks(log)) {
    block.walk((index, row, time, at) => {
      const table = block.tables[index];
      const number = block.first[index] + row;
      if (!isChosen(number, table.rows)) return true;
      const line = JSON.parse(new LineWriter(table).line(block.columns[index], row, time, at));
      found.get(table)?.push([number, line.time, Object.values(line.data)]);
      return true;
    });
  }
  return found;
}

/** All streams of a name share a table in SQL: the rows of one of them are told by its place among them. */
async function expectSame(path: string): Promise<number> {
  const wanted = await dumped(path);
  const database = await LogDatabase.open([{ file: 'a', log: await openInMemory(path) }], { milliseconds: 600_000 });
  let compared = 0;
  try {
    const seen = new Map<string, number>();
    for (const [{ name, stream, rows, fields }, chosen] of wanted) {
      if (rows === 0) continue;
      const title = stream === '' ? name : `${name}[${stream}]`;
      const nth = seen.get(title) ?? 0;
      seen.set(title, nth + 1);
      // definitions that changed on the way make several tables of one title, of which SQL makes one
      if ([...wanted.keys()].filter((each) => each.rows > 0 && each.name === name && each.stream === stream).length > 1)
        continue;
      const relation = database.tables.find((each) => each.schema === '' && each.name === title);
      expect(relation, title).toBeDefined();
      const columns = (relation?.columns ?? []).slice(stream === '' ? 0 : 1);
      expect(columns.length, title).toBe(fields.length + 1);
      const [time, ...others] = columns.map((column) => `"${column.replaceAll('"', '""')}"`);
      const numbers = chosen.map(([row]) => row).join(', ');
      const inner = `SELECT *, row_number() OVER () - 1 AS skein_row FROM "${title.replaceAll('"', '""')}"`;
      const sql = `SELECT skein_row, epoch_us(${time}), ${others.join(', ')} FROM (${inner}) WHERE skein_row IN (${numbers}) ORDER BY 1`;
      const found: unknown[][] = [];
      for await (const row of (await database.query(sql)).rows()) found.push(row.map(asDumped));
      const same = chosen.map(([row, seconds, values]) => [
        row,
        seconds === null ? null : Math.round(seconds * 1e6),
        ...values,
      ]);
      for (const [i, row] of same.entries())
        if (JSON.stringify(found[i]) !== JSON.stringify(row)) expect(found[i], `${title} ${i}`).toEqual(row);
      expect(found.length, title).toBe(same.length);
      compared += found.length;
    }
  } finally {
    database.close();
  }
  return compared;
}

/** Elements of arrays are numbers in `dump`, however large; texts and bytes are as they are. */
function asDumped(value: unknown): unknown {
  const json = jsonOf(value as never);
  if (Array.isArray(json)) return json.map((each) => (typeof each === 'string' ? Number(each) : each));
  return json;
}

needShared(describe, 'dataflash')('SQL says what `dump` prints, of every log:', () => {
  test.each(all.map((path) => [relative(root, path), path]))('%s', async (_, path) => {
    await expectSame(path);
  });

  test('also where it is packed', async () => {
    for (const name of ['copter-signed.pcap', 'copter-signed.tlog']) {
      const packed = join(folder, `${name}.gz`);
      writeFileSync(packed, gzipSync(readFileSync(sharedData('flight', name))));
      expect(await expectSame(packed)).toBeGreaterThan(100);
    }
  });
});
