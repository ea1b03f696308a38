/*
 * What firmwares and messages call attitude, rates, position, battery and all else that is judged: ArduPilot's names of
 * today and of 2013, PX4's sdlog2, messages of MAVLink, and sensors. A quantity is a list of ways to tell it, the best
 * first; a new firmware or format adds its tables and fields as one more way.
 */

/** A field of a record, and what its numbers are worth where the log itself does not say it. */
export interface FieldRef {
  readonly name: string;
  /** What to multiply by where the log names no unit. */
  readonly plain?: number;
  /** The same for whole numbers only: old firmwares kept centivolts where later ones keep volts. */
  readonly whole?: number;
  /** Takes the number as it is sent although its unit has an SI form. */
  readonly stored?: true;
  /** What to multiply by in any case: from radians to degrees. */
  readonly factor?: number;
  /** Which element of an array; without it the field must be a single number. */
  readonly element?: number;
  /** What can be measured at all, as it is read: a number outside comes from damage, and is not a measurement. */
  readonly range?: Range;
}

type Range = readonly [lowest: number, highest: number];

/** The names that firmwares gave to a field, the best first. */
export type FieldNames = string | FieldRef | readonly (string | FieldRef)[];

/** A table that tells a quantity: its name, and which fields hold what. */
export interface QuantityTable<K extends string> {
  readonly table: string;
  readonly fields: Readonly<Partial<Record<K, FieldNames>>>;
  /** Which instance it is, where firmwares gave instances names of their own: IMU2 is the second IMU. */
  readonly instance?: string;
}

/**
 * Where a quantity stands in the logs of all firmwares and protocols: the tables of the first entry that a log has any
 * of are read, and all of them, since GPS and GPS2 are two receivers.
 */
export type Quantity<K extends string> = readonly (readonly QuantityTable<K>[])[];

// Attitude, rates and what was asked for

const DEGREES = 180 / Math.PI;

/** Degrees. In sdlog2 angles are radians, and what was asked for stands in another table. */
export const ATTITUDE: Quantity<'roll' | 'pitch' | 'yaw' | 'rollWish' | 'pitchWish'> = [
  [
    {
      table: 'ATT',
      fields: {
        roll: 'Roll',
        pitch: 'Pitch',
        yaw: 'Yaw',
        rollWish: ['DesRoll', 'RollIn'],
        pitchWish: ['DesPitch', 'PitchIn'],
      },
    },
  ],
  [
    {
      table: 'ATTITUDE',
      fields: {
        roll: { name: 'roll', factor: DEGREES },
        pitch: { name: 'pitch', factor: DEGREES },
        yaw: { name: 'yaw', factor: DEGREES },
      },
    },
  ],
];

export const SDLOG_ATTITUDE: Quantity<'roll' | 'pitch'> = [
  [{ table: 'ATT', fields: { roll: { name: 'Roll', factor: DEGREES }, pitch: { name: 'Pitch', factor: DEGREES } } }],
];

/** What was asked for, where it has a table of its own. */
export const ATTITUDE_WISH: Quantity<'roll' | 'pitch' | 'q0' | 'q1' | 'q2' | 'q3' | 'ignored'> = [
  [
    {
      table: 'ATSP',
      fields: { roll: { name: 'RollSP', factor: DEGREES }, pitch: { name: 'PitchSP', factor: DEGREES } },
    },
  ],
  [
    {
      table: 'ATTITUDE_TARGET',
      fields: {
        q0: { name: 'q', element: 0 },
        q1: { name: 'q', element: 1 },
        q2: { name: 'q', element: 2 },
        q3: { name: 'q', element: 3 },
        ignored: 'type_mask',
      },
    },
  ],
  [{ table: 'NAV_CONTROLLER_OUTPUT', fields: { roll: 'nav_roll', pitch: 'nav_pitch' } }],
];

export const BODY_RATES: Quantity<'roll' | 'rollWish' | 'pitch' | 'pitchWish' | 'yaw' | 'yawWish' | 'out'> = [
  [
    {
      table: 'RATE',
      fields: {
        roll: 'R',
        rollWish: 'RDes',
        pitch: 'P',
        pitchWish: 'PDes',
        yaw: 'Y',
        yawWish: 'YDes',
        out: 'ROut',
      },
    },
  ],
];

