import { describe, expect, test } from 'vitest';
import type { Value } from '../../core/column.ts';
import { withChecksum } from './encode.ts';
import { parseSentence } from './parse.ts';

/** The fields of a sentence, which is given its checksum. */
function read(body: string): Record<string, Value> {
  const parsed = parseSentence(withChecksum(body));
  if (!parsed.valid) throw new Error(parsed.reason);
  return parsed.data;
}

describe('sentences of the standard', () => {
  test.each<[string, Record<string, Value>]>([
    [
      'GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,',
      {
        ...{ time: 45_319, lat: 48.1173, lon: 11 + 31 / 60, quality: 1, satellites: 8, hdop: 0.9, altitude: 545.4 },
        ...{ geoid_separation: 46.9, differential_age: null, station_id: '' },
      },
    ],
    [
      'GPRMC,123519.25,A,4807.038,S,01131.000,W,022.4,084.4,230394,003.1,W,A,S',
      {
        ...{ time: 45_319.25, status: 'A', lat: -48.1173, lon: -(11 + 31 / 60), speed_kn: 22.4, course: 84.4 },
        ...{ date: '1994-03-23', magnetic_variation: -3.1, mode: 'A', nav_status: 'S' },
      },
    ],
    ['GPGLL,3854.5087,N,07726.4523,W,125106,V,S', { lat: 38.908478333333335, status: 'V', mode: 'S', time: 46_266 }],
    [
      'GNGNS,053229.438,2503.71465,N,12138.73922,E,AANN,08,1.5,71.3,10.3,,0000,V',
      { mode: 'AANN', satellites: 8, altitude: 71.3, geoid_separation: 10.3, station_id: '0000', nav_status: 'V' },
    ],
    [
      'GPZDA,160012.71,11,03,2004,-1,00',
      { time: 57_612.71, date: '2004-03-11', day: 11, month: 3, year: 2004, zone_hours: -1, zone_minutes: 0 },
    ],
    ['GPGST,182141.000,15.5,15.3,7.2,21.8,0.9,0.5,0.8', { range_rms: 15.5, lat_error: 0.9, altitude_error: 0.8 }],
    ['GNGBS,170556.00,3.0,2.9,8.3,,,,,1,B', { lat_error: 3, failed_satellite: null, system_id: 1, signal_id: 11 }],
    [
      'GPGRS,024603.00,1,-1.8,-2.7,0.3,,,,,,,,,,1,5',
      { residual_mode: 1, residual: [-1.8, -2.7, 0.3, ...Array(9).fill(null)], system_id: 1, signal_id: 5 },
    ],
    ['GPDTM,W84,,0.5,S,0.25,E,0.0,W84', { datum: 'W84', lat_offset: -0.5, lon_offset: 0.25, reference_datum: 'W84' }],
    ['GPVTG,220.86,T,,M,2.550,N,4.724,K,A', { course: 220.86, course_magnetic: null, speed_kn: 2.55, mode: 'A' }],
    ['HCHDG,98.3,0.0,E,12.6,W', { heading: 98.3, magnetic_deviation: 0, magnetic_variation: -12.6 }],
    ['GNTHS,244.28,A', { heading: 244.28, mode: 'A' }],
    ['HEROT,-3.5,A', { rate_of_turn: -3.5, status: 'A' }],
    ['SDVHW,182.5,T,181.8,M,1.0,N,1.9,K', { heading: 182.5, heading_magnetic: 181.8, speed_kn: 1, speed_kmh: 1.9 }],
    ['IIMWV,017,R,02.91,N,A', { wind_angle: 17, reference: 'R', wind_speed: 2.91, wind_speed_unit: 'N' }],
    ['IIVWR,75,L,1.0,N,0.51,M,1.85,K', { wind_angle: -75, wind_speed_kn: 1, wind_speed_ms: 0.51 }],
    ['SDDBT,7.8,f,2.4,M,1.3,F', { depth_ft: 7.8, depth: 2.4, depth_fathoms: 1.3 }],
    ['SDDPT,5.3,0.4,', { depth: 5.3, offset: 0.4, range: null }],
    [
      'HCXDR,A,171,D,PITCH,A,-37,D,ROLL,G,367,,MAGX',
      { type_1: 'A', value_1: 171, unit_1: 'D', name_1: 'PITCH', value_2: -37, name_3: 'MAGX', unit_3: '' },
    ],
    ['GPTXT,01,01,02,u-blox, with a comma', { text_id: 2, text: 'u-blox, with a comma' }],
    ['GPRTE,2,1,c,0,PBRCPK,PBRTO', { messages: 2, mode: 'c', route: '0', waypoint_1: 'PBRCPK', waypoint_2: 'PBRTO' }],
    ['AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0', { channel: 'B', payload: '177KQJ5000G?tO`K>RA1wUbN0TKH' }],
    ['STALK,9C,C1,2A,E5', { byte: [0x9c, 0xc1, 0x2a, 0xe5] }],
  ])('%s', (body, fields) => expect(read(body)).toMatchObject(fields));

  test('VTG of old receivers has no letters', () => {
    expect(read('GPVTG,220.86,219.1,2.55,4.72')).toEqual({
      ...{ course: 220.86, course_magnetic: 219.1, speed_kn: 2.55, speed_kmh: 4.72, mode: '' },
    });
  });

  test('a longitude with any number of digits, a hemisphere that is missing or impossible places', () => {
    expect(read('GPGLL,4807.0,N,712.5,E,,A').lon).toBe(7 + 12.5 / 60);
    expect(read('GPGLL,4807.0,N,0712.5,E,,A').lon).toBe(7 + 12.5 / 60);
    expect(read('GPGLL,4807.0,,00712.5,X,,A')).toMatchObject({ lat: null, lon: null });
    expect(read('GPGLL,9000.1,N,18000.1,E,,A')).toMatchObject({ lat: null, lon: null });
    expect(read('GPGLL,9000.0,S,18000.0,W,,A')).toMatchObject({ lat: -90, lon: -180 });
  });

  test('empty is missing and never 0', () => {
    for (const value of Object.values(read('GPGGA,,,,,,,,,,,,,,'))) expect(value === null || value === '').toBe(true);
    for (const value of Object.values(read('GPRMC,,,,,,,,,,,'))) expect(value === null || value === '').toBe(true);
    expect(read('GPGGA')).toMatchObject({ time: null, lat: null, altitude: null });
  });
});

