import type { Log } from '../core/log.ts';
import type { Table } from '../core/table.ts';
import type { Facts } from './facts.ts';
import type { VehicleClass } from './mode-names.ts';
import { messageFirmware } from './version.ts';
import { isXbusLog, xbusDevice } from './xbus-device.ts';

/** What flew. */
export interface Vehicle {
  /** The kind of vehicle, or null where the log does not tell. */
  readonly kind: VehicleClass | null;
  readonly firmware: Firmware | null;
  /** The flight controller or the sensor, as it names itself. */
  readonly board: string | null;
}

export interface Firmware {
  /** ArduCopter, PX4 ... */
  readonly name: string;
  /** 4.5.7, 4.8.0-dev ... */
  readonly version: string | null;
  /** The source it was built from, by the hash that the log gives. */
  readonly git: string | null;
  /** All that the log says, as it says it. */
  readonly text: string;
}

/** VER.BU: what the firmware was built for. */
const BUILDS: ReadonlyMap<number, VehicleClass> = new Map([
  [1, 'Rover'],
  [2, 'Copter'],
  [3, 'Plane'],
  [4, 'Tracker'],
  [7, 'Sub'],
  [12, 'Blimp'],
  [13, 'Copter'],
]);

/** Firmware names and the kind of vehicle they are for: 'APM:Copter V3.3-dev (ed577021)', 'ArduPlane V4.5.0'. */
const NAMES: readonly (readonly [pattern: RegExp, kind: VehicleClass])[] = [
  [/^(ArduCopter|APM:Copter|Copter|AC_Heli|ArduHeli)\b/i, 'Copter'],
  [/^(ArduPlane|APM:Plane|Plane)\b/i, 'Plane'],
  [/^(ArduRover|APMrover2|APM:Rover|Rover)\b/i, 'Rover'],
  [/^(ArduSub|APM:Sub|Sub)\b/i, 'Sub'],
  [/^(AntennaTracker|ArduTracker|APM:Tracker|Tracker)\b/i, 'Tracker'],
  [/^(Blimp|ArduBlimp)\b/i, 'Blimp'],
];

/** Parameters that only one kind of vehicle has, for logs that say nothing else. */
const TELLING_PARAMETERS: readonly (readonly [name: string, kind: VehicleClass])[] = [
  ['ARMING_RUDDER_TURN', 'Plane'],
  ['SURFACE_DEPTH', 'Sub'],
  ['JS_GAIN_DEFAULT', 'Sub'],
  ['TKOFF_THR_MINACC', 'Plane'],
  ['THR_SLEWRATE', 'Plane'],
  ['CRUISE_SPEED', 'Rover'],
  ['PILOT_VELZ_MAX', 'Copter'],
  ['PILOT_SPEED_UP', 'Copter'],
  ['ANGLE_MAX', 'Copter'],
  ['THR_MID', 'Copter'],
];

const FIRMWARE_TEXT = /^(.+?)\s+V?(\d+\.\d+(?:\.\d+)?\S*)(?:\s+\(([0-9a-f]{6,40})\))?/i;

/**
 * Finds out from a log's own records which vehicle and firmware made it.
 * @param stream of several vehicles the one that is meant, by the stream of its heartbeats
 */
export async function findVehicle(facts: Facts, stream?: string): Promise<Vehicle> {
  const { log } = facts;
  if (isXbusLog(log)) return xbusDevice(log);
  const autopilot = await facts.autopilot(stream);
  if (autopilot) return { kind: autopilot.kind, firmware: await messageFirmware(log, autopilot), board: null };
  const texts = await messageTexts(log);
  const version = await lastRow(log.table('VER'));
  const text = [version?.FWS, ...texts].find((each) => typeof each === 'string' && kindOf(each) !== null);
  const firmware = typeof text === 'string' ? parseFirmware(text) : px4Firmware(version);
  const build = BUILDS.get(Number(version?.BU));
  const kind = build ?? (typeof text === 'string' ? kindOf(text) : null) ?? (await kindByParameters(log));
  return { kind, firmware, board: boardOf(texts) };
}

/** Texts of MSG records, and the lines before the first record of a text log. */
async function messageTexts(log: Log): Promise<string[]> {
  const texts: string[] = [];
  for (const table of log.tablesNamed('MSG')) {
    if (!table.field('Message')) continue;
    const column = await table.column('Message', { to: 200 });
    for (let row = 0; row < column.length; row++) texts.push(String(column.at(row)));
  }
  for (const fault of log.faults.kept) if (fault.code === 'text') texts.push(fault.text.replace(/^[^:]*: /, ''));
  return texts;
}

async function lastRow(table: Table | undefined): Promise<Record<string, unknown> | undefined> {
  if (!table || table.rows === 0) return undefined;
  for await (const row of table.records({ from: table.rows - 1 })) return row;
  return undefined;
}

function kindOf(text: string): VehicleClass | null {
  const known = NAMES.find(([pattern]) => pattern.test(text) && /V?\d+\.\d+/.test(text));
  return known ? known[1] : null;
}

export function parseFirmware(text: string): Firmware {
  const [, name = text, version = null, git = null] = FIRMWARE_TEXT.exec(text) ?? [];
  return { name, version, git, text };
}

/** sdlog2 has VER with Arch and FwGit. */
function px4Firmware(version: Record<string, unknown> | undefined): Firmware | null {
  if (typeof version?.FwGit !== 'string') return null;
  const text = `PX4 ${String(version.Arch ?? '')} ${version.FwGit}`;
  return { name: 'PX4', version: null, git: version.FwGit, text };
}

/**
 * ArduPilot logs its board and its serial number in a line of its own: 'CubeOrange 00290036 32395112 39333636'; older
 * firmwares 'PX4v2 00320024 33345111 38383339'; simulators say 'SITL'.
 */
function boardOf(texts: readonly string[]): string | null {
  for (const text of texts) {
    const found = /^([\w-]+) [0-9A-F]{8} [0-9A-F]{8} [0-9A-F]{8}$/i.exec(text) ?? /^(APM \d(?:\.\d)?)$/.exec(text);
    if (found) return found[1];
  }
  return null;
}

async function kindByParameters(log: Log): Promise<VehicleClass | null> {
  const names = new Set<unknown>();
  for (const table of log.tablesNamed('PARM')) {
    if (!table.field('Name')) continue;
    const column = await table.column('Name');
    for (let row = 0; row < column.length; row++) names.add(column.at(row));
  }
  return TELLING_PARAMETERS.find(([name]) => names.has(name))?.[1] ?? null;
}
