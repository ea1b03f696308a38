import type { Clock } from '../../core/clock.ts';
import type { RecordTable } from '../../core/table.ts';
import { words } from '../../core/text.ts';
import { joinedClock } from '../../time/joined-clock.ts';
import { TICK_MICROS, Ticks } from '../../time/ticks.ts';
import { Packets } from './packets.ts';

/**
 * The clock of an XBUS stream. Everything in a packet has the time of the packet, and a message between packets
 * that of the packet before it. The time of a packet is, in the order of how good it is:
 *
 *   utc-time       its own UtcTime where the device calls it valid; SampleTimeFine carries it on to packets without it
 *   gnss           SampleTimeFine, put on UTC by the first GnssPvtData with a valid date and time
 *   sample-time    SampleTimeFine: times count from the start of the device
 *   sample-counter the packet counter of old devices, at the period that their configuration states
 */
export async function xbusClock(tables: readonly RecordTable[]): Promise<Clock> {
  if (!(await maySayRestart(tables))) return deviceClock(tables);
  const starts = await startsOf(new Packets(tables));
  if (starts.length > 0) return joinedClock(tables, starts, deviceClock);
  const clock = await deviceClock(tables);
  await clock.findRange();
  return clock;
}

/** Rows that are looked at for a restart: opening a log does not walk over all its packets. */
const SAMPLES = 64;
/** Restarts that are kept apart. */
const RESTARTS = 256;

async function maySayRestart(tables: readonly RecordTable[]): Promise<boolean> {
  const table = tables.find(({ name, rows, schema }) => {
    return name === 'SampleTimeFine' && rows > 0 && schema.fields.some((field) => field.name === 'value');
  });
  let last = Number.NEGATIVE_INFINITY;
  for (let i = 0; table && i <= SAMPLES; i++) {
    const row = Math.floor(((table.rows - 1) * i) / SAMPLES);
    const [value] = (await table.column('value', { from: row, to: row + 1 })).numbers();
    if (value < last) return true;
    last = value;
  }
  return false;
}

/** Packets with which the only device of a stream counts from its start again. */
async function startsOf(packets: Packets): Promise<number[]> {
  const [fine, isGnss] = [await packets.values('SampleTimeFine', 'value'), packets.having(GNSS_ITEMS)];
  const line = new Ticks();
  const starts: number[] = [];
  if (packets.bus.some((bus) => bus !== packets.bus[0])) return starts;
  for (let i = 0; i < fine.length && starts.length < RESTARTS; i++) {
    if (Number.isNaN(fine[i]) || isGnss[i]) continue;
    line.next(fine[i]);
    if (line.restarts > starts.length) starts.push(packets.offsets[i]);
  }
  return starts;
}

