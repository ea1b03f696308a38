import { readFileSync } from 'node:fs';
import type { RecordTable } from '../../src/core/table.ts';
import { trimDataflash } from '../../src/export/dataflash.ts';
import { openInput } from '../../src/formats/open.ts';
import { Lake } from '../../src/lake/lake.ts';
import { LakeDatabase } from '../../src/lake/lake-database.ts';
import { jsonOf } from '../../src/sql/result.ts';
import { SAMPLE } from '../helpers/cli.ts';

/** Tables that tell a flight, its battery, its parameters and its path. */
const KEPT = ['BAT', 'EV', 'GPS', 'MODE', 'MSG', 'PARM'];

/** The sample with few of its tables: a whole flight in a tenth of a megabyte or two. */
export async function smallFlight(): Promise<Uint8Array> {
  const log = await openInput(new Uint8Array(readFileSync(SAMPLE)));
  const tables = new Set(log.tables.filter(({ name }) => KEPT.includes(name)));
  const pieces: Uint8Array[] = [];
  for await (const piece of trimDataflash(log, { tables })) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}

export interface Changes {
  /** 32 hexadecimal digits in the place of the machine id that the log tells. */
  readonly machine?: string;
  /** Days by which all of it is later. */
  readonly days?: number;
  /** What is added to the voltage of the battery. */
  readonly volts?: number;
  /** A parameter and the value that it has from the beginning. */
  readonly parameter?: readonly [name: string, value: number];
}

/** The machine id that the sample tells, and the vehicle that follows from it. */
const SAMPLE_MACHINE = '3d1219c7c4c5404aaa1f6d2a48adfda4';
export const SAMPLE_VEHICLE = '3d1219c7c4c5404a';

const WEEK = 7 * 24 * 60 * 60 * 1000;

/** The same flight by another vehicle on another day: ids and times are changed in the bytes. */
export async function changedFlight(flight: Uint8Array, changes: Changes): Promise<Uint8Array> {
  const bytes = flight.slice();
  const view = new DataView(bytes.buffer);
  const log = await openInput(bytes);
  const at = (table: RecordTable, row: number, field: string): number =>
    table.offsets.at(row) + (table.field(field)?.offset ?? Number.NaN);
  const { machine, days = 0, volts = 0, parameter } = changes;
  for (const table of log.tables) {
    for (let row = 0; row < table.rows; row++) {
      if (table.name === 'GPS' && days !== 0) {
        const [weekAt, millisAt] = [at(table, row, 'GWk'), at(table, row, 'GMS')];
        const week = view.getUint16(weekAt, true);
        if (week === 0) continue;
        const millis = week * WEEK + view.getUint32(millisAt, true) + (days * WEEK) / 7;
        view.setUint16(weekAt, Math.floor(millis / WEEK), true);
        view.setUint32(millisAt, millis % WEEK, true);
      }
      if (table.name === 'BAT' && volts !== 0) {
        const place = at(table, row, 'Volt');
        view.setFloat32(place, view.getFloat32(place, true) + volts, true);
      }
    }
  }
  if (machine !== undefined) {
    const place = Buffer.from(bytes.buffer).indexOf(SAMPLE_MACHINE);
    bytes.set(Buffer.from(machine, 'latin1'), place);
  }
  const table = log.table('PARM');
  if (parameter && table) {
    const names = await table.column('Name');
    for (let row = 0; row < table.rows; row++) {
      if (names.at(row) === parameter[0]) view.setFloat32(at(table, row, 'Value'), parameter[1], true);
    }
  }
  return bytes;
}

/** A machine id by a number. */
export function machineId(vehicle: number): string {
  return `${vehicle.toString(16).padStart(16, 'a')}${SAMPLE_MACHINE.slice(16)}`;
}

/** What a lake answers. @param lake it, or its folder */
export async function ask(lake: Lake | string, sql: string): Promise<unknown[][]> {
  const database = await LakeDatabase.open(typeof lake === 'string' ? new Lake(lake) : lake);
  try {
    const rows: unknown[][] = [];
    for await (const row of (await database.query(sql)).rows()) rows.push(row.map(jsonOf));
    return rows;
  } finally {
    database.close();
  }
}