/** Throttle as `throttleOf` reads it, heights in metres, climb in metres a second. */
export const CONTROL: Quantity<'throttle' | 'height' | 'baro' | 'climb' | 'climbWish'> = [
  [
    {
      table: 'CTUN',
      fields: {
        throttle: ['ThO', 'ThrOut'],
        height: 'Alt',
        baro: ['BAlt', 'BarAlt'],
        climb: [
          { name: 'CRt', whole: 0.01 },
          { name: 'CRate', whole: 0.01 },
        ],
        climbWish: [
          { name: 'DCRt', whole: 0.01 },
          { name: 'DCRate', whole: 0.01 },
        ],
      },
    },
  ],
  [{ table: 'VFR_HUD', fields: { throttle: 'throttle', height: 'alt', climb: 'climb' } }],
];

// Heights, climb and speeds

/** A height, or its opposite where the field counts downwards; `home` where it is 0 at the place of departure. */
export type HeightField = readonly [table: string, field: string, home: boolean, sign: 1 | -1];

/** In the order of preference: what the autopilot believes, then single sensors. */
export const HEIGHTS: readonly HeightField[] = [
  ['POS', 'RelHomeAlt', true, 1],
  ['CTUN', 'Alt', true, 1],
  ['CTUN', 'BAlt', true, 1],
  ['CTUN', 'BarAlt', true, 1],
  ['GPS', 'RelAlt', true, 1],
  ['BARO', 'Alt', true, 1],
  ['LPOS', 'Z', true, -1],
  ['SENS', 'BaroAlt', false, 1],
  ['GPS', 'Alt', false, 1],
  ['GLOBAL_POSITION_INT', 'relative_alt', true, 1],
  ['ALTITUDE', 'altitude_relative', true, 1],
  ['LOCAL_POSITION_NED', 'z', true, -1],
  ['VFR_HUD', 'alt', false, 1],
];

/** Speeds over ground: one field, or two that are north and east. */
export const SPEEDS: readonly (readonly [table: string, ...fields: string[]])[] = [
  ['GPS', 'Spd'],
  ['VFR_HUD', 'groundspeed'],
  ['GLOBAL_POSITION_INT', 'vx', 'vy'],
];

/** Heights by one sensor each, and not by an estimate that believes the throttle or a wrong accelerometer. */
export const BAROMETER_HEIGHTS: readonly HeightField[] = [
  ['BARO', 'Alt', true, 1],
  ['CTUN', 'BarAlt', true, 1],
  ['CTUN', 'BAlt', true, 1],
  ['SENS', 'BaroAlt', false, 1],
];

export const RECEIVER_HEIGHTS: readonly HeightField[] = [
  ['GPS', 'Alt', false, 1],
  ['GPS_RAW_INT', 'alt', false, 1],
];

/** Without a barometer's own, what the autopilot makes of it. */
export const SENT_HEIGHTS: readonly HeightField[] = [
  ['GLOBAL_POSITION_INT', 'relative_alt', true, 1],
  ['VFR_HUD', 'alt', false, 1],
];

/** Ways to tell the height, the best first: metres above home or take-off, else above the sea. */
export const HEIGHT: Quantity<'height'> = [
  [{ table: 'POS', fields: { height: ['RelHomeAlt', 'RelAlt'] } }],
  [{ table: 'CTUN', fields: { height: ['Alt', 'BAlt', 'BarAlt'] } }],
  [{ table: 'GLOBAL_POSITION_INT', fields: { height: 'relative_alt' } }],
  [{ table: 'BARO', fields: { height: 'Alt' } }],
  [{ table: 'GPS', fields: { height: ['RelAlt', 'Alt'] } }],
  [{ table: 'SENS', fields: { height: 'BaroAlt' } }],
  [{ table: 'LPOS', fields: { height: { name: 'Z', factor: -1 } } }],
  [{ table: 'VFR_HUD', fields: { height: 'alt' } }],
];

/** Heights of the barometer, which a wrong estimate does not bend. */
export const BARO_HEIGHT: Quantity<'height'> = [
  [{ table: 'BARO', fields: { height: 'Alt' } }],
  [{ table: 'CTUN', fields: { height: ['BAlt', 'BarAlt'] } }],
];

