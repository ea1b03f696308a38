import type { Log } from '../core/log.ts';
import type { DerivedField, DerivedTable } from './derived-table.ts';
import { GNSS_FIELDS, GNSS_SENTENCES } from './gnss-reading.ts';
import { readGnssRows } from './gnss-rows.ts';

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

/** GNSS data as a derived table: one row for each time that the sentences of a log tell. */
export function gnssTables(log: Log): DerivedTable[] {
  const isTold = log.tables.some(({ name, rows }) => rows > 0 && GNSS_SENTENCES.includes(name));
  return isTold ? [{ name: NAME, stream: '', fields: FIELDS, rows: () => readGnssRows(log) }] : [];
}
