// What a simulated vehicle's messages hold.
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import type { FieldValue } from '../../src/formats/mavlink/payload.ts';
import { type Firmware, HOLD, POSITION_MODES } from './facts.ts';

/** How a simulated vehicle is at a moment. Times are microseconds. */
export interface Situation {
  readonly firmware: Firmware;
  /** MAV_AUTOPILOT and MAV_TYPE. */
  readonly autopilot: number;
  readonly type: number;
  readonly release: readonly [number, number, number, number];
  readonly uid: bigint;
  armed: boolean;
  flying: boolean;
  /** Ready to arm. */
  ready: boolean;
  /** GPS_FIX_TYPE */
  fix: number;
  customMode: number;
  /** The mode before, while its flags are still sent. */
  modeBefore: number;
  /** Since its start, and since 1970. */
  boot: number;
  unix: number;
  voltage: number;
  roll: number;
}

export type Values = Readonly<Record<string, FieldValue>>;

const definitions = new Map([...builtinDialect().messages].map(([id, [definition]]) => [id, definition]));

/** The message of an id as it would be sent now; undefined if there is no such message. */
export function messageAt(id: number, now: Situation): { readonly name: string; readonly values: Values } | undefined {
  const definition = definitions.get(id);
  if (!definition) return undefined;
  const { name, fields } = definition;
  const make = MESSAGES[name];
  if (make) return { name, values: make(now) };
  const values: Record<string, FieldValue> = {};
  for (const field of fields) {
    if (field.name === 'time_boot_ms') values.time_boot_ms = millis(now);
    if (field.name === 'time_usec')
      values.time_usec = BigInt(Math.floor(field.type === 'uint32' ? now.boot % WRAP : now.boot));
  }
  return { name, values };
}

/** It flies around here, once a minute, as soon as it is flying. */
const HOME = { lat: 47.3977, lon: 8.5456, alt: 488.1 };
const ROUND = 60e6;
const HEIGHT = 20;
const NO_NUMBER = Number.NaN;

/** A counter of 32 bits starts again: one of milliseconds after 49.7 days. */
const WRAP = 2 ** 32;
export const millis = ({ boot }: Situation): number => Math.floor(boot / 1000) % WRAP;
const angleOf = ({ boot }: Situation): number => (2 * Math.PI * (boot % ROUND)) / ROUND;
const isPx4 = ({ firmware }: Situation): boolean => firmware.autopilot === 12;

function heartbeat(now: Situation): Values {
  const { type, autopilot, armed, customMode, modeBefore, flying, ready, boot } = now;
  let mode = 81;
  let status = boot < 2.5e6 ? 1 : flying ? 4 : 3;
  if (isPx4(now)) {
    const main = (customMode >> 16) & 0xff;
    mode = main === 4 ? 29 : customMode === 0x0103_0000 ? 17 : 81;
    status = armed ? 4 : ready ? 3 : 0;
  } else if (boot < 2.5e6 || POSITION_MODES.has(customMode) || POSITION_MODES.has(modeBefore)) {
    mode |= 8;
  }
  return {
    type,
    autopilot,
    base_mode: mode | (armed ? 128 : 0),
    custom_mode: customMode,
    system_status: status,
    mavlink_version: 3,
  };
}

function sensors(now: Situation): Values {
  if (!isPx4(now)) {
    const health = now.ready ? 0x5671_a92f : 0x4651_810f;
    return {
      onboard_control_sensors_present: 0x5271_fc2f,
      onboard_control_sensors_enabled: now.flying ? 0x5261_fc2f : 0x5261_9c2f,
      onboard_control_sensors_health: health,
    };
  }
  // before it knows its sensors, none is present; the bit of the arming checks is in health only
  const isKnown = now.boot > 2e6;
  return {
    onboard_control_sensors_present: isKnown ? 0x0300_3c2f : 0,
    onboard_control_sensors_enabled: isKnown ? 0x0301_3c2f : 0,
    onboard_control_sensors_health: (now.ready ? 0x1000_0000 : 0) | 0x0321_c83f,
    onboard_control_sensors_health_extended: 1,
  };
}

function version({ firmware, release: [major, minor, patch, type], uid }: Situation): Values {
  return {
    capabilities: firmware.capabilities,
    flight_sw_version: ((major << 24) | (minor << 16) | (patch << 8) | type) >>> 0,
    flight_custom_version: firmware.version,
    board_version: firmware.autopilot === 12 ? 1 : 0,
    uid: firmware.autopilot === 12 ? uid : 0n,
    uid2: Array.from({ length: 18 }, (_, i) => (firmware.autopilot === 12 ? 0 : Number((uid >> BigInt(8 * i)) & 255n))),
  };
}

const centi = (amperes: number): number => Math.round(amperes * 100);

