import type { Schema } from '../core/schema.ts';
import type { Row } from '../core/table.ts';
import { ARDUPILOT, PX4 } from '../facts/heartbeat.ts';
import { number, scaled } from './battery.ts';
import { ARMED, type Heartbeat } from './heartbeat.ts';
import type { StatusText } from './texts.ts';

/*
 * What the messages about place and motion say, in degrees, metres and metres a second,
 * https://mavlink.io/en/messages/common.html
 */

/** Where messages that have no other way to say it put what is not known. */
const NO_HEADING = 65535;
/** GPS_FIX_TYPE from which there is a position. */
const FIX_2D = 2;

/** GPS_FIX_TYPE in words, for terminal and page. */
const FIXES: readonly string[] = [
  'no GPS',
  'no fix',
  '2D fix',
  '3D fix',
  'DGPS',
  'RTK float',
  'RTK fixed',
  'static',
  'PPP',
];

/** The words for a GPS_FIX_TYPE. */
export function fixText(fix: number): string {
  return FIXES[fix] ?? `fix ${fix}`;
}

export interface Position {
  /** Degrees. */
  readonly lat: number;
  readonly lon: number;
  /** Metres above the sea, and above where it took off. */
  readonly alt: number | null;
  readonly relativeAlt: number | null;
  /** Degrees. */
  readonly heading: number | null;
  /** The message that says so, and when it came. */
  readonly source: string;
  readonly time: number;
}

/** Degrees; rates in degrees a second. */
export interface Attitude {
  readonly roll: number;
  readonly pitch: number;
  readonly yaw: number;
  readonly rollRate: number | null;
  readonly pitchRate: number | null;
  readonly yawRate: number | null;
  readonly time: number;
}

/** Metres a second; throttle in percent. */
export interface Speed {
  readonly ground: number | null;
  readonly air: number | null;
  readonly climb: number | null;
  readonly throttle: number | null;
  readonly time: number;
}

export interface GpsState {
  /** GPS_FIX_TYPE: 0 no receiver, 1 no fix, 2 2D, 3 3D, 4 DGPS, 5 RTK float, 6 RTK fixed ... */
  readonly fix: number;
  readonly satellites: number | null;
  readonly hdop: number | null;
  readonly vdop: number | null;
  readonly lat: number | null;
  readonly lon: number | null;
  readonly alt: number | null;
  readonly speed: number | null;
  readonly course: number | null;
  readonly time: number;
}

/** The filter's own view of its errors: below 0.5 is good, above 1 is bad. */
export interface EkfState {
  readonly flags: number;
  readonly velocity: number | null;
  readonly horizontal: number | null;
  readonly vertical: number | null;
  readonly compass: number | null;
  readonly terrain: number | null;
  readonly airspeed: number | null;
  readonly source: string;
  readonly time: number;
}

export interface HomePosition {
  readonly lat: number;
  readonly lon: number;
  readonly alt: number | null;
  readonly time: number;
}

/** Latitude and longitude of 0 and 0 are what a vehicle says that does not know them. */
function place(lat: unknown, lon: unknown): { lat: number; lon: number } | null {
  const [north, east] = [scaled(lat, 1e7), scaled(lon, 1e7)];
  if (north === null || east === null || (north === 0 && east === 0)) return null;
  return Math.abs(north) <= 90 && Math.abs(east) <= 180 ? { lat: north, lon: east } : null;
}

/** GLOBAL_POSITION_INT. */
export function positionOf(row: Row, time: number): Position | null {
  const at = place(row.lat, row.lon);
  if (!at) return null;
  const heading = row.hdg === NO_HEADING ? null : scaled(row.hdg, 100);
  const [alt, relativeAlt] = [scaled(row.alt, 1000), scaled(row.relative_alt, 1000)];
  return { ...at, alt, relativeAlt, heading, source: 'GLOBAL_POSITION_INT', time };
}

/** GPS_RAW_INT, for a vehicle that sends nothing better. */
export function gpsPosition(row: Row, time: number): Position | null {
  const at = (number(row.fix_type) ?? 0) >= FIX_2D ? place(row.lat, row.lon) : null;
  if (!at) return null;
  return { ...at, alt: scaled(row.alt, 1000), relativeAlt: null, heading: null, source: 'GPS_RAW_INT', time };
}

export function attitudeOf(row: Row, time: number): Attitude | null {
  const [roll, pitch, yaw] = [degrees(row.roll), degrees(row.pitch), degrees(row.yaw)];
  if (roll === null || pitch === null || yaw === null) return null;
  const rates = {
    rollRate: degrees(row.rollspeed),
    pitchRate: degrees(row.pitchspeed),
    yawRate: degrees(row.yawspeed),
  };
  return { roll, pitch, yaw, ...rates, time };
}

