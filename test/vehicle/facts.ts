// How ArduCopter 4.6.3 and PX4 1.17.0 behave: what the recordings of real ones in ../shared/field/autopilot hold, as a
// table. recordings.test.ts replays each recorded request against the simulator and compares the answers.

/** MAV_RESULT */
export const ACCEPTED = 0;
export const REJECTED = 1;
export const DENIED = 2;
export const UNSUPPORTED = 3;
export const FAILED = 4;

/** Sent without a request, at a time after the start. */
interface BootStep {
  /** Seconds. */
  readonly at: number;
  /** Only with an empty memory. */
  readonly first?: boolean;
  /** Plain text of the console, in a datagram of its own. */
  readonly console?: string;
  readonly text?: string;
  /** A message by its id. */
  readonly message?: number;
  /** A parameter that was set. */
  readonly parameter?: string;
  readonly event?: Event;
}

/** EVENT: its id, log levels and arguments in hex. */
export type Event = readonly [id: number, levels: number, args: string];

export interface Parameter {
  readonly name: string;
  readonly value: number;
  /** MAV_PARAM_TYPE */
  readonly type: number;
}

/** Why arming is refused. */
export interface Obstacle {
  readonly text: string;
  /** Seconds after the start at which it is over. */
  readonly until: number;
  /** Modes in which it counts; all if absent. */
  readonly modes?: readonly number[];
}

export interface Firmware {
  readonly autopilot: number;
  readonly release: readonly [number, number, number, number];
  readonly version: readonly number[];
  readonly capabilities: bigint;
  /** The number of its board: uid2 of ArduPilot, uid of PX4. */
  readonly uid: bigint;
  readonly battery: { readonly volts: number; readonly current: number };
  /** Of the messages that come unasked, in Hz. */
  readonly rates: ReadonlyMap<number, number>;
  /** Seconds after the start before which a message does not come, though its interval is set. */
  readonly notBefore: ReadonlyMap<number, number>;
  /** Messages with an interval, sorted as they come. */
  readonly intervals: ReadonlySet<number>;
  /** Messages that are accepted with an interval and do not come. */
  readonly silent: ReadonlySet<number>;
  /** Messages that can be requested, beyond those with an interval. */
  readonly single: ReadonlySet<number>;
  /** MAV_RESULT for an interval, a single request and the question for an interval of what is not there. */
  readonly refusal: { readonly interval: number; readonly request: number; readonly question: number };
  /** Groups of REQUEST_DATA_STREAM. */
  readonly streams: ReadonlyMap<number, readonly number[]>;
  readonly boot: readonly BootStep[];
  /** Seconds of silence after command 246 or the death of the process. */
  readonly restart: number;
  /** PARAM_VALUE a second in a list. */
  readonly parameterRate: number;
  readonly parameters: readonly Parameter[];
}

const numbers = (text: string): number[] => text.split(' ').map(Number);
const each = (rate: number, ids: string): [number, number][] => numbers(ids).map((id) => [id, rate]);

/** 25 kinds come after a stream request for all of them. */
const STREAMS: ReadonlyMap<number, readonly number[]> = new Map([
  [1, [27, 116, 129, 29, 137]],
  [2, [1, 125, 152, 42, 24, 62]],
  [3, [36, 65]],
  [6, [33]],
  [10, [30, 164, 178, 11030]],
  [11, [74]],
  [12, [163, 2, 136, 147, 193, 241]],
]);

const gyro = (offset: string, id: string, ...more: string[]): BootStep[] =>
  [`${offset}OFFS_X`, `${offset}OFFS_Y`, `${offset}OFFS_Z`, `${id}_ID`, ...more].map((parameter) => ({
    at: 2.44,
    parameter,
  }));

const GUIDED_MODES = [3, 4, 5, 6, 7, 9, 16, 17, 21];
/** Copter's modes with position control, which set the guided flag in base_mode. */
export const POSITION_MODES: ReadonlySet<number> = new Set(GUIDED_MODES);
/** Numbers of Copter's modes; others are refused. */
export const COPTER_MODES: ReadonlySet<number> = new Set(
  numbers('0 1 2 3 4 5 6 7 9 11 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28'),
);

