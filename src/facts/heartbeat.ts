import type { Log } from '../core/log.ts';
import type { RecordTable } from '../core/table.ts';
import { filledTables } from './information.ts';
import { modeName, px4ModeName, type VehicleClass } from './mode-names.ts';

/** MAV_AUTOPILOT: senders that are not autopilots, and autopilots with their own modes. */
const NO_AUTOPILOT = 8;
export const ARDUPILOT = 3;
export const PX4 = 12;

/** MAV_TYPE: kinds of vehicle by the number in their heartbeat. */
const KINDS: readonly (readonly [kind: VehicleClass, types: readonly number[]])[] = [
  ['Copter', [2, 3, 4, 13, 14, 15, 29, 35, 43]],
  ['Plane', [1, 19, 20, 21, 22, 23, 24, 25, 47]],
  ['Rover', [10, 11]],
  ['Sub', [12]],
  ['Tracker', [5]],
  ['Blimp', [7]],
];
/** Components that are not vehicles: ground stations, gimbals, cameras and the like. */
const NO_VEHICLES: ReadonlySet<number> = new Set([
  6, 18, 26, 27, 30, 31, 32, 33, 34, 36, 37, 38, 39, 40, 41, 42, 44, 48, 49,
]);

/** The autopilot of a log of messages: the stream that sends its heartbeats. */
export interface Autopilot {
  readonly table: RecordTable;
  /** MAV_AUTOPILOT and MAV_TYPE. */
  readonly autopilot: number;
  readonly type: number;
  readonly kind: VehicleClass | null;
}

/** The autopilots of a log, those with most heartbeats first: one of each vehicle that it heard. */
export async function findAutopilots(log: Log): Promise<Autopilot[]> {
  const found: Autopilot[] = [];
  for await (const { table, autopilot, type } of lastHeartbeats(log))
    if (isVehicle(autopilot, type)) found.push({ table, autopilot, type, kind: kindOfType(type) });
  return found.sort((a, b) => b.table.rows - a.table.rows);
}

/** The last heartbeat of each stream. */
export async function* lastHeartbeats(log: Log): AsyncGenerator<Omit<Autopilot, 'kind'>> {
  const fields = ['autopilot', 'type'];
  for (const table of filledTables(log, 'HEARTBEAT', fields)) {
    const columns = await table.columns(fields, { from: table.rows - 1 });
    const [autopilot, type] = columns.map((column) => column.numbers()[0]);
    yield { table, autopilot, type };
  }
}

/** Whether such a heartbeat is that of a vehicle's autopilot, and not that of a ground station, a camera or the like. */
export function isVehicle(autopilot: number, type: number): boolean {
  return autopilot !== NO_AUTOPILOT && !NO_VEHICLES.has(type);
}

/** The kind of vehicle by MAV_TYPE; null if it has no modes. */
export function kindOfType(type: number): VehicleClass | null {
  return KINDS.find(([, types]) => types.includes(type))?.[0] ?? null;
}

/** What of a heartbeat decides how modes and firmware are called. */
export type Stack = Pick<Autopilot, 'autopilot' | 'kind'>;

/** MAV_AUTOPILOT: those without kinds of vehicle. */
const AUTOPILOTS: ReadonlyMap<number, string> = new Map([
  [0, 'generic autopilot'],
  [4, 'OpenPilot'],
  [9, 'Paparazzi'],
  [12, 'PX4'],
  [13, 'SMACCMPilot'],
  [14, 'AutoQuad'],
  [17, 'ASLUAV'],
  [18, 'SmartAP'],
  [19, 'AirRails'],
  [20, 'Reflex'],
]);

export function autopilotName(autopilot: number): string | null {
  return autopilot === ARDUPILOT ? 'ArduPilot' : (AUTOPILOTS.get(autopilot) ?? null);
}

/** The name of the firmware as its users know it. */
export function firmwareName({ autopilot, kind }: Stack): string {
  if (autopilot !== ARDUPILOT) return autopilotName(autopilot) ?? 'unknown autopilot';
  if (kind === 'Tracker') return 'AntennaTracker';
  return kind === null ? 'ArduPilot' : kind === 'Blimp' ? 'Blimp' : `Ardu${kind}`;
}

export function customModeName({ autopilot, kind }: Stack, mode: number): string {
  if (autopilot === PX4) return px4ModeName(mode);
  return modeName(autopilot === ARDUPILOT ? kind : null, mode);
}