/** Heights in metres by what made them. */
export const ESTIMATED_HEIGHT: Quantity<'height'> = [
  [{ table: 'CTUN', fields: { height: 'Alt' } }],
  [{ table: 'POS', fields: { height: ['RelOriginAlt', 'RelHomeAlt', 'Alt'] } }],
  [
    { table: 'XKF1', fields: { height: { name: 'PD', factor: -1 } } },
    { table: 'NKF1', fields: { height: { name: 'PD', factor: -1 } } },
  ],
  [{ table: 'GLOBAL_POSITION_INT', fields: { height: 'relative_alt' } }],
  [{ table: 'LPOS', fields: { height: { name: 'Z', factor: -1 } } }],
];

export const BAROMETER: Quantity<'height' | 'pressure' | 'health'> = [
  [{ table: 'BARO', fields: { height: 'Alt', health: ['Health', 'H'] } }],
  [{ table: 'CTUN', fields: { height: ['BAlt', 'BarAlt'] } }],
  [{ table: 'SENS', fields: { height: 'BaroAlt' } }],
  [{ table: 'SCALED_PRESSURE', fields: { pressure: 'press_abs' } }],
];

export const AIRSPEED: Quantity<'speed'> = [
  [{ table: 'CTUN', fields: { speed: 'As' } }],
  [{ table: 'ARSP', fields: { speed: 'Airspeed' } }],
  [{ table: 'VFR_HUD', fields: { speed: 'airspeed' } }],
];

export const CLIMB_HEIGHT: Quantity<'height'> = [
  [{ table: 'BARO', fields: { height: 'Alt' } }],
  [{ table: 'POS', fields: { height: ['RelHomeAlt', 'Alt'] } }],
  [{ table: 'VFR_HUD', fields: { height: 'alt' } }],
];

/** Heights that a wrong estimate does not bend come first. */
export const IMPACT_HEIGHT: Quantity<'height'> = [
  [{ table: 'BARO', fields: { height: 'Alt' } }],
  [{ table: 'CTUN', fields: { height: ['BAlt', 'BarAlt', 'Alt'] } }],
  [{ table: 'SENS', fields: { height: 'BaroAlt' } }],
  [{ table: 'GLOBAL_POSITION_INT', fields: { height: 'relative_alt' } }],
  [{ table: 'VFR_HUD', fields: { height: 'alt' } }],
];

/** The sink as the vehicle tells it, in metres a second upwards: a barometer alone may feel a shock. */
export const CLIMB_RATE: Quantity<'up' | 'down'> = [
  [{ table: 'GPS', fields: { down: ['VZ', 'VelZ'] } }],
  [
    {
      table: 'CTUN',
      fields: {
        up: [
          { name: 'CRt', whole: 0.01 },
          { name: 'CRate', whole: 0.01 },
        ],
      },
    },
  ],
  [{ table: 'VFR_HUD', fields: { up: 'climb' } }],
  [{ table: 'GLOBAL_POSITION_INT', fields: { down: 'vz' } }],
];

/** Whether the autopilot holds the sensor for healthy, and uses it. */
export const AIRSPEED_SENSOR: Quantity<'speed' | 'health' | 'used'> = [
  [{ table: 'ARSP', fields: { speed: 'Airspeed', health: 'H', used: 'U' } }],
];

/** The wind as the vehicle estimates it. */
export const WIND: Quantity<'north' | 'east' | 'speed'> = [
  [
    { table: 'XKF2', fields: { north: 'VWN', east: 'VWE' } },
    { table: 'NKF2', fields: { north: 'VWN', east: 'VWE' } },
    { table: 'EKF2', fields: { north: 'VWN', east: 'VWE' } },
  ],
  [{ table: 'WIND', fields: { speed: 'speed' } }],
];

// Satellite receivers and the estimator

export type GpsKey = 'status' | 'sats' | 'hdop' | 'lat' | 'lon' | 'alt' | 'speed';

