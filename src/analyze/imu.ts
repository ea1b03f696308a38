import type { Log } from '../core/log.ts';
import {
  eulerOfMatrix,
  IMU_FIELDS,
  IMU_FLAGS,
  IMU_SCHEMA,
  type ImuField,
  type ImuOptions,
  isValidImu,
  type MatrixInput,
  normalize,
  qualityOf,
  RADIANS,
  turnToNed,
} from '../formats/xbus/imu.ts';
import { LOCAL_FRAMES, type LocalFrame } from '../formats/xbus/schema.ts';
import { FILTER_VALID } from '../formats/xbus/status.ts';
import { TICK_MICROS, Ticks } from '../time/ticks.ts';
import { Packets } from '../time/xbus-packets.ts';

/** IMU data of a log: one row for each packet, as columns. */
export interface ImuTable {
  readonly rows: number;
  /** When each packet was made by the clock of the log, in microseconds. */
  readonly times: Float64Array;
  /** Which device sent it. */
  readonly bus: Uint8Array;
  /** Whether the row says anything about how the device moves or stands: 1 or 0. */
  readonly valid: Uint8Array;
  /** NaN where a packet does not hold the value. */
  readonly columns: Readonly<Record<ImuField, Float64Array>>;
}

/**
 * Reads the packets of XBUS devices as rows of IMU data. The raw items stay as they are; these are made from them, in
 * m/s², rad/s, °C and radians.
 */
export async function readImuData(log: Log, options: ImuOptions = {}): Promise<ImuTable> {
  const packets = new Packets(log.tables);
  const reader = new ImuReader(packets, options);
  await reader.read();
  const valid = Uint8Array.from(reader.columns.flags, (flags) => (isValidImu({ flags }) ? 1 : 0));
  return {
    rows: packets.count,
    times: await timesOf(log, packets),
    bus: packets.bus,
    valid,
    columns: reader.columns,
  };
}

/** The times of the packets are those of the records that are their headers. */
async function timesOf(log: Log, packets: Packets): Promise<Float64Array> {
  const times = new Float64Array(packets.count).fill(Number.NaN);
  for (const table of log.tables) {
    if (table.name !== 'MTData2' && table.name !== 'MTData') continue;
    const own = await table.times();
    packets.ofRows(table).forEach((packet, row) => {
      if (packet >= 0) times[packet] = own[row];
    });
  }
  return times;
}

class ImuReader {
  readonly columns: Record<ImuField, Float64Array>;
  private readonly packets: Packets;
  private readonly options: ImuOptions;

  constructor(packets: Packets, options: ImuOptions) {
    this.packets = packets;
    this.options = options;
    const empty = (): Float64Array => new Float64Array(packets.count).fill(Number.NaN);
    this.columns = Object.fromEntries(IMU_FIELDS.map((field) => [field, empty()])) as Record<ImuField, Float64Array>;
    this.columns.schema.fill(IMU_SCHEMA);
    this.columns.flags.fill(0);
  }

  async read(): Promise<void> {
    const { magneticScale = 1 } = this.options;
    await this.readTime();
    await this.readItem('Acceleration', 'x y z', ['accel_x', 'accel_y', 'accel_z'], IMU_FLAGS.ACCEL_VALID);
    await this.readItem('RateOfTurn', 'x y z', ['gyro_x', 'gyro_y', 'gyro_z'], IMU_FLAGS.GYRO_VALID);
    await this.readItem('MagneticField', 'x y z', ['mag_x', 'mag_y', 'mag_z'], IMU_FLAGS.MAG_VALID, magneticScale);
    await this.readItem('Temperature', 'value', ['temperature'], IMU_FLAGS.TEMPERATURE_VALID);
    await this.readQuaternion();
    await this.readMatrix();
    await this.readItem(
      'EulerAngles',
      'roll pitch yaw',
      ['euler_roll', 'euler_pitch', 'euler_yaw'],
      IMU_FLAGS.EULER_VALID,
      RADIANS,
    );
    await this.readStatus();
    const { flags, data_quality } = this.columns;
    for (let i = 0; i < flags.length; i++) data_quality[i] = qualityOf(flags[i]);
  }

