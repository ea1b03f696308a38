import { isNumeric } from '../core/schema.ts';
import type { Table } from '../core/table.ts';

/** Tables that hold positions: receivers first, in the order in which they are preferred, then what filters made of them. */
const RECEIVERS: readonly string[] = ['GPS', 'GPS2'];
const ESTIMATES: readonly string[] = ['POS', 'AHR2'];
export const POSITION_TABLES: readonly string[] = [...RECEIVERS, ...ESTIMATES];

export function isReceiver(tableName: string): boolean {
  return RECEIVERS.includes(tableName);
}

/*
 * The names that firmwares gave to one thing. ArduPilot says Lat and Lng, PX4's sdlog2 Lat and Lon; the week and its
 * milliseconds were renamed when every record got a TimeUS, and before Copter 3.1 there was only the time in the week.
 */
const LONGITUDE: readonly string[] = ['Lng', 'Lon'];
const FIX: readonly string[] = ['Status', 'Fix'];
const GPS_TIMES: readonly (readonly string[])[] = [
  ['GWk', 'GMS'],
  ['Week', 'TimeMS'],
  ['Wk', 'TWk'],
  ['GPSTime'],
  ['Time'],
];

/** Milliseconds of a week: what makes one number of a week and the time in it. */
const WEEK = 604_800_000;

/** Metres that no vehicle is above the sea, for the moon is nearer: such an altitude is damage. */
const FARTHEST = 1e9;

/** The rows of a table as positions: one entry a row, NaN where the row or the table has none. */
export interface Positions {
  readonly lat: Float64Array;
  readonly lon: Float64Array;
  readonly alt: Float64Array;
  /** Speed over ground in metres a second, course over ground in degrees from north. */
  readonly speed: Float64Array;
  readonly course: Float64Array;
  /** Quality of the fix: 0 no receiver, 1 no fix, 2 two dimensions, 3 and above three; Infinity where none is told. */
  readonly fix: Float64Array;
  /** The receiver's own time of the fix, in a unit of the table's choice; NaN where it does not know it. */
  readonly gpsTime: Float64Array;
}

/** Whether a table holds positions: by its name and by the fields that it has. */
export function hasPositions(table: Table): boolean {
  return POSITION_TABLES.includes(table.name) && isNumber(table, 'Lat') && firstOf(table, LONGITUDE) !== undefined;
}

/** Reads the positions of a table that `hasPositions`, in one pass over its records. */
export async function readPositions(table: Table): Promise<Positions> {
  const isGps = isReceiver(table.name);
  const lon = firstOf(table, LONGITUDE) as string;
  const fix = firstOf(table, FIX);
  const times = (isGps && GPS_TIMES.find((names) => names.every((name) => isNumber(table, name)))) || [];
  const motion = ['Spd', 'GCrs', 'VelN', 'VelE', 'Cog'].filter((name) => isNumber(table, name));
  const wanted = new Set(['Lat', lon, ...times, ...motion]);
  if (isNumber(table, 'Alt')) wanted.add('Alt');
  if (fix !== undefined) wanted.add(fix);

  const columns = await table.columns([...wanted]);
  const numbers = new Map(columns.map((column) => [column.field.name, column.numbers()]));
  const { length } = columns[0];
  const none = new Float64Array(length).fill(Number.NaN);
  const named = (name: string | undefined): Float64Array | undefined => numbers.get(name ?? '');
  return {
    lat: named('Lat') as Float64Array,
    lon: named(lon) as Float64Array,
    alt: (named('Alt') ?? none).map((metres) => (Math.abs(metres) < FARTHEST ? metres : Number.NaN)),
    speed: named('Spd') ?? hypotenuse(named('VelN'), named('VelE')) ?? none,
    course: named('GCrs') ?? named('Cog')?.map(degrees) ?? none,
    fix: named(fix) ?? new Float64Array(length).fill(Number.POSITIVE_INFINITY),
    gpsTime: gpsTime(times.map((name) => named(name) as Float64Array)) ?? none,
  };
}

/** A receiver that does not know the time says 0 for the week, and would repeat that in every row. */
function gpsTime([first, second]: readonly Float64Array[]): Float64Array | undefined {
  return first?.map((value, row) => (value > 0 ? value * (second ? WEEK : 1) + (second?.[row] ?? 0) : Number.NaN));
}

function hypotenuse(north: Float64Array | undefined, east: Float64Array | undefined): Float64Array | undefined {
  return north && east && north.map((value, row) => Math.hypot(value, east[row]));
}

/** PX4 keeps the course in radians, from -pi to pi. */
function degrees(radians: number): number {
  return ((radians * 180) / Math.PI + 360) % 360;
}

function firstOf(table: Table, names: readonly string[]): string | undefined {
  return names.find((name) => isNumber(table, name));
}

/** A file may define any field of any type: only single numbers are of use here. */
function isNumber(table: Table, name: string): boolean {
  const field = table.field(name);
  return field !== undefined && field.count === 1 && isNumeric(field.type);
}
