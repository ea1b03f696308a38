import { autopilotName } from '../facts/heartbeat.ts';
import type { LiveCollector } from '../live/collector.ts';
import type { LiveVehicle } from '../live/vehicle.ts';

/** What is known of a vehicle, under the keys of the status file. What is not known has no key. */
export interface VehicleStatus {
  system_id?: number;
  component_id?: number;
  armed?: boolean;
  flight_mode?: string;
  /** Volts. */
  battery_voltage?: number;
  /** When the voltage came: 0.1s ago */
  battery?: string;
  /** ArduPilot from the first heartbeat, ArduCopter 4.6.1 once its version is known. */
  firmware?: string;
  /** 0.8s ago */
  heartbeat?: string;
  last_activity?: string;
  messages_per_sec?: number;
  /** While another sender uses its system id: a sentence. */
  conflict?: string;
}

export interface Status extends VehicleStatus {
  /** UTC: 2025-10-09 14:45:20 */
  last_update: string;
  /** With several vehicles: each by its id. The other keys are of the first one. */
  vehicles?: Readonly<Record<string, VehicleStatus>>;
  recorder?: RecorderStatus;
}

export interface RecorderStatus {
  /** off, waiting, recording, failed or closed. */
  readonly state: string;
  /** Why it failed. */
  readonly error?: string;
  readonly file?: string;
  readonly records: number;
  readonly lost: number;
}

/** The status of all vehicles at a time, in microseconds UTC. */
export function statusOf(collector: LiveCollector, now: number, recorder?: RecorderStatus): Status {
  const vehicles = [...collector.vehicles];
  const [first] = vehicles;
  return {
    ...(first ? vehicleStatus(first[1], now) : {}),
    last_update: new Date(now / 1000).toISOString().slice(0, 19).replace('T', ' '),
    ...(vehicles.length > 1
      ? { vehicles: Object.fromEntries(vehicles.map(([key, vehicle]) => [key, vehicleStatus(vehicle, now)])) }
      : {}),
    ...(recorder ? { recorder } : {}),
  };
}

function vehicleStatus(vehicle: LiveVehicle, now: number): VehicleStatus {
  const { voltage, time } = vehicle.battery;
  const firmware = firmwareText(vehicle);
  return {
    system_id: vehicle.system,
    component_id: vehicle.component,
    ...(vehicle.armed === null ? {} : { armed: vehicle.armed }),
    flight_mode: vehicle.mode,
    ...(voltage === null ? {} : { battery_voltage: voltage, battery: ago(time, now) }),
    ...(firmware === null ? {} : { firmware }),
    heartbeat: ago(vehicle.lastHeartbeat, now),
    last_activity: ago(vehicle.lastActivity, now),
    messages_per_sec: Math.round(vehicle.messageRate * 10) / 10,
    ...(vehicle.conflict === null ? {} : { conflict: vehicle.conflict }),
  };
}

/** By the heartbeat until the version is known; the name alone if the vehicle does not send one. */
function firmwareText({ firmware, autopilot, components, component }: LiveVehicle): string | null {
  if (!components.get(component)?.messages.has('AUTOPILOT_VERSION')) return autopilotName(autopilot);
  return firmware.version === null ? firmware.name : `${firmware.name} ${firmware.version}`;
}

function ago(time: number, now: number): string {
  return `${(Math.max(0, now - time) / 1e6).toFixed(1)}s ago`;
}