export const OBSTACLES: readonly Obstacle[] = [
  { text: 'Arm: Accels inconsistent', until: 12 },
  { text: 'Arm: EKF attitude is bad', until: 5.9 },
  { text: 'Arm: AHRS: EKF3 Yaw inconsistent 86 deg. Wait or reboot', until: 5.9 },
  { text: 'Arm: AHRS: waiting for home', until: 41.6, modes: GUIDED_MODES },
];

const ARDUPILOT: Firmware = {
  autopilot: 3,
  release: [4, 6, 3, 255],
  version: [...'92b0cd78'].map((char) => char.charCodeAt(0)),
  capabilities: 64495n,
  uid: 0x616134303435633463376339313231643bn,
  battery: { volts: 12.6, current: 0 },
  rates: new Map([
    [0, 1],
    [111, 0.1],
  ]),
  notBefore: new Map([[242, 20.03]]),
  intervals: new Set([...[...STREAMS.values()].flat(), 105, 245, 242, 49, 111, 32, 124]),
  // GPS2_RAW without a second receiver
  silent: new Set([32, 124]),
  single: new Set([148]),
  refusal: { interval: DENIED, request: FAILED, question: FAILED },
  streams: STREAMS,
  boot: [
    {
      at: 0,
      first: true,
      console:
        '\n\nInit ArduCopter V4.6.3 (92b0cd78)\n\nFree RAM: 524288\nBooting 0/0\nFirmware change: erasing EEPROM...\ndone.\n',
    },
    { at: 0, first: false, console: '\n\nInit ArduCopter V4.6.3 (92b0cd78)\n\nFree RAM: 524288\nBooting 0/0\n' },
    ...['0 ', '0 ', '0 ', 'AP_Logger_File: buffer size=204800\n'].map((text) => ({ at: 0, console: text })),
    // beside that of each second
    { at: 1.02, message: 0 },
    { at: 1.91, text: 'Barometer 1 calibration complete' },
    { at: 1.91, text: 'Barometer 2 calibration complete' },
    { at: 1.91, console: 'Init Gyro' },
    { at: 1.91, parameter: 'BARO1_GND_PRESS' },
    { at: 1.91, parameter: 'BARO2_GND_PRESS' },
    { at: 1.91, first: true, parameter: 'INS_GYR_ID' },
    { at: 1.91, parameter: 'INS_ACC_ID' },
    { at: 1.91, first: true, parameter: 'INS_GYR2_ID' },
    { at: 1.91, parameter: 'INS_ACC2_ID' },
    { at: 1.93, console: '*' },
    { at: 2.04, message: 0 },
    { at: 2.19, console: '*' },
    { at: 2.44, console: '\n' },
    { at: 2.44, text: 'ArduPilot Ready' },
    { at: 2.44, text: 'AHRS: DCM active' },
    ...gyro('INS_GYR', 'INS_GYR', 'INS_GYR1_CALTEMP'),
    ...gyro('INS_GYR2', 'INS_GYR2', 'INS_GYR2_CALTEMP'),
    ...gyro('INS_GYR3', 'INS_GYR3'),
    { at: 2.73, text: 'RC7: SaveWaypoint LOW' },
    { at: 3.43, first: true, parameter: 'EK3_SRC1_POSXY' },
    { at: 4.44, text: 'EKF3 IMU0 initialised' },
    { at: 4.44, text: 'EKF3 IMU1 initialised' },
    { at: 4.44, text: 'AHRS: EKF3 active' },
    { at: 5.79, text: 'EKF3 IMU0 tilt alignment complete' },
    { at: 5.79, text: 'EKF3 IMU1 tilt alignment complete' },
    { at: 5.88, text: 'EKF3 IMU0 MAG0 initial yaw alignment complete' },
    { at: 5.88, text: 'EKF3 IMU1 MAG0 initial yaw alignment complete' },
    { at: 9.79, text: 'GPS 1: probing for u-blox at 230400 baud' },
    { at: 9.81, text: 'GPS 1: detected u-blox' },
    { at: 20.03, message: 49 },
    { at: 20.03, message: 242 },
    { at: 20.03, text: 'EKF3 IMU0 origin set' },
    { at: 20.05, parameter: 'BARO1_GND_PRESS' },
    { at: 20.05, parameter: 'BARO2_GND_PRESS' },
    { at: 20.05, text: 'Field Elevation Set: 488m' },
    { at: 20.2, text: 'EKF3 IMU1 origin set' },
    { at: 30.44, parameter: 'STAT_RUNTIME' },
    { at: 41.41, text: 'EKF3 IMU0 is using GPS' },
    { at: 41.61, text: 'EKF3 IMU1 is using GPS' },
    { at: 60.44, parameter: 'STAT_RUNTIME' },
  ],
  restart: 0.2,
  parameterRate: 1500,
  parameters: [
    { name: 'FORMAT_VERSION', value: 120, type: 4 },
    { name: 'SYSID_THISMAV', value: 1, type: 4 },
    { name: 'SYSID_MYGCS', value: 255, type: 4 },
    { name: 'BATT_MONITOR', value: 4, type: 2 },
    { name: 'INS_GYR_ID', value: 2752772, type: 6 },
    { name: 'WPNAV_SPEED', value: 1000, type: 9 },
  ],
};