export const GPS: Quantity<GpsKey> = [
  [
    ...[['GPS'], ['GPS2', '1']].map(([table, instance]) => ({
      table,
      ...(instance === undefined ? {} : { instance }),
      fields: {
        status: ['Status', 'Fix'],
        sats: ['NSats', 'nSat'],
        hdop: 'HDop',
        lat: 'Lat',
        lon: ['Lng', 'Lon'],
        alt: 'Alt',
        speed: 'Spd',
      },
    })),
  ],
  [
    ...[['GPS_RAW_INT'], ['GPS2_RAW', '1']].map(([table, instance]) => ({
      table,
      ...(instance === undefined ? {} : { instance }),
      fields: {
        status: 'fix_type',
        sats: 'satellites_visible',
        hdop: { name: 'eph' },
        lat: 'lat',
        lon: 'lon',
        alt: 'alt',
        speed: 'vel',
      },
    })),
  ],
  [
    {
      table: 'GGA',
      fields: { status: 'quality', sats: 'satellites', hdop: 'hdop', lat: 'lat', lon: 'lon', alt: 'altitude' },
    },
  ],
  [
    {
      table: 'GnssPvtData',
      fields: { status: 'fixType', sats: 'numSV', hdop: 'hdop', lat: 'lat', lon: 'lon', alt: 'hMSL', speed: 'gSpeed' },
    },
  ],
];

/** Accuracy of the speed in metres a second, as receivers estimate it. */
export const GPS_SPEED: Quantity<'accuracy'> = [
  [
    { table: 'GPA', fields: { accuracy: 'SAcc' } },
    { table: 'GPA2', instance: '1', fields: { accuracy: 'SAcc' } },
  ],
  [
    { table: 'GPS_RAW_INT', fields: { accuracy: 'vel_acc' } },
    { table: 'GPS2_RAW', instance: '1', fields: { accuracy: 'vel_acc' } },
  ],
];

const EKF_NAMES = {
  velocity: 'SV',
  position: 'SP',
  height: 'SH',
  compass: 'SM',
  compassX: 'SMX',
  compassY: 'SMY',
  compassZ: 'SMZ',
  primary: 'PI',
} as const;

export type EkfKey = keyof typeof EKF_NAMES;

const EKF3: Quantity<EkfKey>[number] = [
  { table: 'XKF4', fields: EKF_NAMES },
  { table: 'XKF9', instance: '1', fields: EKF_NAMES },
];

const EKF2: Quantity<EkfKey>[number] = [
  { table: 'NKF4', fields: EKF_NAMES },
  { table: 'NKF9', instance: '1', fields: EKF_NAMES },
];

const EKF_MESSAGES: Quantity<EkfKey> = [
  [
    {
      table: 'EKF_STATUS_REPORT',
      fields: {
        velocity: 'velocity_variance',
        position: 'pos_horiz_variance',
        height: 'pos_vert_variance',
        compass: 'compass_variance',
      },
    },
  ],
  [
    {
      table: 'ESTIMATOR_STATUS',
      fields: { velocity: 'vel_ratio', position: 'pos_horiz_ratio', height: 'pos_vert_ratio', compass: 'mag_ratio' },
    },
  ],
];

/** Both estimators may run; a parameter tells which one flies. */
export const EKF3_FLIES: Quantity<EkfKey> = [EKF3, EKF2, [{ table: 'EKF4', fields: EKF_NAMES }], ...EKF_MESSAGES];

export const EKF2_FLIES: Quantity<EkfKey> = [EKF2, EKF3, [{ table: 'EKF4', fields: EKF_NAMES }], ...EKF_MESSAGES];

// Battery and power

/** A table, its field, and what the number must be multiplied with. */
export type BatteryField = readonly [table: string, field: string, factor: number];

export const VOLTS: readonly BatteryField[] = [
  ['BAT', 'Volt', 1],
  ['CURR', 'Volt', 1],
  ['BATT', 'V', 1],
  ['SYS_STATUS', 'voltage_battery', 1e-3],
];

export const CHARGE: readonly BatteryField[] = [
  ['BAT', 'CurrTot', 1],
  ['CURR', 'CurrTot', 1],
  ['BATT', 'Discharged', 1],
  ['BATTERY_STATUS', 'current_consumed', 1],
];

export const ENERGY: readonly BatteryField[] = [
  ['BAT', 'EnrgTot', 1],
  // hectojoules
  ['BATTERY_STATUS', 'energy_consumed', 100 / 3600],
];

