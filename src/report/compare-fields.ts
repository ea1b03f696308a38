import type { Log } from '../core/log.ts';
import { type Field, isNumeric } from '../core/schema.ts';
import type { RecordTable } from '../core/table.ts';
import {
  ATTITUDE,
  BODY_RATES,
  CONTROL,
  CPU,
  EKF3_FLIES,
  GPS,
  GPS_SPEED,
  PACKS,
  POWER,
  type Quantity,
} from '../series/quantities.ts';
import { type QuantityRows, readSeries } from '../series/quantity-rows.ts';
import { Series } from '../series/series.ts';
import { type Statistics, statisticsOf } from '../series/statistics.ts';
import { throttleOf } from './checks/computed.ts';
import type { PlotLine } from './finding.ts';
import { REPORT_LIMITS } from './limits.ts';

/** A field that two logs have, over the time that is compared. */
export interface FieldComparison {
  readonly table: string;
  /** The instance; '' where there is one only, or it is that of the vehicle itself. */
  readonly stream: string;
  readonly field: string;
  readonly unit: string;
  readonly a: Statistics;
  readonly b: Statistics;
  /** The mean of b less that of a. */
  readonly difference: number;
  /**
   * How much it matters: the difference of the means, relative to how far values are from their mean within each of
   * the logs: the root of the mean of both variances, or a thousandth of the greater mean if that is more. Infinity for
   * two constants that differ.
   */
  readonly measure: number;
}

/** One of two logs: which part of it is compared, and of whom. */
export interface ComparedPart {
  readonly log: Log;
  readonly stream: string | undefined;
  /** Microseconds of the log's clock, the end included, and which of them is the moment of both. */
  readonly from: number;
  readonly to: number;
  readonly zero: number;
}

/** Records that say what happened, what is set or how the log is made, but no quantity over time. */
const OTHER_TABLES =
  /^(FMT|FMTU|UNIT|MULT|PARM|MSG|CMD|MISE|RALY|FNCE|MODE|EV|ERR|ARM|FILE|VER|ORGN|STRT|DMS|DSF|MAV|MAVC|TSYN|ISBH|ISBD|D16|DU16|D32|DU32|DFLT|TIME|HEARTBEAT|STATUSTEXT|TIMESYNC|PING|AUTOPILOT_VERSION|AVAILABLE_MODES)$|^(PARAM|MISSION|COMMAND|FILE_TRANSFER|LOG|HOME_POSITION|GPS_GLOBAL_ORIGIN|SYSTEM_TIME)/;
/** Times, counters and places: they differ in any two flights. */
const OTHER_FIELDS =
  /^(Time(US|MS|Boot)?|GMS|GWk|Week|SMS|S|T|TimeMS|StartTime|GPSTime|time_\w+|\w*timestamp|Lat|Lng|Lon|lat|lon|TLat|TLng|lat_int|lon_int|latitude|longitude|seq|sequence|id|I|C|Inst|Instance|Cnt|NL|RTCM\w*|Seq|ID|base_mode|custom_mode)$/i;

/** Fields that both logs have numbers of, those that differ most first. */
export async function compareFields(a: ComparedPart, b: ComparedPart): Promise<FieldComparison[]> {
  const others = new Map(tablesOf(b).map((table) => [keyOf(table, b), table]));
  const found: FieldComparison[] = [];
  for (const table of tablesOf(a)) {
    const other = others.get(keyOf(table, a));
    if (other) found.push(...(await compareTables(a, table, b, other)));
  }
  if (a.log.format !== b.log.format) found.push(...(await compareQuantities(a, b)));
  return found.sort((x, y) => rankOf(y) - rankOf(x) || (titleOf(x) < titleOf(y) ? -1 : 1));
}

/** What is constant in both is a setting rather than a flight: it comes after all that varies. */
function rankOf({ measure }: FieldComparison): number {
  return Number.isFinite(measure) ? measure : -1;
}

/** What a field is called: 'GPS[0].Spd'. */
export function titleOf({ table, stream, field }: Pick<FieldComparison, 'table' | 'stream' | 'field'>): string {
  return `${table}${stream === '' ? '' : `[${stream}]`}.${field}`;
}

/** A number of a table in four digits. */
export function figureText(value: number): string {
  const size = Math.abs(value);
  return size >= 1e7 || (size < 1e-4 && size > 0) ? value.toExponential(3) : String(Number(value.toPrecision(4)));
}

/** How much a field differs, in words. */
export function measureText({ measure }: FieldComparison): string {
  return Number.isFinite(measure) ? figureText(measure) : 'constant';
}

function tablesOf({ log, stream }: ComparedPart): RecordTable[] {
  const isOwn = (table: RecordTable): boolean => stream === undefined || table.stream === stream;
  const tables = log.tables.filter((table) => table.rows > 1 && isOwn(table) && !OTHER_TABLES.test(table.name));
  // of definitions that changed on the way the one with most rows
  return tables.sort((x, y) => x.rows - y.rows);
}

/** Vehicles of MAVLink may have any number: what counts is that the table is the vehicle's. */
function keyOf({ name, stream }: RecordTable, part: ComparedPart): string {
  return stream === part.stream ? `${name}[]` : `${name}[${stream}]`;
}

