import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { inOrder } from '../core/records.ts';
import { type RecordTable, titleOf } from '../core/table.ts';
import { textOf } from '../core/text.ts';
import { nmeaClock } from '../formats/nmea/clock.ts';
import { SentenceCodec } from '../formats/nmea/codec.ts';
import { NMEA_LIMITS } from '../formats/nmea/limits.ts';
import { bareSentence } from '../formats/nmea/parse.ts';
import { utcToGps } from '../time/gps.ts';
import { Epochs, numbersOf } from './gnss-epochs.ts';
import { fixType, flagsOf, isFixed, projected } from './gnss-fix.ts';
import { FIX_HINTS, type FixField, GNSS_FIELDS, GNSS_SENTENCES, type GnssField, READINGS } from './gnss-reading.ts';
import { skyReaders } from './satellites.ts';
import { Sky } from './sky.ts';

/** The clock of the NMEA sentences of a log; in a capture, whose clock is that of the packets, a second one. */
async function sentenceClock({ tables, clock }: Log): Promise<Clock> {
  const sentences = tables.filter(({ schema }) => schema.codec instanceof SentenceCodec);
  return sentences.some((table) => clock.field(table) !== undefined) ? clock : nmeaClock(sentences, {});
}

export interface GnssOptions {
  /** Seconds for which values that receivers send less often than positions are kept (5). */
  readonly maxAge?: number | undefined;
  /** Seconds after which satellites in view are forgotten. */
  readonly expiry?: number | undefined;
}

/** One field of all epochs, and where each value came from. */
export interface GnssColumn {
  /** NaN if unknown. */
  readonly values: Float64Array;
  /** Its sentence: place in `sentences`, 0 for none. */
  readonly sources: Uint8Array;
  /** How old it was at the epoch, in seconds; NaN where there is no value. */
  readonly ages: Float64Array;
}

/** GNSSData of a log as columns, one fix for each UTC time: m, m/s, radians; latitude and longitude in degrees. */
export interface GnssData {
  readonly epochs: number;
  /** Sentences that values came from, with their talker: GGA[GN]. The first is '', for values that are missing. */
  readonly sentences: readonly string[];
  readonly fields: Readonly<Record<GnssField, GnssColumn>>;
  /** Bits of GNSS_FLAGS. */
  readonly flags: Uint8Array;
  /** Microseconds since 1970, and the same as week and milliseconds of GPS; NaN if the log does not know the date. */
  readonly unix_time_us: Float64Array;
  readonly gps_week: Float64Array;
  readonly tow_ms: Float64Array;
  /** Microseconds by the log's clock, whether it knows the date or not; in a packet capture, when the first sentence came. */
  readonly time: Float64Array;
  /** Where the first sentence with a time of each epoch begins in the source: in ascending order. */
  readonly offset: Float64Array;
  /** Where the sentence with the position begins in the source; -1 if none. */
  readonly nmea_offset: Float64Array;
  /** That sentence as in the source, without its line break and tag block. */
  sentence(epoch: number): Promise<string>;
}

/** Fields that keep their value for a while if no sentence of an epoch has them. */
const HELD: readonly FixField[] = [
  'altitude_msl',
  'altitude_ellipsoid',
  'gnss_heading',
  'horizontal_accuracy',
  'vertical_accuracy',
  'speed_accuracy',
  'heading_accuracy',
  'hdop',
  'vdop',
  'pdop',
  'satellites_used',
  'satellites_visible',
  'quality',
  'dimensions',
];
const MAX_AGE = 5;
const SECOND = 1e6;

/** Makes GNSSData of the NMEA sentences of a log. */
export async function readGnssData(log: Log, { maxAge = MAX_AGE, expiry }: GnssOptions = {}): Promise<GnssData> {
  const told = log.tables.filter(({ name, rows }) => rows > 0 && GNSS_SENTENCES.includes(name));
  const tables = [...told, ...log.tables.filter(({ name, rows }) => rows > 0 && name === 'GSV')];
  const clock = await sentenceClock(log);
  const epochs = await Epochs.find(clock, tables);
  const fixes = new GnssFixes(log, clock, epochs, told);
  // the preferred sentence comes first, and its values are kept
  for (const name of GNSS_SENTENCES) {
    for (const table of told.filter((each) => each.name === name)) await fixes.readTable(table);
  }
  await fixes.countSatellites(new Sky(expiry));
  for (const field of HELD) fixes.hold(field, maxAge);
  return fixes.end();
}

class GnssFixes {
  private readonly log: Log;
  private readonly clock: Clock;
  private readonly epochs: Epochs;
  private readonly sentences: string[];
  private readonly columns: Record<FixField, GnssColumn>;
  private readonly offsets: Float64Array;

  constructor(log: Log, clock: Clock, epochs: Epochs, tables: readonly RecordTable[]) {
    this.log = log;
    this.clock = clock;
    this.epochs = epochs;
    this.sentences = ['', ...tables.map(titleOf), 'GSV'];
    this.offsets = new Float64Array(epochs.length).fill(-1);
    const column = (): GnssColumn => ({
      values: new Float64Array(epochs.length).fill(Number.NaN),
      sources: new Uint8Array(epochs.length),
      ages: new Float64Array(epochs.length).fill(Number.NaN),
    });
    const names = [...GNSS_FIELDS, ...FIX_HINTS];
    this.columns = Object.fromEntries(names.map((name) => [name, column()])) as Record<FixField, GnssColumn>;
  }

