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

/** A table of a quantity; `instance` if its name says which it is. */
function table<K extends string>(
  name: string,
  fields: QuantityTable<NoInfer<K>>['fields'],
  instance?: string,
): QuantityTable<K> {
  return { table: name, fields, ...(instance !== undefined && { instance }) };
}

/** A way that is one table. */
const only = <K extends string>(...args: Parameters<typeof table<K>>): QuantityTable<K>[] => [table<K>(...args)];

/** Tables with the same fields, by name; those behind the first are the instances 1, 2 ... */
function alike<K extends string>(
  names: readonly string[],
  fields: QuantityTable<NoInfer<K>>['fields'],
): QuantityTable<K>[] {
  return names.map((name, i) => table<K>(name, fields, i === 0 ? undefined : `${i}`));
}

/** A field for each number from 0 on. */
function numbered(
  count: number,
  entry: (k: number) => readonly [key: string, field: FieldNames],
): Record<string, FieldNames> {
  return Object.fromEntries(Array.from({ length: count }, (_, k) => entry(k)));
}

// Attitude, rates and what was asked for

const DEGREES = 180 / Math.PI;

const degrees = (name: string): FieldRef => ({ name, factor: DEGREES });
const down = (name: string): FieldRef => ({ name, factor: -1 });
const percent = (name: string, range?: FieldRange): FieldRef => ({ name, factor: 100, ...(range && { range }) });
/** Hundredths in old firmwares. */
const hundredths = (name: string): FieldRef => ({ name, whole: 0.01 });
const stored = (name: string): FieldRef => ({ name, stored: true });
const vector = (name: string, element: number, factor = 1): FieldRef => ({ name, element, factor });
/** The elements of a vector by keys. */
function elements<K extends string>(
  name: string,
  keys: readonly K[],
  more: Omit<FieldRef, 'name'> = {},
): Record<K, FieldRef> {
  return Object.fromEntries(keys.map((key, element) => [key, { name, element, ...more }])) as Record<K, FieldRef>;
}

/** The first elements of a vector by keys with their numbers. */
const firstElements = (count: number, key: string, name: string): Record<string, FieldRef> =>
  elements(
    name,
    Array.from({ length: count }, (_, k) => `${key}${k}`),
  );

/** An angle of a quaternion in degrees. */
const turned = (name: string, angle: 'roll' | 'pitch' | 'yaw'): FieldRef => ({ name, angle, factor: DEGREES });

/** Degrees. In sdlog2 angles are radians, and the desired ones are in another table. */
export const ATTITUDE: Quantity<'roll' | 'pitch' | 'yaw' | 'rollWish' | 'pitchWish'> = [
  only('ATT', {
    roll: 'Roll',
    pitch: 'Pitch',
    yaw: 'Yaw',
    rollWish: ['DesRoll', 'RollIn'],
    pitchWish: ['DesPitch', 'PitchIn'],
  }),
  only('ATTITUDE', { roll: degrees('roll'), pitch: degrees('pitch'), yaw: degrees('yaw') }),
  only('vehicle_attitude', {
    roll: [turned('q', 'roll'), degrees('roll')],
    pitch: [turned('q', 'pitch'), degrees('pitch')],
    yaw: [turned('q', 'yaw'), degrees('yaw')],
  }),
];

export const SDLOG_ATTITUDE: Quantity<'roll' | 'pitch'> = [
  only('ATT', { roll: degrees('Roll'), pitch: degrees('Pitch') }),
];

/** The desired attitude, if it has its own table. */
export const ATTITUDE_WISH: Quantity<'roll' | 'pitch' | 'q0' | 'q1' | 'q2' | 'q3' | 'ignored'> = [
  only('ATSP', { roll: degrees('RollSP'), pitch: degrees('PitchSP') }),
  only('ATTITUDE_TARGET', { ...elements('q', ['q0', 'q1', 'q2', 'q3']), ignored: 'type_mask' }),
  only('NAV_CONTROLLER_OUTPUT', { roll: 'nav_roll', pitch: 'nav_pitch' }),
  only('vehicle_attitude_setpoint', {
    roll: [degrees('roll_body'), turned('q_d', 'roll')],
    pitch: [degrees('pitch_body'), turned('q_d', 'pitch')],
  }),
];

