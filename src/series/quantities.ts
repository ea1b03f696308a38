/*
 * What firmwares and messages call attitude, rates, position, battery and all else that is judged: ArduPilot's names of
 * today and of 2013, PX4's sdlog2 and topics of ULog, messages of MAVLink, and sensors. A quantity is a list of its sources, the best
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
  /** Which angle in radians of a quaternion (w x y z), from the body (front, right, down) to north, east, down. */
  readonly angle?: 'roll' | 'pitch' | 'yaw';
  /** What can be measured at all, as it is read: a number outside comes from damage, and is not a measurement. */
  readonly range?: FieldRange;
}

type FieldRange = readonly [lowest: number, highest: number];

/** The names that firmwares gave to a field, the best first. */
export type FieldNames = string | FieldRef | readonly (string | FieldRef)[];

/** A table of a quantity: its name and fields. */
export interface QuantityTable<K extends string> {
  readonly table: string;
  readonly fields: Readonly<Partial<Record<K, FieldNames>>>;
  /** Which instance it is, if a firmware named the table of each: IMU2 is the second IMU. */
  readonly instance?: string;
}

/** Tables of a quantity by firmware and protocol: all of the first entry that a log has any of are read. */
export type Quantity<K extends string> = readonly (readonly QuantityTable<K>[])[];

// Attitude, rates and what was asked for

const DEGREES = 180 / Math.PI;

const degrees = (name: string): FieldRef => ({ name, factor: DEGREES });
const vector = (name: string, element: number, factor = 1): FieldRef => ({ name, element, factor });
/** An angle of a quaternion in degrees. */
const turned = (name: string, angle: 'roll' | 'pitch' | 'yaw'): FieldRef => ({ name, angle, factor: DEGREES });

/** Degrees. In sdlog2 angles are radians, and the desired ones are in another table. */
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
  [
    {
      table: 'vehicle_attitude',
      fields: {
        roll: [turned('q', 'roll'), degrees('roll')],
        pitch: [turned('q', 'pitch'), degrees('pitch')],
        yaw: [turned('q', 'yaw'), degrees('yaw')],
      },
    },
  ],
];

export const SDLOG_ATTITUDE: Quantity<'roll' | 'pitch'> = [
  [{ table: 'ATT', fields: { roll: { name: 'Roll', factor: DEGREES }, pitch: { name: 'Pitch', factor: DEGREES } } }],
];

/** The desired attitude, if it has its own table. */
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
  [
    {
      table: 'vehicle_attitude_setpoint',
      fields: {
        roll: [degrees('roll_body'), turned('q_d', 'roll')],
        pitch: [degrees('pitch_body'), turned('q_d', 'pitch')],
      },
    },
  ],
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
  [
    {
      table: 'vehicle_angular_velocity',
      fields: { roll: vector('xyz', 0, DEGREES), pitch: vector('xyz', 1, DEGREES), yaw: vector('xyz', 2, DEGREES) },
    },
  ],
  [
    {
      table: 'vehicle_attitude',
      fields: { roll: degrees('rollspeed'), pitch: degrees('pitchspeed'), yaw: degrees('yawspeed') },
    },
  ],
];

/** The desired rates, if they have their own table. */
export const RATES_WISH: Quantity<'roll' | 'pitch' | 'yaw'> = [
  [
    {
      table: 'vehicle_rates_setpoint',
      fields: { roll: degrees('roll'), pitch: degrees('pitch'), yaw: degrees('yaw') },
    },
  ],
];

/** Throttle as `throttleOf` reads it (`push` is that of a wing), heights in metres, climb in metres a second. */
export const CONTROL: Quantity<'throttle' | 'push' | 'height' | 'baro' | 'climb' | 'climbWish'> = [
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
  // thrust along the body points down; of several tables each has a part
  [
    { table: 'vehicle_thrust_setpoint', fields: { throttle: vector('xyz', 2, -1), push: vector('xyz', 0) } },
    {
      table: 'vehicle_attitude_setpoint',
      fields: { throttle: [vector('thrust_body', 2, -1), 'thrust'], push: [vector('thrust_body', 0), 'thrust'] },
    },
    { table: 'actuator_controls_0', fields: { throttle: vector('control', 3), push: vector('control', 3) } },
    {
      table: 'vehicle_local_position',
      fields: { height: { name: 'z', factor: -1 }, climb: { name: 'vz', factor: -1 } },
    },
    { table: 'vehicle_local_position_setpoint', fields: { climbWish: { name: 'vz', factor: -1 } } },
  ],
];

