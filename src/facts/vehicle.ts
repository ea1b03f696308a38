import type { Log } from '../core/log.ts';
import type { RecordTable } from '../core/table.ts';
import { hexOf } from '../core/text.ts';
import type { Facts } from './facts.ts';
import { type Autopilot, firmwareName, kindOfType } from './heartbeat.ts';
import { filledTables } from './information.ts';
import type { VehicleClass } from './mode-names.ts';

/** What flew. */
export interface Vehicle {
  /** The kind of vehicle, null if unknown. */
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

/** Finds vehicle and firmware of a log. @param stream the vehicle's heartbeat stream, if several */
export async function findVehicle(facts: Facts, stream?: string): Promise<Vehicle> {
  const { log } = facts;
  if (isXbusLog(log)) return xbusDevice(log);
  const autopilot = await facts.autopilot(stream);
  if (autopilot) return { kind: autopilot.kind, firmware: await messageFirmware(log, autopilot), board: null };
  const information = await facts.information();
  if (information.size > 0 || log.table('vehicle_status')) return loggedVehicle(log, information);
  const texts = await messageTexts(log);
  const version = await lastRow(log.table('VER'));
  const text = [version?.FWS, ...texts].find((each) => typeof each === 'string' && kindOf(each) !== null);
  const firmware = typeof text === 'string' ? parseFirmware(text) : px4Firmware(version);
  const build = BUILDS.get(Number(version?.BU));
  const kind = build ?? (typeof text === 'string' ? kindOf(text) : null) ?? (await kindByParameters(log));
  return { kind, firmware, board: boardOf(texts) };
}

/** vehicle_type of PX4 from 1.10 on. */
const PX4_TYPES: ReadonlyMap<unknown, VehicleClass> = new Map([
  [1, 'Copter'],
  [2, 'Plane'],
  [3, 'Rover'],
]);

/** PX4 names its firmware and its board in the log; others write ULogs, too. */
async function loggedVehicle(log: Log, information: ReadonlyMap<string, string>): Promise<Vehicle> {
  const status = await lastRow(log.table('vehicle_status'));
  const type = Number(status?.system_type ?? 0);
  const generic = PX4_TYPES.get(status?.vehicle_type) ?? (Number(status?.is_rotary_wing) === 1 ? 'Copter' : null);
  // a rocket is of a known type, and none of ours
  const kind = type > 0 ? kindOfType(type) : generic;
  const version = versionText(Number(information.get('ver_sw_release')));
  const git = information.get('ver_sw') ?? null;
  const name = information.get('sys_name') ?? (status ? 'PX4' : version || git ? 'firmware' : undefined);
  const text = [name, version && `V${version}`, git && `(${git.slice(0, 8)})`].filter(Boolean).join(' ');
  return { kind, firmware: name ? { name, version, git, text } : null, board: information.get('ver_hw') ?? null };
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

async function lastRow(table: RecordTable | undefined): Promise<Record<string, unknown> | undefined> {
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

/** The board in ArduPilot's line: 'CubeOrange 00290036 ...', earlier 'PX4v2 00320024 ...', in simulators 'SITL'. */
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

/** The lowest byte of flight_sw_version: how far the release was. */
const RELEASES: readonly (readonly [from: number, suffix: string])[] = [
  [255, ''],
  [192, '-rc'],
  [128, '-beta'],
  [64, '-alpha'],
  [0, '-dev'],
];

/** The firmware by AUTOPILOT_VERSION; the name comes from the heartbeat. */
async function messageFirmware(log: Log, autopilot: Autopilot): Promise<Firmware> {
  const name = firmwareName(autopilot);
  const table = log.table('AUTOPILOT_VERSION', autopilot.table.stream);
  if (!table?.field('flight_sw_version') || table.rows === 0) return { name, version: null, git: null, text: name };
  const [software, custom] = await table.columns(['flight_sw_version', 'flight_custom_version'], {
    from: table.rows - 1,
  });
  const version = versionText(software.numbers()[0]);
  const git = gitText(Array.from(custom.numbers()));
  const text = [name, version && `V${version}`, git && `(${git})`].filter(Boolean).join(' ');
  return { name, version, git, text };
}

/** Bytes from the highest: major, minor, patch, kind of release. All zero means that it is not known. */
export function versionText(word: number): string | null {
  if (!(word > 0)) return null;
  const suffix = RELEASES.find(([from]) => (word & 0xff) >= from)?.[1] ?? '';
  return `${word >>> 24}.${(word >>> 16) & 0xff}.${(word >>> 8) & 0xff}${suffix}`;
}

/** ArduPilot writes eight letters of the hash; PX4 five bytes of it after three others, the lowest first. */
export function gitText(bytes: readonly number[]): string | null {
  if (bytes.every((byte) => byte === 0)) return null;
  const text = String.fromCharCode(...bytes);
  if (/^[0-9a-f]{8}$/.test(text)) return text;
  return hexOf(Uint8Array.from(bytes.slice(3)).reverse());
}

/** Whether a log comes from a single Xsens sensor. */
export function isXbusLog({ kind }: Log): boolean {
  return kind !== undefined && kind.protocols.length === 1 && kind.protocols[0] === 'xbus';
}

/** What an Xsens device says of itself in its answers: its product code, its firmware and its number. */
async function xbusDevice(log: Log): Promise<Vehicle> {
  const product = String((await last(log, 'ProductCode', ['text']))?.[0] ?? '').trim();
  const id = (await last(log, 'DeviceID', ['id'])) ?? (await last(log, 'Configuration', ['master']));
  const name = product || 'Xsens';
  const version = await last(log, 'FirmwareRev', ['major', 'minor', 'revision']);
  return { kind: null, firmware: version ? firmwareOf(name, version) : null, board: xsensBoard(product, id?.[0]) };
}

function firmwareOf(name: string, parts: readonly unknown[]): Firmware {
  const version = parts.join('.');
  return { name, version, git: null, text: `${name} V${version}` };
}

/** A device id is printed on the device as eight hexadecimal digits, or sixteen. */
function xsensBoard(product: string, id: unknown): string | null {
  const number = typeof id === 'number' || typeof id === 'bigint' ? id.toString(16).toUpperCase() : '';
  const text = number === '' ? '' : `device ${number.padStart(number.length > 8 ? 16 : 8, '0')}`;
  return [product, text].filter(Boolean).join(' ') || null;
}

/** Fields of the last record of that name. */
async function last(log: Log, name: string, fields: readonly string[]): Promise<unknown[] | undefined> {
  const [table] = filledTables(log, name, fields).sort((a, b) => b.offsets.at(b.rows - 1) - a.offsets.at(a.rows - 1));
  if (!table) return undefined;
  return (await table.columns(fields, { from: table.rows - 1 })).map((column) => column.at(0));
}