export const REMAINING: readonly BatteryField[] = [
  ['BAT', 'RemPct', 1],
  ['BATTERY_STATUS', 'battery_remaining', 1],
  ['SYS_STATUS', 'battery_remaining', 1],
];

/** Old CURR records begin with the throttle, and have hundredths of a volt. */
export const OLD_CURR: readonly string[] = ['ThrOut', 'Thr', 'Throttle'];

export type PackKey = 'volts' | 'current' | 'remaining' | 'resistance' | CellKey;

type CellKey = (typeof CELL_KEYS)[number];

/** Voltages of BATTERY_STATUS: of cells, or of the whole in steps that a cell's field can hold. */
export const CELL_KEYS = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9'] as const;

/** Packs. Before floats were logged volts and amperes were hundredths; amperes of MAVLink are, too. */
export const PACKS: Quantity<PackKey> = [
  [
    ...[['BAT'], ['BAT2', '1']].map(([table, instance]) => ({
      table,
      ...(instance === undefined ? {} : { instance }),
      fields: { volts: 'Volt', current: 'Curr', remaining: 'RemPct', resistance: 'Res' },
    })),
  ],
  [
    ...[['CURR'], ['CUR2', '1'], ['CURR2', '1']].map(([table, instance]) => ({
      table,
      ...(instance === undefined ? {} : { instance }),
      fields: { volts: { name: 'Volt', whole: 0.01 }, current: { name: 'Curr', whole: 0.01 } },
    })),
  ],
  [
    {
      table: 'BATT',
      fields: { volts: ['VFilt', 'V'], current: ['CFilt', 'C'], remaining: { name: 'Remaining', factor: 100 } },
    },
  ],
  [
    {
      table: 'BATTERY_STATUS',
      fields: {
        ...(Object.fromEntries(CELL_KEYS.map((key, k) => [key, { name: 'voltages', element: k }])) as Record<
          CellKey,
          { name: string; element: number }
        >),
        current: 'current_battery',
        remaining: 'battery_remaining',
      },
    },
  ],
  [
    {
      table: 'SYS_STATUS',
      fields: { volts: 'voltage_battery', current: 'current_battery', remaining: 'battery_remaining' },
    },
  ],
];

/** Volts of single cells. */
export const BATTERY_CELLS: Quantity<string> = [
  [
    {
      table: 'BCL',
      fields: Object.fromEntries(Array.from({ length: 12 }, (_, k) => [`c${k}`, { name: `V${k + 1}`, whole: 0.001 }])),
    },
  ],
  [
    {
      table: 'BATTERY_STATUS',
      fields: Object.fromEntries(Array.from({ length: 10 }, (_, k) => [`c${k}`, { name: 'voltages', element: k }])),
    },
  ],
];

export type PowerKey = 'board' | 'flags';

export const POWER: Quantity<PowerKey> = [
  [{ table: 'POWR', fields: { board: { name: 'Vcc', whole: 0.001 }, flags: 'Flags' } }],
  [{ table: 'CURR', fields: { board: { name: 'Vcc', whole: 0.001 } } }],
  [{ table: 'PWR', fields: { board: 'Periph5V' } }],
  [{ table: 'POWER_STATUS', fields: { board: 'Vcc', flags: 'flags' } }],
];

// Sensors

export type ImuKey = 'gx' | 'gy' | 'gz' | 'ax' | 'ay' | 'az' | 'gyroHealth' | 'accelHealth';

/** Radians a second and m/s²: a little more than what the widest sensors have, 4000 deg/s and 40 g. */
const TURN: Range = [-80, 80];
const PUSH: Range = [-400, 400];

const turn = (...names: string[]): FieldRef[] => names.map((name) => ({ name, range: TURN }));
const push = (name: string): FieldRef => ({ name, range: PUSH });

const IMU_NAMES: QuantityTable<ImuKey>['fields'] = {
  gx: turn('GyrX', 'GyroX'),
  gy: turn('GyrY', 'GyroY'),
  gz: turn('GyrZ', 'GyroZ'),
  ax: push('AccX'),
  ay: push('AccY'),
  az: push('AccZ'),
  gyroHealth: ['GH', 'GyHlt'],
  accelHealth: ['AH', 'AcHlt'],
};