/** What drives a rover or a boat: throttle as `throttleOf` reads it, speeds along it in metres a second. */
export const DRIVE: Quantity<'throttle' | 'speed' | 'wish'> = [
  [{ table: 'THR', fields: { throttle: 'ThrOut', speed: 'Speed', wish: 'DesSpeed' } }],
  [{ table: 'VFR_HUD', fields: { throttle: 'throttle', speed: 'groundspeed' } }],
];

/** How fast a rover or a boat turns, in degrees a second. */
export const STEERING: Quantity<'turn' | 'wish'> = [
  [{ table: 'STER', fields: { turn: 'TurnRate', wish: 'DesTurnRate' } }],
];

// Heights, climb and speeds

/** A height, and what makes metres upwards of it; `home` where it is 0 at the place of departure. */
export type HeightField = readonly [table: string, field: string, home: boolean, factor: number];

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
  ['vehicle_local_position', 'z', true, -1],
  ['vehicle_air_data', 'baro_alt_meter', false, 1],
];

/** Speeds over ground: one field, or two that are north and east. */
export const SPEEDS: readonly (readonly [table: string, ...fields: string[]])[] = [
  ['GPS', 'Spd'],
  ['VFR_HUD', 'groundspeed'],
  ['GLOBAL_POSITION_INT', 'vx', 'vy'],
  ['vehicle_local_position', 'vx', 'vy'],
];

/** Heights by one sensor each, and not by an estimate that believes the throttle or a wrong accelerometer. */
export const BAROMETER_HEIGHTS: readonly HeightField[] = [
  ['BARO', 'Alt', true, 1],
  ['CTUN', 'BarAlt', true, 1],
  ['CTUN', 'BAlt', true, 1],
  ['SENS', 'BaroAlt', false, 1],
  ['vehicle_air_data', 'baro_alt_meter', false, 1],
  ['sensor_combined', 'baro_alt_meter', false, 1],
];

export const RECEIVER_HEIGHTS: readonly HeightField[] = [
  ['GPS', 'Alt', false, 1],
  ['GPS_RAW_INT', 'alt', false, 1],
  ['vehicle_gps_position', 'altitude_msl_m', false, 1],
  ['vehicle_gps_position', 'alt', false, 1e-3],
];

/** Without a barometer's own, what the autopilot makes of it. */
export const SENT_HEIGHTS: readonly HeightField[] = [
  ['GLOBAL_POSITION_INT', 'relative_alt', true, 1],
  ['VFR_HUD', 'alt', false, 1],
];

/** Sources of the height, the best first: metres above home or take-off, else above the sea. */
export const HEIGHT: Quantity<'height'> = [
  [{ table: 'POS', fields: { height: ['RelHomeAlt', 'RelAlt'] } }],
  [{ table: 'CTUN', fields: { height: ['Alt', 'BAlt', 'BarAlt'] } }],
  [{ table: 'GLOBAL_POSITION_INT', fields: { height: 'relative_alt' } }],
  [{ table: 'BARO', fields: { height: 'Alt' } }],
  [{ table: 'GPS', fields: { height: ['RelAlt', 'Alt'] } }],
  [{ table: 'SENS', fields: { height: 'BaroAlt' } }],
  [{ table: 'LPOS', fields: { height: { name: 'Z', factor: -1 } } }],
  [{ table: 'VFR_HUD', fields: { height: 'alt' } }],
  [{ table: 'vehicle_local_position', fields: { height: { name: 'z', factor: -1 } } }],
];

const PX4_BAROMETER: Quantity<'height'> = [
  [{ table: 'vehicle_air_data', fields: { height: 'baro_alt_meter' } }],
  [{ table: 'sensor_combined', fields: { height: 'baro_alt_meter' } }],
];

/** Heights of the barometer, which a wrong estimate does not bend. */
export const BARO_HEIGHT: Quantity<'height'> = [
  [{ table: 'BARO', fields: { height: 'Alt' } }],
  [{ table: 'CTUN', fields: { height: ['BAlt', 'BarAlt'] } }],
  ...PX4_BAROMETER,
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
  [{ table: 'vehicle_local_position', fields: { height: { name: 'z', factor: -1 } } }],
];

export const BAROMETER: Quantity<'height' | 'pressure' | 'health'> = [
  [{ table: 'BARO', fields: { height: 'Alt', pressure: 'Press', health: ['Health', 'H'] } }],
  [{ table: 'CTUN', fields: { height: ['BAlt', 'BarAlt'] } }],
  [{ table: 'SENS', fields: { height: 'BaroAlt' } }],
  [{ table: 'SCALED_PRESSURE', fields: { pressure: 'press_abs' } }],
  ...PX4_BAROMETER,
];