  /** Takes all values of the sentences of a table. */
  async readTable(table: RecordTable): Promise<void> {
    const { epochs, columns } = this;
    const source = Math.min(255, this.sentences.indexOf(titleOf(table)));
    for (const { told, fields, value } of READINGS[table.name]) {
      if (fields.some((name) => !table.field(name))) continue;
      const inputs = (await table.columns(fields)).map(numbersOf);
      const { values } = columns[told];
      for (let row = 0; row < table.rows; row++) {
        const epoch = epochs.of(table, row);
        if (epoch < 0 || !Number.isNaN(values[epoch])) continue;
        const found = value(...inputs.map((input) => input[row]));
        if (Number.isNaN(found)) continue;
        this.set(told, epoch, found, source, 0);
        if (told === 'latitude') this.offsets[epoch] = table.offsets.at(row);
      }
    }
  }

  private set(told: FixField, epoch: number, value: number, source: number, age: number): void {
    const { values, sources, ages } = this.columns[told];
    values[epoch] = value;
    sources[epoch] = source;
    ages[epoch] = age;
  }

  /** Satellites in view at each epoch in which a set of GSV sentences is complete. */
  async countSatellites(sky: Sky): Promise<void> {
    const readers = await skyReaders(this.log, this.clock);
    for (const { table, row } of inOrder([...readers.keys()])) {
      const reader = readers.get(table);
      const epoch = this.epochs.of(table, row);
      if (!reader?.feed(sky, row) || epoch < 0) continue;
      this.set('satellites_visible', epoch, sky.visible(reader.times[row]), this.sentences.length - 1, 0);
    }
  }

  /** Keeps a value for the epochs after it that have none, as long as it is not too old. */
  hold(told: FixField, maxAge: number): void {
    const { values, sources } = this.columns[told];
    const { times } = this.epochs;
    let last = -1;
    for (let epoch = 0; epoch < times.length; epoch++) {
      if (!Number.isNaN(values[epoch])) last = epoch;
      if (last < 0 || last === epoch) continue;
      const age = (times[epoch] - times[last]) / SECOND;
      if (age >= 0 && age <= maxAge) this.set(told, epoch, values[last], sources[last], age);
    }
  }

  end(): GnssData {
    const { length } = this.epochs;
    const flags = new Uint8Array(length);
    const utc = Float64Array.from(this.epochs.times);
    const nowhere = (): Float64Array => new Float64Array(length).fill(Number.NaN);
    const [week, milliseconds] = [nowhere(), nowhere()];
    for (let epoch = 0; epoch < length; epoch++) {
      const hasFix = this.judge(epoch);
      this.project(epoch);
      flags[epoch] = flagsOf((told) => this.value(told, epoch), hasFix);
      if (!this.clock.utc) continue;
      const gps = utcToGps(utc[epoch]);
      week[epoch] = gps.week;
      milliseconds[epoch] = Math.round(gps.seconds * 1000);
    }
    const { offsets, log, clock, columns } = this;
    return {
      epochs: length,
      sentences: this.sentences,
      fields: columns,
      flags,
      unix_time_us: clock.utc ? utc : nowhere(),
      gps_week: week,
      tow_ms: milliseconds,
      time: Float64Array.from(this.epochs.arrivals),
      offset: Float64Array.from(this.epochs.offsets),
      nmea_offset: offsets,
      sentence: (epoch) => readSentence(log, offsets[epoch]),
    };
  }

  private value(told: FixField, epoch: number): number {
    return this.columns[told].values[epoch];
  }

  /** Whether there is a fix, and its kind by all that was said of it; that came from what says most. */
  private judge(epoch: number): boolean {
    const [quality, mode, status, dimensions] = FIX_HINTS.map((hint) => this.value(hint, epoch));
    const isOwn = this.columns.quality.ages[epoch] === 0;
    // a quality of an epoch before says nothing against a status of this one
    const isVoid = !isOwn && status === 'V'.charCodeAt(0);
    const hasAltitude = !Number.isNaN(this.value('altitude_msl', epoch));
    const hints = { quality: isVoid ? Number.NaN : quality, mode, status, dimensions, hasAltitude };
    const kind = fixType(hints);
    const hasFix = isFixed(hints);
    if (Number.isNaN(kind)) return hasFix;
    const hint = FIX_HINTS.find((each) => !Number.isNaN(this.value(each, epoch)) && !(isVoid && each === 'quality'));
    const { sources, ages } = this.columns[hint ?? 'dimensions'];
    this.set('fix_type', epoch, kind, sources[epoch], ages[epoch]);
    return hasFix;
  }

  /** North and east from speed and course, or the other way, by what is known. */
  private project(epoch: number): void {
    for (const [told, value, from] of projected((each) => this.value(each, epoch))) {
      const { sources, ages } = this.columns[from];
      this.set(told, epoch, value, sources[epoch], ages[epoch]);
    }
  }
}

async function readSentence({ data }: Log, offset: number): Promise<string> {
  if (offset < 0) return '';
  const bytes = await data.read(offset, NMEA_LIMITS.recordBytes);
  return bareSentence(textOf(bytes, 0, bytes.length));
}