/** ArduPilot sends thousandths in all of these messages, of which RAW_IMU names no unit. */
function imuMessage(table: string, instance: string): QuantityTable<ImuKey> {
  const gyro = (name: string): FieldRef => ({ name, plain: 1e-3, range: TURN });
  const accel = (name: string): FieldRef => ({ name, plain: 9.80665e-3, range: PUSH });
  return {
    table,
    instance,
    fields: {
      gx: gyro('xgyro'),
      gy: gyro('ygyro'),
      gz: gyro('zgyro'),
      ax: accel('xacc'),
      ay: accel('yacc'),
      az: accel('zacc'),
    },
  };
}

/** Accelerometers and gyros, behind the filters of the autopilot. */
export const IMUS: Quantity<ImuKey> = [
  [
    { table: 'IMU', fields: IMU_NAMES },
    { table: 'IMU1', instance: '1', fields: IMU_NAMES },
    { table: 'IMU2', instance: '1', fields: IMU_NAMES },
    { table: 'IMU3', instance: '2', fields: IMU_NAMES },
  ],
  [imuMessage('RAW_IMU', '0'), imuMessage('SCALED_IMU2', '1'), imuMessage('SCALED_IMU3', '2')],
];

/** Samples of the sensor as it gave them, before the autopilot's filter. */
export type RawKey = 'ax' | 'ay' | 'az' | 'sampled';

const RAW_NAMES: QuantityTable<RawKey>['fields'] = {
  ax: 'AccX',
  ay: 'AccY',
  az: 'AccZ',
  sampled: { name: 'SampleUS', stored: true },
};

export const RAW_ACCEL: Quantity<RawKey> = [
  [
    { table: 'ACC', fields: RAW_NAMES },
    ...['0', '1', '2'].map((instance) => ({ table: `ACC${Number(instance) + 1}`, instance, fields: RAW_NAMES })),
  ],
];

/** PX4 sends this in m/s²; what it sends as RAW_IMU has no unit. */
export const HIGHRES_ACCEL: Quantity<RawKey> = [
  [{ table: 'HIGHRES_IMU', fields: { ax: 'xacc', ay: 'yacc', az: 'zacc' } }],
];

/** Newer firmwares have a record for each IMU, older ones a record for the one in use and the clips of all. */
export const VIBRATION: Quantity<'x' | 'y' | 'z' | 'clip' | 'clip0' | 'clip1' | 'clip2'> = [
  [
    {
      table: 'VIBE',
      fields: { x: 'VibeX', y: 'VibeY', z: 'VibeZ', clip: 'Clip', clip0: 'Clip0', clip1: 'Clip1', clip2: 'Clip2' },
    },
  ],
  [
    {
      table: 'VIBRATION',
      fields: {
        x: 'vibration_x',
        y: 'vibration_y',
        z: 'vibration_z',
        clip0: 'clipping_0',
        clip1: 'clipping_1',
        clip2: 'clipping_2',
      },
    },
  ],
];

export type CompassKey = 'x' | 'y' | 'z' | 'ox' | 'oy' | 'oz' | 'health';

/** Numbers as they are sent: thousandths of a gauss. */
const milli = (name: string): { name: string; stored: true } => ({ name, stored: true });

const gauss = (name: string): { name: string; factor: number } => ({ name, factor: 1000 });

export const MAGNETIC_FIELD: Quantity<CompassKey> = [
  [
    ...[['MAG'], ['MAG2', '1'], ['MAG3', '2']].map(([table, instance]) => ({
      table,
      ...(instance === undefined ? {} : { instance }),
      fields: {
        x: milli('MagX'),
        y: milli('MagY'),
        z: milli('MagZ'),
        ox: milli('OfsX'),
        oy: milli('OfsY'),
        oz: milli('OfsZ'),
        health: 'Health',
      },
    })),
  ],
  [
    ...[
      ['IMU', '0'],
      ['IMU1', '1'],
      ['IMU2', '2'],
    ].map(([table, instance]) => ({
      table,
      instance,
      fields: { x: gauss('MagX'), y: gauss('MagY'), z: gauss('MagZ') },
    })),
  ],
  [
    ...[
      ['RAW_IMU', '0'],
      ['SCALED_IMU2', '1'],
      ['SCALED_IMU3', '2'],
    ].map(([table, instance]) => ({
      table,
      instance,
      fields: { x: milli('xmag'), y: milli('ymag'), z: milli('zmag') },
    })),
  ],
  [{ table: 'SCALED_IMU', fields: { x: milli('xmag'), y: milli('ymag'), z: milli('zmag') } }],
  [{ table: 'HIGHRES_IMU', fields: { x: gauss('xmag'), y: gauss('ymag'), z: gauss('zmag') } }],
];

