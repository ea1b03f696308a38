/*
 * Where quantities that several checks need stand in logs of all ages: ArduPilot's names of today and of 2013, PX4's
 * sdlog2, and messages of MAVLink. Each group of tables is one way to tell the same; the first that a log has is read.
 */
import { quantile } from '../holds.ts';
import type { Quantity, Reading } from '../series.ts';

const DEGREES = 180 / Math.PI;

/** Degrees. In sdlog2 angles are radians, and what was asked for stands in another table. */
export const ATTITUDE: Quantity<'roll' | 'pitch' | 'rollWish' | 'pitchWish'> = [
  [
    {
      table: 'ATT',
      fields: { roll: 'Roll', pitch: 'Pitch', rollWish: ['DesRoll', 'RollIn'], pitchWish: ['DesPitch', 'PitchIn'] },
    },
  ],
  [
    {
      table: 'ATTITUDE',
      fields: { roll: { name: 'roll', factor: DEGREES }, pitch: { name: 'pitch', factor: DEGREES } },
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

/** The throttle from 0 to 1. Firmwares have counted it to 1, to 100 and to 1000, and mostly do not say which. */
export function throttleOf({ values }: Reading<'throttle'>): Float64Array | undefined {
  const { throttle } = values;
  if (!throttle) return undefined;
  const most = quantile(
    throttle.filter((value) => !Number.isNaN(value)),
    0.999,
  );
  const scale = most > 150 ? 1000 : most > 1.5 ? 100 : 1;
  return scale === 1 ? throttle : throttle.map((value) => value / scale);
}

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
