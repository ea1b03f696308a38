import type { Column } from '../core/column.ts';
import type { Log } from '../core/log.ts';
import type { Facts } from './facts.ts';
import { type Autopilot, PX4 } from './heartbeat.ts';
import { messageTables } from './information.ts';
import { ANSWER_LIMITS, leaveOut, mostOf } from './limits.ts';

/** PX4 sends the checksum of all parameters as if it were one. */
const CHECKSUM = '_HASH_CHECK';

/** A parameter with its last value and what it was before. */
export interface Parameter {
  readonly name: string;
  readonly value: number;
  /** The firmware's default, where the log gives it. */
  readonly default: number | null;
  /** Every value that differs from the one before it, or was set again; the first one included. */
  readonly changes: readonly { readonly time: number; readonly value: number }[];
}

/** The parameters of a log in order. @param stream the vehicle's heartbeat stream, if several */
export async function findParameters(facts: Facts, stream?: string): Promise<Map<string, Parameter>> {
  const { log } = facts;
  const found = new Map<string, { name: string; value: number; default: number | null; changes: ParameterChange[] }>();
  const autopilot = await facts.autopilot(stream);
  const sent = log.tablesNamed('PARAM_VALUE').filter((table) => autopilot && table.stream === autopilot.table.stream);
  const isBytewise = sent.length > 0 && autopilot !== undefined && (await sendsBytes(log, autopilot));
  const most = mostOf((await facts.autopilots()).length);
  let [changes, unnamed, untold] = [0, 0, 0];
  const setFrom = dataFrom(log);
  /** Those that the log does not have as they were at its start. */
  const late = new Set<string>();
  for (const table of [...messageTables(log, 'PARM'), ...sent]) {
    const isMessage = table.name !== 'PARM';
    const fields = isMessage ? ['param_id', 'param_value'] : ['Name', 'Value', 'Default'];
    if (table.rows === 0 || !table.field(fields[0]) || !table.field(fields[1])) continue;
    const types = isMessage && isBytewise && table.field('param_type') ? await table.column('param_type') : undefined;
    const wanted = fields.filter((name) => table.field(name));
    const { times, columns } = await table.timedColumns(wanted);
    const [names, values, defaults] = columns;
    const isSet = (row: number): boolean => table.offsets.at(row) > setFrom;
    const textAt = repeatedTexts(names);
    for (let row = 0; row < table.rows; row++) {
      const name = textAt(row);
      if (isMessage && name === CHECKSUM) continue;
      const value = types ? valueOfBytes(values, types, row) : Number(values.at(row));
      const initial = Number(defaults?.at(row) ?? Number.NaN);
      const before = found.get(name);
      if (!before && found.size >= most) unnamed++;
      else if (!before) {
        const change = { time: times[row], value };
        found.set(name, { name, value, default: Number.isNaN(initial) ? null : initial, changes: [change] });
        if (isSet(row)) late.add(name);
      } else {
        const isChange = !Object.is(before.value, value) || isSet(row);
        if (isChange && ++changes > most) untold++;
        else if (isChange) before.changes.push({ time: times[row], value });
        before.value = value;
        if (!Number.isNaN(initial)) before.default = initial;
      }
    }
  }
  await setDefaults(log, found, late);
  leaveOut(log, 'parameters', stream ?? '', unnamed);
  leaveOut(log, 'changes of parameters', stream ?? '', untold);
  return found;
}

/** The texts of a column, asked for row by row: at each boot the same names come in the same order, and are not made again. */
function repeatedTexts(column: Column): (row: number) => string {
  const { bits8, rowBytes } = column;
  const texts: string[] = [];
  const firstRows = new Map<string, number>();
  /** The row that has the same text as the last one. */
  let like = -1;
  const isAlike = (row: number): boolean => {
    const [a, b] = [like * rowBytes, row * rowBytes];
    let i = 0;
    while (i < rowBytes && bits8[a + i] === bits8[b + i]) i++;
    return i === rowBytes;
  };
  return (row) => {
    like++;
    let text = texts[like];
    if (text === undefined || !isAlike(row)) {
      text = String(column.at(row));
      like = firstRows.get(text) ?? row;
      firstRows.set(text, like);
    }
    texts.push(text);
    return text;
  };
}

