import type { Schema } from '../core/schema.ts';
import type { Row } from '../core/table.ts';
import { PX4 } from '../facts/heartbeat.ts';
import { number } from './battery.ts';
import type { StatusText } from './texts.ts';

/** MAV_SYS_STATUS_PREARM_CHECK: whether the vehicle would arm. */
const PREARM = 0x10000000;
const BITS = 32;

/** How a vehicle says why it does not arm: ArduPilot, and PX4, whose warnings do not say that anything failed. */
const REASON = /^(PreArm|Arm|Preflight Fail|Preflight|Arming denied)[:!]\s+/i;
/** Microseconds for which a reason holds: ArduPilot repeats it twice a minute. */
const REASON_HOLDS = 65e6;

/** One of the bits of SYS_STATUS: a sensor or something else that may fail. */
export interface SensorHealth {
  /** As MAV_SYS_STATUS_SENSOR has it, without that prefix, in lower case: 3d_gyro, gps, rc_receiver ... */
  readonly name: string;
  readonly enabled: boolean;
  readonly healthy: boolean;
}

/** Sensors that are there, and those that are not but should be. */
export function sensorsOf(row: Row, schema: Schema): SensorHealth[] {
  const names = schema.fields.find(({ name }) => name === 'onboard_control_sensors_health')?.enumeration?.names;
  const present = number(row.onboard_control_sensors_present) ?? 0;
  const enabled = number(row.onboard_control_sensors_enabled) ?? 0;
  const health = number(row.onboard_control_sensors_health) ?? 0;
  const sensors: SensorHealth[] = [];
  for (let bit = 0; bit < BITS; bit++) {
    const mask = 2 ** bit;
    const has = (bits: number): boolean => Math.floor(bits / mask) % 2 === 1;
    if (!has(present) && !has(enabled)) continue;
    const name = (names?.get(mask) ?? `bit_${bit}`).replace(/^MAV_SYS_STATUS_(SENSOR_)?/, '').toLowerCase();
    sensors.push({ name, enabled: has(enabled), healthy: has(health) });
  }
  return sensors;
}

/** Whether the vehicle says that it would arm; null where it does not say. PX4 never has the bit among what is present. */
export function readyToArm(row: Row, autopilot: number): boolean | null {
  const bits = (name: string): number => number(row[name]) ?? 0;
  if (autopilot !== PX4 && (bits('onboard_control_sensors_present') & PREARM) === 0) return null;
  return (bits('onboard_control_sensors_health') & PREARM) !== 0;
}

/**
 * Why the vehicle does not arm, by what it said lately: each reason once, the last one said last.
 * @param since what it said before this no longer holds
 */
export function prearmReasons(texts: readonly StatusText[], since: number, now: number): string[] {
  const reasons = new Set<string>();
  for (const { text, time } of texts) {
    if (!REASON.test(text) || time < since || now - time > REASON_HOLDS) continue;
    const reason = text.replace(REASON, '');
    reasons.delete(reason);
    reasons.add(reason);
  }
  return [...reasons];
}
