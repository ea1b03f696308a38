import type { TableInfo } from '../worker/answers.ts';
import { fieldText, parseField, tableText } from './field-name.ts';

/*
 * DataFlash, ULog, MAVLink, NMEA and XBUS name the same quantities differently. Below a # is a pane, with the name of
 * its preset at the first: tables with fields, of which the first that the log has is shown; `xyz{0}` an element,
 * `q:roll` an angle, `-z` upside down.
 */
const TEXT = `
# Attitude
ATT Roll DesRoll Pitch DesPitch
ATTITUDE roll pitch
EulerAngles roll pitch
vehicle_attitude q:roll q:pitch
PASHR roll pitch
ATTITUDE_QUATERNION q1 q2 q3 q4
Quaternion w x y z
#
ATT Yaw DesYaw
ATTITUDE yaw
EulerAngles yaw
vehicle_attitude q:yaw
PASHR heading
HDT heading
THS heading
HDG heading
HDM heading
VHW heading
# Rates
RATE R RDes
ATTITUDE rollspeed
RateOfTurn x y z
vehicle_angular_velocity xyz{0}
vehicle_attitude rollspeed
ROT rate_of_turn
#
RATE P PDes
ATTITUDE pitchspeed
vehicle_angular_velocity xyz{1}
vehicle_attitude pitchspeed
#
RATE Y YDes
ATTITUDE yawspeed
vehicle_angular_velocity xyz{2}
vehicle_attitude yawspeed
# Altitude
CTUN Alt DAlt BAlt
BARO Alt
POS RelHomeAlt
VFR_HUD alt
GLOBAL_POSITION_INT relative_alt alt
GGA altitude
GNS altitude
GPS_RAW_INT alt
GPS Alt
AltitudeMsl value
AltitudeEllipsoid value
GnssPvtData hMSL
PGRMZ altitude_ft
vehicle_local_position -z
vehicle_air_data baro_alt_meter
sensor_combined baro_alt_meter
#
CTUN CRt DCRt
VFR_HUD climb
vehicle_local_position vz
# Speed
GPS Spd VZ
VFR_HUD groundspeed airspeed
GLOBAL_POSITION_INT vx vy vz
RMC speed_kn
VTG speed_kmh
VHW speed_kn
VelocityXYZ x y z
GnssPvtData gSpeed
vehicle_gps_position vel_m_s vel_d_m_s
vehicle_local_position vx vy
#
ARSP Airspeed
airspeed_validated calibrated_airspeed_m_s
airspeed indicated_airspeed_m_s
# Vibration
VIBE VibeX VibeY VibeZ
VIBRATION vibration_x vibration_y vibration_z
vehicle_imu_status accel_vibration_metric
#
VIBE Clip Clip0 Clip1 Clip2
VIBRATION clipping_0 clipping_1 clipping_2
vehicle_imu_status accel_clipping{0} accel_clipping{1} accel_clipping{2}
# IMU
IMU AccX AccY AccZ
RAW_IMU xacc yacc zacc
SCALED_IMU2 xacc yacc zacc
Acceleration x y z
FreeAcceleration x y z
DeltaV x y z
sensor_combined accelerometer_m_s2{0} accelerometer_m_s2{1} accelerometer_m_s2{2}
#
IMU GyrX GyrY GyrZ
RAW_IMU xgyro ygyro zgyro
RateOfTurn x y z
sensor_combined gyro_rad{0} gyro_rad{1} gyro_rad{2}
# EKF
XKF4 SV SP SH SM
NKF4 SV SP SH SM
EKF4 SV SP SH SM
EKF_STATUS_REPORT velocity_variance pos_horiz_variance pos_vert_variance compass_variance
estimator_status vel_test_ratio pos_test_ratio hgt_test_ratio mag_test_ratio hdg_test_ratio
#
XKF3 IVN IVE IVD
NKF3 IVN IVE IVD
estimator_innovations gps_hvel{0} gps_hvel{1} gps_vvel
# Compass
MAG MagX MagY MagZ
RAW_IMU xmag ymag zmag
MagneticField x y z
vehicle_magnetometer magnetometer_ga{0} magnetometer_ga{1} magnetometer_ga{2}
sensor_combined magnetometer_ga{0} magnetometer_ga{1} magnetometer_ga{2}
# GPS
GPS NSats
GPS_RAW_INT satellites_visible
GGA satellites
vehicle_gps_position satellites_used
GNS satellites
GSV satellites
GnssPvtData numSV
#
GPS HDop
GPA HAcc VAcc
GPS_RAW_INT eph
GGA hdop
vehicle_gps_position eph epv hdop
GSA hdop vdop
GST lat_error lon_error altitude_error
GnssPvtData hAcc vAcc
# Battery
BAT Volt
CURR Volt
BATT V
SYS_STATUS voltage_battery
battery_status voltage_v
#
BAT Curr
CURR Curr
BATT C
SYS_STATUS current_battery
battery_status current_a
# Motors
RCOU C1 C2 C3 C4
SERVO_OUTPUT_RAW servo1_raw servo2_raw servo3_raw servo4_raw
OUT0 Out0 Out1 Out2 Out3
actuator_motors control{0} control{1} control{2} control{3}
actuator_outputs output{0} output{1} output{2} output{3}
# RC
RCIN C1 C2 C3 C4
RC_CHANNELS chan1_raw chan2_raw chan3_raw chan4_raw
RC_CHANNELS_RAW chan1_raw chan2_raw chan3_raw chan4_raw
RC C0 C1 C2 C3
manual_control_setpoint roll pitch yaw throttle
manual_control_setpoint x y z r
input_rc values{0} values{1} values{2} values{3}
# Power
POWR Vcc VServo
POWER_STATUS Vcc Vservo
system_power voltage5v_v voltage5V_v
# Depth
DPT depth
DBT depth
# Wind
MWD wind_speed_ms
MWV wind_speed
VWR wind_speed_ms
#
MWD wind_direction
MWV wind_angle
VWR wind_angle
# CPU
PM Load MaxT
SYS_STATUS load
cpuload load ram_usage
`;