/** Where the data of a ULog begin: a parameter after it was set, if only to the same value. */
function dataFrom(log: Log): number {
  const data = ['SUBSCRIPTION', 'LOG', 'LOG_TAGGED'].flatMap((name) => messageTables(log, name));
  return Math.min(Number.POSITIVE_INFINITY, ...data.map(({ offsets }) => offsets.at(0)));
}

/** Bits of PARM_DEFAULT.Kinds: the default of the firmware, and that of the vehicle's setup. */
const SETUP = 2;

/** PX4 logs a default only if it differs from the value: setup before firmware; else it began with its default. */
async function setDefaults(
  log: Log,
  parameters: Map<string, Parameter & { default: number | null }>,
  late: ReadonlySet<string>,
): Promise<void> {
  const fields = ['Kinds', 'Name', 'Value'];
  const tables = messageTables(log, 'PARM_DEFAULT', fields);
  if (tables.length === 0) return;
  for (const each of parameters.values()) if (!late.has(each.name)) each.default = each.changes[0].value;
  const bySetup = new Set<string>();
  for (const table of tables) {
    const [kinds, names, values] = await table.columns(fields);
    for (let row = 0; row < table.rows; row++) {
      const name = String(names.at(row));
      const each = parameters.get(name);
      const isSetup = (Number(kinds.at(row)) & SETUP) !== 0;
      if (!each || (bySetup.has(name) && !isSetup)) continue;
      if (isSetup) bySetup.add(name);
      each.default = Number(values.at(row));
    }
  }
}

/*
 * PARAM_VALUE carries all parameters in one float32, https://mavlink.io/en/services/parameter.html
 *
 *     C cast      an integer as the float32 that is nearest: ArduPilot
 *     byte-wise   the bytes of the integer in the place of those of the float32: PX4
 */
const BYTEWISE = 16;
/** MAV_PARAM_TYPE: how many bits of the four bytes an integer has, and whether it has a sign. */
const INTEGERS: ReadonlyMap<number, (word: number) => number> = new Map([
  [1, (word: number): number => word & 0xff],
  [2, (word: number): number => (word << 24) >> 24],
  [3, (word: number): number => word & 0xffff],
  [4, (word: number): number => (word << 16) >> 16],
  [5, (word: number): number => word >>> 0],
  [6, (word: number): number => word | 0],
]);

/** Whether an autopilot puts the bytes of integers into the place of a number. */
async function sendsBytes(log: Log, { autopilot, table }: Autopilot): Promise<boolean> {
  if (autopilot === PX4) return true;
  const version = log.table('AUTOPILOT_VERSION', table.stream);
  if (!version?.field('capabilities') || version.rows === 0) return false;
  const capabilities = (await version.column('capabilities', { from: version.rows - 1 })).exact(0);
  return (Number(capabilities & 0xffffn) & BYTEWISE) !== 0;
}

function valueOfBytes(values: Column, types: Column, row: number): number {
  const integer = INTEGERS.get(Number(types.at(row)));
  return integer && values.bits32 ? integer(values.bits32[row]) : Number(values.at(row));
}

interface ParameterChange {
  readonly time: number;
  readonly value: number;
}

/*
 * Parameters that differ from flight to flight without anybody having changed them: what a vehicle measures when it is
 * started or calibrated, what it counts, and the numbers of its devices.
 */
