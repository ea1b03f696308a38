import type { Column } from '../core/column.ts';
import type { Log } from '../core/log.ts';
import { type Field, isNumeric } from '../core/schema.ts';
import type { RecordTable } from '../core/table.ts';
import { QUANTITY_LIMITS } from './limits.ts';
import type { FieldNames, FieldRef, Quantity, QuantityTable } from './quantities.ts';
import { joinedNumbers, quantile } from './series.ts';

export interface QuantityRows<K extends string> {
  /** The table with its stream, as people write it: 'VIBE[0]'. */
  readonly title: string;
  readonly table: string;
  /** '0', '1' ...; '' where there is one only. */
  readonly instance: string;
  /** Microseconds. */
  readonly times: Float64Array;
  /** A number for each row, NaN where the row has none; a field that the log lacks is absent. */
  readonly values: Readonly<Partial<Record<K, Float64Array>>>;
  /** What each of the fields is called in the log: 'VIBE[0].VibeX'. */
  readonly names: Readonly<Partial<Record<K, string>>>;
}

/** Reads a quantity, each table once. @param stream the sender, in a log of messages; undefined for all */
export async function readSeries<K extends string>(
  log: Log,
  quantity: Quantity<K>,
  stream?: string | undefined,
): Promise<QuantityRows<K>[]> {
  for (const places of quantity) {
    const found = new Map<string, QuantityRows<K>>();
    for (const place of places) {
      const tables = log.tablesNamed(place.table);
      for (const table of tables) {
        if (table.rows === 0 || !isFrom(table, stream) || isStray(log, table, tables)) continue;
        for (const reading of await readPlace(table, place)) {
          if (mayLie(log, table)) dropFalse(reading);
          const before = found.get(reading.title);
          found.set(reading.title, before ? joined(before, reading) : reading);
        }
      }
    }
    if (found.size > 0) return [...found.values()];
  }
  return [];
}

/** An instance is a stray if another has this many rows for each of its rows. */
const STRAY = 100;

/** Whether a table, in a log that lost bytes, is of records at wrong offsets: an instance that does not exist. */
function isStray({ faults }: Log, table: RecordTable, tables: readonly RecordTable[]): boolean {
  if (!mayLie({ faults }, table) || table.stream === '') return false;
  return tables.some(({ rows }) => table.rows * STRAY <= rows);
}

/** Whether records may have begun at a wrong place: where bytes are lost, not only at the end, and there is no checksum. */
function mayLie({ faults }: Pick<Log, 'faults'>, table: RecordTable): boolean {
  return faults.lostBytes > (faults.byCode.get('truncated')?.bytes ?? 0) && !isMessage(table);
}

/** A value this many usual steps from both of its neighbours is false, if they are nearer to each other. */
const FALSE_STEPS = 10;
/** Steps that are looked at to find the usual one, and the part of them that is at most as large. */
const STEPS = 4096;
const USUAL = 0.9;

/** Makes NaN of single values that both neighbours contradict. */
function dropFalse({ values: all }: QuantityRows<string>): void {
  for (const values of Object.values(all) as Float64Array[]) {
    const least = FALSE_STEPS * usualChange(values);
    let before = Math.abs(values[1] - values[0]);
    for (let row = 1; row < values.length - 1; row++) {
      let after = Math.abs(values[row + 1] - values[row]);
      if (before > least && after > least) {
        const both = FALSE_STEPS * Math.abs(values[row + 1] - values[row - 1]);
        if (before > both && after > both) after = values[row] = Number.NaN;
      }
      before = after;
    }
  }
}

/** What most values differ by at most from the one before them. */
function usualChange(values: Float64Array): number {
  const stride = Math.ceil(values.length / STEPS);
  const steps = new Float64Array(Math.floor((values.length - 1) / stride));
  for (let i = 0, row = 1; i < steps.length; i++, row += stride) steps[i] = Math.abs(values[row] - values[row - 1]);
  return quantile(steps, USUAL);
}

/** Whether a table may come from the sender: streams of messages are 'system:component', those of logs are not. */
function isFrom(table: RecordTable, stream: string | undefined): boolean {
  return stream === undefined || !isMessage(table) || table.stream === stream;
}

function isMessage({ stream }: RecordTable): boolean {
  return stream.includes(':');
}

async function readPlace<K extends string>(table: RecordTable, place: QuantityTable<K>): Promise<QuantityRows<K>[]> {
  const wanted: [key: K, place: FieldRef, field: Field][] = [];
  for (const [key, names] of Object.entries(place.fields) as [K, FieldNames][]) {
    const found = fieldOf(table, names);
    if (found) wanted.push([key, ...found]);
  }
  if (wanted.length === 0) return [];
  // messages of all packs, say, are in one table
  const told = isMessage(table) ? table.fields[table.schema.instance]?.name : undefined;
  const names = [...new Set([...wanted.map(([, , field]) => field.name), ...(told === undefined ? [] : [told])])];
  const { times, columns } = await table.timedColumns(names);
  const title = table.stream === '' ? table.name : `${table.name}[${table.stream}]`;
  const values: Partial<Record<K, Float64Array>> = {};
  const titles: Partial<Record<K, string>> = {};
  for (const [key, of, field] of wanted) {
    values[key] = numbersOf(columns[names.indexOf(field.name)], of);
    titles[key] =
      `${title}.${field.name}${of.element === undefined ? '' : `[${of.element}]`}${of.angle ? ` (${of.angle})` : ''}`;
  }
  const instance = place.instance ?? (isMessage(table) ? '' : table.stream);
  const whole = { title, table: table.name, instance, times, values, names: titles };
  const readings = told === undefined ? [whole] : byInstance(whole, columns[names.indexOf(told)].numbers());
  return areFinite(times) ? readings : readings.map(timedRows);
}