describe('satellites', () => {
  const quad = (...prn: (number | null)[]): unknown => ({ prn: [...prn, ...Array(4 - prn.length).fill(null)] });

  test.each<[string, unknown, number | null, number | null]>([
    ['GPGSV,1,1,04,03,03,111,00,04,15,270,00,06,01,010,00,13,06,292,00', quad(3, 4, 6, 13), null, null],
    ['GPGSV,1,1,04,03,03,111,00,04,15,270,00,06,01,010,00,13,06,292,00,B', quad(3, 4, 6, 13), 11, null],
    ['GPGSV,1,1,02,03,03,111,00,04,15,270,00,7', quad(3, 4), 7, null],
    ['PQGSV,1,1,02,02,20,116,,03,,,,0,4', quad(2, 3), 0, 4],
    ['GPGSV,1,1,01,03,03,111', quad(3), null, null],
    ['GPGSV,1,1,00', quad(), null, null],
    ['GPGSV,1,1,00,8', quad(), 8, null],
  ])('%s: the ids behind the satellites are none of them', (body, satellites, signal, system) => {
    expect(read(body)).toMatchObject({ ...(satellites as object), signal_id: signal, system_id: system });
  });

  test.each<[string, number, number | null]>([
    [`GPGSA,A,3,${'04,'.repeat(12)}2.5,1.3,2.1`, 12, null],
    [`GNGSA,A,3,${'04,'.repeat(12)}2.5,1.3,2.1,3`, 12, 3],
    [`GNGSA,A,3,${'04,'.repeat(24)}2.5,1.3,2.1`, 24, null],
    [`GNGSA,A,3,${'04,'.repeat(24)}2.5,1.3,2.1,4`, 24, 4],
    [`GPGSA,A,3,${'04,'.repeat(3)}2.5,1.3,2.1`, 3, null],
  ])('%s: DOPs stand behind as many slots as there are', (body, slots, system) => {
    const data = read(body);
    expect(data).toMatchObject({ mode: 'A', fix: 3, pdop: 2.5, hdop: 1.3, vdop: 2.1, system_id: system });
    expect((data.satellite_ids as number[]).filter((id) => id === 4)).toHaveLength(slots);
  });
});

