import { describe, expect, test } from 'vitest';
import { needShared, sharedData } from '../../test/helpers/need.ts';
import { concat } from '../../test/suite/random.ts';
import { readBytes } from '../../test/suite/sample.ts';
import { openInput } from '../formats/open.ts';
import { encodeXbusPacket, type XbusOutgoingItem } from '../formats/xbus/encode.ts';
import { IMU_FIELDS, IMU_FLAGS, type ImuOptions } from '../formats/xbus/imu.ts';
import { xbus } from '../formats/xbus/index.ts';
import { parseXbusFrame } from '../formats/xbus/parse.ts';
import { type ImuTable, readImuData } from './imu.ts';

const open = async (frames: readonly Uint8Array[], options: ImuOptions = {}): Promise<ImuTable> =>
  readImuData(await openInput(concat(...frames), { format: xbus }), options);

const motion: XbusOutgoingItem = { item: 'Acceleration', data: { x: 1, y: 2, z: 9.5 } };
const counter = (value: number): XbusOutgoingItem => ({ item: 'PacketCounter', data: { value } });
const fine = (value: number): XbusOutgoingItem => ({ item: 'SampleTimeFine', data: { value } });

/** Each row is what its frame alone gives; times are longer where a counter has wrapped. */
function expectRows(table: ImuTable, frames: readonly Uint8Array[], options: ImuOptions): void {
  expect(table.rows).toBe(frames.length);
  frames.forEach((frame, row) => {
    const parsed = parseXbusFrame(frame, options);
    if (!parsed.ok || !parsed.imu) expect.fail('no IMU data');
    for (const field of IMU_FIELDS) {
      expect(table.columns[field][row], `${field} of packet ${row}`).toBe(parsed.imu[field]);
    }
    expect(table.valid[row]).toBe(parsed.valid ? 1 : 0);
  });
}

describe('rows', () => {
  const real = (item: string, values: readonly number[], rest: Partial<XbusOutgoingItem> = {}): XbusOutgoingItem => {
    const names =
      item === 'RotationMatrix' ? 'abcdefghi' : item === 'EulerAngles' ? '' : 'wxyz'.slice(4 - values.length);
    const fields = item === 'EulerAngles' ? ['roll', 'pitch', 'yaw'] : [...names];
    return { item, data: Object.fromEntries(values.map((value, k) => [fields[k], value])), ...rest };
  };
  const frames = [
    [counter(1), fine(100), motion, real('RateOfTurn', [0.1, 0.2, 0.3]), real('MagneticField', [0.4, 0.5, 0.6])],
    [counter(2), fine(200), real('Quaternion', [2, 0, 0, 0]), { item: 'StatusWord', data: { value: 2 } }],
    [counter(3), real('Quaternion', [0.5, 0.5, -0.5, 0.5], { frame: 'NED', format: 'float64' })],
    [counter(4), real('Quaternion', [0, 1, 2, 3], { frame: 'NWU', format: 'fp16.32' })],
    [counter(5), real('Quaternion', [0, 0.01, 0, 0]), { item: 'StatusByte', data: { value: 7 } }],
    [counter(6), real('EulerAngles', [10, 20, 30]), { item: 'Temperature', data: { value: 31.5 } }],
    [counter(7), real('RotationMatrix', [0, 1, 0, -1, 0, 0, 0, 0, 1])],
    [counter(8), real('RotationMatrix', [0, 0, -1, 0, 1, 0, 1, 0, 0]), real('EulerAngles', [1, 2, 3])],
    [counter(9), { item: 'BaroPressure', data: { value: 101_325 } }],
    [motion],
    // of two accelerations that of the sensor's own frame, of two quaternions that to north, east, down
    [counter(10), { ...motion, frame: 'NED', data: { x: 7, y: 8, z: 9 } }, motion],
    [counter(11), motion, { ...motion, frame: 'NED', data: { x: 7, y: 8, z: 9 } }],
    [counter(12), real('Quaternion', [0.5, 0.5, 0.5, 0.5], { frame: 'NED' }), real('Quaternion', [1, 0, 0, 0])],
  ].map((items) => encodeXbusPacket(items as XbusOutgoingItem[]));

  test.each<ImuOptions>([{}, { quaternion: 'as-sent' }, { magneticScale: 48.5 }])(
    'are those of single frames, %j',
    async (options) => {
      expectRows(await open(frames, options), frames, options);
    },
  );

  test('are there for packets that say nothing of motion', async () => {
    const table = await open(frames);
    expect([...table.valid]).toEqual([1, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1]);
  });

  test('are of the better one of two items of a kind', async () => {
    const { columns } = await open(frames);
    expect([...columns.accel_x.subarray(10, 12)]).toEqual([1, 1]);
    expect([columns.quat_w[12], columns.quat_z[12]]).toEqual([0.5, 0.5]);
  });
});

test('the time of the device goes on when its counter begins again', async () => {
  const frames = [4_294_967_200, 4_294_967_290, 90].map((ticks, k) =>
    encodeXbusPacket([counter(k), fine(ticks), motion]),
  );
  const { columns, times } = await open(frames);
  expect([...columns.timestamp_us]).toEqual([429_496_720_000, 429_496_729_000, 429_496_738_600]);
  expect([...times]).toEqual([...columns.timestamp_us]);
});

test('a packet that comes twice is not fresh', async () => {
  const frames = [1, 2, 2, 3].map((value) => encodeXbusPacket([counter(value), motion]));
  const { columns } = await open(frames);
  expect([...columns.flags].map((flags) => (flags & IMU_FLAGS.DATA_FRESH) !== 0)).toEqual([true, true, false, true]);
});

test('a log without packets has no rows', async () => {
  const table = await open([]);
  expect(table.rows).toBe(0);
  expect(table.columns.accel_x.length).toBe(0);
});

needShared(describe, 'xbus')('recordings', () => {
  test.each(['1', '2', '4'])('%s has a row for every packet', async (name) => {
    const bytes = readBytes(sharedData('xbus', name, 'output.bin'));
    const log = await openInput(bytes);
    const table = await readImuData(log);
    const headers = log.table('MTData2');
    const frames = Array.from({ length: headers?.rows ?? 0 }, (_, row) => bytes.subarray(headers?.offsets.at(row)));
    expectRows(table, frames, {});
    expect(table.times.every((time) => time > Date.UTC(2019, 0, 20) * 1000)).toBe(true);
    // packets with GNSS data alone say nothing of motion
    expect(table.valid.filter((valid) => valid === 0).length).toBe(4);
  });
});
