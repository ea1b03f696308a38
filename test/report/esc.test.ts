// What ESCs tell: on real flights as they are, with a fault put into them, and on logs that were made for it.
import { describe, expect, test } from 'vitest';
import { encodeMessage } from '../../src/formats/mavlink/encode.ts';
import { catalogOf } from '../../src/formats/mavlink/options.ts';
import type { FieldValue } from '../../src/formats/mavlink/payload.ts';
import { openInput } from '../../src/formats/open.ts';
import type { Finding } from '../../src/report/finding.ts';
import { makeReport, type Report } from '../../src/report/report.ts';
import { DEFAULT_RULES, parseRules } from '../../src/report/rules.ts';
import { type TlogFrame, tlogBytes, tlogFrames } from '../formats/tlog/frames.ts';
import { SAMPLE } from '../helpers/cli.ts';
import { MadeLog } from '../helpers/made-log.ts';
import { needShared, sharedData } from '../helpers/need.ts';

const ESC_INFO = 290;
const ESC_STATUS = 291;
const ESC_TELEMETRY = 11030;

/** A telemetry log in which messages of an id are others. */
function changed(frames: readonly TlogFrame[], id: number, values: (frame: TlogFrame) => Record<string, FieldValue>) {
  const definition = catalogOf(undefined).definitions.find((each) => each?.id === id);
  if (!definition) throw new Error(`no definition of ${id}`);
  return frames.map((each) => {
    if (each.id !== id) return each;
    const { system, component, frame } = each;
    return { ...each, frame: encodeMessage(definition, values(each), { system, component, sequence: frame[4] }) };
  });
}

const reportOf = async (frames: readonly TlogFrame[]): Promise<Report> =>
  makeReport(await openInput(tlogBytes(frames)));

function found(findings: readonly Finding[], title: string): Finding {
  const finding = findings.find((each) => each.title === title);
  if (!finding) throw new Error(`no finding ${title}: there are ${findings.map((each) => each.title).join(', ')}`);
  return finding;
}

const severities = (findings: readonly Finding[]): Record<string, string> =>
  Object.fromEntries(
    findings
      .filter(({ check }) => check === 'esc')
      .map(({ title, severity }) => [title.replace('ESC: ', ''), severity]),
  );

needShared(describe, 'flight')('a flight with PX4', () => {
  const frames = tlogFrames(sharedData('flight', 'px4-quad.tlog'));
  const speedsOf = ({ payload }: TlogFrame): number[] => [0, 1, 2, 3].map((i) => payload.getInt32(8 + 4 * i, true));

  test('as it was: all is well, and the figures are those of the messages', async () => {
    const { findings, phases } = await reportOf(frames);
    const [{ start, end }] = phases.flying;
    expect(severities(findings)).toEqual({
      'stopped motors': 'ok',
      'balance of speeds': 'ok',
      temperature: 'ok',
      errors: 'ok',
    });
    const rows = frames.filter(({ id, time }) => id === ESC_STATUS && time >= start && time <= end).map(speedsOf);
    const middles = rows.map((row) => row.toSorted((a, b) => a - b)[2]);
    const usual = middles.toSorted((a, b) => a - b)[Math.floor(middles.length / 2)];
    const parts = rows.flatMap((row, i) => (middles[i] >= 0.3 * usual ? row.map((v) => (100 * v) / middles[i]) : []));
    expect(parts.length).toBeGreaterThan(200);
    expect(found(findings, 'ESC: stopped motors').value).toBeCloseTo(Math.min(...parts), 9);
    // 5000 centidegrees in every message
    expect(found(findings, 'ESC: temperature').value).toBe(50);
  });

  test('with a motor that stops, one that is hot and one that is stuck', async () => {
    const first = frames.filter(({ id }) => id === ESC_STATUS)[40].time;
    const isBad = ({ time }: TlogFrame): boolean => time >= first && time < first + 3.5e6;
    const stopped = changed(frames, ESC_STATUS, (frame) => ({
      rpm: speedsOf(frame).map((speed, i) => (i === 2 && isBad(frame) ? 0 : speed)),
    }));
    const { findings } = await reportOf(
      changed(stopped, ESC_INFO, (frame) => ({
        count: 4,
        temperature: isBad(frame) ? [5000, 11_500, 5000, 5000] : [5000, 5000, 5000, 5000],
        failure_flags: isBad(frame) ? [0, 0, 0, 32] : [0, 0, 0, 0],
        error_count: [0, 0, 0, 0],
      })),
    );
    const stop = found(findings, 'ESC: stopped motors');
    // it flew on, since the stop was put into its messages only
    expect(stop).toMatchObject({ severity: 'warn', value: 0, instance: '3', from: first });
    expect(stop.text).toContain('it cannot on 3 motors: probably the telemetry failed');
    expect(stop.fields).toEqual(['ESC_STATUS[1:1].rpm[2]']);
    expect(stop.text).toMatch(/^ESC 3 reported 0 rpm in flight; the median was [67]\d{3} and its output was 1\d{3}\./);
    expect(found(findings, 'ESC: temperature')).toMatchObject({ severity: 'fail', value: 115, threshold: 110 });
    expect(found(findings, 'ESC 4: failure')).toMatchObject({
      severity: 'fail',
      instance: '4',
      from: expect.any(Number),
    });
    expect(found(findings, 'ESC 4: failure').text).toContain('motor stuck');
  });
});

