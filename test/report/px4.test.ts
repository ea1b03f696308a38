/*
 * A good flight of PX4 with one thing altered in its records: what must be found, when, and that nothing fails before it.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openInput } from '../../src/formats/open.ts';
import type { Finding } from '../../src/report/finding.ts';
import { makeReport, type Report } from '../../src/report/report.ts';
import { needShared, sharedData } from '../helpers/need.ts';
import { alteredUlog, type UlogRecord } from '../helpers/without-simulator.ts';

const GOOD = ['..', 'field', 'faults', 'px4-01.ulg.gz'] as const;
/** Microseconds since boot at which things begin; the flight is from 10 to 84 s. */
const AT = 45e6;

interface Made {
  readonly report: Report;
  /** When a finding of that title began, in seconds after the alteration; NaN if it is none. */
  since(title: RegExp): number;
}

/** @param alter changes a record from `AT` on; false leaves it out */
async function made(alter: (record: UlogRecord) => boolean | undefined): Promise<Made> {
  const bytes = gunzipSync(readFileSync(sharedData(...GOOD)));
  const log = await openInput(alteredUlog(bytes, (record) => record.time < AT || alter(record) !== false));
  const report = await makeReport(log);
  const table = log.table('vehicle_attitude');
  if (!table) throw new Error('no attitude');
  const { times, columns } = await table.timedColumns(['timestamp']);
  const zero = times[0] - columns[0].numbers()[0] + AT;
  return {
    report,
    since: (title) => {
      const loud = ({ severity }: Finding): boolean => severity === 'fail' || severity === 'warn';
      const found = report.findings.find((each) => loud(each) && title.test(each.title));
      return found?.from === null || found === undefined ? Number.NaN : (found.from - zero) / 1e6;
    },
  };
}