export const BODY_RATES: Quantity<'roll' | 'rollWish' | 'pitch' | 'pitchWish' | 'yaw' | 'yawWish' | 'out'> = [
  only('RATE', { roll: 'R', rollWish: 'RDes', pitch: 'P', pitchWish: 'PDes', yaw: 'Y', yawWish: 'YDes', out: 'ROut' }),
  only('vehicle_angular_velocity', elements('xyz', ['roll', 'pitch', 'yaw'], { factor: DEGREES })),
  only('vehicle_attitude', { roll: degrees('rollspeed'), pitch: degrees('pitchspeed'), yaw: degrees('yawspeed') }),
];

/** The desired rates, if they have their own table. */
export const RATES_WISH: Quantity<'roll' | 'pitch' | 'yaw'> = [
  only('vehicle_rates_setpoint', { roll: degrees('roll'), pitch: degrees('pitch'), yaw: degrees('yaw') }),
];

/** Throttle as `throttleOf` reads it (`push` is that of a wing), heights in metres, climb in metres a second. */
export const CONTROL: Quantity<'throttle' | 'push' | 'height' | 'baro' | 'climb' | 'climbWish'> = [
  only('CTUN', {
    throttle: ['ThO', 'ThrOut'],
    height: 'Alt',
    baro: ['BAlt', 'BarAlt'],
    climb: [hundredths('CRt'), hundredths('CRate')],
    climbWish: [hundredths('DCRt'), hundredths('DCRate')],
  }),
  only('VFR_HUD', { throttle: 'throttle', height: 'alt', climb: 'climb' }),
  // thrust along the body points down; of several tables each has a part
  [
    table('vehicle_thrust_setpoint', { throttle: vector('xyz', 2, -1), push: vector('xyz', 0) }),
    table('vehicle_attitude_setpoint', {
      throttle: [vector('thrust_body', 2, -1), 'thrust'],
      push: [vector('thrust_body', 0), 'thrust'],
    }),
    table('actuator_controls_0', { throttle: vector('control', 3), push: vector('control', 3) }),
    table('vehicle_local_position', { height: down('z'), climb: down('vz') }),
    table('vehicle_gps_position', { climb: down('vel_d_m_s') }),
    table('vehicle_local_position_setpoint', { climbWish: down('vz') }),
  ],
];

/** What drives a rover or a boat: throttle as `throttleOf` reads it, speeds along it in metres a second. */
export const DRIVE: Quantity<'throttle' | 'speed' | 'wish'> = [
  only('THR', { throttle: 'ThrOut', speed: 'Speed', wish: 'DesSpeed' }),
  only('VFR_HUD', { throttle: 'throttle', speed: 'groundspeed' }),
];

/** How fast a rover or a boat turns, in degrees a second. */
export const STEERING: Quantity<'turn' | 'wish'> = [only('STER', { turn: 'TurnRate', wish: 'DesTurnRate' })];

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
  only('POS', { height: ['RelHomeAlt', 'RelAlt'] }),
  only('CTUN', { height: ['Alt', 'BAlt', 'BarAlt'] }),
  only('GLOBAL_POSITION_INT', { height: 'relative_alt' }),
  only('BARO', { height: 'Alt' }),
  only('GPS', { height: ['RelAlt', 'Alt'] }),
  only('SENS', { height: 'BaroAlt' }),
  only('LPOS', { height: down('Z') }),
  only('VFR_HUD', { height: 'alt' }),
  only('vehicle_local_position', { height: down('z') }),
];

const PX4_BAROMETER: Quantity<'height'> = [
  only('vehicle_air_data', { height: 'baro_alt_meter' }),
  only('sensor_combined', { height: 'baro_alt_meter' }),
];

/** Heights of the barometer, which a wrong estimate does not bend. */
export const BARO_HEIGHT: Quantity<'height'> = [
  only('BARO', { height: 'Alt' }),
  only('CTUN', { height: ['BAlt', 'BarAlt'] }),
  ...PX4_BAROMETER,
];

