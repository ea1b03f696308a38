import type { Row } from '../core/table.ts';
import { PX4 } from '../facts/heartbeat.ts';

/*
 * BATTERY_STATUS, https://mavlink.io/en/messages/common.html#BATTERY_STATUS
 *
 *     voltages[10]       mV; 65535 for a missing cell
 *     voltages_ext[4]    mV; 0 for a missing cell
 *
 * Where single cells are not known, the first entry holds the pack; what is above 65.534 V goes on in the next. Either
 * way the pack has the sum of all entries.
 */

/** A cell of any usual chemistry has less than this; what has more is a pack. */
const MOST_OF_A_CELL = 5;

/** One pack. What is not known is null. */
export interface Battery {
  /** Which pack, from 0. */
  readonly id: number;
  /** Volts, amperes. */
  readonly voltage: number | null;
  readonly current: number | null;
  /** Percent. */
  readonly remaining: number | null;
  /** Milliampere hours and watt seconds (joules) used. */
  readonly consumed: number | null;
  readonly energy: number | null;
  /** Degrees Celsius. */
  readonly temperature: number | null;
  /** Volts of each cell; empty where they are not known. */
  readonly cells: readonly number[];
  /** Seconds left. */
  readonly timeRemaining: number | null;
  /** MAV_BATTERY_CHARGE_STATE and MAV_BATTERY_FAULT; null where it says nothing. */
  readonly chargeState: number | null;
  readonly faults: number;
}

/** What BATTERY_STATUS says of one pack. */
export function batteryOf(id: number, row: Row, autopilot = 0): Battery {
  const cells = [...entries(row.voltages), ...entries(row.voltages_ext).filter((millivolts) => millivolts !== 0)];
  const sum = cells.reduce((total, millivolts) => total + millivolts, 0);
  const volts = cells.map((millivolts) => millivolts / 1000);
  const areCells = volts.length > 1 && Math.max(...volts) < MOST_OF_A_CELL;
  return {
    id,
    // a monitor that is not there says 0
    voltage: sum > 0 ? sum / 1000 : null,
    current: currentOf(row, autopilot),
    remaining: number(row.battery_remaining),
    consumed: number(row.current_consumed),
    energy: times(row.energy_consumed, 100),
    temperature: scaled(row.temperature, 100),
    cells: areCells ? volts : [],
    timeRemaining: number(row.time_remaining) || null,
    chargeState: number(row.charge_state) || null,
    faults: number(row.fault_bitmask) ?? 0,
  };
}

/** What SYS_STATUS says of the battery, or of the lowest one. */
export function systemBattery(row: Row, autopilot = 0): Pick<Battery, 'voltage' | 'current' | 'remaining'> {
  return {
    voltage: scaled(row.voltage_battery, 1000) || null,
    current: currentOf(row, autopilot),
    remaining: number(row.battery_remaining),
  };
}

/** PX4 says -1 A, -100 on the wire, where it does not know it; MAVLink's own -1 on the wire is null already. */
function currentOf({ current_battery: hundredths }: Row, autopilot: number): number | null {
  return autopilot === PX4 && hundredths === -100 ? null : scaled(hundredths, 100);
}

function entries(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((each): each is number => typeof each === 'number') : [];
}

export function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** A field divided: 1234 / 100 is 12.34. */
export function scaled(value: unknown, divisor: number): number | null {
  const known = number(value);
  return known === null ? null : known / divisor;
}

function times(value: unknown, factor: number): number | null {
  const known = number(value);
  return known === null ? null : known * factor;
}