export const AIRSPEED: Quantity<'speed'> = [
  [{ table: 'CTUN', fields: { speed: 'As' } }],
  [{ table: 'ARSP', fields: { speed: 'Airspeed' } }],
  [{ table: 'VFR_HUD', fields: { speed: 'airspeed' } }],
  [{ table: 'airspeed_validated', fields: { speed: ['calibrated_airspeed_m_s', 'equivalent_airspeed_m_s'] } }],
  [{ table: 'airspeed', fields: { speed: 'indicated_airspeed_m_s' } }],
];

export const CLIMB_HEIGHT: Quantity<'height'> = [
  [{ table: 'BARO', fields: { height: 'Alt' } }],
  [{ table: 'POS', fields: { height: ['RelHomeAlt', 'Alt'] } }],
  [{ table: 'VFR_HUD', fields: { height: 'alt' } }],
  ...PX4_BAROMETER,
];

/** Heights that a wrong estimate does not bend come first. */
export const IMPACT_HEIGHT: Quantity<'height'> = [
  [{ table: 'BARO', fields: { height: 'Alt' } }],
  [{ table: 'CTUN', fields: { height: ['BAlt', 'BarAlt', 'Alt'] } }],
  [{ table: 'SENS', fields: { height: 'BaroAlt' } }],
  [{ table: 'GLOBAL_POSITION_INT', fields: { height: 'relative_alt' } }],
  [{ table: 'VFR_HUD', fields: { height: 'alt' } }],
  ...PX4_BAROMETER,
];

/** The logged climb rate, in metres a second upwards: a barometer alone may feel a shock. */
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
  [{ table: 'vehicle_local_position', fields: { down: 'vz' } }],
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
  ...['wind', 'wind_estimate'].map((table) => [
    { table, fields: { north: 'windspeed_north', east: 'windspeed_east' } },
  ]),
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
  ...['vehicle_gps_position', 'sensor_gps'].map((table) => [
    {
      table,
      fields: {
        status: 'fix_type',
        sats: 'satellites_used',
        hdop: 'hdop',
        lat: ['latitude_deg', { name: 'lat', whole: 1e-7 }],
        lon: ['longitude_deg', { name: 'lon', whole: 1e-7 }],
        alt: ['altitude_msl_m', { name: 'alt', whole: 1e-3 }],
        speed: 'vel_m_s',
      },
    },
  ]),
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
  ...['vehicle_gps_position', 'sensor_gps'].map((table) => [{ table, fields: { accuracy: 's_variance_m_s' } }]),
];

/** How noisy the band of the satellites is, and whether the receiver says that it is jammed or spoofed. */
export const GPS_RADIO: Quantity<'noise' | 'jamming' | 'jammed' | 'spoofed'> = [
  'sensor_gps',
  'vehicle_gps_position',
].map((table) => [
  {
    table,
    fields: {
      noise: 'noise_per_ms',
      jamming: 'jamming_indicator',
      jammed: 'jamming_state',
      spoofed: 'spoofing_state',
    },
  },
]);

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
  [
    {
      table: 'estimator_status',
      fields: {
        velocity: 'vel_test_ratio',
        position: 'pos_test_ratio',
        height: 'hgt_test_ratio',
        compass: ['mag_test_ratio', 'hdg_test_ratio'],
      },
    },
  ],
];

/** Which of several estimators of PX4 flies. */
export const EKF_PRIMARY: Quantity<'primary'> = [
  [{ table: 'estimator_selector_status', fields: { primary: 'primary_instance' } }],
];

export type AidingKey =
  | 'gps'
  | 'flow'
  | 'vision'
  | 'visionSpeed'
  | 'other'
  | 'gpsSpeed'
  | 'inertial'
  | 'wind'
  | 'modes'
  | 'airborne';

/** What the estimator takes its position from: flags by name, or bits of control_mode_flags. */
export const AIDING: Quantity<AidingKey> = [
  [
    {
      table: 'estimator_status_flags',
      fields: {
        gps: ['cs_gps', 'cs_gnss_pos'],
        gpsSpeed: 'cs_gnss_vel',
        flow: 'cs_opt_flow',
        vision: 'cs_ev_pos',
        visionSpeed: 'cs_ev_vel',
        other: 'cs_aux_gpos',
        inertial: 'cs_inertial_dead_reckoning',
        wind: 'cs_wind_dead_reckoning',
        airborne: 'cs_in_air',
      },
    },
  ],
  [{ table: 'estimator_status', fields: { modes: 'control_mode_flags' } }],
  [{ table: 'vehicle_local_position', fields: { inertial: 'dead_reckoning' } }],
];