/** VFR_HUD. */
export function speedOf(row: Row, time: number): Speed {
  const [ground, air] = [number(row.groundspeed), number(row.airspeed)];
  return { ground, air, climb: number(row.climb), throttle: number(row.throttle), time };
}

/** GLOBAL_POSITION_INT, for a vehicle that sends no VFR_HUD. */
export function velocitySpeed(row: Row, time: number): Speed | null {
  const [north, east, down] = [scaled(row.vx, 100), scaled(row.vy, 100), scaled(row.vz, 100)];
  if (north === null || east === null) return null;
  return { ground: Math.hypot(north, east), air: null, climb: down === null ? null : 0 - down, throttle: null, time };
}

/** GPS_RAW_INT or GPS2_RAW. */
export function gpsOf(row: Row, time: number): GpsState {
  const fix = number(row.fix_type) ?? 0;
  const at = fix >= FIX_2D ? place(row.lat, row.lon) : null;
  return {
    fix,
    satellites: number(row.satellites_visible),
    hdop: scaled(row.eph, 100),
    vdop: scaled(row.epv, 100),
    lat: at ? at.lat : null,
    lon: at ? at.lon : null,
    alt: at ? scaled(row.alt, 1000) : null,
    speed: scaled(row.vel, 100),
    course: scaled(row.cog, 100),
    time,
  };
}

/** EKF_STATUS_REPORT of ArduPilot. */
export function ekfOf(row: Row, time: number): EkfState {
  return {
    flags: number(row.flags) ?? 0,
    velocity: number(row.velocity_variance),
    horizontal: number(row.pos_horiz_variance),
    vertical: number(row.pos_vert_variance),
    compass: number(row.compass_variance),
    terrain: number(row.terrain_alt_variance),
    airspeed: number(row.airspeed_variance),
    source: 'EKF_STATUS_REPORT',
    time,
  };
}

/** ESTIMATOR_STATUS of PX4. */
export function estimatorOf(row: Row, time: number): EkfState {
  return {
    flags: number(row.flags) ?? 0,
    velocity: number(row.vel_ratio),
    horizontal: number(row.pos_horiz_ratio),
    vertical: number(row.pos_vert_ratio),
    compass: number(row.mag_ratio),
    terrain: number(row.hagl_ratio),
    airspeed: number(row.tas_ratio),
    source: 'ESTIMATOR_STATUS',
    time,
  };
}

export function homeOf(row: Row, time: number): HomePosition | null {
  const at = place(row.latitude, row.longitude);
  return at && { ...at, alt: scaled(row.altitude, 1000), time };
}

function degrees(radians: unknown): number | null {
  const known = number(radians);
  return known === null ? null : (known * 180) / Math.PI;
}

/** A telemetry radio: both ends, in the radio's own units; a SiK radio has dBm = rssi / 1.9 - 127. */
export interface RadioState {
  readonly rssi: number | null;
  readonly remoteRssi: number | null;
  readonly noise: number | null;
  readonly remoteNoise: number | null;
  /** Percent of the transmit buffer that is free. */
  readonly free: number | null;
  readonly errors: number | null;
  readonly corrected: number | null;
  readonly time: number;
}

/** The channels of the pilot's receiver, in microseconds; those that are not used are null. */
export interface RcState {
  readonly channels: readonly (number | null)[];
  readonly rssi: number | null;
  readonly time: number;
}

const CHANNELS = 18;

export function radioOf(row: Row, time: number): RadioState {
  return {
    rssi: number(row.rssi),
    remoteRssi: number(row.remrssi),
    noise: number(row.noise),
    remoteNoise: number(row.remnoise),
    free: number(row.txbuf),
    errors: number(row.rxerrors),
    corrected: number(row.fixed),
    time,
  };
}

/** RC_CHANNELS, which says how many there are, or RC_CHANNELS_RAW, which has eight. */
export function rcOf(row: Row, time: number): RcState {
  const named = Array.from({ length: CHANNELS }, (_, i) => row[`chan${i + 1}_raw`]);
  const all = named.filter((value) => value !== undefined).map(number);
  const count = number(row.chancount);
  return { channels: count === null ? all : all.slice(0, count), rssi: number(row.rssi), time };
}

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

/** Recent reasons not to arm, each once, the latest last. @param since earlier reasons no longer hold */
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
