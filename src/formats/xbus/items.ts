import { choices, type FieldSpec, part, parts, skip } from './layout.ts';

/*
 * Data items of MTData2, https://mtidocs.movella.com/mtdata2
 *
 *     0 1   2     3 ...
 *     XDI   LEN   data
 *
 *     XDI   15 ... 11   10 ... 8   7 ... 4   3 2                1 0
 *           group       -          type      local frame        number format
 *                                            0 ENU 1 NED 2 NWU  float32, 12.20, 16.32, float64
 */
export const ITEM_HEADER = 3;

export const PACKET_COUNTER = 0x1020;

/** An item of real numbers, in any of the four formats. */
export interface RealItem {
  readonly name: string;
  readonly fields: readonly string[];
  readonly unit: string;
  /** Whether the local frame means something even where its bits are 0. */
  readonly hasFrame: boolean;
}

/** An item of other fields: one layout for each length that it may have. */
interface FixedItem {
  readonly name: string;
  readonly layouts: readonly (readonly FieldSpec[])[];
}

const XYZ = 'x y z';
const WXYZ = 'w x y z';

function real(name: string, fields: string, unit: string, hasFrame = false): RealItem {
  return { name, fields: fields.split(' '), unit, hasFrame };
}

function fixed(name: string, ...layouts: readonly (readonly FieldSpec[])[]): FixedItem {
  return { name, layouts };
}

/** By XDI without its last four bits. */
export const REAL_ITEMS: ReadonlyMap<number, RealItem> = new Map([
  [0x0810, real('Temperature', 'value', 'degC')],
  [0x2010, real('Quaternion', WXYZ, '', true)],
  [0x2020, real('RotationMatrix', 'a b c d e f g h i', '', true)],
  [0x2030, real('EulerAngles', 'roll pitch yaw', 'deg', true)],
  [0x4010, real('DeltaV', XYZ, 'm/s')],
  [0x4020, real('Acceleration', XYZ, 'm/s²')],
  [0x4030, real('FreeAcceleration', XYZ, 'm/s²')],
  [0x4040, real('AccelerationHR', XYZ, 'm/s²')],
  [0x5010, real('AltitudeMsl', 'value', 'm')],
  [0x5020, real('AltitudeEllipsoid', 'value', 'm')],
  [0x5030, real('PositionEcef', XYZ, 'm')],
  [0x5040, real('LatLon', 'lat lon', 'deg')],
  [0x8020, real('RateOfTurn', XYZ, 'rad/s')],
  [0x8030, real('DeltaQ', WXYZ, '')],
  [0x8040, real('RateOfTurnHR', XYZ, 'rad/s')],
  // 1 is the strength of the field where the device was calibrated
  [0xc020, real('MagneticField', XYZ, 'a.u.')],
  [0xc030, real('MagneticFieldCorrected', XYZ, 'a.u.')],
  [0xd010, real('VelocityXYZ', XYZ, 'm/s', true)],
]);

const value = (type: FieldSpec['type'], options: Omit<FieldSpec, 'name' | 'type'> = {}): readonly FieldSpec[] => [
  part('value', type, options),
];
const ITOW = part('itow', 'uint32', { unit: 'ms', multiplier: 0.001, siUnit: 's' });
const TICKS = { unit: '100 µs', multiplier: 1e-4, siUnit: 's' };
const TRIGGER: readonly FieldSpec[] = [
  part('line', 'uint8'),
  part('polarity', 'uint8', {
    enumeration: choices('XBUS_POLARITY', '- rising falling both'),
  }),
  part('timestamp', 'uint32', TICKS),
  part('frame', 'uint16'),
];
const RAW_TEMPERATURE = { unit: 'degC', divisor: 256 };
const GPS_SOLUTION: readonly FieldSpec[] = [
  ITOW,
  part('ftow', 'int32', { unit: 'ns', multiplier: 1e-9, siUnit: 's' }),
  part('week', 'int16'),
  part('gpsFix', 'uint8'),
  part('flags', 'uint8'),
  ...parts('ecefX ecefY ecefZ', 'int32', { unit: 'cm', multiplier: 0.01, siUnit: 'm' }),
  part('pAcc', 'uint32', { unit: 'cm', multiplier: 0.01, siUnit: 'm' }),
  ...parts('ecefVX ecefVY ecefVZ', 'int32', { unit: 'cm/s', multiplier: 0.01, siUnit: 'm/s' }),
  part('sAcc', 'uint32', { unit: 'cm/s', multiplier: 0.01, siUnit: 'm/s' }),
  part('pdop', 'uint16', { divisor: 100 }),
  skip(1),
  part('numSV', 'uint8'),
];

