// A recording of several vehicles: the report of each is that which it has in a recording of its own.
import { describe, expect, test } from 'vitest';
import { builtinDialect } from '../../src/formats/mavlink/dialect/builtin.ts';
import { encodeMessage } from '../../src/formats/mavlink/encode.ts';
import { openInput } from '../../src/formats/open.ts';
import { openLog } from '../../src/node/open.ts';
import type { Finding } from '../../src/report/finding.ts';
import { makeReport, makeReports, type Report } from '../../src/report/report.ts';
import { reportPage } from '../../src/report/report-page.ts';
import { tlogBytes, tlogFrames } from '../formats/tlog/frames.ts';
import { skeinHere } from '../helpers/cli.ts';
import { needShared, sharedData } from '../helpers/need.ts';

/** What must not depend on who else was heard: all but the state of the recording itself. */
const own = ({ findings }: Report): Partial<Finding>[] =>
  findings
    .filter(({ check }) => check !== 'vehicles' && check !== 'logging')
    .map(({ check, severity, title, text, value, fields }) => ({ check, severity, title, text, value, fields }));

needShared(describe, 'flight')('a copter and a rover, recorded as one', () => {
  const path = (name: string): string => sharedData('flight', name);

  test('have the reports of their own recordings', async () => {
    const [copter, rover] = [tlogFrames(path('copter-square.tlog')), tlogFrames(path('rover.tlog'))];
    // as if both had begun at once
    const shift = rover[0].time - copter[0].time;
    const both = [...copter, ...rover.map((each) => ({ ...each, time: each.time - shift }))];
    const log = await openInput(tlogBytes(both.toSorted((a, b) => a.time - b.time)));
    const reports = await makeReports(log, undefined, { plots: true });
    expect(reports.map(({ stream }) => stream)).toEqual(['1:1', '3:1']);
    expect(reports.map(({ vehicle }) => vehicle.kind)).toEqual(['Copter', 'Rover']);
    const alone = [await openLog(path('copter-square.tlog')), await openLog(path('rover.tlog'))];
    for (const [i, report] of reports.entries()) {
      const expected = await makeReport(alone[i]);
      expect(own(report)).toEqual(own(expected));
      expect(report.vehicle).toEqual(expected.vehicle);
      expect(report.modes.map(({ mode }) => mode)).toEqual(expected.modes.map(({ mode }) => mode));
      expect(report.vehicles).toEqual(['1:1', '3:1']);
      expect(expected.vehicles).toHaveLength(1);
      expect(report.findings.find(({ check }) => check === 'vehicles')?.text).toBe(
        `2 vehicles in this log: 1:1, 3:1. This report is about ${report.stream}.`,
      );
    }
    const page = reportPage('both', reports[0], reports.slice(1));
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of page.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(id);
    expect(page.match(/<main>/g)).toHaveLength(1);
    expect(page).toContain('both: vehicle 3:1');
  });
});

test('of very many vehicles the first ones have a report', async () => {
  const definition = [...builtinDialect().messages.values()].flat().find(({ name }) => name === 'HEARTBEAT');
  if (!definition) throw new Error('no definition of HEARTBEAT');
  const frames = Array.from({ length: 60 }, (_, i) => ({
    time: 1.7e15 + i * 1e5,
    frame: encodeMessage(
      definition,
      { type: 2, autopilot: 3 },
      { system: 1 + (i % 30), component: 1, sequence: i >= 30 ? 1 : 0 },
    ),
  }));
  const reports = await makeReports(await openInput(tlogBytes(frames)));
  expect(reports).toHaveLength(16);
  expect(new Set(reports.map(({ stream }) => stream)).size).toBe(16);
  expect(reports[0].vehicles).toHaveLength(30);
  expect(reports[0].findings.find(({ check }) => check === 'vehicles')?.text).toContain('and 18 more. This report');
});

needShared(describe, 'mavlink')('the command', () => {
  const file = sharedData('mavlink', 'MACS_uav-cyber-sim_mav.tlog');
  const json = async (...args: string[]): Promise<Record<string, unknown>> =>
    JSON.parse((await skeinHere('report', '--json', ...args, file)).stdout);

  test('tells of each vehicle, or of the one that is named', async () => {
    const { others, ...first } = await json();
    const second = await json('--vehicle', '2');
    expect(second).not.toHaveProperty('others');
    expect(others).toEqual([second]);
    expect(await json('--vehicle', '1:1')).toEqual(first);
    const text = (await skeinHere('report', file)).stdout;
    expect(text.match(/^ {2}vehicle \d:1: ArduCopter/gm)).toEqual([
      '  vehicle 1:1: ArduCopter',
      '  vehicle 2:1: ArduCopter',
    ]);
    const wrong = await skeinHere('report', '--vehicle', '9', file);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('--vehicle 9: the log has 1:1, 2:1');
  });
});
