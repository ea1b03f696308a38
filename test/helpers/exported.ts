// Reads back what was exported, each with a reader that is not ours, as JSON of the shape that `dump` has.
import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { McapIndexedReader } from '@mcap/core';
import { tableFromIPC } from 'apache-arrow';
import { readBlocks } from '../../src/core/records.ts';
import type { RecordTable } from '../../src/core/table.ts';
import { LineWriter } from '../../src/export/json-line.ts';
import { openLog } from '../../src/node/open.ts';

/** A row: its time in seconds, and its values in the order of the fields. */
export interface ReadRow {
  readonly time: number | null;
  readonly values: readonly unknown[];
}

/** Rows of every table that has any, as `dump` prints them, in the order of the tables. */
export async function dumpedRows(path: string): Promise<Map<RecordTable, ReadRow[]>> {
  const log = await openLog(path);
  const rows = new Map<RecordTable, ReadRow[]>(
    log.tables.filter((table) => table.rows > 0).map((table) => [table, []]),
  );
  const writers = new Map([...rows.keys()].map((table) => [table, new LineWriter(table)]));
  for await (const block of readBlocks(log)) {
    block.walk((index, row, time, at) => {
      const table = block.tables[index];
      const line = JSON.parse((writers.get(table) as LineWriter).line(block.columns[index], row, time, at));
      rows.get(table)?.push({ time: line.time, values: Object.values(line.data) });
      return true;
    });
  }
  return rows;
}

/** A value of another reader as `dump` has it. */
function asDumped(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map((each) => (typeof each === 'bigint' ? Number(each) : asDumped(each)));
  return value ?? null;
}

export async function readParquet(path: string): Promise<{ names: string[]; rows: ReadRow[] }> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const name = path.replaceAll("'", "''").replace(/[*?[\]]/g, '[$&]');
  const reader = await connection.runAndReadAll(`SELECT * FROM read_parquet('${name}')`);
  const rows = reader.getRowsJS().map(([time, ...values], i) => ({
    time: time === null ? null : Number(micros(reader.value(0, i))) / 1e6,
    values: values.map(asDumped),
  }));
  connection.closeSync();
  instance.closeSync();
  return { names: reader.columnNames(), rows };
}

function micros(value: unknown): bigint {
  return (value as { micros: bigint }).micros;
}

export function readArrow(path: string): { names: string[]; rows: ReadRow[]; metadata: Map<string, string> } {
  const table = tableFromIPC(readFileSync(path));
  const columns = table.schema.fields.map((_, i) => table.getChildAt(i));
  const rows = Array.from({ length: table.numRows }, (_, row) => {
    const values = columns.map((column) => {
      const value: unknown = column?.get(row);
      return value !== null && typeof value === 'object' && !(value instanceof Uint8Array)
        ? [...(value as Iterable<unknown>)]
        : value;
    });
    // the reader gives milliseconds: what is exact is what is stored
    const time = values[0] === null ? null : timeAt(columns[0] as never, row);
    return { time, values: values.slice(1).map(asDumped) };
  });
  return { names: table.schema.fields.map(({ name }) => name), rows, metadata: table.schema.metadata };
}

function timeAt(column: { data: readonly { length: number; values: BigInt64Array }[] }, row: number): number {
  let at = row;
  for (const { length, values } of column.data) {
    if (at < length) return Number(values[at]) / 1e6;
    at -= length;
  }
  throw new RangeError(`no row ${row}`);
}

/** Cells by RFC 4180. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (isQuoted) {
      if (char !== '"') cell += char;
      else if (text[i + 1] === '"') cell += text[++i];
      else isQuoted = false;
    } else if (char === '"') isQuoted = true;
    else if (char === ',' || char === '\n') {
      cells.push(cell);
      cell = '';
      if (char === '\n') {
        rows.push(cells);
        cells = [];
      }
    } else cell += char;
  }
  return rows;
}

export interface McapMessage {
  readonly topic: string;
  readonly time: bigint;
  readonly data: Record<string, unknown>;
}

export async function readMcap(path: string): Promise<McapMessage[]> {
  const bytes = readFileSync(path);
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: async () => BigInt(bytes.length),
      read: async (offset, length) => new Uint8Array(bytes.subarray(Number(offset), Number(offset + length))),
    },
  });
  const messages: McapMessage[] = [];
  for await (const message of reader.readMessages()) {
    const channel = reader.channelsById.get(message.channelId);
    messages.push({
      topic: channel?.topic ?? '',
      time: message.logTime,
      data: JSON.parse(new TextDecoder().decode(message.data)),
    });
  }
  return messages;
}
