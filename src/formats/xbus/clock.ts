import type { Clock } from '../../core/clock.ts';
import type { Table } from '../../core/table.ts';
import { Packets } from './packets.ts';
import { PacketTimes, samplePeriod } from './times.ts';

/**
 * The clock of an XBUS stream. All that stands in a packet has the time of the packet, and a message between packets
 * that of the packet before it. The time of a packet is, in the order of how good it is:
 *
 *   utc-time       its own UtcTime where the device calls it valid; SampleTimeFine carries it on to packets without it
 *   gnss           SampleTimeFine, put on UTC by the first GnssPvtData with a valid date and time
 *   sample-time    SampleTimeFine: times count from the start of the device
 *   sample-counter the packet counter of old devices, at the period that their configuration states
 */
export async function xbusClock(tables: readonly Table[]): Promise<Clock> {
  const packets = new Packets(tables);
  const utc = await firstValid(packets.named('UtcTime'), 'flags', UTC_VALID);
  if (utc !== undefined) {
    const source = `UtcTime record at offset ${utc} is the first valid one`;
    return new XbusClock('utc-time', true, source, utc, packets);
  }
  const timed = hasValues(packets, 'SampleTimeFine');
  const gnss = await firstValid(packets.named('GnssPvtData'), 'valid', DATE_AND_TIME);
  if (gnss !== undefined && timed) {
    const source = `GnssPvtData record at offset ${gnss} is the first with a valid date and time`;
    return new XbusClock('gnss', true, source, gnss, packets);
  }
  if (timed) {
    const source = 'no packet has a valid UTC time: times count from the start of the device';
    return new XbusClock('sample-time', false, source, undefined, packets);
  }
  if (hasValues(packets, 'PacketCounter') && (await samplePeriod(packets)) !== undefined) {
    const source = 'packets have a counter and no time: times count from the first packet';
    return new XbusClock('sample-counter', false, source, undefined, packets);
  }
  return new XbusClock('none', false, 'no packet carries a time', undefined, packets);
}

/** Whether an item is there, and not only in lengths that it cannot have. */
function hasValues(packets: Packets, name: string): boolean {
  return packets.named(name).some((table) => table.field('value'));
}

/** Bits of UtcTime.flags and GnssPvtData.valid. */
const UTC_VALID = 4;
const DATE_AND_TIME = 3;
/** Rows looked at at a time: the first valid one is mostly near the beginning. */
const BLOCK = 1024;

/** Where the first record stands that has all of some bits set in a field. */
async function firstValid(tables: readonly Table[], field: string, bits: number): Promise<number | undefined> {
  let first: number | undefined;
  for (const table of tables) {
    const row = table.field(field) ? await firstRow(table, field, bits) : -1;
    if (row >= 0) first = Math.min(first ?? Number.POSITIVE_INFINITY, table.offsets.at(row));
  }
  return first;
}

async function firstRow(table: Table, field: string, bits: number): Promise<number> {
  for (let from = 0; from < table.rows; from += BLOCK) {
    const flags = (await table.column(field, { from, to: from + BLOCK })).numbers();
    const found = flags.findIndex((value) => (value & bits) === bits);
    if (found >= 0) return from + found;
  }
  return -1;
}

class XbusClock implements Clock {
  readonly kind: string;
  readonly utc: boolean;
  readonly source: string;
  readonly baseOffset: number | undefined;
  readonly timesAll = true;
  /** What shows only when all packets are looked at is added then. */
  readonly remarks: string[] = [];
  private readonly packets: Packets;
  private found: Promise<Float64Array> | undefined;

  constructor(kind: string, utc: boolean, source: string, baseOffset: number | undefined, packets: Packets) {
    this.kind = kind;
    this.utc = utc;
    this.source = source;
    this.baseOffset = baseOffset;
    this.packets = packets;
  }

  /** No table has a time of its own: that of its rows is that of the packets they stand in. */
  field(): undefined {
    return undefined;
  }

  fromField(): Float64Array {
    return new Float64Array(0);
  }

  async times(table: Table, from: number, to: number): Promise<Float64Array> {
    const times = new Float64Array(Math.max(0, to - from)).fill(Number.NaN);
    if (this.kind === 'none') return times;
    this.found ??= this.find();
    const ofPackets = await this.found;
    const packets = this.packets.ofRows(table, from, to);
    // what comes before the first packet takes its time
    for (let i = 0; i < times.length; i++) times[i] = ofPackets[Math.max(0, packets[i])] ?? Number.NaN;
    return times;
  }

  private async find(): Promise<Float64Array> {
    const times = await PacketTimes.of(this.packets, this.kind);
    this.remarks.push(...times.remarks);
    if (!this.utc) chain(times.micros);
    return times.micros;
  }
}

/** Microseconds by which a time may be before the last one without a restart of the device. */
const BACK = 10e6;

/** Lets the times of a device that was started again go on from the last one. */
function chain(micros: Float64Array): void {
  let [shift, last] = [0, Number.NaN];
  for (let i = 0; i < micros.length; i++) {
    if (micros[i] + shift < last - BACK) shift = last - micros[i];
    micros[i] += shift;
    if (!(micros[i] < last)) last = micros[i];
  }
}