/** Whether the estimator takes heading or field from a compass. */
export const COMPASS_USED: Quantity<'heading' | 'field'> = [
  [{ table: 'estimator_status_flags', fields: { heading: 'cs_mag_hdg', field: 'cs_mag_3d' } }],
];

/** Where the vehicle is, and where it was asked to be: metres north, east and down of one place. */
export const LOCAL_POSITION: Quantity<'north' | 'east' | 'down'> = [
  [{ table: 'vehicle_local_position', fields: { north: 'x', east: 'y', down: 'z' } }],
];

export const POSITION_WISH: Quantity<'north' | 'east' | 'down'> = [
  [{ table: 'vehicle_local_position_setpoint', fields: { north: 'x', east: 'y', down: 'z' } }],
];

/** Both estimators may run; a parameter says which one flies. */
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
  ['battery_status', 'voltage_v', 1],
];

export const CHARGE: readonly BatteryField[] = [
  ['BAT', 'CurrTot', 1],
  ['CURR', 'CurrTot', 1],
  ['BATT', 'Discharged', 1],
  ['BATTERY_STATUS', 'current_consumed', 1],
  ['battery_status', 'discharged_mah', 1],
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
  ['battery_status', 'remaining', 100],
];

/** Old CURR records begin with the throttle, and have hundredths of a volt. */
export const OLD_CURR: readonly string[] = ['ThrOut', 'Thr', 'Throttle'];

export type PackKey =
  | 'volts'
  | 'current'
  | 'remaining'
  | 'resistance'
  | 'cellResistance'
  | 'cellCount'
  | 'connected'
  | 'warning'
  | CellKey;

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
  // -1 is not known
  [
    {
      table: 'battery_status',
      fields: {
        volts: 'voltage_v',
        current: { name: 'current_a', range: [0, 10_000] },
        remaining: { name: 'remaining', factor: 100, range: [0, 100] },
        cellResistance: 'internal_resistance_estimate',
        cellCount: 'cell_count',
        connected: 'connected',
        warning: 'warning',
      },
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
  [
    {
      table: 'battery_status',
      fields: Object.fromEntries(Array.from({ length: 14 }, (_, k) => [`c${k}`, vector('voltage_cell_v', k)])),
    },
  ],
];

export type PowerKey = 'board' | 'flags' | 'overcurrent' | 'highOvercurrent';

export const POWER: Quantity<PowerKey> = [
  [{ table: 'POWR', fields: { board: { name: 'Vcc', whole: 0.001 }, flags: 'Flags' } }],
  [{ table: 'CURR', fields: { board: { name: 'Vcc', whole: 0.001 } } }],
  [{ table: 'PWR', fields: { board: 'Periph5V' } }],
  [{ table: 'POWER_STATUS', fields: { board: 'Vcc', flags: 'flags' } }],
  [
    {
      table: 'system_power',
      fields: {
        board: ['voltage5v_v', 'voltage5V_v'],
        overcurrent: ['periph_5v_oc', 'periph_5V_OC'],
        highOvercurrent: ['hipower_5v_oc', 'hipower_5V_OC'],
      },
    },
  ],
];

// Sensors

export type ImuKey = 'gx' | 'gy' | 'gz' | 'ax' | 'ay' | 'az' | 'gyroHealth' | 'accelHealth';

/** Radians a second and m/s²: a little more than what the widest sensors have, 4000 deg/s and 40 g. */
const TURN: FieldRange = [-80, 80];
const PUSH: FieldRange = [-400, 400];

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
  [
    {
      table: 'sensor_combined',
      instance: '',
      fields: {
        gx: { ...vector('gyro_rad', 0), range: TURN },
        gy: { ...vector('gyro_rad', 1), range: TURN },
        gz: { ...vector('gyro_rad', 2), range: TURN },
        ax: { ...vector('accelerometer_m_s2', 0), range: PUSH },
        ay: { ...vector('accelerometer_m_s2', 1), range: PUSH },
        az: { ...vector('accelerometer_m_s2', 2), range: PUSH },
      },
    },
  ],
];