  /** The device's own time, with all its wraps, and whether a packet is a new one. */
  private async readTime(): Promise<void> {
    const { packets, columns } = this;
    const fine = await packets.values('SampleTimeFine', 'value');
    const isGnss = packets.having('GnssPvtData', 'GnssSatInfo');
    columns.packet_counter.set(await packets.values('PacketCounter', 'value'));
    const lines = new Map<number, Ticks>();
    const last = new Float64Array(256).fill(Number.NaN);
    for (let i = 0; i < fine.length; i++) {
      const bus = packets.bus[i];
      const counter = columns.packet_counter[i];
      if (counter !== last[bus]) columns.flags[i] |= IMU_FLAGS.DATA_FRESH;
      last[bus] = counter;
      if (Number.isNaN(fine[i])) continue;
      const line = lines.get(bus) ?? new Ticks();
      lines.set(bus, line);
      columns.timestamp_us[i] = (isGnss[i] ? line.near(fine[i]) : line.next(fine[i])) * TICK_MICROS;
    }
  }

  /** Fields of an item into columns, times a factor; rows that have all of them get the flag. */
  private async readItem(
    name: string,
    fields: string,
    into: readonly ImuField[],
    flag: number,
    factor = 1,
  ): Promise<void> {
    const { columns } = this;
    const found = await this.packets.columns(name, fields.split(' '));
    const { flags } = columns;
    for (let i = 0; i < flags.length; i++) {
      let sum = 0;
      for (let k = 0; k < found.length; k++) {
        const value = found[k][i];
        sum += value;
        if (!Number.isNaN(value)) columns[into[k]][i] = value * factor;
      }
      if (Number.isFinite(sum)) flags[i] |= flag;
    }
  }

  private async readQuaternion(): Promise<void> {
    const { columns, packets } = this;
    const [w, x, y, z] = await packets.columns('Quaternion', ['w', 'x', 'y', 'z']);
    const frames = this.framesOf('Quaternion');
    const turns = this.options.quaternion !== 'as-sent';
    const q = new Float64Array(4);
    for (let i = 0; i < w.length; i++) {
      const isUnit = normalize(q, w[i], x[i], y[i], z[i]);
      if (isUnit) columns.flags[i] |= IMU_FLAGS.QUATERNION_VALID;
      if (isUnit && turns) turnToNed(q, LOCAL_FRAMES[frames[i]]);
      columns.quat_w[i] = q[0];
      columns.quat_x[i] = q[1];
      columns.quat_y[i] = q[2];
      columns.quat_z[i] = q[3];
    }
  }

  /** The local frame that an item of each packet is in, by its number. */
  private framesOf(name: string): Uint8Array {
    const frames = new Uint8Array(this.packets.count);
    for (const table of this.packets.named(name)) {
      const frame = LOCAL_FRAMES.indexOf(table.stream.split(':')[1] as LocalFrame);
      for (const packet of this.packets.ofRows(table)) if (packet >= 0) frames[packet] = Math.max(0, frame);
    }
    return frames;
  }

  /** Angles of packets that give a matrix; those that give angles too take these, which are read behind it. */
  private async readMatrix(): Promise<void> {
    const { columns, packets } = this;
    if (packets.named('RotationMatrix').length === 0) return;
    const [a, b, c, e, f, h, i] = await packets.columns('RotationMatrix', ['a', 'b', 'c', 'e', 'f', 'h', 'i']);
    const angles = new Float64Array(3);
    const matrix: { -readonly [name in keyof MatrixInput]: number } = { a: 0, b: 0, c: 0, e: 0, f: 0, h: 0, i: 0 };
    for (let k = 0; k < a.length; k++) {
      matrix.a = a[k];
      matrix.b = b[k];
      matrix.c = c[k];
      matrix.e = e[k];
      matrix.f = f[k];
      matrix.h = h[k];
      matrix.i = i[k];
      eulerOfMatrix(angles, matrix);
      columns.euler_roll[k] = angles[0];
      columns.euler_pitch[k] = angles[1];
      columns.euler_yaw[k] = angles[2];
      if (Number.isFinite(angles[0] + angles[1] + angles[2])) columns.flags[k] |= IMU_FLAGS.EULER_VALID;
    }
  }

  private async readStatus(): Promise<void> {
    const words = await this.packets.values('StatusWord', 'value');
    const bytes = await this.packets.values('StatusByte', 'value');
    const { flags } = this.columns;
    for (let i = 0; i < flags.length; i++) {
      if ((Number.isNaN(words[i]) ? bytes[i] : words[i]) & FILTER_VALID) flags[i] |= IMU_FLAGS.CALIBRATED;
    }
  }
}