export const SENSOR_STATUS: Quantity<'present' | 'enabled' | 'health'> = [
  [
    {
      table: 'SYS_STATUS',
      fields: {
        present: 'onboard_control_sensors_present',
        enabled: 'onboard_control_sensors_enabled',
        health: 'onboard_control_sensors_health',
      },
    },
  ],
];

// Outputs and ESCs

/** Outputs that an autopilot has at most. */
export const OUTPUT_CHANNELS = 32;

/** Fields 'C1' ... by the number of the channel, as keys of a place. */
function outputChannels(
  name: (channel: number) => string,
  from = 1,
  to = OUTPUT_CHANNELS,
): Record<string, { name: string; stored: true }> {
  const entries: [string, { name: string; stored: true }][] = [];
  for (let channel = from; channel <= to; channel++)
    entries.push([`${channel}`, { name: name(channel), stored: true }]);
  return Object.fromEntries(entries);
}

/** What was sent to the outputs of the autopilot, by channel. */
export const OUTPUTS: Quantity<string> = [
  [
    ...['RCOU', 'RCO2', 'RCO3'].map(
      (table): QuantityTable<string> => ({
        table,
        fields: Object.fromEntries(
          Object.entries(outputChannels((n) => `C${n}`)).map(([key, place]) => [
            key,
            [place, { ...place, name: `Ch${key}` }],
          ]),
        ),
      }),
    ),
  ],
  [{ table: 'SERVO_OUTPUT_RAW', fields: { ...outputChannels((n) => `servo${n}_raw`, 1, 16), port: 'port' } }],
];

/** Copter until 3.1 logged its motors by themselves; PX4's sdlog2 its first outputs. */
export const MOTORS: Quantity<string> = [[{ table: 'MOT', fields: outputChannels((n) => `Mot${n}`, 1, 8) }]];

const ESC_NAMES: QuantityTable<string>['fields'] = {
  speed: 'RPM',
  temperature: 'Temp',
  motorTemperature: 'MotTemp',
  errorRate: { name: 'Err', range: [0, 100] },
  raw: 'RawRPM',
  // sdlog2 has a table of that name, in which the rows of all ESCs are mixed
  mixed: 'nESC',
};

/** ESCs that a message tells of. */
export const ESC_GROUP = 4;

/** ESC_TELEMETRY_1_TO_4 ... ESC_TELEMETRY_29_TO_32. */
const ESC_GROUPS = 8;

/** Four elements of each field, as keys 'speed0' ... 'speed3'. */
function escElements(fields: Readonly<Record<string, string>>): QuantityTable<string>['fields'] {
  const entries = Object.entries(fields).flatMap(([key, name]) =>
    Array.from({ length: ESC_GROUP }, (_, element) => [`${key}${element}`, { name, element }] as const),
  );
  return Object.fromEntries(entries);
}

/** Newer firmwares write a table with an instance for each ESC, those before 4.0 a table for each. */
export const ESC_TELEMETRY: Quantity<string> = [
  [
    { table: 'ESC', fields: ESC_NAMES },
    ...Array.from({ length: 8 }, (_, i) => ({ table: `ESC${i + 1}`, instance: `${i}`, fields: ESC_NAMES })),
  ],
  Array.from({ length: ESC_GROUPS }, (_, group) => ({
    table: `ESC_TELEMETRY_${group * ESC_GROUP + 1}_TO_${(group + 1) * ESC_GROUP}`,
    instance: `${group * ESC_GROUP}`,
    fields: escElements({ speed: 'rpm', temperature: 'temperature', count: 'count' }),
  })),
  [{ table: 'ESC_STATUS', fields: { ...escElements({ speed: 'rpm' }), index: 'index' } }],
];