/** How far each IMU is from the mean of all, as the autopilot computes it: keys 'accel0' ..., 'gyro0' ... */
export const IMU_SPREAD: Quantity<string> = [
  [
    {
      table: 'sensors_status_imu',
      fields: Object.fromEntries(
        [0, 1, 2, 3].flatMap((k) => [
          [`accel${k}`, vector('accel_inconsistency_m_s_s', k)],
          [`gyro${k}`, vector('gyro_inconsistency_rad_s', k)],
          [`accelHealth${k}`, vector('accel_healthy', k)],
          [`gyroHealth${k}`, vector('gyro_healthy', k)],
        ]),
      ),
    },
  ],
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
export const VIBRATION: Quantity<
  'x' | 'y' | 'z' | 'clip' | 'clip0' | 'clip1' | 'clip2' | 'clipX' | 'clipY' | 'clipZ' | 'metric' | 'coning'
> = [
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
  // the metric is in m/s² since the coning has its name of today; before, it is one of the change of speed
  [
    {
      table: 'vehicle_imu_status',
      fields: {
        metric: 'accel_vibration_metric',
        coning: 'delta_angle_coning_metric',
        clipX: vector('accel_clipping', 0),
        clipY: vector('accel_clipping', 1),
        clipZ: vector('accel_clipping', 2),
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
  ...['vehicle_magnetometer', 'sensor_combined'].map((table) => [
    {
      table,
      fields: {
        x: vector('magnetometer_ga', 0, 1000),
        y: vector('magnetometer_ga', 1, 1000),
        z: vector('magnetometer_ga', 2, 1000),
      },
    },
  ]),
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

function outputElements(name: string, count: number): Record<string, FieldRef> {
  return Object.fromEntries(Array.from({ length: count }, (_, k) => [`${k + 1}`, vector(name, k)]));
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
  [{ table: 'actuator_outputs', fields: outputElements('output', 16) }],
];

/** Copter until 3.1 logged its motors by themselves; PX4's sdlog2 its first outputs. */
export const MOTORS: Quantity<string> = [
  [{ table: 'MOT', fields: outputChannels((n) => `Mot${n}`, 1, 8) }],
  // from 0 to 1; one that is not a number is switched off
  [{ table: 'actuator_motors', fields: outputElements('control', 12) }],
];

const ESC_NAMES: QuantityTable<string>['fields'] = {
  speed: 'RPM',
  temperature: 'Temp',
  motorTemperature: 'MotTemp',
  errorRate: { name: 'Err', range: [0, 100] },
  raw: 'RawRPM',
  // sdlog2 has a table of that name, in which the rows of all ESCs are mixed
  mixed: 'nESC',
};

/** ESCs of one message, and of a PX4 topic. */
const ESC_GROUP = 4;
export const ESC_MOST = 12;

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
  [
    {
      table: 'esc_status',
      fields: Object.fromEntries(
        Array.from({ length: ESC_MOST }, (_, k) =>
          Object.entries({
            speed: 'esc_rpm',
            temperature: 'esc_temperature',
            errorCount: 'esc_errorcount',
            failures: 'failures',
          }).map(([key, name]) => [`${key}${k}`, `esc[${k}].${name}`] as const),
        ).flat(),
      ),
    },
  ],
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
  [{ table: 'input_rc', fields: { strength: { name: 'rssi', range: [0, 100] } } }],
];

/** Remote control that PX4 says is lost, and what ArduPilot gets on the channel of the throttle. */
export const RC_LOSS: Quantity<'lost' | 'throttle'> = [
  [{ table: 'RC', fields: { lost: 'SignalLost' } }],
  [{ table: 'RCIN', fields: { throttle: { name: 'C3', stored: true } } }],
  [{ table: 'vehicle_status', fields: { lost: 'rc_signal_lost' } }],
  [{ table: 'failsafe_flags', fields: { lost: 'manual_control_signal_lost' } }],
];

/** Telemetry radios report about themselves, with their own address. */
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
  [
    {
      table: 'radio_status',
      fields: {
        signal: 'rssi',
        noise: 'noise',
        farSignal: 'remote_rssi',
        farNoise: 'remote_noise',
        errors: 'rxerrors',
      },
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
  [{ table: 'input_rc', fields: outputElements('values', 8) }],
];

export type CpuKey = 'load' | 'memory' | 'slow' | 'loops' | 'longest' | 'errors';

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
  [{ table: 'cpuload', fields: { load: { name: 'load', factor: 100 }, memory: { name: 'ram_usage', factor: 100 } } }],
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
  RATES_WISH,
  CONTROL,
  DRIVE,
  STEERING,
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
  GPS_RADIO,
  EKF_PRIMARY,
  AIDING,
  COMPASS_USED,
  LOCAL_POSITION,
  POSITION_WISH,
  EKF3_FLIES,
  EKF2_FLIES,
  PACKS,
  BATTERY_CELLS,
  POWER,
  IMUS,
  IMU_SPREAD,
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
