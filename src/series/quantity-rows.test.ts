import { describe, expect, test } from 'vitest';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { ESC_TELEMETRY, IMUS, PACKS } from './quantities.ts';
import { readSeries } from './quantity-rows.ts';

/** Two ESCs with 200 rows each, one row of an ESC 212, and bytes that are not part of a record. */
function escs(damage: number): MadeLog {
  const made = new MadeLog()
    .define('FMTU', 'QBNN', 'TimeUS,FmtType,UnitIds,MultIds')
    .define('ESC', 'QBff', 'TimeUS,Instance,RPM,Err');
  made.add('FMTU', 0, made.typeOf('ESC'), 's#q%', 'F---');
  for (let k = 0; k < 200; k++) {
    for (const instance of [0, 1]) made.add('ESC', k * 10_000, instance, 5000, k === 7 ? 3e15 : k === 8 ? -1 : k / 2);
  }
  return made.raw(new Uint8Array(damage).fill(7)).add('ESC', 2_000_000, 212, 3, 4);
}

describe('readings', () => {
  test('leave out what cannot be measured', async () => {
    const [{ values }] = await readSeries(await escs(0).open(), ESC_TELEMETRY);
    expect([...(values.errorRate ?? [])].slice(6, 10)).toEqual([3, Number.NaN, Number.NaN, 4.5]);
    const made = new MadeLog().define('IMU', 'Qff', 'TimeUS,GyrX,AccZ');
    for (const [k, gyro, accel] of [
      [0, 0.5, -9.75],
      [1, 3999, 401],
      [2, -69, 392],
    ])
      made.add('IMU', k, gyro, accel);
    const [imu] = await readSeries(await made.open(), IMUS);
    expect([...(imu.values.gx ?? [])]).toEqual([0.5, Number.NaN, -69]);
    expect([...(imu.values.az ?? [])]).toEqual([-9.75, Number.NaN, 392]);
  });

  test('leave out an instance of single rows where bytes are lost, and only there', async () => {
    const instances = async (damage: number): Promise<string[]> =>
      (await readSeries(await escs(damage).open(), ESC_TELEMETRY)).map(({ instance }) => instance);
    expect(await instances(0)).toEqual(['0', '1', '212']);
    expect(await instances(5)).toEqual(['0', '1']);
  });

  test('leave out single values that both neighbours contradict where bytes are lost, and only there', async () => {
    const voltages = async (damage: number): Promise<number[]> => {
      const made = new MadeLog().define('BAT', 'Qff', 'TimeUS,Volt,Curr').raw(new Uint8Array(damage).fill(7));
      // a spike, a step that stays, and noise
      for (let k = 0; k < 100; k++) made.add('BAT', k * 100_000, k === 40 ? 3e7 : k < 60 ? 12 : 9, k % 3);
      const [{ values }] = await readSeries(await made.open(), PACKS);
      expect(values.current?.some(Number.isNaN)).toBe(false);
      return [...(values.volts ?? [])];
    };
    expect((await voltages(0))[40]).toBe(3e7);
    const cleaned = await voltages(5);
    expect(cleaned.flatMap((value, row) => (Number.isNaN(value) ? [row] : []))).toEqual([40]);
    expect(cleaned.slice(59, 61)).toEqual([12, 9]);
  });
});
