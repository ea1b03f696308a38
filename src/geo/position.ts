import type { Column } from '../core/column.ts';
import { isNumeric } from '../core/schema.ts';
import type { RecordTable } from '../core/table.ts';
import { words } from '../core/text.ts';

/** Tables that hold positions: those that a track is made of by default, in the order of preference, then the others. */
const SENTENCES: readonly string[] = ['GGA', 'GNS', 'RMC', 'GLL'];
const RECEIVERS: readonly string[] = [
  ...words('GPS GPS2 GLOBAL_POSITION_INT GPS_RAW_INT GPS2_RAW LatLon GnssPvtData vehicle_gps_position sensor_gps'),
  ...SENTENCES,
];
const ESTIMATES: readonly string[] = ['POS', 'AHR2', 'vehicle_global_position'];
export const POSITION_TABLES: readonly string[] = [...RECEIVERS, ...ESTIMATES];

export function isReceiver(tableName: string): boolean {
  return RECEIVERS.includes(tableName);
}

/*
 * The names that firmwares and protocols gave to one thing. ArduPilot says Lat and Lng, PX4's sdlog2 Lat and Lon,
 * MAVLink, NMEA and PX4 until 1.14 lat and lon, PX4 then latitude_deg and longitude_deg; the week and its milliseconds were renamed when every record got a TimeUS, and before Copter 3.1
 * there was only the time in the week.
 */
const LATITUDE: readonly string[] = ['Lat', 'lat', 'latitude_deg'];
const LONGITUDE: readonly string[] = ['Lng', 'Lon', 'lon', 'longitude_deg'];
const ALTITUDE: readonly string[] = ['Alt', 'alt', 'hMSL', 'altitude', 'altitude_msl_m'];
const SPEED: readonly string[] = ['Spd', 'vel', 'gSpeed', 'speed_kn', 'vel_m_s'];
const NORTH: readonly string[] = ['VelN', 'vx'];
const EAST: readonly string[] = ['VelE', 'vy'];
const COURSE: readonly string[] = ['GCrs', 'cog', 'headMot', 'course'];
const RADIAN_COURSE: readonly string[] = ['Cog', 'cog_rad'];
const FIX: readonly string[] = ['Status', 'Fix', 'fix_type'];
/** u-blox and Xsens call 5 what is a time without a position. */
const UBLOX_FIX: readonly string[] = ['fixType'];
const GPS_TIMES: readonly (readonly string[])[] = [
  ['GWk', 'GMS'],
  ['Week', 'TimeMS'],
  ['Wk', 'TWk'],
  ['GPSTime'],
  ['time_utc_usec'],
  ['Time'],
  ['time'],
  ['itow'],
];

/** What sentences of NMEA say of their fix: a number that is 0 for none, or a letter for each system that has one. */
const NMEA_FIX: readonly string[] = ['quality', 'status', 'mode'];
export const POSITION_FIELDS: ReadonlySet<string> = new Set(
  [
    [LATITUDE, LONGITUDE, ALTITUDE, SPEED, NORTH, EAST, COURSE, RADIAN_COURSE, FIX, UBLOX_FIX, NMEA_FIX],
    GPS_TIMES,
  ].flat(2),
);
/** What whole numbers of PX4 until 1.14 are worth, which its log does not say. */
const PX4: readonly string[] = ['vehicle_gps_position', 'sensor_gps', 'vehicle_global_position'];
const WHOLE: ReadonlyMap<string, number> = new Map([
  ['lat', 1e7],
  ['lon', 1e7],
  ['alt', 1e3],
]);
/** Letters that mean no fix: not valid, and a warning. */
const NO_FIX = 'NV';
const FIX_1D = 1;
const FIX_3D = 3;

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
  /** Quality of the fix: 0 no receiver, 1 no fix, 2 two dimensions, 3 and above three; Infinity if unknown. */
  readonly fix: Float64Array;
  /** The receiver's own time of the fix, in a unit of the table's choice; NaN where it does not know it. */
  readonly gpsTime: Float64Array;
}