async function compareTables(
  a: ComparedPart,
  table: RecordTable,
  b: ComparedPart,
  other: RecordTable,
): Promise<FieldComparison[]> {
  const names = table.fields.filter((field) => isCompared(field, other.field(field.name))).map(({ name }) => name);
  if (names.length === 0) return [];
  const [left, right] = [await readPart(table, names, a), await readPart(other, names, b)];
  return names.flatMap((field, i) => {
    const [one, two] = [statisticsOf(left[i].values), statisticsOf(right[i].values)];
    if (!one || !two) return [];
    const stream = table.stream === a.stream ? '' : table.stream;
    const unit = unitOf(table.field(field) as Field);
    return [{ table: table.name, stream, field, unit, a: one, b: two, ...differenceOf(one, two) }];
  });
}

function isCompared(field: Field, other: Field | undefined): boolean {
  if (!other || OTHER_FIELDS.test(field.name) || field.enumeration) return false;
  const isNumber = ({ type, count, isList }: Field): boolean => isNumeric(type) && count === 1 && !isList;
  return isNumber(field) && isNumber(other) && unitOf(field) === unitOf(other);
}

function unitOf({ unit, multiplier, siUnit }: Field): string {
  return multiplier === undefined ? unit : siUnit;
}

async function readPart(table: RecordTable, names: readonly string[], part: ComparedPart): Promise<Series[]> {
  const { times, columns } = await table.timedColumns(names);
  return columns.map((column) => partOf(new Series(times, column.siNumbers()), part));
}

/** A spread of less than this part of the mean is the rounding of a number, not its variation. */
const LEAST_SPREAD = 1e-3;

function differenceOf(a: Statistics, b: Statistics): Pick<FieldComparison, 'difference' | 'measure'> {
  const difference = b.mean - a.mean;
  if (a.deviation === 0 && b.deviation === 0)
    return { difference, measure: difference === 0 ? 0 : Number.POSITIVE_INFINITY };
  const spread = Math.sqrt((a.deviation ** 2 + b.deviation ** 2) / 2);
  const least = LEAST_SPREAD * Math.max(Math.abs(a.mean), Math.abs(b.mean));
  return { difference, measure: Math.abs(difference) / Math.max(spread, least) };
}

/** What flights are compared by where their logs name things differently: the key of a quantity, its unit. */
const QUANTITIES: readonly (readonly [name: string, quantity: Quantity<string>, key: string, unit: string])[] = [
  ...(['roll', 'pitch'] as const).map((key) => ['attitude', ATTITUDE, key, '°'] as const),
  ...(['roll', 'pitch', 'yaw'] as const).map((key) => ['rate', BODY_RATES, key, '°/s'] as const),
  ['control', CONTROL, 'throttle', ''],
  ['control', CONTROL, 'climb', 'm/s'],
  ['gps', GPS, 'sats', ''],
  ['gps', GPS, 'hdop', ''],
  ['gps', GPS, 'speed', 'm/s'],
  ['gps', GPS_SPEED, 'accuracy', 'm/s'],
  ...(['velocity', 'position', 'height', 'compass'] as const).map((key) => ['ekf', EKF3_FLIES, key, ''] as const),
  ['battery', PACKS, 'volts', 'V'],
  ['battery', PACKS, 'current', 'A'],
  ['battery', PACKS, 'remaining', '%'],
  ['power', POWER, 'board', 'V'],
  ['cpu', CPU, 'load', '%'],
];

async function compareQuantities(a: ComparedPart, b: ComparedPart): Promise<FieldComparison[]> {
  const found: FieldComparison[] = [];
  for (const [table, , field, unit] of QUANTITIES) {
    const [one, two] = [await quantityIn(table, field, a), await quantityIn(table, field, b)].map(
      (series, i) => series && statisticsOf(partOf(series, [a, b][i]).values),
    );
    if (one && two) found.push({ table, stream: '', field, unit, a: one, b: two, ...differenceOf(one, two) });
  }
  return found;
}

/** The first instance of a quantity that a log has. */
async function quantityIn(name: string, key: string, { log, stream }: ComparedPart): Promise<Series | undefined> {
  for (const [, quantity] of QUANTITIES.filter(([table, , field]) => table === name && field === key)) {
    const reading = (await readSeries(log, quantity, stream)).find(({ values }) =>
      values[key]?.some((each) => each !== 0),
    );
    const values =
      reading && (key === 'throttle' ? throttleOf(reading as QuantityRows<'throttle'>) : reading.values[key]);
    if (reading && values) return new Series(reading.times, values);
  }
  return undefined;
}

function partOf({ times, values }: Series, { from, to }: ComparedPart): Series {
  const isIn = (_: number, row: number): boolean => times[row] >= from && times[row] <= to;
  return new Series(times.filter(isIn), values.filter(isIn));
}

/** The lines of a field in both logs, on the time since the moment that both have. */
export async function comparedLines(field: FieldComparison, parts: readonly ComparedPart[]): Promise<PlotLine[]> {
  const lines: PlotLine[] = [];
  for (const [i, part] of parts.entries()) {
    const stream = field.stream === '' && part.stream !== undefined ? part.stream : field.stream;
    const isQuantity = part.log.table(field.table) === undefined;
    const table = part.log.table(field.table, stream);
    const series = isQuantity
      ? await quantityIn(field.table, field.field, part)
      : table?.field(field.field) && (await readPart(table, [field.field], part))[0];
    if (!series) continue;
    const since = series.times.map((time) => time - part.zero);
    lines.push({ name: i === 0 ? 'A' : 'B', ...new Series(since, series.values).thin(REPORT_LIMITS.plotPoints) });
  }
  return lines;
}
