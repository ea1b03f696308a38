import type { Log } from '../core/log.ts';
import { type DerivedField, DerivedTable } from './derived-table.ts';
import { type GnssData, type GnssOptions, readGnssData } from './gnss.ts';
import { GNSS_FIELDS, GNSS_SENTENCES, type GnssField } from './gnss-reading.ts';

/** One fix as GNSSData has it, field by field. Null is what no sentence has. */
export type GnssRowData = Readonly<Record<GnssField, number | null>> & {
  readonly flags: number;
  readonly gps_week: number | null;
  readonly tow_ms: number | null;
  readonly unix_time_us: number | null;
  /** The sentence with the position, '' for none, and its bytes. */
  readonly nmea_sentence: string;
  readonly nmea_length: number;
};

/** One fix of a log. */
export interface GnssRow {
  /** Microseconds by the log's clock. */
  readonly time: number;
  /** Where the first sentence with this time begins in the source. */
  readonly at: number;
  readonly data: GnssRowData;
  /** The sentence of each known field, and the age of its value in seconds. */
  readonly from: Readonly<Partial<Record<GnssField, { readonly sentence: string; readonly age: number }>>>;
}

/** The fixes of a log one after the other, as objects. */
export async function* readGnssRows(log: Log, options: GnssOptions = {}): AsyncGenerator<GnssRow> {
  const gnss = await readGnssData(log, options);
  for (let epoch = 0; epoch < gnss.epochs; epoch++) yield rowOf(gnss, epoch, await gnss.sentence(epoch));
}

function rowOf(gnss: GnssData, epoch: number, sentence: string): GnssRow {
  const fields: Partial<Record<GnssField, number | null>> = {};
  const from: Partial<Record<GnssField, { sentence: string; age: number }>> = {};
  for (const field of GNSS_FIELDS) {
    const { values, sources, ages } = gnss.fields[field];
    fields[field] = known(values[epoch]);
    if (fields[field] !== null) from[field] = { sentence: gnss.sentences[sources[epoch]], age: ages[epoch] };
  }
  const data: GnssRowData = {
    ...(fields as Record<GnssField, number | null>),
    flags: gnss.flags[epoch],
    gps_week: known(gnss.gps_week[epoch]),
    tow_ms: known(gnss.tow_ms[epoch]),
    unix_time_us: known(gnss.unix_time_us[epoch]),
    nmea_sentence: sentence,
    nmea_length: sentence.length,
  };
  return { time: gnss.time[epoch], at: gnss.offset[epoch], data, from };
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

const NAME = 'GNSSData';

/** Units by the beginning of a field's name. */
const UNITS: readonly (readonly [start: string, unit: string])[] = [
  ['latitude', 'deg'],
  ['longitude', 'deg'],
  ['altitude', 'm'],
  ['velocity', 'm/s'],
  ['ground_speed', 'm/s'],
  ['speed_accuracy', 'm/s'],
  ['course', 'rad'],
  ['gnss_heading', 'rad'],
  ['heading_accuracy', 'rad'],
  ['horizontal', 'm'],
  ['vertical', 'm'],
  ['tow_ms', 'ms'],
  ['unix_time_us', 'µs'],
];

const SENTENCE = 'nmea_sentence';
const NAMES = [...GNSS_FIELDS, 'flags', 'gps_week', 'tow_ms', 'unix_time_us', SENTENCE, 'nmea_length'];
const FIELDS: readonly DerivedField[] = NAMES.map((name) => ({
  name,
  unit: UNITS.find(([start]) => name.startsWith(start))?.[1] ?? '',
  isText: name === SENTENCE,
}));

export function gnssTables(log: Log): DerivedTable[] {
  const isTold = log.tables.some(({ name, rows }) => rows > 0 && GNSS_SENTENCES.includes(name));
  return isTold ? [new DerivedTable({ name: NAME, stream: '', fields: FIELDS, records: () => readGnssRows(log) })] : [];
}