describe('a flight with ArduPilot, whose messages get speeds', () => {
  const frames = tlogFrames(SAMPLE.replace('.BIN', '.tlog'));
  const telemetry = frames.filter(({ id }) => id === ESC_TELEMETRY);
  /** Three seconds in the air in which the second speed is 0, and whether its counter goes on. */
  const withGap = (isHeard: boolean): Promise<Report> => {
    const from = Math.floor(telemetry.length / 2);
    return reportOf(
      changed(frames, ESC_TELEMETRY, (frame) => {
        const row = telemetry.indexOf(frame);
        const isGap = row >= from && row < from + 12;
        const count = isGap && !isHeard ? from - 1 : row;
        return {
          rpm: [5000, isGap ? 0 : 5100, 5050, 4900],
          count: [row, count, row, row],
          temperature: [40, 41, 42, 95],
        };
      }),
    );
  };
  test('one that stops, and one that is not heard for a while', async () => {
    const { findings } = await withGap(true);
    expect(found(findings, 'ESC: stopped motors')).toMatchObject({ severity: 'warn', instance: '2', value: 0 });
    expect(found(findings, 'ESC: temperature')).toMatchObject({ severity: 'warn', value: 95, threshold: 90 });
    expect(found((await withGap(false)).findings, 'ESC: stopped motors').severity).toBe('ok');
  });
});