needShared(describe, ...GOOD)('a flight of PX4 in which', () => {
  test.each<[what: string, title: RegExp, alter: (record: UlogRecord) => boolean | undefined]>([
    ['the barometer falls silent', /^Barometer: silent$/, ({ topic }) => topic !== 'vehicle_air_data'],
    [
      'the barometer is stuck',
      /^Barometer: frozen$/,
      (record) => {
        if (record.topic === 'vehicle_air_data') record.setFloat('baro_alt_meter', 500);
        return undefined;
      },
    ],
    ['the compass falls silent', /^Compass: silent$/, ({ topic }) => topic !== 'vehicle_magnetometer'],
    [
      'the compass is stuck, and its average jitters by rounding',
      /^Compass 0: frozen$/,
      (record) => {
        if (record.topic === 'vehicle_magnetometer')
          for (const [axis, gauss] of [0.2, 0.05, 0.43].entries())
            record.setFloat('magnetometer_ga', gauss * (1 + (Math.round(record.time / 1e5) % 2) * 1e-7), axis);
        return undefined;
      },
    ],
    ['the receiver falls silent', /^GPS: silent$/, ({ topic }) => topic !== 'vehicle_gps_position'],
    [
      'nothing aids the position any more',
      /^Position aiding$/,
      (record) => {
        if (record.topic === 'estimator_status_flags')
          for (const field of ['cs_gnss_pos', 'cs_gnss_vel']) record.setByte(field, 0);
        return undefined;
      },
    ],
    [
      'the position comes from wind and airspeed alone',
      /^Position aiding$/,
      (record) => {
        if (record.topic === 'estimator_status_flags') record.setByte('cs_wind_dead_reckoning', 1);
        return undefined;
      },
    ],
    [
      'the battery is called low',
      /^Battery: warning$/,
      (record) => {
        if (record.topic === 'battery_status') record.setByte('warning', 1);
        return undefined;
      },
    ],
    [
      'an IMU vibrates',
      /^Vibration of IMU 0$/,
      (record) => {
        if (record.topic === 'vehicle_imu_status') record.setFloat('accel_vibration_metric', 12);
        return undefined;
      },
    ],
    [
      'the failsafe acts',
      /^Failsafe$/,
      (record) => {
        if (record.topic === 'vehicle_status') record.setByte('failsafe', 1);
        return undefined;
      },
    ],
    [
      'the link to the ground is lost',
      /^Flags: gcs connection lost$/,
      (record) => {
        if (record.topic === 'failsafe_flags') record.setByte('gcs_connection_lost', 1);
        return undefined;
      },
    ],
    [
      'the receiver reports jamming',
      /jamming/,
      (record) => {
        if (record.topic === 'sensor_gps') record.setByte('jamming_state', 3);
        return undefined;
      },
    ],
    [
      'the estimator refuses positions',
      /^Flags: reject hor pos$/,
      (record) => {
        if (record.topic === 'estimator_status_flags') record.setByte('reject_hor_pos', 1);
        return undefined;
      },
    ],
    [
      'motor 3 is switched off',
      /^Motor switched off$/,
      (record) => {
        if (record.topic === 'actuator_motors') record.setFloat('control', Number.NaN, 2);
        return undefined;
      },
    ],
  ])('%s', async (_, title, alter) => {
    const { report, since } = await made(alter);
    expect(since(title)).toBeGreaterThan(-1);
    expect(since(title)).toBeLessThan(4);
    // nothing was wrong before
    for (const { severity, from } of report.findings)
      if (severity === 'fail' || severity === 'warn') expect(from).toBeGreaterThan((report.start ?? 0) + AT - 2e6);
    expect(report.chain[0].title).toMatch(title);
  });

  test('the loss of position aiding is in the position itself where the flags of the estimator are not logged', async () => {
    const bytes = gunzipSync(readFileSync(sharedData('..', 'field', 'faults', 'px4-03.ulg.gz')));
    const altered = alteredUlog(bytes, ({ topic }) => !/^estimator_status/.test(topic));
    const { chain, findings } = await makeReport(await openInput(altered));
    expect(chain[0].title).toMatch(/^GPS 0: /);
    const found = findings.find(({ title }) => title === 'Position aiding');
    expect(found).toMatchObject({ severity: 'fail', fields: ['vehicle_local_position[0].dead_reckoning'] });
    expect((found?.from ?? 0) - (chain[0].from ?? 0)).toBeLessThan(4e6);
  });

  test('a charge that falls soon after the beginning of the log is found where it begins to', async () => {
    const bytes = gunzipSync(readFileSync(sharedData('..', 'field', 'faults', 'px4-04.ulg.gz')));
    const cut = alteredUlog(bytes, ({ time }) => time > 37e6);
    const { chain } = await makeReport(await openInput(cut));
    expect(chain[0].title).toBe('Battery: drain');
  });

  test('the loss of thrust is found without the estimate of the position', async () => {
    const bytes = gunzipSync(readFileSync(sharedData('..', 'field', 'faults', 'px4-05.ulg.gz')));
    const altered = alteredUlog(bytes, ({ topic }) => topic !== 'vehicle_local_position');
    const { chain } = await makeReport(await openInput(altered));
    expect(chain[0]?.title).toMatch(/Lift|Thrust/);
  });

  test('a ground station is lost since its last heartbeat, not since the flag', async () => {
    const bytes = gunzipSync(readFileSync(sharedData(...GOOD)));
    const altered = alteredUlog(bytes, (record) => {
      if (record.topic === 'telemetry_status') record.setByte('heartbeat_type_gcs', record.time < AT ? 1 : 0);
      if (record.topic === 'failsafe_flags') record.setByte('gcs_connection_lost', record.time < AT + 10e6 ? 0 : 1);
      return true;
    });
    const log = await openInput(altered);
    const [first] = (await makeReport(log)).chain;
    expect(first.title).toBe('Flags: gcs connection lost');
    const { times, columns } = (await log.table('telemetry_status')?.timedColumns(['timestamp'])) ?? {};
    const last = columns?.[0].numbers().findLastIndex((time) => time < AT);
    expect(first.from).toBe(times?.[last ?? -1]);
  });

  test('a compass that the estimator never used is not judged', async () => {
    const bytes = gunzipSync(readFileSync(sharedData(...GOOD)));
    const report = (isUsed: boolean): Promise<Report> =>
      openInput(
        alteredUlog(bytes, (record) => {
          if (record.topic === 'vehicle_magnetometer') record.setFloat('magnetometer_ga', 2.8, 0);
          if (record.topic === 'estimator_status_flags' && !isUsed)
            for (const field of ['cs_mag_hdg', 'cs_mag_3d']) record.setByte(field, 0);
          return true;
        }),
      ).then(makeReport);
    const titles = ({ findings }: Report): string[] =>
      findings.filter(({ check, severity }) => check === 'compass' && severity !== 'ok').map(({ text }) => text);
    expect(titles(await report(false))).toEqual(['The estimator never used a compass, so it was not judged.']);
    expect((await report(true)).findings.some(({ title }) => title === 'Compass 0: field strength')).toBe(true);
  });

  test('what was so from the start is no finding', async () => {
    const bytes = gunzipSync(readFileSync(sharedData(...GOOD)));
    const altered = alteredUlog(bytes, (record) => {
      if (record.topic === 'failsafe_flags') record.setByte('gcs_connection_lost', 1);
      if (record.topic === 'sensor_gps') record.setByte('jamming_state', 3);
      if (record.topic === 'estimator_status_flags')
        for (const field of ['cs_gnss_pos', 'cs_gnss_vel']) record.setByte(field, 0);
      return true;
    });
    const report = await makeReport(await openInput(altered));
    expect(report.findings.filter(({ severity }) => severity === 'fail' || severity === 'warn')).toEqual([]);
    expect(report.findings.find(({ title }) => title === 'Position aiding')?.severity).toBe('info');
  });
});