async function deviceClock(tables: readonly RecordTable[]): Promise<XbusClock> {
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

/** What is in packets of a fix. */
const GNSS_ITEMS: readonly string[] = ['GnssPvtData', 'GnssSatInfo'];

/** Whether an item is there, and not only in lengths that it cannot have. */
function hasValues(packets: Packets, name: string): boolean {
  return packets.named(name).some((table) => table.field('value'));
}

/** Bits of UtcTime.flags and GnssPvtData.valid. */
const UTC_VALID = 4;
const DATE_AND_TIME = 3;
/** Rows looked at at a time: the first valid one is mostly near the beginning. */
const BLOCK = 1024;

async function firstValid(tables: readonly RecordTable[], field: string, bits: number): Promise<number | undefined> {
  let first: number | undefined;
  for (const table of tables) {
    const row = table.field(field) ? await firstRow(table, field, bits) : -1;
    if (row >= 0) first = Math.min(first ?? Number.POSITIVE_INFINITY, table.offsets.at(row));
  }
  return first;
}

async function firstRow(table: RecordTable, field: string, bits: number): Promise<number> {
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
  range: Clock['range'];
  private readonly packets: Packets;
  private found: Promise<Float64Array> | undefined;

  constructor(kind: string, utc: boolean, source: string, baseOffset: number | undefined, packets: Packets) {
    this.kind = kind;
    this.utc = utc;
    this.source = source;
    this.baseOffset = baseOffset;
    this.packets = packets;
  }

  /** For packets that are not in order. */
  async findRange(): Promise<void> {
    this.found ??= this.find();
    let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const time of await this.found) [start, end] = [Math.min(start, time), Math.max(end, time)];
    if (start <= end) this.range = { start, end };
  }

  /** No table has a time field: its rows have the times of their packets. */
  field(): undefined {
    return undefined;
  }

  fromField(): Float64Array {
    return new Float64Array(0);
  }

  async times(table: RecordTable, from: number, to: number): Promise<Float64Array> {
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

const SECOND = 1e6;
/** The clock that old devices take their samples by. */
const SAMPLE_CLOCK = 115_200;
const COUNTER_WRAP = 65_536;

/** The time of every packet of a stream, in microseconds. */
class PacketTimes {
  readonly micros: Float64Array;
  readonly remarks: string[] = [];
  private readonly packets: Packets;
  /** Time by the device's own clock, and what is known of UTC; NaN if a packet has none. */
  private device: Float64Array;
  private utc: Float64Array;
  /** Counts the starts of each device, so that what one of them says is not used for another. */
  private readonly start: Int32Array;

  private constructor(packets: Packets) {
    this.packets = packets;
    this.micros = new Float64Array(packets.count).fill(Number.NaN);
    this.device = new Float64Array(0);
    this.utc = this.micros;
    this.start = new Int32Array(packets.count);
  }

  static async of(packets: Packets, kind: string): Promise<PacketTimes> {
    const times = new PacketTimes(packets);
    times.device = kind === 'sample-counter' ? await times.counted() : await times.ticked();
    if (kind === 'utc-time')
      times.utc = await times.dated('UtcTime', 'year month day hour minute second ns flags', UTC_VALID);
    else if (kind === 'gnss')
      times.utc = await times.dated('GnssPvtData', 'year month day hour min sec nano valid', DATE_AND_TIME);
    if (kind === 'utc-time' || kind === 'gnss') times.align(kind === 'utc-time');
    else times.micros.set(times.device);
    times.fill();
    return times;
  }

  /** Time since the start of each device. Packets with fixes carry an earlier time, or none. */
  private async ticked(): Promise<Float64Array> {
    const { packets } = this;
    const fine = await packets.values('SampleTimeFine', 'value');
    const coarse = await packets.values('SampleTimeCoarse', 'value');
    const isGnss = packets.having(GNSS_ITEMS);
    const lines = new Map<number, Ticks>();
    for (let i = 0; i < fine.length; i++) {
      if (Number.isNaN(fine[i])) continue;
      const line = lines.get(packets.bus[i]) ?? new Ticks();
      lines.set(packets.bus[i], line);
      // seconds and the ticks within them, where a device sends both: these never begin again
      const value = Number.isNaN(coarse[i]) ? fine[i] : coarse[i] * 10_000 + (fine[i] % 10_000);
      fine[i] = (isGnss[i] ? line.near(value) : line.next(value)) * TICK_MICROS;
      this.start[i] = line.restarts;
    }
    const restarts = [...lines.values()].reduce((sum, line) => sum + line.restarts, 0);
    const often = restarts === 1 ? 'once' : `${restarts} times`;
    if (restarts > 0) this.remarks.push(`the device rebooted ${often}: times count from its last start`);
    return fine;
  }

  /** Old devices: the packet counter times the period that was configured. */
  private async counted(): Promise<Float64Array> {
    const { packets } = this;
    const counters = await packets.values('PacketCounter', 'value');
    const step = (await samplePeriod(packets)) ?? Number.NaN;
    const totals = new Map<number, { last: number; total: number }>();
    for (let i = 0; i < counters.length; i++) {
      const value = counters[i];
      if (Number.isNaN(value)) continue;
      const line = totals.get(packets.bus[i]) ?? { last: value, total: 0 };
      line.total += (value - line.last + COUNTER_WRAP) % COUNTER_WRAP;
      line.last = value;
      totals.set(packets.bus[i], line);
      counters[i] = line.total * step;
    }
    return counters;
  }

  /** The date and time that an item says in its fields, the last of which says whether they are valid. */
  private async dated(item: string, fields: string, valid: number): Promise<Float64Array> {
    const [years, months, days, hours, minutes, seconds, ns, flags] = await this.packets.columns(item, words(fields));
    return years.map((year, i) =>
      (flags[i] & valid) === valid
        ? Date.UTC(year, months[i] - 1, days[i], hours[i], minutes[i], seconds[i]) * 1000 + ns[i] / 1000
        : Number.NaN,
    );
  }

  /**
   * Puts the device's clock on UTC. Each packet that has both says how far they are apart; `isExact` packets take their
   * own UTC time, and those between them go on from the last. Otherwise the first one speaks for all, so that the
   * receiver's jitter does not become the clock's.
   */
  private align(isExact: boolean): void {
    const { micros, device, utc, start, packets } = this;
    const shifts = this.firstShifts();
    for (let i = 0; i < micros.length; i++) {
      const key = keyOf(packets.bus[i], start[i]);
      const shift = utc[i] - device[i];
      if (isExact && !Number.isNaN(shift)) shifts.set(key, shift);
      micros[i] = isExact && !Number.isNaN(utc[i]) ? utc[i] : device[i] + (shifts.get(key) ?? Number.NaN);
    }
    if (!isExact) this.remarkDrift(shifts);
  }

  /** How far UTC and the clock of each device are apart, by the first packet that has both. */
  private firstShifts(): Map<number, number> {
    const { device, utc, start, packets } = this;
    const shifts = new Map<number, number>();
    for (let i = 0; i < utc.length; i++) {
      const key = keyOf(packets.bus[i], start[i]);
      if (!shifts.has(key) && !Number.isNaN(utc[i] - device[i])) shifts.set(key, utc[i] - device[i]);
    }
    return shifts;
  }

  private remarkDrift(shifts: ReadonlyMap<number, number>): void {
    const { device, utc, start, packets } = this;
    for (let i = utc.length - 1; i >= 0; i--) {
      const drift = utc[i] - device[i] - (shifts.get(keyOf(packets.bus[i], start[i])) ?? Number.NaN);
      if (Number.isNaN(drift)) continue;
      this.remarks.push(`at the last GnssPvtData the device's clock is ${(-drift / 1000).toFixed(1)} ms ahead of UTC`);
      return;
    }
  }

  /** A packet without a time takes that of the one before it, and those before the first take the first. */
  private fill(): void {
    const { micros } = this;
    let last = micros.find((time) => !Number.isNaN(time)) ?? Number.NaN;
    for (let i = 0; i < micros.length; i++) {
      if (Number.isNaN(micros[i])) micros[i] = last;
      else last = micros[i];
    }
  }
}

/** Microseconds from one packet of an old device to the next, where a configuration states them. */
async function samplePeriod(packets: Packets): Promise<number | undefined> {
  for (const table of packets.named('Configuration')) {
    // one of a length that no device has says nothing
    if (!table.field('period') || !table.field('skip')) continue;
    const [period, skip] = await table.columns(['period', 'skip'], { to: 1 });
    const micros = (period.numbers()[0] * (skip.numbers()[0] + 1) * SECOND) / SAMPLE_CLOCK;
    if (micros > 0) return micros;
  }
  return undefined;
}

function keyOf(bus: number, start: number): number {
  return start * 256 + bus;
}