/** By XDI without its last four bits. Those that need more than a layout are in schema.ts. */
export const FIXED_ITEMS: ReadonlyMap<number, FixedItem> = new Map([
  [0x1020, fixed('PacketCounter', value('uint16'))],
  [0x1030, fixed('Itow', value('uint32', { unit: 'ms', multiplier: 0.001, siUnit: 's' }))],
  [0x1040, fixed('GnssAge', value('uint8'))],
  [0x1050, fixed('PressureAge', value('uint8'))],
  [0x1060, fixed('SampleTimeFine', value('uint32', TICKS))],
  [0x1070, fixed('SampleTimeCoarse', value('uint32', { unit: 's' }))],
  [0x1080, fixed('FrameRange', parts('first last', 'uint16'))],
  [0x1090, fixed('PacketCounter8', value('uint8'))],
  [0x10a0, fixed('SampleTime64', value('uint64'))],
  [0x10b0, fixed('PacketCounter32', value('uint32'))],
  [0x3010, fixed('BaroPressure', value('uint32', { unit: 'Pa' }))],
  [0x4810, fixed('TriggerIn1', TRIGGER)],
  [0x4820, fixed('TriggerIn2', TRIGGER)],
  [0x4830, fixed('TriggerIn3', TRIGGER)],
  [0x7030, fixed('GnssPvtPulse', value('uint32', TICKS))],
  [0x8830, fixed('GpsDop', [ITOW, ...parts('gdop pdop tdop vdop hdop ndop edop', 'uint16', { divisor: 100 })])],
  [0x8840, fixed('GpsSol', GPS_SOLUTION, [...GPS_SOLUTION, skip(1)], [...GPS_SOLUTION, skip(4)])],
  [
    0x8880,
    fixed('GpsTimeUtc', [
      ITOW,
      part('tAcc', 'uint32', { unit: 'ns', multiplier: 1e-9, siUnit: 's' }),
      part('nano', 'int32', { unit: 'ns', multiplier: 1e-9, siUnit: 's' }),
      part('year', 'uint16'),
      ...parts('month day hour min sec valid', 'uint8'),
    ]),
  ],
  [0xa010, fixed('RawAccGyrMagTemp', rawSensors(part('temperature', 'int16', RAW_TEMPERATURE)))],
  [0xa020, fixed('RawGyroTemp', parts(XYZ, 'int16', RAW_TEMPERATURE))],
  [0xa030, fixed('RawAcc', parts(XYZ, 'uint16'))],
  [0xa040, fixed('RawGyr', parts(XYZ, 'uint16'))],
  [0xa050, fixed('RawMag', parts(XYZ, 'uint16'))],
  [0xa060, fixed('RawDeltaQ')],
  [0xa070, fixed('RawDeltaV')],
  [0xa080, fixed('RawBlob')],
  [0xa090, fixed('RawFloat')],
  [0xb010, fixed('AnalogIn1', value('uint16'))],
  [0xb020, fixed('AnalogIn2', value('uint16'))],
  [0xc810, fixed('AwindaSnapshot')],
  [0xc820, fixed('FullSnapshot')],
  [0xc830, fixed('GloveSnapshotLeft')],
  [0xc840, fixed('GloveSnapshotRight')],
  [0xca30, fixed('GloveDataLeft')],
  [0xca40, fixed('GloveDataRight')],
  [0xe040, fixed('Rssi', value('int8', { unit: 'dBm' }))],
  [0xe080, fixed('DeviceId', value('uint32'), value('uint64'))],
  [0xe090, fixed('LocationId', value('uint16'))],
]);

/** Nine readings of the converters, and the temperature after them. */
export function rawSensors(temperature: FieldSpec): readonly FieldSpec[] {
  return [...parts('acc_x acc_y acc_z gyr_x gyr_y gyr_z mag_x mag_y mag_z', 'uint16'), temperature];
}