/** Heights in metres by what made them. */
export const ESTIMATED_HEIGHT: Quantity<'height'> = [
  only('CTUN', { height: 'Alt' }),
  only('POS', { height: ['RelOriginAlt', 'RelHomeAlt', 'Alt'] }),
  [table('XKF1', { height: down('PD') }), table('NKF1', { height: down('PD') })],
  only('GLOBAL_POSITION_INT', { height: 'relative_alt' }),
  only('LPOS', { height: down('Z') }),
  only('vehicle_local_position', { height: down('z') }),
];

export const BAROMETER: Quantity<'height' | 'pressure' | 'health'> = [
  only('BARO', { height: 'Alt', pressure: 'Press', health: ['Health', 'H'] }),
  only('CTUN', { height: ['BAlt', 'BarAlt'] }),
  only('SENS', { height: 'BaroAlt' }),
  only('SCALED_PRESSURE', { pressure: 'press_abs' }),
  ...PX4_BAROMETER,
];

export const AIRSPEED: Quantity<'speed'> = [
  only('CTUN', { speed: 'As' }),
  only('ARSP', { speed: 'Airspeed' }),
  only('VFR_HUD', { speed: 'airspeed' }),
  only('airspeed_validated', { speed: ['calibrated_airspeed_m_s', 'equivalent_airspeed_m_s'] }),
  only('airspeed', { speed: 'indicated_airspeed_m_s' }),
];

export const CLIMB_HEIGHT: Quantity<'height'> = [
  only('BARO', { height: 'Alt' }),
  only('POS', { height: ['RelHomeAlt', 'Alt'] }),
  only('VFR_HUD', { height: 'alt' }),
  ...PX4_BAROMETER,
];

/** Heights that a wrong estimate does not bend come first. */
export const IMPACT_HEIGHT: Quantity<'height'> = [
  only('BARO', { height: 'Alt' }),
  only('CTUN', { height: ['BAlt', 'BarAlt', 'Alt'] }),
  only('SENS', { height: 'BaroAlt' }),
  only('GLOBAL_POSITION_INT', { height: 'relative_alt' }),
  only('VFR_HUD', { height: 'alt' }),
  ...PX4_BAROMETER,
];

/** The logged climb rate, in metres a second upwards: a barometer alone may feel a shock. */
export const CLIMB_RATE: Quantity<'up' | 'down'> = [
  only('GPS', { down: ['VZ', 'VelZ'] }),
  only('CTUN', {
    up: [hundredths('CRt'), hundredths('CRate')],
  }),
  only('VFR_HUD', { up: 'climb' }),
  only('GLOBAL_POSITION_INT', { down: 'vz' }),
  only('vehicle_local_position', { down: 'vz' }),
  only('vehicle_gps_position', { down: 'vel_d_m_s' }),
];

/** Whether the autopilot holds the sensor for healthy, and uses it. */
export const AIRSPEED_SENSOR: Quantity<'speed' | 'health' | 'used'> = [
  only('ARSP', { speed: 'Airspeed', health: 'H', used: 'U' }),
];

/** The wind as the vehicle estimates it. */
export const WIND: Quantity<'north' | 'east' | 'speed'> = [
  [
    table('XKF2', { north: 'VWN', east: 'VWE' }),
    table('NKF2', { north: 'VWN', east: 'VWE' }),
    table('EKF2', { north: 'VWN', east: 'VWE' }),
  ],
  only('WIND', { speed: 'speed' }),
  ...['wind', 'wind_estimate'].map((name) => only(name, { north: 'windspeed_north', east: 'windspeed_east' })),
];

// Satellite receivers and the estimator

export type GpsKey = 'status' | 'sats' | 'hdop' | 'lat' | 'lon' | 'alt' | 'speed' | 'course' | 'sink';