export const ESC_INFO: Quantity<string> = [
  [
    {
      table: 'ESC_INFO',
      fields: {
        ...escElements({ temperature: 'temperature', errorCount: 'error_count', failures: 'failure_flags' }),
        index: 'index',
      },
    },
  ],
];

export const ESC_STATUS: Quantity<string> = [[{ table: 'EDT2', fields: { status: 'Status' } }]];

// RC, links, computer and log

/** Strength of the signal that the receiver of the remote control gets. */
export const RC_SIGNAL: Quantity<'strength' | 'sent'> = [
  [{ table: 'RSSI', fields: { strength: { name: 'RXRSSI', factor: 100 } } }],
  [{ table: 'RC_CHANNELS', fields: { sent: 'rssi' } }],
];

/** Remote control that PX4 says is lost, and what ArduPilot gets on the channel of the throttle. */
export const RC_LOSS: Quantity<'lost' | 'throttle'> = [
  [{ table: 'RC', fields: { lost: 'SignalLost' } }],
  [{ table: 'RCIN', fields: { throttle: { name: 'C3', stored: true } } }],
];

/** Telemetry radios tell about themselves, under an address of their own. */
export const RADIO_LINK: Quantity<'signal' | 'noise' | 'farSignal' | 'farNoise' | 'errors'> = [
  ...['RADIO_STATUS', 'RADIO'].map((table) => [
    {
      table,
      fields: { signal: 'rssi', noise: 'noise', farSignal: 'remrssi', farNoise: 'remnoise', errors: 'rxerrors' },
    },
  ]),
  [
    {
      table: 'RAD',
      fields: { signal: 'RSSI', noise: 'Noise', farSignal: 'RemRSSI', farNoise: 'RemNoise', errors: 'RxErrors' },
    },
  ],
];

/** What the receiver gave on each channel. */
export const RC_CHANNELS: Quantity<string> = [
  [
    {
      table: 'RCIN',
      fields: Object.fromEntries(
        Array.from({ length: 8 }, (_, k) => [
          `${k + 1}`,
          [
            { name: `C${k + 1}`, stored: true as const },
            { name: `Ch${k + 1}`, stored: true as const },
          ],
        ]),
      ),
    },
  ],
];

export type CpuKey = 'load' | 'slow' | 'loops' | 'longest' | 'errors';

/** Records about the main loop. Load is in thousandths where the log names no unit. */
export const CPU: Quantity<CpuKey> = [
  [
    {
      table: 'PM',
      fields: {
        load: { name: 'Load', plain: 0.1 },
        slow: 'NLon',
        loops: ['NLoop', 'NL', 'NLoops'],
        longest: 'MaxT',
        errors: ['InE', 'IntE'],
      },
    },
  ],
  [{ table: 'SYS_STATUS', fields: { load: 'load' } }],
];

/** Blocks that did not fit into the memory for writing. */
export const LOG_WRITER: Quantity<'dropped'> = [
  [{ table: 'DSF', fields: { dropped: 'Dp' } }],
  [{ table: 'DMS', fields: { dropped: 'Dp' } }],
];

/** All quantities of the report: what is read of a log that is too large for memory, in one pass. */
export const QUANTITIES: readonly Quantity<string>[] = [
  ATTITUDE,
  SDLOG_ATTITUDE,
  ATTITUDE_WISH,
  BODY_RATES,
  CONTROL,
  HEIGHT,
  BARO_HEIGHT,
  ESTIMATED_HEIGHT,
  BAROMETER,
  AIRSPEED,
  CLIMB_HEIGHT,
  IMPACT_HEIGHT,
  CLIMB_RATE,
  AIRSPEED_SENSOR,
  WIND,
  GPS,
  GPS_SPEED,
  EKF3_FLIES,
  EKF2_FLIES,
  PACKS,
  BATTERY_CELLS,
  POWER,
  IMUS,
  RAW_ACCEL,
  HIGHRES_ACCEL,
  VIBRATION,
  MAGNETIC_FIELD,
  SENSOR_STATUS,
  OUTPUTS,
  MOTORS,
  ESC_TELEMETRY,
  ESC_INFO,
  ESC_STATUS,
  RC_SIGNAL,
  RC_LOSS,
  RADIO_LINK,
  RC_CHANNELS,
  CPU,
  LOG_WRITER,
];
