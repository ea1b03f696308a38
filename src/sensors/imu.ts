import type { Value } from '../core/column.ts';
import type { Log } from '../core/log.ts';
import { getOrAdd } from '../core/maps.ts';
import type { RecordTable } from '../core/table.ts';
import {
  attitudeOf,
  IMU_FIELDS,
  IMU_FLAGS,
  IMU_SCHEMA,
  type ImuField,
  type ImuOptions,
  isValidImu,
  qualityOf,
} from '../formats/xbus/imu.ts';
import { isPacketHeader, type PacketRange, Packets } from '../formats/xbus/packets.ts';
import { LOCAL_FRAMES, type LocalFrame } from '../formats/xbus/schema.ts';
import { FILTER_VALID } from '../formats/xbus/status.ts';
import { TICK_MICROS, Ticks } from '../time/ticks.ts';
import { type DerivedField, type DerivedRow, DerivedTable } from './derived-table.ts';

/** IMU data: one row for each packet, as columns. */
export interface ImuTable {
  readonly rows: number;
  /** When each packet was made by the clock of the log, in microseconds. */
  readonly times: Float64Array;
  /** Where each packet begins in the source. */
  readonly offsets: Float64Array;
  /** Which device sent it. */
  readonly bus: Uint8Array;
  /** Whether the row says anything about motion or attitude: 1 or 0. */
  readonly valid: Uint8Array;
  /** NaN if a packet does not hold the value. */
  readonly columns: Readonly<Record<ImuField, Float64Array>>;
}

/** One item of all packets of a block: its numbers, in memory that the next row uses again. */
interface ItemRows {
  at(row: number): Float64Array;
  frameAt(row: number): LocalFrame;
}

/** Packets that are read at a time. */
const BLOCK = 8192;

/** Reads the packets of XBUS devices as rows of IMU data: m/s², rad/s, °C, radians. Raw items stay as they are. */
export async function readImuData(log: Log, options: ImuOptions = {}): Promise<ImuTable> {
  const packets = new Packets(log.tables);
  const whole = emptyTable(packets, { from: 0, to: packets.count });
  let row = 0;
  for await (const { rows, times, valid, columns } of blocksOf(packets, options)) {
    whole.times.set(times, row);
    whole.valid.set(valid, row);
    for (const field of IMU_FIELDS) whole.columns[field].set(columns[field], row);
    row += rows;
  }
  return whole;
}

/** The same in blocks, so that a log of any size fits in memory; of one device only, where its tables are given. */
export async function* readImuBlocks(
  tables: readonly RecordTable[],
  options: ImuOptions = {},
): AsyncGenerator<ImuTable> {
  yield* blocksOf(new Packets(tables), options);
}

async function* blocksOf(packets: Packets, options: ImuOptions): AsyncGenerator<ImuTable> {
  const reader = new ImuReader(packets, options);
  for (let from = 0; from < packets.count; from += BLOCK) {
    yield await reader.read({ from, to: Math.min(packets.count, from + BLOCK) });
  }
}

function emptyTable(packets: Packets, { from, to }: PacketRange): ImuTable {
  const rows = to - from;
  const empty = (): Float64Array => new Float64Array(rows).fill(Number.NaN);
  const columns = Object.fromEntries(IMU_FIELDS.map((field) => [field, empty()])) as Record<ImuField, Float64Array>;
  columns.schema.fill(IMU_SCHEMA);
  columns.flags.fill(0);
  const offsets = packets.offsets.subarray(from, to);
  return { rows, times: empty(), offsets, bus: packets.bus.subarray(from, to), valid: new Uint8Array(rows), columns };
}

/** Reads packets block after block: counters go on from one to the next. */
class ImuReader {
  private readonly packets: Packets;
  private readonly options: ImuOptions;
  /** The clock of each device, and its last packet counter. */
  private readonly lines: Map<number, Ticks> = new Map();
  private readonly last = new Float64Array(256).fill(Number.NaN);
  private range: PacketRange = { from: 0, to: 0 };
  private table: ImuTable;

  constructor(packets: Packets, options: ImuOptions) {
    this.packets = packets;
    this.options = options;
    this.table = emptyTable(packets, this.range);
  }

  private get columns(): ImuTable['columns'] {
    return this.table.columns;
  }

  async read(range: PacketRange): Promise<ImuTable> {
    const { magneticScale = 1 } = this.options;
    this.range = range;
    this.table = emptyTable(this.packets, range);
    await this.readTimes();
    await this.readCounters();
    await this.readItem('Acceleration', 'x y z', ['accel_x', 'accel_y', 'accel_z'], IMU_FLAGS.ACCEL_VALID);
    await this.readItem('RateOfTurn', 'x y z', ['gyro_x', 'gyro_y', 'gyro_z'], IMU_FLAGS.GYRO_VALID);
    await this.readItem('MagneticField', 'x y z', ['mag_x', 'mag_y', 'mag_z'], IMU_FLAGS.MAG_VALID, magneticScale);
    await this.readItem('Temperature', 'value', ['temperature'], IMU_FLAGS.TEMPERATURE_VALID);
    await this.readAttitude();
    await this.readStatus();
    const { valid, columns } = this.table;
    for (let i = 0; i < valid.length; i++) {
      columns.data_quality[i] = qualityOf(columns.flags[i]);
      valid[i] = isValidImu({ flags: columns.flags[i] }) ? 1 : 0;
    }
    return this.table;
  }