describe('logs that were made', () => {
  interface Esc {
    readonly rpm: number;
    readonly temp?: number;
    readonly error?: number;
    readonly output?: number;
    readonly status?: number;
    readonly roll?: number;
    readonly raw?: number;
  }

  /** A quadcopter that hovers from 2 to 32 s; of the fourth ESC it is said what it does from 12 to 17 s. */
  async function findingsOf(
    fourth: Esc,
    kind = 'ArduCopter',
    isAlways = false,
    rules = DEFAULT_RULES,
  ): Promise<readonly Finding[]> {
    const made = new MadeLog()
      .define('MSG', 'QZ', 'TimeUS,Message')
      .define('EV', 'QB', 'TimeUS,Id')
      .define('PARM', 'QNf', 'TimeUS,Name,Value')
      .define('ATT', 'Qcccc', 'TimeUS,DesRoll,Roll,DesPitch,Pitch')
      .define('CTUN', 'Qff', 'TimeUS,ThO,CRt')
      .define('RCOU', 'QHHHH', 'TimeUS,C1,C2,C3,C4')
      .define('EDT2', 'QBBBB', 'TimeUS,Instance,Stress,MaxStress,Status')
      .add('MSG', 1, `${kind} V4.5.7`);
    for (let esc = 1; esc <= 4; esc++) {
      made.define(`ESC${esc}`, 'Qffff', 'TimeUS,RPM,Temp,Err,RawRPM').add('PARM', 2, `SERVO${esc}_FUNCTION`, 32 + esc);
    }
    const usual: Required<Esc> = { rpm: 6000, temp: 50, error: 0, output: 1500, status: 2, roll: 0, raw: 6000 };
    for (let k = 0; k <= 350; k++) {
      const time = k * 100_000;
      if (k === 10) made.add('EV', time, 10);
      if (k === 20) made.add('EV', time, 28);
      if (k === 320) made.add('EV', time, 18).add('EV', time + 1, 11);
      const last = isAlways || (k >= 120 && k < 170) ? { ...usual, ...fourth } : usual;
      made
        .add('ATT', time, 0, last.roll, 0, 0)
        .add('CTUN', time, 0.4, 0)
        .add('RCOU', time, 1500, 1510, 1490, last.output);
      for (const esc of [1, 2, 3]) made.add(`ESC${esc}`, time, 5900 + 50 * esc, 50, 0, 6000);
      made.add('ESC4', time, last.rpm, last.temp, last.error, last.raw).add('EDT2', time, 0, 0, 0, last.status);
    }
    return (await makeReport(await made.open(), rules)).findings;
  }

  test('a motor that stops though it is told to turn, and one that is told to stop', async () => {
    const stop = found(await findingsOf({ rpm: 0, raw: 0, output: 1700, roll: 70 }), 'ESC: stopped motors');
    expect(stop).toMatchObject({ severity: 'fail', instance: '4', from: 12e6, to: 16.9e6, fields: ['ESC4.RPM'] });
    const told = await findingsOf({ rpm: 0, raw: 0, output: 1000, roll: 70 });
    expect(found(told, 'ESC: stopped motors').severity).toBe('ok');
    // no speed came, while other telemetry did
    const stale = await findingsOf({ rpm: 0, raw: 6000, output: 1700 });
    expect(found(stale, 'ESC: stopped motors').severity).toBe('ok');
  });

  test('a motor that falls far behind though it is told as much, and one that is told less', async () => {
    const slow = found(await findingsOf({ rpm: 2000, output: 1700, roll: 70 }), 'ESC: stopped motors');
    expect(slow).toMatchObject({ severity: 'fail', instance: '4' });
    // 2000 of the middle one of 2000, 5950, 6000 and 6050
    expect(slow.value).toBeCloseTo((100 * 2000) / 6000, 9);
    expect(found(await findingsOf({ rpm: 2000, output: 1200, roll: 70 }), 'ESC: stopped motors').severity).toBe('ok');
  });

  test('a motor that always turns faster', async () => {
    const balance = found(await findingsOf({ rpm: 7500 }, 'ArduCopter', true), 'ESC: balance of speeds');
    // the median of 5950, 6000, 6050 and 7500 is 6025
    expect(balance).toMatchObject({ severity: 'warn', instance: '4', threshold: 15 });
    expect(balance.value).toBeCloseTo((100 * (7500 - 6025)) / 6025, 9);
    expect(found(await findingsOf({ rpm: 6300 }, 'ArduCopter', true), 'ESC: balance of speeds').severity).toBe('ok');
  });

  test('heat, bad telemetry and what the ESC says of itself', async () => {
    const findings = await findingsOf({ rpm: 6000, temp: 95, error: 30, status: 2 | 8 });
    expect(found(findings, 'ESC: temperature')).toMatchObject({ severity: 'warn', value: 95, from: 12e6, to: 16.9e6 });
    expect(found(findings, 'ESC: temperature').text).toContain('The temperature of ESC 4 reached 95 °C in flight');
    expect(found(findings, 'ESC: bad telemetry')).toMatchObject({ severity: 'warn', value: 30 });
    expect(found(findings, 'ESC 1: status')).toMatchObject({ severity: 'warn', from: 12e6 });
    // bits without a status mean nothing
    expect(severities(await findingsOf({ rpm: 6000, status: 8 }))).not.toHaveProperty('ESC 1: status');
  });

  test('without the rules of the motors there is no hover', async () => {
    const findings = await findingsOf({ rpm: 7500 }, 'ArduCopter', true, parseRules('{"motors": false}', 'own'));
    expect(found(findings, 'ESC: balance of speeds').severity).toBe('no data');
    expect(found(findings, 'ESC: stopped motors').severity).toBe('ok');
  });

  test('a plane may glide: its speeds are not judged', async () => {
    const findings = await findingsOf({ rpm: 0 }, 'ArduPlane');
    expect(found(findings, 'ESC: speeds').severity).toBe('no data');
    expect(found(findings, 'ESC: temperature').severity).toBe('ok');
  });
});