const MESSAGES: Readonly<Record<string, (now: Situation) => Values>> = {
  HEARTBEAT: heartbeat,
  SYS_STATUS: (now) => ({
    ...sensors(now),
    load: isPx4(now) ? 100 : 0,
    voltage_battery: Math.round(now.voltage * 1000),
    current_battery: centi(now.flying ? 26.85 : now.firmware.battery.current),
    battery_remaining: 87,
  }),
  SYSTEM_TIME: (now) => ({ time_unix_usec: BigInt(Math.floor(now.unix)), time_boot_ms: millis(now) }),
  GPS_RAW_INT: (now) => ({
    time_usec: BigInt(Math.floor(isPx4(now) ? now.boot : now.unix)),
    fix_type: now.fix,
    lat: Math.round(HOME.lat * 1e7),
    lon: Math.round(HOME.lon * 1e7),
    alt: HOME.alt * 1000,
    eph: 121,
    epv: 200,
    vel: 500,
    cog: 9000,
    satellites_visible: 10,
  }),
  ATTITUDE: (now) => ({
    time_boot_ms: millis(now),
    roll: now.roll + 0.1 * Math.sin(angleOf(now)),
    pitch: 0.02 - now.roll,
    yaw: 1,
  }),
  GLOBAL_POSITION_INT: (now) => ({
    time_boot_ms: millis(now),
    lat: Math.round((HOME.lat + 0.0005 * Math.cos(angleOf(now))) * 1e7),
    lon: Math.round((HOME.lon + 0.0005 * Math.sin(angleOf(now))) * 1e7),
    alt: (HOME.alt + HEIGHT) * 1000,
    relative_alt: HEIGHT * 1000,
    vx: 300,
    vy: 400,
    vz: 0,
    hdg: 5313,
  }),
  MISSION_CURRENT: () => ({ seq: 0, total: 65535, mission_state: 1, mission_mode: 2 }),
  RC_CHANNELS: (now) => ({ time_boot_ms: millis(now), chancount: 8, chan1_raw: 1500, chan3_raw: 1000, rssi: 255 }),
  VFR_HUD: (now) => ({
    airspeed: isPx4(now) ? NO_NUMBER : 5.2,
    groundspeed: 5,
    heading: 53,
    throttle: 41,
    alt: HOME.alt + HEIGHT,
    climb: 0,
  }),
  BATTERY_STATUS: (now) => ({
    id: 0,
    battery_function: isPx4(now) ? 1 : 0,
    type: isPx4(now) ? 1 : 0,
    temperature: 32767,
    voltages: [Math.round(now.voltage * 1000), ...new Array(9).fill(65535)],
    current_battery: centi(now.firmware.battery.current),
    current_consumed: 120,
    energy_consumed: -1,
    battery_remaining: 87,
    charge_state: 1,
  }),
  AUTOPILOT_VERSION: version,
  EKF_STATUS_REPORT: () => ({ flags: 831, velocity_variance: 0.02, pos_horiz_variance: 0.03, compass_variance: 0.03 }),
  ESTIMATOR_STATUS: (now) => ({ time_usec: BigInt(Math.floor(now.boot)), flags: 229, pos_vert_ratio: 0.01 }),
  VIBRATION: (now) => ({ time_usec: BigInt(Math.floor(now.boot)), vibration_x: 3, vibration_y: 2, vibration_z: 4 }),
  TIMESYNC: (now) => ({ tc1: 0n, ts1: BigInt(Math.floor(now.boot * 1000)) }),
  GPS_GLOBAL_ORIGIN: (now) => ({ ...home(), time_usec: BigInt(Math.floor(now.boot)) }),
  HOME_POSITION: (now) => ({
    ...home(),
    q: isPx4(now) ? [1, 0, 0, 0] : [NO_NUMBER, NO_NUMBER, NO_NUMBER, NO_NUMBER],
    time_usec: BigInt(Math.floor(now.boot)),
  }),
  EXTENDED_SYS_STATE: ({ flying }) => ({ vtol_state: 0, landed_state: flying ? 2 : 1 }),
  // of 1.17.0: the checksum is that of the unpacked file
  COMPONENT_METADATA: (now) => ({
    time_boot_ms: millis(now),
    file_crc: 1847624916,
    uri: 'mftp://etc/extras/component_general.json.xz',
  }),
  CURRENT_MODE: ({ customMode }) => ({
    standard_mode: 0,
    custom_mode: customMode,
    intended_custom_mode: customMode || HOLD,
  }),
};

const home = (): Values => ({
  latitude: Math.round(HOME.lat * 1e7),
  longitude: Math.round(HOME.lon * 1e7),
  altitude: Math.round(HOME.alt * 1000),
});