export const GPS: Quantity<GpsKey> = [
  alike(['GPS', 'GPS2'], {
    status: ['Status', 'Fix'],
    sats: ['NSats', 'nSat'],
    hdop: 'HDop',
    lat: 'Lat',
    lon: ['Lng', 'Lon'],
    alt: 'Alt',
    speed: 'Spd',
    course: ['GCrs', 'Crs'],
    sink: ['VZ', 'VelZ'],
  }),
  alike(['GPS_RAW_INT', 'GPS2_RAW'], {
    status: 'fix_type',
    sats: 'satellites_visible',
    hdop: { name: 'eph' },
    lat: 'lat',
    lon: 'lon',
    alt: 'alt',
    speed: 'vel',
  }),
  only('GGA', { status: 'quality', sats: 'satellites', hdop: 'hdop', lat: 'lat', lon: 'lon', alt: 'altitude' }),
  only('GnssPvtData', {
    status: 'fixType',
    sats: 'numSV',
    hdop: 'hdop',
    lat: 'lat',
    lon: 'lon',
    alt: 'hMSL',
    speed: 'gSpeed',
  }),
  ...['vehicle_gps_position', 'sensor_gps'].map((name) =>
    only(name, {
      status: 'fix_type',
      sats: 'satellites_used',
      hdop: 'hdop',
      lat: ['latitude_deg', { name: 'lat', whole: 1e-7 }],
      lon: ['longitude_deg', { name: 'lon', whole: 1e-7 }],
      alt: ['altitude_msl_m', { name: 'alt', whole: 1e-3 }],
      speed: 'vel_m_s',
      sink: 'vel_d_m_s',
    }),
  ),
];

/** Accuracy of the speed in metres a second, as receivers estimate it. */
export const GPS_SPEED: Quantity<'accuracy'> = [
  [table('GPA', { accuracy: 'SAcc' }), table('GPA2', { accuracy: 'SAcc' }, '1')],
  [table('GPS_RAW_INT', { accuracy: 'vel_acc' }), table('GPS2_RAW', { accuracy: 'vel_acc' }, '1')],
  ...['vehicle_gps_position', 'sensor_gps'].map((name) => only(name, { accuracy: 's_variance_m_s' })),
];

/** How noisy the band of the satellites is, and whether the receiver says that it is jammed or spoofed. */
export const GPS_RADIO: Quantity<'noise' | 'jamming' | 'jammed' | 'spoofed'> = [
  'sensor_gps',
  'vehicle_gps_position',
].map((name) =>
  only(name, {
    noise: 'noise_per_ms',
    jamming: 'jamming_indicator',
    jammed: 'jamming_state',
    spoofed: 'spoofing_state',
  }),
);

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
  only('EKF_STATUS_REPORT', {
    velocity: 'velocity_variance',
    position: 'pos_horiz_variance',
    height: 'pos_vert_variance',
    compass: 'compass_variance',
  }),
  only('ESTIMATOR_STATUS', {
    velocity: 'vel_ratio',
    position: 'pos_horiz_ratio',
    height: 'pos_vert_ratio',
    compass: 'mag_ratio',
  }),
  only('estimator_status', {
    velocity: 'vel_test_ratio',
    position: 'pos_test_ratio',
    height: 'hgt_test_ratio',
    compass: ['mag_test_ratio', 'hdg_test_ratio'],
  }),
];

/** Which of several estimators of PX4 flies. */
export const EKF_PRIMARY: Quantity<'primary'> = [only('estimator_selector_status', { primary: 'primary_instance' })];

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
  only('estimator_status_flags', {
    gps: ['cs_gps', 'cs_gnss_pos'],
    gpsSpeed: 'cs_gnss_vel',
    flow: 'cs_opt_flow',
    vision: 'cs_ev_pos',
    visionSpeed: 'cs_ev_vel',
    other: 'cs_aux_gpos',
    inertial: 'cs_inertial_dead_reckoning',
    wind: 'cs_wind_dead_reckoning',
    airborne: 'cs_in_air',
  }),
  only('estimator_status', { modes: 'control_mode_flags' }),
  only('vehicle_local_position', { inertial: 'dead_reckoning' }),
];

