import { basename, dirname, resolve } from 'node:path';
import type { Log } from '../core/log.ts';
import { hexOf } from '../core/text.ts';
import { factsOf } from '../facts/facts.ts';
import type { Parameter } from '../facts/parameters.ts';
import { isXbusLog } from '../facts/vehicle.ts';
import { partitionValue } from './lake.ts';

/** Ways to identify a vehicle, the surest first. */
export const VEHICLE_SOURCES = ['hardware', 'parameters', 'system', 'folder'] as const;

export type VehicleSource = (typeof VEHICLE_SOURCES)[number];

export interface VehicleId {
  /** As in the path of a partition. */
  readonly id: string;
  /** How it was found; 'given' if the user named it. */
  readonly source: VehicleSource | 'given';
}

export interface VehicleRule {
  /** The same for all logs. */
  readonly vehicle?: string | undefined;
  /** The ways to try, in this order; the folder is the last in any case. */
  readonly from?: readonly VehicleSource[] | undefined;
}

type Way = (log: Log, path: string) => Promise<string | null>;

const WAYS: Readonly<Record<VehicleSource, Way>> = {
  hardware: async (log) =>
    (await messageHardware(log)) ??
    (await loggedHardware(log)) ??
    (await textHardware(log)) ??
    (await deviceNumber(log)),
  parameters: serialParameter,
  system: systemNumber,
  folder: async (_, path) => basename(dirname(resolve(path))) || 'unknown',
};

export async function findVehicleId(log: Log, path: string, rule: VehicleRule = {}): Promise<VehicleId> {
  if (rule.vehicle !== undefined) return { id: partitionValue(rule.vehicle), source: 'given' };
  for (const source of [...(rule.from ?? VEHICLE_SOURCES), 'folder' as const]) {
    const found = await WAYS[source](log, path);
    if (found !== null) return { id: partitionValue(found), source };
  }
  return { id: 'unknown', source: 'folder' };
}

/** Bytes of a unique number of the processor that ArduPilot puts into uid2, and letters of a machine id. */
const PROCESSOR_BYTES = 12;
const MACHINE_DIGITS = 16;

/** AUTOPILOT_VERSION: uid2 where it is set, else uid. */
async function messageHardware(log: Log): Promise<string | null> {
  const autopilot = await factsOf(log).autopilot();
  const table = log.table('AUTOPILOT_VERSION', autopilot?.table.stream);
  if (!table || table.rows === 0 || !table.field('uid')) return null;
  for await (const { uid, uid2 } of table.records({ from: table.rows - 1 })) {
    const bytes = Array.isArray(uid2) || ArrayBuffer.isView(uid2) ? Array.from(uid2 as ArrayLike<number>, Number) : [];
    if (bytes.some((byte) => byte !== 0)) return hardwareText(Uint8Array.from(bytes));
    const number = typeof uid === 'bigint' ? uid : BigInt(Math.trunc(Number(uid) || 0));
    return number === 0n ? null : number.toString(16).padStart(16, '0');
  }
  return null;
}

/** PX4's own log has the bytes of uid2 as one number. */
async function loggedHardware(log: Log): Promise<string | null> {
  const told = (await factsOf(log).information()).get('sys_uuid')?.toLowerCase() ?? '';
  return /^(?=.*[1-9a-f])[0-9a-f]{16,64}$/.test(told) ? told : null;
}

/**
 * uid2 as text that is the same as in the log of the autopilot itself. ArduPilot puts there the 12 bytes of the
 * processor's number, of which its log has the words with the highest byte first; or on Linux the letters of a machine
 * id, as many as fit.
 */
export function hardwareText(bytes: Uint8Array): string {
  const text = String.fromCharCode(...bytes).replace(/\0+$/, '');
  if (/^[0-9a-f]{16,}$/.test(text)) return text.slice(0, MACHINE_DIGITS);
  if (bytes.subarray(PROCESSOR_BYTES).some((byte) => byte !== 0)) return hexOf(bytes);
  const words = [0, 4, 8].map((at) => hexOf(bytes.slice(at, at + 4).reverse()));
  return words.join('');
}

/** The lines in which the log of ArduPilot says its board and serial number, or the id of the machine it runs on. */
async function textHardware(log: Log): Promise<string | null> {
  for (const { text } of log.isOnboard ? await factsOf(log).messages() : []) {
    const serial = /^[\w-]+ ([0-9A-F]{8}) ([0-9A-F]{8}) ([0-9A-F]{8})$/i.exec(text);
    if (serial) return serial.slice(1).join('').toLowerCase();
    if (/^[0-9a-f]{32}$/.test(text)) return text.slice(0, MACHINE_DIGITS);
  }
  return null;
}

/** The number that is printed on a sensor. */
async function deviceNumber(log: Log): Promise<string | null> {
  if (!isXbusLog(log)) return null;
  const { board } = await factsOf(log).vehicle();
  return /device ([0-9A-F]+)$/.exec(board ?? '')?.[1].toLowerCase() ?? null;
}

/** A number that the owner gave to the board, with that of the system. */
async function serialParameter(log: Log): Promise<string | null> {
  const parameters = await factsOf(log).parameters();
  const serial = parameters.get('BRD_SERIAL_NUM')?.value ?? 0;
  const system = systemParameter(parameters);
  return serial > 0 ? `serial-${serial}${system === undefined ? '' : `-system-${system}`}` : null;
}

async function systemNumber(log: Log): Promise<string | null> {
  const autopilot = await factsOf(log).autopilot();
  const system = autopilot?.table.stream.split(':')[0] ?? systemParameter(await factsOf(log).parameters());
  return system === undefined ? null : `system-${system}`;
}

function systemParameter(parameters: ReadonlyMap<string, Parameter>): number | undefined {
  return ['SYSID_THISMAV', 'MAV_SYSID', 'MAV_SYS_ID'].map((name) => parameters.get(name)?.value).find(Number.isFinite);
}