/** A loop, which takes a fraction of the time of a call for each. */
function areFinite(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return false;
  return true;
}

/** The rows of each instance apart, where there is more than one. */
function byInstance<K extends string>(reading: QuantityRows<K>, instances: Float64Array): QuantityRows<K>[] {
  const rows = new Map<number, number[]>();
  for (let row = 0; row < instances.length; row++) {
    const of = rows.get(instances[row]);
    if (of) of.push(row);
    else if (rows.size < QUANTITY_LIMITS.instances) rows.set(instances[row], [row]);
  }
  if (rows.size < 2) return [reading];
  return [...rows].map(([instance, chosen]) => {
    const names: Partial<Record<K, string>> = {};
    const title = `${reading.title}[${instance}]`;
    for (const key of Object.keys(reading.names) as K[])
      names[key] = (reading.names[key] as string).replace(reading.title, () => title);
    return { ...picked(reading, chosen), title, instance: String(instance), names };
  });
}

/** The rows that have a time; all of them where none has. */
function timedRows<K extends string>(reading: QuantityRows<K>): QuantityRows<K> {
  const { times } = reading;
  const chosen = [...times.keys()].filter((row) => Number.isFinite(times[row]));
  return chosen.length > 0 ? picked(reading, chosen) : { ...reading, times: times.map(() => Number.NaN) };
}

function picked<K extends string>(reading: QuantityRows<K>, rows: readonly number[]): QuantityRows<K> {
  const pick = (all: Float64Array): Float64Array => Float64Array.from(rows, (row) => all[row]);
  const values: Partial<Record<K, Float64Array>> = {};
  for (const key of Object.keys(reading.values) as K[]) values[key] = pick(reading.values[key] as Float64Array);
  return { ...reading, times: pick(reading.times), values };
}

/** The first of the names that the table has as a number. A file may define any field of any type. */
function fieldOf(table: RecordTable, names: FieldNames): [FieldRef, Field] | undefined {
  for (const each of Array.isArray(names) ? (names as (string | FieldRef)[]) : [names as string | FieldRef]) {
    const place = typeof each === 'string' ? { name: each } : each;
    const field = table.field(place.name);
    if (!field || !isNumeric(field.type)) continue;
    const isThere = place.angle
      ? field.count === 4
      : place.element === undefined
        ? field.count === 1
        : place.element < field.count;
    if (isThere) return [place, field];
  }
  return undefined;
}

function numbersOf(column: Column, place: FieldRef): Float64Array {
  const { plain, whole, stored, element, factor: always = 1 } = place;
  const [lowest, highest] = place.range ?? [-Number.MAX_VALUE, Number.MAX_VALUE];
  const { field } = column;
  const isSi = field.multiplier !== undefined && !stored;
  const all = isSi ? column.siNumbers() : column.numbers();
  const values = place.angle
    ? anglesOf(all, place.angle)
    : element === undefined
      ? all
      : everyNth(all, field.count, element);
  const bare = isSi || (field.unit !== '' && !stored) ? 1 : (plain ?? (isWhole(field, values) ? (whole ?? 1) : 1));
  const factor = bare * always;
  if (factor !== 1) for (let i = 0; i < values.length; i++) values[i] *= factor;
  // whole numbers are finite
  const isModest = Math.abs(factor * (field.multiplier ?? 1)) < LARGEST_FACTOR;
  if (isModest && !place.range && !field.type.startsWith('float')) return values;
  // what is infinite is not known either
  for (let i = 0; i < values.length; i++) if (!(values[i] >= lowest && values[i] <= highest)) values[i] = Number.NaN;
  return values;
}

/** What makes no integer infinite. */
const LARGEST_FACTOR = 1e100;

/** In text logs any number is a double, whatever it was in the vehicle. */
function isWhole({ type, divisor }: Field, values: Float64Array): boolean {
  if (divisor !== 1) return false;
  return type === 'float64' ? values.every((value) => !(value % 1)) : !type.startsWith('float');
}

function everyNth(all: Float64Array, count: number, element: number): Float64Array {
  const values = new Float64Array(Math.floor(all.length / count));
  for (let row = 0; row < values.length; row++) values[row] = all[row * count + element];
  return values;
}

/** An angle of each quaternion (w x y z), in radians. */
function anglesOf(all: Float64Array, angle: 'roll' | 'pitch' | 'yaw'): Float64Array {
  const values = new Float64Array(Math.floor(all.length / 4));
  for (let row = 0; row < values.length; row++) {
    const [w, x, y, z] = [all[4 * row], all[4 * row + 1], all[4 * row + 2], all[4 * row + 3]];
    values[row] =
      angle === 'roll'
        ? Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
        : angle === 'pitch'
          ? Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x))))
          : Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
  }
  return values;
}

/** Two tables of one name and stream, whose definition changed on the way. */
function joined<K extends string>(a: QuantityRows<K>, b: QuantityRows<K>): QuantityRows<K> {
  const values: Partial<Record<K, Float64Array>> = {};
  for (const key of new Set([...Object.keys(a.values), ...Object.keys(b.values)] as K[])) {
    const none = (of: QuantityRows<K>): Float64Array => new Float64Array(of.times.length).fill(Number.NaN);
    values[key] = joinedNumbers([a.values[key] ?? none(a), b.values[key] ?? none(b)]);
  }
  return { ...a, times: joinedNumbers([a.times, b.times]), values, names: { ...b.names, ...a.names } };
}
