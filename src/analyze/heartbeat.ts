import type { Log } from '../core/log.ts';
import type { Table } from '../core/table.ts';
import { modeName, type VehicleClass } from './mode-names.ts';

/** MAV_AUTOPILOT: what sends a heartbeat but is no autopilot, and those that have modes of their own. */
const NO_AUTOPILOT = 8;
const ARDUPILOT = 3;
const PX4 = 12;

/** MAV_TYPE: kinds of vehicle by the number in their heartbeat. */
const KINDS: readonly (readonly [kind: VehicleClass, types: readonly number[]])[] = [
  ['Copter', [2, 3, 4, 13, 14, 15, 29, 35, 43]],
  ['Plane', [1, 19, 20, 21, 22, 23, 24, 25, 47]],
  ['Rover', [10, 11]],
  ['Sub', [12]],
  ['Tracker', [5]],
  ['Blimp', [7]],
];
/** Components that are no vehicle: ground stations, gimbals, cameras and the like. */
const NO_VEHICLES: ReadonlySet<number> = new Set([
  6, 18, 26, 27, 30, 31, 32, 33, 34, 36, 37, 38, 39, 40, 41, 42, 44, 48, 49,
]);

const PX4_MODES: readonly string[] = [
  '',
  'MANUAL',
  'ALTCTL',
  'POSCTL',
  'AUTO',
  'ACRO',
  'OFFBOARD',
  'STABILIZED',
  'RATTITUDE',
  'SIMPLE',
  'TERMINATION',
  'ALTITUDE_CRUISE',
];
const PX4_AUTO: readonly string[] = [
  '',
  'READY',
  'TAKEOFF',
  'LOITER',
  'MISSION',
  'RTL',
  'LAND',
  'RTGS',
  'FOLLOW_TARGET',
  'PRECLAND',
  'VTOL_TAKEOFF',
];
const PX4_POSITION: readonly string[] = ['', 'ORBIT', 'SLOW'];

/** The autopilot of a log of messages: the stream that sends its heartbeats. */
export interface Autopilot {
  readonly table: Table;
  /** MAV_AUTOPILOT and MAV_TYPE. */
  readonly autopilot: number;
  readonly type: number;
  readonly kind: VehicleClass | null;
}

/** The autopilot whose heartbeats are most, if any component of the log is one. */
export async function findAutopilot(log: Log): Promise<Autopilot | undefined> {
  let best: Autopilot | undefined;
  for (const table of log.tablesNamed('HEARTBEAT')) {
    if (table.rows === 0 || !table.field('autopilot') || !table.field('type')) continue;
    if (best && table.rows <= best.table.rows) continue;
    const columns = await table.columns(['autopilot', 'type'], { from: table.rows - 1 });
    const [autopilot, type] = columns.map((column) => column.numbers()[0]);
    if (autopilot === NO_AUTOPILOT || NO_VEHICLES.has(type)) continue;
    best = { table, autopilot, type, kind: KINDS.find(([, types]) => types.includes(type))?.[0] ?? null };
  }
  return best;
}

/** The name of the firmware as its users know it. */
export function firmwareName({ autopilot, kind }: Autopilot): string {
  if (autopilot === PX4) return 'PX4';
  if (autopilot !== ARDUPILOT) return `autopilot ${autopilot}`;
  if (kind === 'Tracker') return 'AntennaTracker';
  return kind === null ? 'ArduPilot' : kind === 'Blimp' ? 'Blimp' : `Ardu${kind}`;
}

/**
 * The name of a mode by the number in the heartbeat. PX4 packs two numbers into it: bits 16 to 23 the mode, 24 to 31
 * what it does within that.
 */
export function customModeName({ autopilot, kind }: Autopilot, mode: number): string {
  if (autopilot === ARDUPILOT) return modeName(kind, mode);
  const main = (mode >>> 16) & 0xff;
  const sub = mode >>> 24;
  const name = autopilot === PX4 ? PX4_MODES[main] : undefined;
  if (!name) return modeName(null, mode);
  if (name === 'AUTO') return PX4_AUTO[sub] ? `AUTO_${PX4_AUTO[sub]}` : `AUTO(${sub})`;
  return (name === 'POSCTL' && PX4_POSITION[sub]) || name;
}