/** What the arming checks say, in EVENTs. */
const CHECKS = {
  airframe: [17154777, 102, '0800000014'],
  manual: [19865031, 51, '0040000014'],
  battery: [17231145, 68, 'ffffffff07'],
  noGps: [29146769, 51, 'ffffffff03'],
  noPosition: [30612409, 51, '7c007e0011'],
  noHome: [26788467, 51, '3800000018'],
  mode: [16856624, 102, '2000000014'],
  globalPosition: [29053220, 51, 'ffffffff14'],
  avionics: [23579003, 102, 'ffffffff0c'],
} satisfies Readonly<Record<string, Event>>;

const { airframe, manual, battery, noGps, noPosition, noHome, mode, globalPosition, avionics } = CHECKS;

/** Reports of PX4's checks at its start, without GPS, with GPS and without a position, ready, and after a flight. */
export const REPORTS: Readonly<Record<'start' | 'noGps' | 'noPosition' | 'ready' | 'landed', readonly Event[]>> = {
  start: [
    [27825120, 136, '000000120180000000803a0180803a0180'],
    noPosition,
    noHome,
    airframe,
    manual,
    battery,
    avionics,
    [18691879, 136, '00020c0238'],
  ],
  noGps: [
    [27825120, 136, '00080012018000000000000000803a0180'],
    noGps,
    noPosition,
    noHome,
    airframe,
    manual,
    mode,
    battery,
    globalPosition,
    [18691879, 136, '00021c0238'],
  ],
  noPosition: [
    [27825120, 136, '00000012018000000000000000803a0180'],
    noPosition,
    noHome,
    airframe,
    manual,
    mode,
    battery,
    globalPosition,
    [18691879, 136, '000a1c0238'],
  ],
  ready: [
    [27825120, 136, '000000100080000000b03a7f80b03a7f80'],
    airframe,
    manual,
    battery,
    [18691879, 136, '000a1c0238'],
  ],
  landed: [
    [27825120, 136, '000000100080000000b03a7f80b03a7f80'],
    airframe,
    manual,
    battery,
    [18691879, 136, '000a180238'],
  ],
};

/** PX4 has an EVENT for each of its texts. */
export const EVENTS = {
  denied: [16910493, 98, ''],
  armed: [26266355, 102, '04'],
  takeOffHeight: [20656071, 102, '00000041'],
  takeOff: [21054825, 102, ''],
  noMode: [27280279, 98, ''],
  returning: [22161044, 102, 'ef01000006'],
  notLanded: [25868725, 98, ''],
  landed: [26622124, 102, ''],
  disarmed: [32794487, 102, '06'],
} satisfies Readonly<Record<string, Event>>;

/** Index, MAV_STANDARD_MODE, custom mode, properties and name: AVAILABLE_MODES. */
export const PX4_MODES: readonly (readonly [standard: number, custom: number, properties: number, name: string])[] = [
  [0, 0x0001_0000, 1, 'Manual'],
  [4, 0x0002_0000, 0, ''],
  [1, 0x0003_0000, 0, ''],
  [6, 0x0404_0000, 1, ''],
  [0, 0x0304_0000, 1, 'Hold'],
  [5, 0x0504_0000, 1, ''],
  [0, 0x0203_0000, 1, 'Position Slow'],
  [0, 0x000b_0000, 0, 'Altitude Cruise'],
  [0, 0x0005_0000, 1, 'Acro'],
  [0, 0x000a_0000, 3, 'Termination'],
  [0, 0x0006_0000, 1, 'Offboard'],
  [0, 0x0007_0000, 1, 'Stabilized'],
  [8, 0x0204_0000, 1, ''],
  [7, 0x0604_0000, 1, ''],
  [0, 0x0804_0000, 1, 'Follow Target'],
  [0, 0x0904_0000, 1, 'Precision Landing'],
  [2, 0x0103_0000, 1, ''],
  [0, 0x0a04_0000, 1, 'VTOL Takeoff'],
  ...[11, 12, 13, 14, 15, 16, 17, 18].map(
    (sub) => [0, ((sub << 24) | 0x0004_0000) >>> 0, 2, '(Mode not available)'] as const,
  ),
];

