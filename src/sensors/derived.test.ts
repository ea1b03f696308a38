import { describe, expect, test } from 'vitest';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import { concat } from '../../test/suite/random.ts';
import { readBytes } from '../../test/suite/sample.ts';
import { openInput } from '../formats/open.ts';
import { encodeXbusPacket } from '../formats/xbus/encode.ts';
import { IMU_FIELDS } from '../formats/xbus/imu.ts';
import { xbus } from '../formats/xbus/index.ts';
import { derivedTables } from './derived.ts';
import type { DerivedRow, DerivedTable } from './derived-table.ts';
import { type ImuTable, readImuData } from './imu.ts';

async function rowsOf(table: DerivedTable): Promise<DerivedRow[]> {
  const rows: DerivedRow[] = [];
  for await (const row of table.records()) rows.push(row);
  return rows;
}

/** Rows of one device as `readImuData` has them in its columns. */
function rowsIn({ rows, times, offsets, bus, columns }: ImuTable, device: number): DerivedRow[] {
  const all = Array.from({ length: rows }, (_, row) => ({
    time: times[row],
    at: offsets[row],
    data: Object.fromEntries(
      IMU_FIELDS.map((field) => [field, Number.isNaN(columns[field][row]) ? null : columns[field][row]]),
    ),
  }));
  return all.filter((_, row) => bus[row] === device);
}

const packet = (bus: number, counter: number): Uint8Array =>
  encodeXbusPacket(
    [
      { item: 'PacketCounter', data: { value: counter & 0xffff } },
      { item: 'SampleTimeFine', data: { value: (4_294_900_000 + counter * 25) % 2 ** 32 } },
      { item: 'Acceleration', data: { x: counter, y: bus, z: 9.5 } },
      ...(counter % 3 === 0 ? [{ item: 'Quaternion', data: { w: 1, x: 0, y: 0, z: 0 } }] : []),
    ],
    { bus },
  );

test('rows of each device, the same in blocks as at once', async () => {
  // more packets than are read at a time, and a clock that begins again among them
  const frames = Array.from({ length: 20_000 }, (_, n) => packet(n % 4 === 0 ? 1 : 2, n));
  const log = await openInput(concat(...frames), { format: xbus });
  const tables = await derivedTables(log);
  expect(tables.map(({ name, stream }) => [name, stream])).toEqual([
    ['IMUData', '1'],
    ['IMUData', '2'],
  ]);
  const whole = await readImuData(log);
  for (const table of tables) {
    const rows = await rowsOf(table);
    expect(rows).toEqual(rowsIn(whole, Number(table.stream)));
    expect(rows.length).toBe(table.stream === '1' ? 5000 : 15_000);
    expect(rows.at(-1)?.data.timestamp_us).toBe((4_294_900_000 + (table.stream === '1' ? 19_996 : 19_999) * 25) * 100);
  }
});

test('fields have the units that values are in', async () => {
  const [table] = await derivedTables(await openInput(packet(255, 0), { format: xbus }));
  const units = new Map(table.fields.map(({ name, unit }) => [name, unit]));
  expect([...units.keys()]).toEqual([...IMU_FIELDS]);
  expect(units.get('accel_z')).toBe('m/s²');
  expect(units.get('gyro_x')).toBe('rad/s');
  expect(units.get('euler_yaw')).toBe('rad');
  expect(units.get('timestamp_us')).toBe('µs');
  expect(units.get('quat_w')).toBe('');
});

test('a log of a format that nothing is made of has none', async () => {
  const text = 'FMT, 128, 89, FMT, BBnNZ, Type,Length,Name,Format,Columns\n';
  expect(await derivedTables(await openInput(new TextEncoder().encode(text)))).toEqual([]);
});

needShared(describe, 'xbus')('recordings', () => {
  test.each(['1', '2', '4'])('%s has a row for each packet', async (name) => {
    const log = await openInput(readBytes(sharedData('xbus', name, 'output.bin')));
    const [table] = await derivedTables(log);
    expect(await rowsOf(table)).toEqual(rowsIn(await readImuData(log), 255));
  });
});
