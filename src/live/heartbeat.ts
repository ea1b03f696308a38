import { isVehicle } from '../facts/heartbeat.ts';
import type { Header } from '../formats/mavlink/header.ts';

/*
 * HEARTBEAT, https://mavlink.io/en/messages/common.html#HEARTBEAT, whose definition can never change:
 *
 *     0 ... 3       4      5           6           7               8
 *     custom_mode   type   autopilot   base_mode   system_status   mavlink_version
 *
 * Version 2 cuts zeros off the end, but mavlink_version is never 0: all nine bytes are always there.
 */
export const HEARTBEAT = 0;
/** A system id that is a target and not a sender. */
export const EVERYONE = 0;
const LENGTH = 9;
/** Of its base_mode. */
export const ARMED = 128;

export interface Heartbeat {
  /** MAV_TYPE, MAV_AUTOPILOT, MAV_STATE. */
  readonly type: number;
  readonly autopilot: number;
  readonly systemStatus: number;
  readonly customMode: number;
  /** null where it is not said. */
  readonly armed: boolean | null;
}

export function readHeartbeat(payload: Uint8Array): Heartbeat {
  const [a = 0, b = 0, c = 0, d = 0, type = 0, autopilot = 0, mode = 0, systemStatus = 0] = payload;
  const customMode = (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
  return { type, autopilot, systemStatus, customMode, armed: (mode & ARMED) !== 0 };
}

/** The heartbeat in a frame, if of an autopilot. @param hearsAll whether stations and other components count too */
export function heartbeatOf(bytes: Uint8Array, header: Header, hearsAll = false): Heartbeat | undefined {
  const { id, length, payload, system } = header;
  if (id !== HEARTBEAT || length !== LENGTH || system === EVERYONE) return undefined;
  const heartbeat = readHeartbeat(bytes.subarray(payload, payload + LENGTH));
  return hearsAll || isVehicle(heartbeat.autopilot, heartbeat.type) ? heartbeat : undefined;
}