  /** The times of the packets are those of the records that are their headers. */
  private async readTimes(): Promise<void> {
    const { packets, range, table } = this;
    for (const header of packets.headers) {
      const rows = packets.rowsIn(header, range);
      const own = await header.times(rows);
      packets.ofRows(header, rows.from, rows.to).forEach((packet, row) => {
        table.times[packet - range.from] = own[row];
      });
    }
  }

  /** The device's own time, with all its wraps, and whether a packet is a new one. */
  private async readCounters(): Promise<void> {
    const { packets, range, columns, lines, last } = this;
    const { bus } = this.table;
    const fine = await packets.values('SampleTimeFine', 'value', range);
    const isGnss = packets.having(['GnssPvtData', 'GnssSatInfo'], range);
    columns.packet_counter.set(await packets.values('PacketCounter', 'value', range));
    for (let i = 0; i < fine.length; i++) {
      const counter = columns.packet_counter[i];
      if (counter !== last[bus[i]]) columns.flags[i] |= IMU_FLAGS.DATA_FRESH;
      last[bus[i]] = counter;
      if (Number.isNaN(fine[i])) continue;
      const line = getOrAdd(lines, bus[i], () => new Ticks());
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
    const found = await this.packets.columns(name, fields.split(' '), this.range);
    const { flags } = columns;
    for (let i = 0; i < flags.length; i++) {
      let isWhole = true;
      for (let k = 0; k < found.length; k++) {
        const value = found[k][i];
        isWhole = isWhole && Number.isFinite(value);
        columns[into[k]][i] = value * factor;
      }
      if (isWhole) flags[i] |= flag;
    }
  }

  private async readAttitude(): Promise<void> {
    const { columns, options } = this;
    const quaternion = await this.rowsOf('Quaternion', 'w x y z');
    const euler = await this.rowsOf('EulerAngles', 'roll pitch yaw');
    const matrix = await this.rowsOf('RotationMatrix', 'a b c d e f g h i');
    const [q, angles] = [new Float64Array(4), new Float64Array(3)];
    for (let i = 0; i < columns.flags.length; i++) {
      const sent = {
        quaternion: quaternion.at(i),
        quaternionFrame: quaternion.frameAt(i),
        euler: euler.at(i),
        eulerFrame: euler.frameAt(i),
        matrix: matrix.at(i),
        matrixFrame: matrix.frameAt(i),
      };
      columns.flags[i] |= attitudeOf(q, angles, sent, options.quaternion);
      columns.quat_w[i] = q[0];
      columns.quat_x[i] = q[1];
      columns.quat_y[i] = q[2];
      columns.quat_z[i] = q[3];
      columns.euler_roll[i] = angles[0];
      columns.euler_pitch[i] = angles[1];
      columns.euler_yaw[i] = angles[2];
    }
  }

  /** The numbers of an item of each packet, and the local frame that they are in. */
  private async rowsOf(name: string, fields: string): Promise<ItemRows> {
    const found = await this.packets.columns(name, fields.split(' '), this.range);
    const frames = this.framesOf(name);
    const row = new Float64Array(found.length);
    return {
      at: (i) => {
        for (let k = 0; k < found.length; k++) row[k] = found[k][i];
        return row;
      },
      frameAt: (i) => LOCAL_FRAMES[frames[i]],
    };
  }

  /** The local frame that an item of each packet is in, by its number. */
  private framesOf(name: string): Uint8Array {
    const { packets, range } = this;
    const frames = new Uint8Array(range.to - range.from);
    for (const table of packets.named(name)) {
      const frame = Math.max(0, LOCAL_FRAMES.indexOf(table.stream.split(':')[1] as LocalFrame));
      const rows = packets.rowsIn(table, range);
      for (const packet of packets.ofRows(table, rows.from, rows.to)) {
        if (packet >= range.from) frames[packet - range.from] = frame;
      }
    }
    return frames;
  }

  private async readStatus(): Promise<void> {
    const words = await this.packets.values('StatusWord', 'value', this.range);
    const bytes = await this.packets.values('StatusByte', 'value', this.range);
    const { flags } = this.columns;
    for (let i = 0; i < flags.length; i++) {
      if ((Number.isNaN(words[i]) ? bytes[i] : words[i]) & FILTER_VALID) flags[i] |= IMU_FLAGS.CALIBRATED;
    }
  }
}

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
  const byDevice = new Map<string, RecordTable[]>();
  for (const table of log.tables) getOrAdd(byDevice, table.stream.split(':')[0], () => []).push(table);
  return [...byDevice]
    .filter(([, tables]) => tables.some(isPacketHeader))
    .map(
      ([stream, tables]) =>
        new DerivedTable({ name: NAME, stream, fields: FIELDS, records: () => rowsOf(tables, options) }),
    );
}

async function* rowsOf(tables: readonly RecordTable[], options: ImuOptions): AsyncGenerator<DerivedRow> {
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