/** Whether the estimator takes heading or field from a compass. */
export const COMPASS_USED: Quantity<'heading' | 'field'> = [
  only('estimator_status_flags', { heading: 'cs_mag_hdg', field: 'cs_mag_3d' }),
];

/** Where the vehicle is, and where it was asked to be: metres north, east and down of one place. */
export const LOCAL_POSITION: Quantity<'north' | 'east' | 'down'> = [
  only('vehicle_local_position', { north: 'x', east: 'y', down: 'z' }),
];

export const POSITION_WISH: Quantity<'north' | 'east' | 'down'> = [
  only('vehicle_local_position_setpoint', { north: 'x', east: 'y', down: 'z' }),
];

/** Both estimators may run; a parameter says which one flies. */
export const EKF3_FLIES: Quantity<EkfKey> = [EKF3, EKF2, only('EKF4', EKF_NAMES), ...EKF_MESSAGES];

export const EKF2_FLIES: Quantity<EkfKey> = [EKF2, EKF3, only('EKF4', EKF_NAMES), ...EKF_MESSAGES];

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
  alike(['BAT', 'BAT2'], { volts: 'Volt', current: 'Curr', remaining: 'RemPct', resistance: 'Res' }),
  // the third is the second by another name
  alike(['CURR', 'CUR2'], { volts: hundredths('Volt'), current: hundredths('Curr') }).concat(
    table('CURR2', { volts: hundredths('Volt'), current: hundredths('Curr') }, '1'),
  ),
  only('BATT', { volts: ['VFilt', 'V'], current: ['CFilt', 'C'], remaining: percent('Remaining') }),
  only('BATTERY_STATUS', {
    ...elements('voltages', CELL_KEYS),
    current: 'current_battery',
    remaining: 'battery_remaining',
  }),
  only('SYS_STATUS', { volts: 'voltage_battery', current: 'current_battery', remaining: 'battery_remaining' }),
  // -1 is not known
  only('battery_status', {
    volts: 'voltage_v',
    current: { name: 'current_a', range: [0, 10_000] },
    remaining: percent('remaining', [0, 100]),
    cellResistance: 'internal_resistance_estimate',
    cellCount: 'cell_count',
    connected: 'connected',
    warning: 'warning',
  }),
];

/** Volts of single cells. */
export const BATTERY_CELLS: Quantity<string> = [
  only(
    'BCL',
    numbered(12, (k) => [`c${k}`, { name: `V${k + 1}`, whole: 0.001 }]),
  ),
  only('BATTERY_STATUS', elements('voltages', CELL_KEYS)),
  only('battery_status', firstElements(14, 'c', 'voltage_cell_v')),
];

export type PowerKey = 'board' | 'flags' | 'overcurrent' | 'highOvercurrent';