const NOISE: readonly RegExp[] = [
  // compass and inertial sensors: offsets, scales, motor compensation, temperatures, device numbers
  /^COMPASS_(OFS|DIA|ODI|MOT|SCALE|DEC|DEV_ID|PRIO)/,
  /^INS_.*(OFFS|SCAL|_ID|CALTEMP)/,
  /^INS_(GYR|ACC)\d?_?ID$/,
  // pressure at the ground, offsets of airspeed sensors
  /^(BARO|GND).*(GND_PRESS|ABS_PRESS|GND_TEMP|ALT_OFFSET|_TEMP)$/,
  /^ARSPD\d?_(OFFSET|DEVID)$/,
  /_DEVID\d?$/,
  // counters
  /^STAT_/,
  /^SYS_NUM_RESETS$/,
  /^(MIS|FENCE|RALLY)_TOTAL$/,
  // what firmwares learn in flight
  /^MOT_THST_HOVER$/,
  /^AHRS_TRIM_/,
  // PX4: calibrations, counters
  /^CAL_(ACC|GYRO|MAG|BARO)\d_/,
  /^(LND_FLIGHT_T_(HI|LO)|COM_FLIGHT_UUID)$/,
  /^TC_/,
];

/** Whether a parameter depends on the day or the device rather than on a choice. */
export function isNoise(name: string): boolean {
  return NOISE.some((pattern) => pattern.test(name));
}

/** A parameter that two logs or files do not agree on; null where one does not have it. */
export interface ParameterDifference {
  readonly name: string;
  readonly a: number | null;
  readonly b: number | null;
  /** Whether it depends on the day or the device rather than on a choice. */
  readonly noise: boolean;
}

/** Fractions of six digits, as files keep them, are those of 32 bits that they came from; integers are what they are. */
const SAME = 1e-6;

/** What differs between two sets of parameters, by name. */
export function diffParameters(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): ParameterDifference[] {
  const names = [...new Set([...a.keys(), ...b.keys()])].sort((x, y) => (x < y ? -1 : x > y ? 1 : 0));
  return names.flatMap((name) => {
    const [left, right] = [a.get(name) ?? null, b.get(name) ?? null];
    return isSame(left, right) ? [] : [{ name, a: left, b: right, noise: isNoise(name) }];
  });
}

function isSame(a: number | null, b: number | null): boolean {
  if (a === null || b === null) return a === b;
  if (Object.is(a, b) || a === b) return true;
  if (Number.isInteger(a) && Number.isInteger(b)) return false;
  return Math.abs(a - b) <= SAME * Math.max(Math.abs(a), Math.abs(b));
}

/*
 * Files of parameters, as ground stations save them: a parameter a line.
 *
 *     WPNAV_SPEED,500                      Mission Planner, and `skein export --to param`
 *     WPNAV_SPEED      500.000000          MAVProxy
 *     1	1	WPNAV_SPEED	500.0	9           QGroundControl: system, component, name, value, MAV_PARAM_TYPE
 *
 * Lines that begin with # or // are comments, and so is what follows a #.
 * https://dev.qgroundcontrol.com/master/en/file_formats/parameters.html
 */

const NAME = '[A-Za-z_][A-Za-z0-9_]{0,31}';
const NUMBER = '[-+]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][-+]?\\d+)?|nan|[-+]?inf';
const PLAIN = new RegExp(`^(${NAME})\\s*[,\\s=]\\s*(${NUMBER})$`, 'i');
const STATION = new RegExp(`^\\d+\\s+\\d+\\s+(${NAME})\\s+(${NUMBER})\\s+\\d+$`, 'i');

/** The parameters that a text holds, by name; undefined where it is something else than a file of parameters. */
export function parseParamFile(text: string): Map<string, number> | undefined {
  const found = new Map<string, number>();
  for (const each of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const line = each.slice(0, commentAt(each)).trim();
    if (line === '') continue;
    if (line.length > ANSWER_LIMITS.paramLineBytes) return undefined;
    const [, name, value] = PLAIN.exec(line) ?? STATION.exec(line) ?? [];
    if (name === undefined) return undefined;
    found.set(name, numberOf(value));
  }
  return found.size > 0 ? found : undefined;
}

function commentAt(line: string): number {
  const at = line.search(/#|\/\//);
  return at < 0 ? line.length : at;
}

function numberOf(text: string): number {
  if (/^nan$/i.test(text)) return Number.NaN;
  if (/inf/i.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}