describe('sentences of makers', () => {
  test.each<[string, string, Record<string, Value>]>([
    ['PLSHD', 'PLSHD,1,22,21,0.423,239.024,3.787', { status: 1, baseline: 0.423, heading: 239.024, pitch: 3.787 }],
    ['PLSHD', 'PLSHD,239.02,0.4', { status: null, baseline: null, heading: 239.02, heading_accuracy: 0.4 }],
    ['PASHR', 'PASHR,085335.000,224.19,T,-01.26,+00.83,+00.00,0.101,0.113,0.267,1,0', { roll: -1.26, pitch: 0.83 }],
    [
      'PASHRPOS',
      'PASHR,POS,0,03,183530.00,2037.76012,N,08704.07373,W,058.48,,359.4,000.0,+000.0,2.2,2.2,0.0,1.0,BQ00',
      { satellites: 3, lat: 20.629335333333334, course: 359.4, firmware: 'BQ00' },
    ],
    [
      'PUBX00',
      'PUBX,00,074440.00,4703.74203,N,00736.82976,E,576.991,D3,2.0,2.1,0.091,0.00,-0.032,,0.76,1.05,0.65,14,0,0',
      { nav_status: 'D3', horizontal_accuracy: 2, speed_kmh: 0.091, velocity_down: -0.032, satellites: 14 },
    ],
    ['PUBX03', 'PUBX,03,02,3,U,281,72,36,062,5,-,034,10,23,000', { prn: [3, 5], used: [1, 0], elevation: [72, 10] }],
    ['PUBX04', 'PUBX,04,073824.00,131014,113903.99,1814,16D,495176,342.504,21', { date: '2014-10-13', gps_week: 1814 }],
    ['PGRME', 'PGRME,15.0,M,45.0,M,25.0,M', { horizontal_accuracy: 15, vertical_accuracy: 45, position_accuracy: 25 }],
    ['PGRMZ', 'PGRMZ,2282,f,3', { altitude_ft: 2282, fix: 3 }],
    [
      'PTNLGGK',
      'PTNL,GGK,161159.00,013020,4854.61758182,N,00210.08881241,E,1,07,8.3,EHT140.509,M',
      { date: '2020-01-30', solution: 1, altitude_ellipsoid: 140.509, satellites: 7 },
    ],
    ['PTNLAVR', 'PTNL,AVR,181059.6,+149.4688,Yaw,+0.0134,Tilt,,,60.191,3,2.5,6', { yaw: 149.4688, range: 60.191 }],
    ['PTNLVGK', 'PTNL,VGK,160159.00,010997,-0000.161,00009.985,-0000.002,3,07,1.4,M', { east: -0.161, solution: 3 }],
    ['PSRF103', 'PSRF103,00,01,00,01', { message: 0, mode: 1, rate: 0, checksum_enabled: 1 }],
    ['PMTK001', 'PMTK001,604,3', { command: 604, flag: 3 }],
    [
      'PSTI030',
      'PSTI,030,033010.000,A,2447.0895508,N,12100.5234656,E,94.615,0.00,-0.01,0.04,111219,R,0.999,3.724',
      { altitude: 94.615, velocity_north: -0.01, date: '2019-12-11', mode: 'R', rtk_ratio: 3.724 },
    ],
    ['PQTMEPE', 'PQTMEPE,2,1.0,1.1,1.2,1.5,1.9', { horizontal_accuracy: 1.5, position_accuracy: 1.9 }],
    [
      'PSONCMS',
      'PSONCMS,0.0905,0.4217,0.9020,-0.0196,-1.7685,0.3861,-9.6648,-0.0116,0.0065,-0.0080,0.0581,0.3846,0.7421,33.1',
      { quaternion_w: 0.0905, acc_z: -9.6648, gyr_x: -0.0116, mag_z: 0.7421, temperature: 33.1 },
    ],
    ['PRDID', 'PRDID,-1.31,7.81,47.31', { pitch: -1.31, roll: 7.81, heading: 47.31 }],
    ['PHTRO', 'PHTRO,10.37,P,177.62,T', { pitch: -10.37, roll: 177.62 }],
    ['PTCF', 'PTCF,123.4,T, 1.5,-2.5, 0.1,-0.2', { heading: 123.4, roll: 1.5, pitch: -2.5, pitch_rate: -0.2 }],
    ['XSVEL', 'XSVEL,1.00,-2.00,0.50', { velocity_x: 1, velocity_y: -2, velocity_z: 0.5 }],
  ])('%s: %s', (name, body, fields) => {
    expect(parseSentence(withChecksum(body))).toMatchObject({ name, talker: '', data: fields });
  });

  test('what nobody knows has its cells for fields', () => {
    expect(parseSentence(withChecksum('PFOO,a,,c'))).toMatchObject({
      ...{ name: 'PFOO', talker: '', data: { field_1: 'a', field_2: '', field_3: 'c' } },
    });
    expect(parseSentence(withChecksum('GPODD,123'))).toMatchObject({ name: 'ODD', talker: 'GP' });
    expect(parseSentence(withChecksum('PUBX,40,GLL'))).toMatchObject({ name: 'PUBX40', talker: '' });
    expect(parseSentence(withChecksum('GPGSVH,1,2'))).toMatchObject({ name: 'GPGSVH', talker: '' });
    expect(parseSentence(withChecksum('PGRMC,A'))).toMatchObject({ name: 'PGRMC', talker: '' });
  });
});
