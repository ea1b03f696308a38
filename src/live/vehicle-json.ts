import type { VehicleState } from './vehicle.ts';

/** Everything that is known of a vehicle as plain data: times in seconds UTC, what is not known null. */
export function vehicleJson(vehicle: VehicleState): Record<string, unknown> {
  const { mode, modeNumber, armed, type, autopilot, kind, systemStatus, firmware, uptime, reboots } = vehicle;
  const { attitude, speed, battery, batteries, gps, gps2, ekf, radio, rc, home, mission, sensors, prearm } = vehicle;
  return {
    ...{
      id: vehicle.id,
      link: vehicle.link,
      links: vehicle.links,
      system: vehicle.system,
      component: vehicle.component,
    },
    ...{ armed, mode, modeNumber, type, autopilot, kind, systemStatus, firmware, uptime, reboots },
    connected: vehicle.connected,
    lostAt: seconds(vehicle.lostAt),
    lostCount: vehicle.lostCount,
    foundAt: seconds(vehicle.foundAt),
    lastHeartbeat: seconds(vehicle.lastHeartbeat),
    lastActivity: seconds(vehicle.lastActivity),
    messageRate: Math.round(vehicle.messageRate * 10) / 10,
    messageCount: vehicle.messageCount,
    position: timed(vehicle.position),
    ...{ attitude: timed(attitude), speed: timed(speed), battery, batteries, gps: timed(gps), gps2: timed(gps2) },
    ...{ ekf: timed(ekf), radio: timed(radio), rc: timed(rc), home: timed(home), mission: timed(mission) },
    ...{ sensors, prearm },
    texts: vehicle.texts.map(timed),
  };
}

function seconds(micros: number | null): number | null {
  return micros === null || Number.isNaN(micros) ? null : Math.round(micros) / 1e6;
}

function timed<T extends { readonly time: number }>(
  part: T | null,
): (Omit<T, 'time'> & { time: number | null }) | null {
  return part && { ...part, time: seconds(part.time) };
}
