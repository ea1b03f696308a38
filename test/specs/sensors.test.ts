// What a reader of the description of sensor parsers (XBUS to IMUData, NMEA to GNSSData) may expect of the library.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { derivedTables, factsOf, findTracks, makeReport, openLog } from '../../src/entry/index.ts';
import {
  GNSS_FIX,
  GNSS_FLAGS,
  type GnssRowData,
  isValidGnss,
  type NmeaSentence,
  parseNmeaSentence,
  readGnssRows,
  readSatellites,
} from '../../src/entry/nmea.ts';
import {
  encodeXbusFrame,
  encodeXbusPacket,
  IMU_FLAGS,
  type ImuData,
  isValidImu,
  parseXbusFrame,
  type XbusOutgoingItem,
} from '../../src/entry/xbus.ts';
import { needShared, sharedData } from '../helpers/need.ts';

describe('XBUS', () => {
  const floats = (...values: number[]): Uint8Array => {
    const view = new DataView(new ArrayBuffer(4 * values.length));
    values.forEach((value, k) => {
      view.setFloat32(4 * k, value);
    });
    return new Uint8Array(view.buffer);
  };
  const imuOf = (items: readonly XbusOutgoingItem[]): ImuData => {
    const parsed = parseXbusFrame(encodeXbusPacket(items));
    if (!parsed.ok || !parsed.imu) expect.fail('no IMU data');
    return parsed.imu;
  };

  // FA FF 36 .. with 0x1020, 0x1060, 0x4020, 0x8020, 0xC020, 0x2014, 0xE020: a frame of 103 bytes
  const frame = encodeXbusPacket([
    { item: 0x1020, data: Uint8Array.of(0x12, 0x34) },
    { item: 0x1060, data: Uint8Array.of(0, 1, 2, 3) },
    { item: 0x4020, data: floats(0.1, -0.2, 9.81) },
    { item: 0x8020, data: floats(0.01, 0.02, -0.03) },
    { item: 0xc020, data: floats(0.3, 0.1, -0.5) },
    { item: 0x2014, data: floats(0.5, 0.5, -0.5, 0.5) },
    { item: 0xe020, data: Uint8Array.of(0, 0, 0, 3) },
    { item: 0x0810, data: floats(31.5) },
  ]);

  test('no wrong bit of a frame passes the checksum', () => {
    expect(parseXbusFrame(frame).ok).toBe(true);
    let accepted = 0;
    for (let bit = 0; bit < 8 * frame.length; bit++) {
      const wrong = frame.map((byte, k) => (k === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      if (parseXbusFrame(wrong).ok) accepted++;
    }
    expect(accepted).toBe(0);
  });

  test('the checksum 0xFF - sum is taken on request only', () => {
    const inverted = encodeXbusFrame(0x36, frame.subarray(4, -1), { checksum: 'inverted' });
    const sum = inverted.subarray(1, -1).reduce((all, byte) => (all + byte) & 0xff, 0);
    expect(inverted.at(-1)).toBe(0xff - sum);
    expect(parseXbusFrame(inverted).ok).toBe(false);
    expect(parseXbusFrame(inverted, { checksum: 'inverted' })).toMatchObject({ ok: true, valid: true });
    expect(parseXbusFrame(frame, { checksum: 'inverted' }).ok).toBe(false);
  });

  test('data without a sample of the IMU are not valid', () => {
    const only = (items: readonly XbusOutgoingItem[]): unknown => {
      const parsed = parseXbusFrame(encodeXbusPacket(items));
      return parsed.ok && parsed.valid;
    };
    expect(only([{ item: 0x1020, data: Uint8Array.of(0, 1) }])).toBe(false);
    expect(only([{ item: 0x0810, data: floats(20) }])).toBe(false);
    expect(only([{ item: 0x4020, data: floats(0, 0, 9.8) }])).toBe(true);
    // GoToConfigAck has no data at all
    expect(parseXbusFrame(encodeXbusFrame(0x31, []))).toMatchObject({ ok: true, imu: undefined, valid: false });
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('number %i of a rotation matrix must be finite for EULER_VALID', (k) => {
    const unit = [1, 0, 0, 0, 1, 0, 0, 0, 1];
    expect(imuOf([{ item: 0x2020, data: floats(...unit) }]).flags & IMU_FLAGS.EULER_VALID).not.toBe(0);
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const row = imuOf([{ item: 0x2020, data: floats(...unit.with(k, wrong)) }]);
      expect(row.flags & IMU_FLAGS.EULER_VALID).toBe(0);
      expect(isValidImu(row)).toBe(false);
    }
  });

  test('the angles of a matrix follow the written formulas', () => {
    const [roll, pitch, yaw] = [0.4, -0.3, 2.5];
    const [sr, cr, sp, cp, sy, cy] = [roll, pitch, yaw].flatMap((angle) => [Math.sin(angle), Math.cos(angle)]);
    const row = imuOf([
      {
        item: 0x2020,
        data: floats(
          ...[cp * cy, cp * sy, -sp],
          ...[sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, sr * cp],
          ...[cr * sp * cy + sr * sy, cr * sp * sy - sr * cy, cr * cp],
        ),
      },
    ]);
    expect(row.euler_roll).toBeCloseTo(roll, 6);
    expect(row.euler_pitch).toBeCloseTo(pitch, 6);
    expect(row.euler_yaw).toBeCloseTo(yaw, 6);
  });

  test.each([
    [0x2010, 0x2030],
    [0x2014, 0x2034],
    [0x2018, 0x2038],
    [0x2010, 0x2034],
    [0x2014, 0x2030],
  ])('quaternion %i and Euler angles %i of one row are in the same frame', (quaternion, euler) => {
    // the same attitude: level and turned by 0.6 rad, as each frame has it
    const half = 0.3;
    const enu = [Math.cos(half), 0, 0, Math.sin(half)];
    // from ENU to NED: half a turn about (1, 1, 0) / sqrt 2
    const s = Math.SQRT1_2;
    const ned = [-s * (enu[1] + enu[2]), s * (enu[0] + enu[3]), s * (enu[0] - enu[3]), s * (enu[2] - enu[1])];
    const anglesEnu = [0, 0, (2 * half * 180) / Math.PI];
    const anglesNed = [180, 0, 90 - (2 * half * 180) / Math.PI];
    const isNed = (xdi: number): boolean => (xdi & 0xc) === 4;
    const row = imuOf([
      { item: quaternion, data: floats(...(isNed(quaternion) ? ned : enu)) },
      { item: euler, data: floats(...(isNed(euler) ? anglesNed : anglesEnu)) },
    ]);
    const [w, x, y, z] = [row.quat_w, row.quat_x, row.quat_y, row.quat_z];
    expect(Math.sin(row.euler_pitch)).toBeCloseTo(2 * (w * y - z * x), 5);
    expect(Math.sin(row.euler_roll)).toBeCloseTo(2 * (w * x + y * z), 5);
    expect(Math.cos(row.euler_roll)).toBeCloseTo(1 - 2 * (x * x + y * y), 5);
    expect(Math.sin(row.euler_yaw)).toBeCloseTo(2 * (w * z + x * y), 5);
    expect(Math.cos(row.euler_yaw)).toBeCloseTo(1 - 2 * (y * y + z * z), 5);
  });

  needShared(describe, 'xbus')('recordings', () => {
    test.each(['1', '2', '4'])('the angles of %s are those that the device sent, in radians', async (name) => {
      const log = await openLog(sharedData('xbus', name, 'output.bin'));
      const sent = log.tables.find((table) => table.name === 'EulerAngles');
      if (!sent) expect.fail('no angles');
      const roll = (await sent.column('roll')).numbers();
      const rows: (number | null)[] = [];
      for (const table of await derivedTables(log))
        for await (const row of table.records()) rows.push(row.data.euler_roll as number);
      const known = rows.filter((value) => value !== null);
      expect(known.length).toBe(sent.rows);
      known.forEach((value, k) => {
        expect(value).toBeCloseTo((roll[k] * Math.PI) / 180, 12);
      });
    });
  });
});

describe('NMEA', () => {
  const withSum = (body: string): string => {
    const sum = [...body].reduce((all, letter) => all ^ letter.charCodeAt(0), 0);
    return `$${body}*${sum.toString(16).toUpperCase().padStart(2, '0')}`;
  };
  const gnssOf = (line: string): GnssRowData => {
    const parsed = parseNmeaSentence(line);
    if (!parsed.valid) expect.fail(parsed.reason);
    if (!parsed.gnss) expect.fail('no GNSSData');
    return parsed.gnss;
  };

  test('a sentence gives GNSSData with every field that is described', () => {
    const line = withSum('GPRMC,123519.50,A,4807.038,N,01131.000,E,022.4,084.4,151126,003.1,W,A');
    const gnss = gnssOf(`${line}\r\n`);
    expect(Object.keys(gnss).sort()).toEqual(
      [
        ...['latitude', 'longitude', 'altitude_msl', 'altitude_ellipsoid'],
        ...['velocity_north', 'velocity_east', 'velocity_down', 'ground_speed', 'course_over_ground', 'gnss_heading'],
        ...['horizontal_accuracy', 'vertical_accuracy', 'speed_accuracy', 'heading_accuracy', 'hdop', 'vdop', 'pdop'],
        ...['satellites_used', 'satellites_visible', 'fix_type', 'flags'],
        ...['gps_week', 'tow_ms', 'unix_time_us', 'nmea_sentence', 'nmea_length'],
      ].sort(),
    );
    expect(gnss.latitude).toBeCloseTo(48 + 7.038 / 60, 9);
    expect(gnss.ground_speed).toBeCloseTo(22.4 * 0.514444, 4);
    expect(gnss.course_over_ground).toBeCloseTo((84.4 * Math.PI) / 180, 9);
    const time = Date.UTC(2026, 10, 15, 12, 35, 19, 500);
    const gps = time - Date.UTC(1980, 0, 6) + 18_000;
    expect(gnss).toMatchObject({
      unix_time_us: time * 1000,
      gps_week: Math.floor(gps / 604_800_000),
      tow_ms: gps % 604_800_000,
      nmea_sentence: line,
      nmea_length: line.length,
    });
    expect(isValidGnss(gnss)).toBe(true);
  });

  test('GSV tells the satellites in view', () => {
    const line = withSum('GPGSV,3,1,11,03,03,111,00,04,15,270,00,06,01,010,00,13,06,292,00');
    expect(gnssOf(line)).toMatchObject({ satellites_visible: 11, satellites_used: null, flags: 0 });
  });

  test('a speed without a course is a velocity', () => {
    const gnss = gnssOf('$GPVTG,,T,,M,0.084,N,0.156,K,A*2D');
    expect(gnss.flags & GNSS_FLAGS.VELOCITY_VALID).not.toBe(0);
    expect(gnss.ground_speed).toBeCloseTo(0.156 / 3.6, 12);
    expect(gnss.course_over_ground).toBeNull();
    const rmc = gnssOf(withSum('GPRMC,123519,A,4807.038,N,01131.000,E,000.4,,151126,,,A'));
    expect(rmc.flags & GNSS_FLAGS.VELOCITY_VALID).not.toBe(0);
  });

  test('VTG and RMC say nothing of 2D or 3D', () => {
    for (const body of [
      'GPVTG,54.7,T,34.4,M,5.5,N,10.2,K,A',
      'GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,151126,003.1,W,A',
      'GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,151126,003.1,W',
    ]) {
      const gnss = gnssOf(withSum(body));
      expect(gnss.fix_type, body).toBeNull();
      expect(gnss.flags & GNSS_FLAGS.FIX_VALID, body).not.toBe(0);
    }
    expect(gnssOf(withSum('GPVTG,,T,,M,,N,,K,N')).fix_type).toBe(GNSS_FIX.NONE);
    expect(gnssOf(withSum('GPRMC,123519,V,,,,,,,151126,,,N')).fix_type).toBe(GNSS_FIX.NONE);
    // GSA does
    expect(gnssOf(withSum('GPGSA,A,2,04,05,,09,12,,,24,,,,,2.5,1.3,2.1')).fix_type).toBe(GNSS_FIX['2D']);
    expect(gnssOf(withSum('GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1')).fix_type).toBe(GNSS_FIX['3D']);
  });

  needShared(describe, 'nmea')('real lines', () => {
    const folder = sharedData('nmea');
    const lines = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(log|txt|nmea)$/.test(name))
      .flatMap((name) => readFileSync(`${folder}/${name}`, 'latin1').split(/[\r\n\t]+/));

    test('each VTG with a speed, and a mode other than N, has a valid velocity', () => {
      const all = lines.filter((line) => /^\$[A-Z]{2}VTG,/.test(line) && parseNmeaSentence(line).valid);
      expect(all.length).toBeGreaterThan(1000);
      let withoutCourse = 0;
      for (const line of all) {
        const cells = line.replace(/\*.*/, '').split(',');
        // the short form of old receivers has no letters of units
        const isShort = cells[2] !== 'T';
        const isSpeed = (cell: string | undefined): boolean => cell !== undefined && /^\d*\.?\d+$/.test(cell);
        const hasSpeed = isShort ? cells.slice(3, 5).some(isSpeed) : isSpeed(cells[5]) || isSpeed(cells[7]);
        const { flags, ground_speed, course_over_ground } = gnssOf(line);
        const isExpected = hasSpeed && cells[9] !== 'N';
        expect((flags & GNSS_FLAGS.VELOCITY_VALID) !== 0, line).toBe(isExpected);
        expect(ground_speed !== null, line).toBe(isExpected);
        if (isExpected && course_over_ground === null) withoutCourse++;
      }
      expect(withoutCourse).toBeGreaterThan(100);
    });

    test('a log has the velocities that its sentences have', async () => {
      const vtg = lines.filter((line) => /^\$GPVTG,,T,,M,\d[\d.]*,N,\d[\d.]*,K,A\*/.test(line)).slice(0, 20);
      const text = vtg
        .flatMap((line, k) => [withSum(`GPGGA,${120_000 + k},4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,`), line])
        .join('\r\n');
      let rows = 0;
      for await (const { data } of readGnssRows(await openLog(new TextEncoder().encode(text)))) {
        expect(data.flags & GNSS_FLAGS.VELOCITY_VALID).not.toBe(0);
        rows++;
      }
      expect(rows).toBe(20);
    });
  });

  test('a sentence with the name of a known one and other cells spoils no log', async () => {
    const good = ['$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47'];
    for (let k = 0; k < 9; k++) {
      good.push(
        withSum(`GPRMC,12352${k},A,4807.038,N,01131.000,E,022.${k},084.4,151126,003.1,W`),
        withSum(`GPVTG,084.4,T,,M,022.${k},N,041.5,K`),
        withSum(`GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1`),
        withSum('GPGSV,1,1,01,03,03,111,00'),
      );
    }
    const names = 'GGA RMC VTG GSA GSV GLL GNS ZDA GST GBS HDT THS TXT VDM PLSHD PUBX PTNL PSTI'.split(' ');
    const odd = names.flatMap((name) => [
      withSum(`${name},1,2,3,4`).replace('$', '!'),
      withSum(`${name},1,2,3,4`),
      withSum(`${name}`),
      withSum(`GP${name},x,y,z`),
    ]);
    for (const line of odd) {
      const log = await openLog(new TextEncoder().encode([...good, line].join('\r\n')));
      expect(log.records, line).toBeGreaterThan(good.length - 1);
      let rows = 0;
      for (const table of await derivedTables(log)) for await (const _ of table.records()) rows++;
      expect(rows, line).toBeGreaterThanOrEqual(10);
      await readSatellites(log);
      await factsOf(log).events();
      expect((await findTracks(log)).length, line).toBeGreaterThan(0);
      await makeReport(log);
      expect((parseNmeaSentence(line) as NmeaSentence).valid).toBeTypeOf('boolean');
    }
  });
});