type Choice = readonly string[];

interface Preset {
  readonly name: string;
  readonly panes: readonly (readonly Choice[])[];
}

/** Tables with fields, a line each. */
export function choicesIn(text: string): Choice[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
}

const PRESETS: readonly Preset[] = TEXT.split(/^# /m)
  .slice(1)
  .map((preset) => {
    const [name] = preset.split('\n', 1);
    return { name, panes: preset.slice(name.length).split('#\n').map(choicesIn) };
  });

/** A preset that a log has the fields for, with the texts of what it plots. */
export interface FoundPreset {
  readonly name: string;
  readonly panes: readonly (readonly string[])[];
}

/** The presets of a log. What it does not have is left out; of several instances the first is taken. */
export function findPresets(tables: readonly TableInfo[]): FoundPreset[] {
  return PRESETS.map(({ name, panes }) => ({
    name,
    panes: panes.map((choices) => firstOf(choices, tables)).filter((fields) => fields.length > 0),
  })).filter(({ panes }) => panes.length > 0);
}

/** The texts of the first choice of which a log has any field, or all of them. */
export function firstOf(choices: readonly Choice[], tables: readonly TableInfo[], isWhole = false): string[] {
  for (const [name, ...wanted] of choices) {
    for (const table of tables) {
      if (table.name !== name || table.rows < 2) continue;
      const texts = wanted.flatMap((field) => textIn(table, field) ?? []);
      if (texts.length >= (isWhole ? wanted.length : 1)) return texts;
    }
  }
  return [];
}

/** The text of a field of a preset, if a table has it: of an element of an array, or of an angle of a quaternion. */
function textIn(table: TableInfo, wanted: string): string | undefined {
  const [, sign = '', field = '', element, angle] = /^(-?)(\w+)(?:\{(\d+)\})?(?::(\w+))?$/.exec(wanted) ?? [];
  const known = table.fields.find(({ name, numeric }) => name === field && numeric);
  if (!known) return undefined;
  if (angle && known.count !== 4) return undefined;
  if (angle) return angleOf(`${tableText(table.name, table.stream)}.${field}`, angle);
  if (element === undefined ? known.count !== 1 : Number(element) >= known.count) return undefined;
  return sign + fieldText({ table: table.name, stream: table.stream, field, element: Number(element ?? -1) });
}

const ANGLES: readonly string[] = ['roll', 'pitch', 'yaw'];

/** An angle in degrees as an expression over a quaternion (w x y z), from the body to north, east and down. */
function angleOf(quaternion: string, angle: string): string {
  const [w, x, y, z] = [0, 1, 2, 3].map((element) => `${quaternion}[${element}]`);
  if (angle === 'roll') return `deg(atan2(2*(${w}*${x}+${y}*${z}), 1-2*(${x}^2+${y}^2)))`;
  if (angle === 'pitch') return `deg(asin(clamp(2*(${w}*${y}-${z}*${x}), -1, 1)))`;
  return `deg(atan2(2*(${w}*${z}+${x}*${y}), 1-2*(${y}^2+${z}^2)))`;
}

/** What is plotted for a field as the report names it, also an element of an array or an angle; undefined for no field. */
export function plotTextOf(reported: string, tables: readonly TableInfo[]): string | undefined {
  for (const { name: table, stream, fields } of tables) {
    // without a stream it is of the first
    const title = [`${table}[${stream}].`, `${table}.`].find((each) => reported.startsWith(each));
    if (title === undefined) continue;
    const rest = reported.slice(title.length);
    const [, own = rest, element = -1, angle] = /^(.*?)(?:\[(\d+)\]| \((\w+)\))$/.exec(rest) ?? [];
    const field = fields.find(({ name, numeric }) => numeric && (name === rest || name === own))?.name;
    if (field === undefined) continue;
    if (angle) return angleOf(`${tableText(table, stream)}.${field}`, angle);
    return fieldText({ table, stream, field, element: field === rest ? -1 : Number(element) });
  }
  return undefined;
}

/** What a line is called: where it is from, and its field; an angle of a quaternion by its name. */
export interface LineName {
  readonly from: string;
  readonly name: string;
  readonly unit: string;
}

export function lineName(text: string): LineName {
  const quaternion = /^deg\(a\w+\(.*?([\w[\]:.]+)\[\d\]\*/.exec(text)?.[1] ?? '';
  const angle = ANGLES.find((each) => quaternion !== '' && angleOf(quaternion, each) === text);
  if (angle) return { from: quaternion.slice(0, quaternion.lastIndexOf('.') + 1), name: angle, unit: 'deg' };
  const at = parseField(text) ? text.lastIndexOf('.') : 0;
  return { from: text.slice(0, at), name: text.slice(at), unit: '' };
}

/** What a log is first shown with: one pane of each of these, as far as it has them, then one of each other preset. */
const FIRST: readonly string[] = ['Attitude', 'Altitude', 'Battery', 'IMU', 'GPS'];
/** Lines of a table that no preset knows. */
const FIRST_LINES = 4;

/** The panes that a log is first shown with. One that no preset knows shows its longest tables. */
export function firstPanes(
  presets: readonly FoundPreset[],
  tables: readonly TableInfo[],
  most = 3,
): (readonly string[])[] {
  const rank = ({ name }: FoundPreset): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const known = [...presets].sort((a, b) => rank(a) - rank(b)).flatMap(({ panes }) => panes.slice(0, 1));
  return (known.length > 0 ? known : longestPanes(tables)).slice(0, most);
}

/** Fields that say when: over time they are a slope. */
const TIMES = /^(timestamp|time)|(_time|time_us|timestamp)$|timeus/i;

/** Rates are unknown where records have no times, and cannot be plotted over them. */
function longestPanes(tables: readonly TableInfo[]): string[][] {
  return tables
    .filter(({ rows, rate }) => rows > 1 && !Number.isNaN(rate))
    .sort((a, b) => b.rows - a.rows)
    .map(({ name: table, stream, fields }) =>
      fields
        .filter(({ name: field, numeric, count, isList }) => numeric && count === 1 && !isList && !TIMES.test(field))
        .slice(0, FIRST_LINES)
        .map(({ name: field }) => fieldText({ table, stream, field, element: -1 })),
    )
    .filter((fields) => fields.length > 0);
}