export const HOLD = 0x0304_0000;
export const PX4_TAKE_OFF = 0x0204_0000;
export const PX4_RETURN = 0x0504_0000;
export const PX4_LAND = 0x0604_0000;
export const PX4_ORBIT = 0x0103_0000;
/** Modes that need a pilot's sticks, and their names in texts. */
export const STICK_MODES: ReadonlyMap<number, string> = new Map([
  [0x0001_0000, 'Manual'],
  [0x0002_0000, 'Altitude'],
  [0x0003_0000, 'Position'],
  [0x0203_0000, 'Position Slow'],
  [0x0005_0000, 'Acro'],
  [0x0007_0000, 'Stabilized'],
]);

const PX4: Firmware = {
  autopilot: 12,
  release: [1, 17, 0, 255],
  version: [0, 0, 0, 0xc4, 0xd1, 0x2a, 0xf1, 0xd6],
  capabilities: 59647n,
  uid: 5283920058631409231n,
  // -1 A: unknown
  battery: { volts: 16.2, current: -1 },
  rates: new Map([
    ...each(50, '36 83 32 85 30 31 33'),
    ...each(5, '24'),
    ...each(4, '74'),
    ...each(1, '42 0 141 245 441 12901 12904 29 1 8'),
    ...each(0.5, '380 147 436 132 230 242'),
    ...each(0.33, '411'),
    ...each(0.1, '241 4'),
  ]),
  notBefore: new Map([...each(0.12, '83 32 85 30 31'), [33, 2.6], [242, 1.98], [411, 0.07], ...each(1.4, '30 31')]),
  intervals: new Set(
    numbers('1 241 65 24 74 2 230 30 32 85 83 31 36 33 141 245 441 12901 12904 29 8 380 147 436 132 242'),
  ),
  silent: new Set([65]),
  single: new Set([148, 300, 395, 397, 435]),
  refusal: { interval: FAILED, request: DENIED, question: ACCEPTED },
  streams: new Map(),
  boot: [
    { at: 0.07, event: [17980399, 102, 'ea070b11133a2a'] },
    ...[
      ...['ACC0_ID', 'ACC1_ID', 'ACC2_ID', 'BARO0_ID', 'BARO0_OFF', 'BARO0_PRIO', 'GYRO0_ID', 'GYRO1_ID', 'GYRO2_ID'],
      ...['MAG0_ID', 'MAG0_PRIO', 'MAG1_ID', 'MAG1_PRIO'],
    ].map((name) => ({ at: 0.87, first: true, parameter: `CAL_${name}` })),
    ...['SENS_BOARD_X_OFF', 'SENS_DPRES_OFF', 'SYS_AUTOCONFIG', 'SYS_AUTOSTART'].map((parameter) => ({
      at: 0.87,
      first: true,
      parameter,
    })),
    { at: 0.95, message: 49 },
    ...REPORTS.start.map((event) => ({ at: 1.98, event })),
    { at: 2.4, text: '[logger] ./log/2026-11-17/19_58_42.ulg\t' },
    ...REPORTS.ready.map((event) => ({ at: 4.04, event })),
    ...['CAL_BARO0_ID', 'CAL_BARO0_OFF', 'CAL_BARO0_PRIO'].map((parameter) => ({ at: 5.25, parameter })),
  ],
  restart: 6.35,
  parameterRate: 1000,
  parameters: [
    { name: '_HASH_CHECK', value: 0x19a703a6, type: 5 },
    { name: 'MAV_SYS_ID', value: 1, type: 6 },
    { name: 'MIS_TAKEOFF_ALT', value: 2.5, type: 9 },
    { name: 'SIM_GPS_USED', value: 10, type: 6 },
    { name: 'SYS_AUTOSTART', value: 10040, type: 6 },
  ],
};

export const FIRMWARES: { readonly ardupilot: Firmware; readonly px4: Firmware } = { ardupilot: ARDUPILOT, px4: PX4 };
