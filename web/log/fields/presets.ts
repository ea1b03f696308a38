import type { TableInfo } from '../worker/answers.ts';
import type { FieldName } from './field-name.ts';

/** Panes that a preset opens: for each, fields of the first of some tables that the log has. */
interface PresetPane {
  readonly choices: readonly (readonly [table: string, ...fields: string[]])[];
}

interface Preset {
  readonly name: string;
  readonly panes: readonly PresetPane[];
}

const pane = (...choices: PresetPane['choices']): PresetPane => ({ choices });

/** DataFlash, MAVLink, NMEA and XBUS name the same quantities differently. */
const PRESETS: readonly Preset[] = [
  {
    name: 'Attitude',
    panes: [
      pane(
        ['ATT', 'Roll', 'DesRoll', 'Pitch', 'DesPitch'],
        ['ATTITUDE', 'roll', 'pitch'],
        ['EulerAngles', 'roll', 'pitch'],
      ),
      pane(['ATT', 'Yaw', 'DesYaw'], ['ATTITUDE', 'yaw'], ['EulerAngles', 'yaw']),
    ],
  },
  {
    name: 'Rates',
    panes: [
      pane(['RATE', 'R', 'RDes'], ['ATTITUDE', 'rollspeed'], ['RateOfTurn', 'x', 'y', 'z']),
      pane(['RATE', 'P', 'PDes'], ['ATTITUDE', 'pitchspeed']),
      pane(['RATE', 'Y', 'YDes'], ['ATTITUDE', 'yawspeed']),
    ],
  },
  {
    name: 'Altitude',
    panes: [
      pane(
        ['CTUN', 'Alt', 'DAlt', 'BAlt'],
        ['BARO', 'Alt'],
        ['VFR_HUD', 'alt'],
        ['GLOBAL_POSITION_INT', 'relative_alt', 'alt'],
        ['GGA', 'altitude'],
        ['AltitudeEllipsoid', 'value'],
      ),
      pane(['CTUN', 'CRt', 'DCRt'], ['VFR_HUD', 'climb']),
    ],
  },
  {
    name: 'Speed',
    panes: [
      pane(['GPS', 'Spd', 'VZ'], ['VFR_HUD', 'groundspeed', 'airspeed'], ['RMC', 'speed_kn'], ['VTG', 'speed_kmh']),
      pane(['ARSP', 'Airspeed']),
    ],
  },
  {
    name: 'Vibration',
    panes: [
      pane(['VIBE', 'VibeX', 'VibeY', 'VibeZ'], ['VIBRATION', 'vibration_x', 'vibration_y', 'vibration_z']),
      pane(['VIBE', 'Clip', 'Clip0', 'Clip1', 'Clip2'], ['VIBRATION', 'clipping_0', 'clipping_1', 'clipping_2']),
    ],
  },
  {
    name: 'IMU',
    panes: [
      pane(
        ['IMU', 'AccX', 'AccY', 'AccZ'],
        ['RAW_IMU', 'xacc', 'yacc', 'zacc'],
        ['SCALED_IMU2', 'xacc', 'yacc', 'zacc'],
        ['Acceleration', 'x', 'y', 'z'],
      ),
      pane(['IMU', 'GyrX', 'GyrY', 'GyrZ'], ['RAW_IMU', 'xgyro', 'ygyro', 'zgyro'], ['RateOfTurn', 'x', 'y', 'z']),
    ],
  },
  {
    name: 'EKF',
    panes: [
      pane(
        ['XKF4', 'SV', 'SP', 'SH', 'SM'],
        ['NKF4', 'SV', 'SP', 'SH', 'SM'],
        ['EKF4', 'SV', 'SP', 'SH', 'SM'],
        ['EKF_STATUS_REPORT', 'velocity_variance', 'pos_horiz_variance', 'pos_vert_variance', 'compass_variance'],
      ),
      pane(['XKF3', 'IVN', 'IVE', 'IVD'], ['NKF3', 'IVN', 'IVE', 'IVD']),
    ],
  },
  {
    name: 'Compass',
    panes: [
      pane(['MAG', 'MagX', 'MagY', 'MagZ'], ['RAW_IMU', 'xmag', 'ymag', 'zmag'], ['MagneticField', 'x', 'y', 'z']),
    ],
  },
  {
    name: 'GPS',
    panes: [
      pane(['GPS', 'NSats'], ['GPS_RAW_INT', 'satellites_visible'], ['GGA', 'satellites']),
      pane(['GPS', 'HDop'], ['GPA', 'HAcc', 'VAcc'], ['GPS_RAW_INT', 'eph'], ['GGA', 'hdop']),
    ],
  },
  {
    name: 'Battery',
    panes: [
      pane(['BAT', 'Volt'], ['CURR', 'Volt'], ['BATT', 'V'], ['SYS_STATUS', 'voltage_battery']),
      pane(['BAT', 'Curr'], ['CURR', 'Curr'], ['BATT', 'C'], ['SYS_STATUS', 'current_battery']),
    ],
  },
  {
    name: 'Motors',
    panes: [
      pane(
        ['RCOU', 'C1', 'C2', 'C3', 'C4'],
        ['SERVO_OUTPUT_RAW', 'servo1_raw', 'servo2_raw', 'servo3_raw', 'servo4_raw'],
        ['OUT0', 'Out0', 'Out1', 'Out2', 'Out3'],
      ),
    ],
  },
  {
    name: 'RC',
    panes: [
      pane(
        ['RCIN', 'C1', 'C2', 'C3', 'C4'],
        ['RC_CHANNELS', 'chan1_raw', 'chan2_raw', 'chan3_raw', 'chan4_raw'],
        ['RC', 'C0', 'C1', 'C2', 'C3'],
      ),
    ],
  },
  { name: 'Power', panes: [pane(['POWR', 'Vcc', 'VServo'], ['POWER_STATUS', 'Vcc', 'Vservo'])] },
  { name: 'CPU', panes: [pane(['PM', 'Load', 'MaxT'], ['SYS_STATUS', 'load'])] },
];

/** A preset that a log has the fields for, with the fields. */
export interface FoundPreset {
  readonly name: string;
  readonly panes: readonly (readonly FieldName[])[];
}

/** The presets of a log. What it does not have is left out; of several instances the first is taken. */
export function findPresets(tables: readonly TableInfo[]): FoundPreset[] {
  return PRESETS.map(({ name, panes }) => ({
    name,
    panes: panes.map(({ choices }) => firstOf(choices, tables)).filter((fields) => fields.length > 0),
  })).filter(({ panes }) => panes.length > 0);
}

function firstOf(choices: PresetPane['choices'], tables: readonly TableInfo[]): FieldName[] {
  for (const [name, ...wanted] of choices) {
    for (const table of tables) {
      if (table.name !== name || table.rows < 2) continue;
      const fields = wanted.filter((field) => table.fields.some((known) => known.name === field && known.numeric));
      if (fields.length > 0) return fields.map((field) => ({ table: name, stream: table.stream, field, element: -1 }));
    }
  }
  return [];
}

/** What a log is first shown with: one pane of each of these, as far as it has them. */
const FIRST: readonly string[] = ['Attitude', 'Altitude', 'Battery', 'IMU', 'GPS'];
const FIRST_PANES = 3;

export function firstPanes(presets: readonly FoundPreset[]): (readonly FieldName[])[] {
  const wanted = FIRST.flatMap((name) => presets.find((preset) => preset.name === name)?.panes.slice(0, 1) ?? []);
  return wanted.slice(0, FIRST_PANES);
}