/** Whether a table holds positions: by its name and by the fields that it has. */
export function hasPositions(table: RecordTable): boolean {
  return POSITION_TABLES.includes(table.name) && [LATITUDE, LONGITUDE].every((names) => firstOf(table, names));
}

export async function readPositions(table: RecordTable): Promise<Positions> {
  const times =
    (isReceiver(table.name) && GPS_TIMES.find((names) => names.every((name) => isNumber(table, name)))) || [];
  const places = [LATITUDE, LONGITUDE, ALTITUDE, SPEED, NORTH, EAST, COURSE, RADIAN_COURSE, FIX, UBLOX_FIX];
  const hint = SENTENCES.includes(table.name) ? NMEA_FIX.find((name) => table.field(name)) : undefined;
  const wanted = new Set([
    ...times,
    ...places.flatMap((names) => firstOf(table, names) ?? []),
    ...(hint ? [hint] : []),
  ]);
  const columns = await table.columns([...wanted]);
  const byName = new Map(columns.map((column) => [column.field.name, column]));
  const { length } = columns[0];
  const none = new Float64Array(length).fill(Number.NaN);
  const named = (names: readonly string[]): Float64Array | undefined => {
    const column = byName.get(firstOf(table, names) ?? '');
    const scale = column && WHOLE.get(column.field.name);
    const isWhole = scale !== undefined && column?.field.type === 'int32' && PX4.includes(table.name);
    return isWhole && column?.field.multiplier === undefined
      ? column?.numbers().map((value) => value / (scale as number))
      : column?.siNumbers();
  };
  return {
    lat: named(LATITUDE) as Float64Array,
    lon: named(LONGITUDE) as Float64Array,
    alt: (named(ALTITUDE) ?? none).map((metres) => (Math.abs(metres) < FARTHEST ? metres : Number.NaN)),
    speed: named(SPEED) ?? hypotenuse(named(NORTH), named(EAST)) ?? none,
    course: named(COURSE) ?? named(RADIAN_COURSE)?.map(degrees) ?? none,
    fix:
      nmeaFix(byName.get(hint ?? '')) ??
      named(FIX) ??
      named(UBLOX_FIX)?.map(uBloxFix) ??
      new Float64Array(length).fill(Number.POSITIVE_INFINITY),
    gpsTime: gpsTime(times.map((name) => (byName.get(name) as Column).numbers())) ?? none,
  };
}

/** A receiver that does not know the time says 0 for the week, and would repeat that in every row. */
function gpsTime([first, second]: readonly Float64Array[]): Float64Array | undefined {
  return first?.map((value, row) => (value > 0 ? value * (second ? WEEK : 1) + (second?.[row] ?? 0) : Number.NaN));
}

/** The quality of the fix from what a sentence says of it. */
function nmeaFix(hint: Column | undefined): Float64Array | undefined {
  if (!hint) return undefined;
  const { count, type } = hint.field;
  return Float64Array.from({ length: hint.length }, (_, row) => {
    if (type !== 'text') return (hint.data[row] as number) > 0 ? FIX_3D : FIX_1D;
    const letters = hint.bits8.subarray(row * count, (row + 1) * count);
    return letters.some((letter) => letter !== 0 && !NO_FIX.includes(String.fromCharCode(letter))) ? FIX_3D : FIX_1D;
  });
}

function hypotenuse(north: Float64Array | undefined, east: Float64Array | undefined): Float64Array | undefined {
  return north && east && north.map((value, row) => Math.hypot(value, east[row]));
}

function uBloxFix(type: number): number {
  return type < 5 ? type : 0;
}

/** PX4 keeps the course in radians, from -pi to pi. */
function degrees(radians: number): number {
  return ((radians * 180) / Math.PI + 360) % 360;
}

function firstOf(table: RecordTable, names: readonly string[]): string | undefined {
  return names.find((name) => isNumber(table, name));
}

/** A file may define any field of any type: only single numbers are of use here. */
function isNumber(table: RecordTable, name: string): boolean {
  const field = table.field(name);
  return field !== undefined && field.count === 1 && isNumeric(field.type);
}
