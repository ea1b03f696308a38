// Frames that carry a number each, so that what was sent can be compared with what arrived.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BatchBuilder, newRun, withFloor } from '../../src/bus/batch.ts';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { Encoder } from '../../src/formats/mavlink/encode.ts';
import { Header } from '../../src/formats/mavlink/header.ts';
import { Lake } from '../../src/lake/lake.ts';
import { LakeDatabase } from '../../src/lake/lake-database.ts';

const dialect = builtinDialect();
const NAMED_VALUE_INT = 252;
/** Microseconds UTC of the first frame. */
const START = 1.79e15;

/** A frame of a vehicle with a number in it. */
export function numbered(value: number, system = 1): Uint8Array {
  return new Encoder(dialect, { system, component: 1 }).message('NAMED_VALUE_INT', { name: 'n', value });
}

export const timeOfNumber = (value: number): number => START + value;

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

/** A message of the bus with frames of these numbers. @param id the first byte of the collector's id */
export function batchOf(values: readonly number[], number: number, id = 1, floor = number): Uint8Array {
  const builder = new BatchBuilder(newRun(new Uint8Array(8).fill(id), 1, 0), 'l', 1, '');
  for (const value of values) {
    const frame = numbered(value);
    builder.add(timeOfNumber(value), frame, 0, frame.length);
  }
  return withFloor(builder.take(number), floor);
}

/** The numbers in frames with times, one after the other; what follows a frame that is cut is not looked at. */
function numbersOf(bytes: Buffer): number[] {
  const header = new Header();
  const values: number[] = [];
  for (let at = 8; header.read(bytes, at) && header.end <= bytes.length; at = header.end + 8)
    if (header.id === NAMED_VALUE_INT) values.push(bytes.readInt32LE(header.payload + 4));
  return values;
}

/** The number of the last frame of a batch. */
export function lastOfBatch(batch: Uint8Array): number {
  return numbersOf(Buffer.from(batch.subarray(batch.length - numbered(1).length - 8)))[0];
}

/** The numbers in all telemetry logs of a folder, in the order of their names. */
export function numbersIn(folder: string): number[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tlog'))
    .sort()
    .flatMap((name) => numbersOf(readFileSync(join(folder, name))));
}

/** The numbers in the tables of a lake, lowest first. */
export async function numbersInLake(lake: string, vehicle?: string): Promise<number[]> {
  const database = await LakeDatabase.open(new Lake(lake));
  try {
    const where = vehicle === undefined ? '' : `WHERE vehicle = '${vehicle}'`;
    const found: number[] = [];
    if (!database.tables.some(({ name }) => name === 'NAMED_VALUE_INT')) return found;
    const sql = `SELECT value FROM NAMED_VALUE_INT ${where} ORDER BY 1`;
    for await (const [value] of (await database.query(sql)).rows()) found.push(Number(value));
    return found;
  } finally {
    database.close();
  }
}