export const POWER: Quantity<PowerKey> = [
  only('POWR', { board: { name: 'Vcc', whole: 0.001 }, flags: 'Flags' }),
  only('CURR', { board: { name: 'Vcc', whole: 0.001 } }),
  only('PWR', { board: 'Periph5V' }),
  only('POWER_STATUS', { board: 'Vcc', flags: 'flags' }),
  only('system_power', {
    board: ['voltage5v_v', 'voltage5V_v'],
    overcurrent: ['periph_5v_oc', 'periph_5V_OC'],
    highOvercurrent: ['hipower_5v_oc', 'hipower_5V_OC'],
  }),
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
const sentTurn = (name: string): FieldRef => ({ name, plain: 1e-3, range: TURN });
const sentPush = (name: string): FieldRef => ({ name, plain: 9.80665e-3, range: PUSH });

/** Accelerometers and gyros, behind the filters of the autopilot. */
export const IMUS: Quantity<ImuKey> = [
  [
    table('IMU', IMU_NAMES),
    table('IMU1', IMU_NAMES, '1'),
    table('IMU2', IMU_NAMES, '1'),
    table('IMU3', IMU_NAMES, '2'),
  ],
  ['RAW_IMU', 'SCALED_IMU2', 'SCALED_IMU3'].map((name, i) =>
    table(
      name,
      {
        gx: sentTurn('xgyro'),
        gy: sentTurn('ygyro'),
        gz: sentTurn('zgyro'),
        ax: sentPush('xacc'),
        ay: sentPush('yacc'),
        az: sentPush('zacc'),
      },
      `${i}`,
    ),
  ),
  only(
    'sensor_combined',
    {
      ...elements('gyro_rad', ['gx', 'gy', 'gz'], { range: TURN }),
      ...elements('accelerometer_m_s2', ['ax', 'ay', 'az'], { range: PUSH }),
    },
    '',
  ),
];

/** How far each IMU is from the mean of all, as the autopilot computes it: keys 'accel0' ..., 'gyro0' ... */
export const IMU_SPREAD: Quantity<string> = [
  only('sensors_status_imu', {
    ...firstElements(4, 'accel', 'accel_inconsistency_m_s_s'),
    ...firstElements(4, 'gyro', 'gyro_inconsistency_rad_s'),
    ...firstElements(4, 'accelHealth', 'accel_healthy'),
    ...firstElements(4, 'gyroHealth', 'gyro_healthy'),
  }),
];

/** Samples of the sensor as it gave them, before the autopilot's filter. */
export type RawKey = 'ax' | 'ay' | 'az' | 'sampled';

const RAW_NAMES: QuantityTable<RawKey>['fields'] = {
  ax: 'AccX',
  ay: 'AccY',
  az: 'AccZ',
  sampled: stored('SampleUS'),
};

export const RAW_ACCEL: Quantity<RawKey> = [
  [table('ACC', RAW_NAMES), ...[0, 1, 2].map((i) => table(`ACC${i + 1}`, RAW_NAMES, `${i}`))],
];

/** PX4 sends this in m/s²; what it sends as RAW_IMU has no unit. */
export const HIGHRES_ACCEL: Quantity<RawKey> = [only('HIGHRES_IMU', { ax: 'xacc', ay: 'yacc', az: 'zacc' })];

/** Newer firmwares have a record for each IMU, older ones a record for the one in use and the clips of all. */
export const VIBRATION: Quantity<
  'x' | 'y' | 'z' | 'clip' | 'clip0' | 'clip1' | 'clip2' | 'clipX' | 'clipY' | 'clipZ' | 'metric' | 'coning'
> = [
  only('VIBE', { x: 'VibeX', y: 'VibeY', z: 'VibeZ', clip: 'Clip', clip0: 'Clip0', clip1: 'Clip1', clip2: 'Clip2' }),
  only('VIBRATION', {
    x: 'vibration_x',
    y: 'vibration_y',
    z: 'vibration_z',
    clip0: 'clipping_0',
    clip1: 'clipping_1',
    clip2: 'clipping_2',
  }),
  // the metric is in m/s² since the coning has its name of today; before, it is one of the change of speed
  only('vehicle_imu_status', {
    metric: 'accel_vibration_metric',
    coning: 'delta_angle_coning_metric',
    ...elements('accel_clipping', ['clipX', 'clipY', 'clipZ']),
  }),
];

export type CompassKey = 'x' | 'y' | 'z' | 'ox' | 'oy' | 'oz' | 'health';

/** Thousandths of a gauss, as most send them: `stored`. */
const gauss = (name: string): FieldRef => ({ name, factor: 1000 });

export const MAGNETIC_FIELD: Quantity<CompassKey> = [
  alike(['MAG', 'MAG2', 'MAG3'], {
    x: stored('MagX'),
    y: stored('MagY'),
    z: stored('MagZ'),
    ox: stored('OfsX'),
    oy: stored('OfsY'),
    oz: stored('OfsZ'),
    health: 'Health',
  }),
  ['IMU', 'IMU1', 'IMU2'].map((name, i) =>
    table(name, { x: gauss('MagX'), y: gauss('MagY'), z: gauss('MagZ') }, `${i}`),
  ),
  ['RAW_IMU', 'SCALED_IMU2', 'SCALED_IMU3'].map((name, i) =>
    table(name, { x: stored('xmag'), y: stored('ymag'), z: stored('zmag') }, `${i}`),
  ),
  only('SCALED_IMU', { x: stored('xmag'), y: stored('ymag'), z: stored('zmag') }),
  only('HIGHRES_IMU', { x: gauss('xmag'), y: gauss('ymag'), z: gauss('zmag') }),
  ...['vehicle_magnetometer', 'sensor_combined'].map((name) =>
    only(name, elements('magnetometer_ga', ['x', 'y', 'z'], { factor: 1000 })),
  ),
];

export const SENSOR_STATUS: Quantity<'present' | 'enabled' | 'health'> = [
  only('SYS_STATUS', {
    present: 'onboard_control_sensors_present',
    enabled: 'onboard_control_sensors_enabled',
    health: 'onboard_control_sensors_health',
  }),
];

// Outputs and ESCs

/** Outputs that an autopilot has at most. */
export const OUTPUT_CHANNELS = 32;

/** Channels from '1' on as they were sent, by the names of their fields. */
const outputChannels = (count: number, ...names: ((channel: number) => string)[]): Record<string, FieldNames> =>
  numbered(count, (k) => [`${k + 1}`, names.map((name) => stored(name(k + 1)))]);

const outputElements = (name: string, count: number): Record<string, FieldNames> =>
  numbered(count, (k) => [`${k + 1}`, vector(name, k)]);

/** Channels of ArduPilot, by their names of today and of old. */
const ardupilotChannels = (count: number): Record<string, FieldNames> =>
  outputChannels(
    count,
    (n) => `C${n}`,
    (n) => `Ch${n}`,
  );

/** What was sent to the outputs of the autopilot, by channel. */
export const OUTPUTS: Quantity<string> = [
  ['RCOU', 'RCO2', 'RCO3'].map((name) => table(name, ardupilotChannels(OUTPUT_CHANNELS))),
  only('SERVO_OUTPUT_RAW', { ...outputChannels(16, (n) => `servo${n}_raw`), port: 'port' }),
  only('actuator_outputs', outputElements('output', 16)),
];

/** Copter until 3.1 logged its motors by themselves; PX4's sdlog2 its first outputs. */
export const MOTORS: Quantity<string> = [
  only(
    'MOT',
    outputChannels(8, (n) => `Mot${n}`),
  ),
  // from 0 to 1; one that is not a number is switched off
  only('actuator_motors', outputElements('control', 12)),
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
function escElements(fields: Readonly<Record<string, string>>): Record<string, FieldNames> {
  const keys = Object.entries(fields);
  return Object.assign({}, ...keys.map(([key, name]) => firstElements(ESC_GROUP, key, name)));
}

/** Newer firmwares write a table with an instance for each ESC, those before 4.0 a table for each. */
export const ESC_TELEMETRY: Quantity<string> = [
  [table('ESC', ESC_NAMES), ...Array.from({ length: 8 }, (_, i) => table(`ESC${i + 1}`, ESC_NAMES, `${i}`))],
  Array.from({ length: ESC_GROUPS }, (_, group) => ({
    table: `ESC_TELEMETRY_${group * ESC_GROUP + 1}_TO_${(group + 1) * ESC_GROUP}`,
    instance: `${group * ESC_GROUP}`,
    fields: escElements({ speed: 'rpm', temperature: 'temperature', count: 'count' }),
  })),
  only('ESC_STATUS', { ...escElements({ speed: 'rpm' }), index: 'index' }),
  only('esc_status', {
    ...numbered(ESC_MOST, (k) => [`speed${k}`, `esc[${k}].esc_rpm`]),
    ...numbered(ESC_MOST, (k) => [`temperature${k}`, `esc[${k}].esc_temperature`]),
    ...numbered(ESC_MOST, (k) => [`errorCount${k}`, `esc[${k}].esc_errorcount`]),
    ...numbered(ESC_MOST, (k) => [`failures${k}`, `esc[${k}].failures`]),
  }),
];

export const ESC_INFO: Quantity<string> = [
  only('ESC_INFO', {
    ...escElements({ temperature: 'temperature', errorCount: 'error_count', failures: 'failure_flags' }),
    index: 'index',
  }),
];

export const ESC_STATUS: Quantity<string> = [only('EDT2', { status: 'Status' })];

// RC, links, computer and log

/** Strength of the signal that the receiver of the remote control gets. */
export const RC_SIGNAL: Quantity<'strength' | 'sent'> = [
  only('RSSI', { strength: percent('RXRSSI') }),
  only('RC_CHANNELS', { sent: 'rssi' }),
  only('input_rc', { strength: { name: 'rssi', range: [0, 100] } }),
];

/** Remote control that PX4 says is lost, and what ArduPilot gets on the channel of the throttle. */
export const RC_LOSS: Quantity<'lost' | 'throttle'> = [
  only('RC', { lost: 'SignalLost' }),
  only('RCIN', { throttle: stored('C3') }),
  only('vehicle_status', { lost: 'rc_signal_lost' }),
  only('failsafe_flags', { lost: 'manual_control_signal_lost' }),
];

/** Telemetry radios report about themselves, with their own address. */
export const RADIO_LINK: Quantity<'signal' | 'noise' | 'farSignal' | 'farNoise' | 'errors'> = [
  ...['RADIO_STATUS', 'RADIO'].map((name) =>
    only(name, { signal: 'rssi', noise: 'noise', farSignal: 'remrssi', farNoise: 'remnoise', errors: 'rxerrors' }),
  ),
  only('RAD', { signal: 'RSSI', noise: 'Noise', farSignal: 'RemRSSI', farNoise: 'RemNoise', errors: 'RxErrors' }),
  only('radio_status', {
    signal: 'rssi',
    noise: 'noise',
    farSignal: 'remote_rssi',
    farNoise: 'remote_noise',
    errors: 'rxerrors',
  }),
];

/** What the receiver gave on each channel. */
export const RC_CHANNELS: Quantity<string> = [
  only('RCIN', ardupilotChannels(8)),
  only('input_rc', outputElements('values', 8)),
];

export type CpuKey = 'load' | 'memory' | 'slow' | 'loops' | 'longest' | 'errors';

/** Records about the main loop. Load is in thousandths where the log names no unit. */
export const CPU: Quantity<CpuKey> = [
  only('PM', {
    load: { name: 'Load', plain: 0.1 },
    slow: 'NLon',
    loops: ['NLoop', 'NL', 'NLoops'],
    longest: 'MaxT',
    errors: ['InE', 'IntE'],
  }),
  only('SYS_STATUS', { load: 'load' }),
  only('cpuload', { load: percent('load'), memory: percent('ram_usage') }),
];

/** Blocks that did not fit into the memory for writing. */
export const LOG_WRITER: Quantity<'dropped'> = [only('DSF', { dropped: 'Dp' }), only('DMS', { dropped: 'Dp' })];

/** All quantities of the report: what is read of a log that is too large for memory, in one pass. */
export const QUANTITIES: readonly Quantity<string>[] = [
  ...[ATTITUDE, SDLOG_ATTITUDE, ATTITUDE_WISH, BODY_RATES, RATES_WISH, CONTROL, DRIVE, STEERING, HEIGHT, BARO_HEIGHT],
  ...[ESTIMATED_HEIGHT, BAROMETER, AIRSPEED, CLIMB_HEIGHT, IMPACT_HEIGHT, CLIMB_RATE, AIRSPEED_SENSOR, WIND, GPS],
  ...[GPS_SPEED, GPS_RADIO, EKF_PRIMARY, AIDING, COMPASS_USED, LOCAL_POSITION, POSITION_WISH, EKF3_FLIES, EKF2_FLIES],
  ...[PACKS, BATTERY_CELLS, POWER, IMUS, IMU_SPREAD, RAW_ACCEL, HIGHRES_ACCEL, VIBRATION, MAGNETIC_FIELD],
  ...[SENSOR_STATUS, OUTPUTS, MOTORS, ESC_TELEMETRY, ESC_INFO, ESC_STATUS, RC_SIGNAL, RC_LOSS, RADIO_LINK],
  ...[RC_CHANNELS, CPU, LOG_WRITER],
];
