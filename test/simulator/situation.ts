import type { FieldValue } from '../../src/formats/mavlink/payload.ts';

/** How a simulated vehicle is at a moment. Times are microseconds. */
export interface Situation {
  readonly type: number;
  readonly autopilot: number;
  readonly release: readonly [number, number, number, number];
  armed: boolean;
  customMode: number;
  /** Since its start, and since 1970. */
  boot: number;
  unix: number;
  voltage: number;
}

interface SentMessage {
  readonly name: string;
  readonly values: Readonly<Record<string, FieldValue>>;
}

/** It flies around here, once a minute. */
const HOME = { lat: -35.363262, lon: 149.165237, alt: 584 };
const ROUND = 60e6;

/** The message of that id as it would be sent now; undefined where such a vehicle has none. */
export function messageAt(id: number, now: Situation): SentMessage | undefined {
  const make = MESSAGES.get(id);
  return make && { name: make.name, values: make.values(now) };
}

interface Maker {
  readonly name: string;
  readonly values: (now: Situation) => Readonly<Record<string, FieldValue>>;
}

const angleOf = ({ boot }: Situation): number => (2 * Math.PI * (boot % ROUND)) / ROUND;
const millis = ({ boot }: Situation): number => Math.floor(boot / 1000);

const MESSAGES: ReadonlyMap<number, Maker> = new Map<number, Maker>([
  [
    0,
    {
      name: 'HEARTBEAT',
      values: ({ type, autopilot, armed, customMode }) => ({
        type,
        autopilot,
        base_mode: 81 | (armed ? 128 : 0),
        custom_mode: customMode,
        system_status: armed ? 4 : 3,
      }),
    },
  ],
  [
    1,
    {
      name: 'SYS_STATUS',
      values: ({ voltage }) => ({
        onboard_control_sensors_present: 0x1020_0001,
        onboard_control_sensors_enabled: 0x1020_0001,
        onboard_control_sensors_health: 0x1020_0001,
        load: 250,
        voltage_battery: Math.round(voltage * 1000),
        current_battery: 150,
        battery_remaining: 87,
      }),
    },
  ],
  [2, { name: 'SYSTEM_TIME', values: (now) => ({ time_unix_usec: BigInt(now.unix), time_boot_ms: millis(now) }) }],
  [
    24,
    {
      name: 'GPS_RAW_INT',
      values: (now) => ({
        time_usec: BigInt(now.unix),
        fix_type: 3,
        lat: Math.round(HOME.lat * 1e7),
        lon: Math.round(HOME.lon * 1e7),
        alt: HOME.alt * 1000,
        eph: 121,
        epv: 200,
        vel: 500,
        cog: 9000,
        satellites_visible: 10,
      }),
    },
  ],
  [
    30,
    {
      name: 'ATTITUDE',
      values: (now) => ({ time_boot_ms: millis(now), roll: 0.1 * Math.sin(angleOf(now)), pitch: 0.02, yaw: 1 }),
    },
  ],
  [
    33,
    {
      name: 'GLOBAL_POSITION_INT',
      values: (now) => ({
        time_boot_ms: millis(now),
        lat: Math.round((HOME.lat + 0.0005 * Math.cos(angleOf(now))) * 1e7),
        lon: Math.round((HOME.lon + 0.0005 * Math.sin(angleOf(now))) * 1e7),
        alt: (HOME.alt + 20) * 1000,
        relative_alt: 20_000,
        vx: 300,
        vy: 400,
        vz: 0,
        hdg: 5313,
      }),
    },
  ],
  [
    65,
    { name: 'RC_CHANNELS', values: (now) => ({ time_boot_ms: millis(now), chancount: 8, chan1_raw: 1500, rssi: 255 }) },
  ],
  [
    74,
    {
      name: 'VFR_HUD',
      values: () => ({ airspeed: 5.2, groundspeed: 5, heading: 53, throttle: 41, alt: HOME.alt + 20, climb: 0 }),
    },
  ],
  [
    147,
    {
      name: 'BATTERY_STATUS',
      values: ({ voltage }) => ({
        id: 0,
        battery_function: 0,
        type: 1,
        temperature: 32767,
        voltages: [Math.round(voltage * 1000), ...new Array(9).fill(65535)],
        current_battery: 150,
        current_consumed: 120,
        energy_consumed: -1,
        battery_remaining: 87,
      }),
    },
  ],
  [
    148,
    {
      name: 'AUTOPILOT_VERSION',
      values: ({ release: [major, minor, patch, type] }) => ({
        capabilities: 64487n,
        flight_sw_version: ((major << 24) | (minor << 16) | (patch << 8) | type) >>> 0,
        flight_custom_version: [...'abcd1234'].map((char) => char.charCodeAt(0)),
        board_version: 3 << 16,
        uid2: Array.from({ length: 18 }, (_, i) => i + 1),
      }),
    },
  ],
  [
    241,
    {
      name: 'VIBRATION',
      values: (now) => ({ time_usec: BigInt(now.boot), vibration_x: 3, vibration_y: 2, vibration_z: 4 }),
    },
  ],
  [
    242,
    {
      name: 'HOME_POSITION',
      values: () => ({
        latitude: Math.round(HOME.lat * 1e7),
        longitude: Math.round(HOME.lon * 1e7),
        altitude: HOME.alt * 1000,
        q: [1, 0, 0, 0],
      }),
    },
  ],
  [245, { name: 'EXTENDED_SYS_STATE', values: ({ armed }) => ({ vtol_state: 0, landed_state: armed ? 2 : 1 }) }],
  [436, { name: 'CURRENT_MODE', values: ({ customMode }) => ({ standard_mode: 0, custom_mode: customMode }) }],
]);
