import type { Row } from '../core/table.ts';
import { ARDUPILOT, PX4 } from '../facts/heartbeat.ts';
import { number, scaled } from './battery.ts';
import { ARMED, type Heartbeat } from './heartbeat.ts';
import { type Position, place, type Speed } from './navigation.ts';

/*
 * HIGH_LATENCY2, https://mavlink.io/en/messages/common.html#HIGH_LATENCY2: all that a vehicle sends over a satellite, once
 * in a few seconds or minutes, in place of heartbeats and everything else. Its custom_mode has 16 bits: PX4 sends the
 * upper half of the usual 32. ArduPilot puts its base_mode into custom0; PX4 does not say whether it is armed.
 */
export const HIGH_LATENCY = 'HIGH_LATENCY2';

/** What it says in place of a heartbeat. */
export function latencyHeartbeat(row: Row): Heartbeat {
  const field = (name: string): number => number(row[name]) ?? 0;
  const autopilot = field('autopilot');
  const mode = field('custom_mode');
  return {
    type: field('type'),
    autopilot,
    armed: autopilot === ARDUPILOT ? (field('custom0') & ARMED) !== 0 : null,
    customMode: autopilot === PX4 ? mode * 0x10000 : mode,
    systemStatus: 0,
  };
}

export function latencyPosition(row: Row, time: number): Position | null {
  const at = place(row.latitude, row.longitude);
  const heading = number(row.heading);
  return (
    at && {
      ...at,
      alt: number(row.altitude),
      relativeAlt: null,
      heading: heading === null ? null : heading * 2,
      source: HIGH_LATENCY,
      time,
    }
  );
}

export function latencySpeed(row: Row, time: number): Speed {
  const [ground, air] = [scaled(row.groundspeed, 5), scaled(row.airspeed, 5)];
  return { ground, air, climb: scaled(row.climb_rate, 10), throttle: number(row.throttle), time };
}
