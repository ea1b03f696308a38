import type { Value } from '../core/column.ts';
import type { Log } from '../core/log.ts';
import type { Table } from '../core/table.ts';
import { IMU_FIELDS, type ImuField, type ImuOptions } from '../formats/xbus/imu.ts';
import { isPacketHeader } from '../formats/xbus/packets.ts';
import type { DerivedField, DerivedRow, DerivedTable } from './derived-table.ts';
import { readImuBlocks } from './imu.ts';

const NAME = 'IMUData';

/** Units by the beginning of a field's name. The magnetic field is as the device sends it: 1 where it was calibrated. */
const UNITS: readonly (readonly [start: string, unit: string])[] = [
  ['timestamp_us', 'µs'],
  ['accel', 'm/s²'],
  ['gyro', 'rad/s'],
  ['mag', 'a.u.'],
  ['temperature', 'degC'],
  ['euler', 'rad'],
];

const FIELDS: readonly DerivedField[] = IMU_FIELDS.map((name) => ({ name, unit: unitOf(name) }));

function unitOf(name: ImuField): string {
  return UNITS.find(([start]) => name.startsWith(start))?.[1] ?? '';
}

/** IMU data as a derived table for each device: one row for each packet. */
export function imuTables(log: Log, options: ImuOptions = {}): DerivedTable[] {
  const byDevice = new Map<string, Table[]>();
  for (const table of log.tables) {
    const device = table.stream.split(':')[0];
    const tables = byDevice.get(device);
    if (tables) tables.push(table);
    else byDevice.set(device, [table]);
  }
  return [...byDevice]
    .filter(([, tables]) => tables.some(isPacketHeader))
    .map(([stream, tables]) => ({ name: NAME, stream, fields: FIELDS, rows: () => rowsOf(tables, options) }));
}

async function* rowsOf(tables: readonly Table[], options: ImuOptions): AsyncGenerator<DerivedRow> {
  for await (const { rows, times, offsets, columns } of readImuBlocks(tables, options)) {
    for (let row = 0; row < rows; row++) {
      const data: Record<string, Value> = {};
      for (const field of IMU_FIELDS) {
        const value = columns[field][row];
        data[field] = Number.isNaN(value) ? null : value;
      }
      yield { time: times[row], at: offsets[row], data };
    }
  }
}
