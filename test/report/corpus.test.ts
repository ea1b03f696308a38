// Every log that there is, whole and damaged: the report never fails, is plain data, and asks for no rule that there
// is not.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openInput } from '../../src/formats/open.ts';
import { openLog } from '../../src/node/open.ts';
import { SEVERITIES } from '../../src/report/finding.ts';
import { makeReport, type Report } from '../../src/report/report.ts';
import { reportPage } from '../../src/report/report-page.ts';
import { DEFAULT_RULES, type Rule } from '../../src/report/rules.ts';
import { needShared, sharedData } from '../helpers/need.ts';
import { Random } from '../suite/random.ts';

/** Rules that remember which of them were asked for. */
class Watched extends Map<string, Rule> {
  private readonly check: string;
  private readonly asked: Set<string>;

  constructor(check: string, rules: ReadonlyMap<string, Rule>, asked: Set<string>) {
    super(rules);
    this.check = check;
    this.asked = asked;
  }

  override get(key: string): Rule | undefined {
    this.asked.add(`${this.check}.${key}`);
    return super.get(key);
  }
}

/** Names of logs; others are references and licences. */
const LOGS = /\.(bin|log|px4log|tlog|raw|mavlink|pcap|pcapng|nmea|ulg|ulog)(\.gz)?$/i;

const known = [...DEFAULT_RULES].flatMap(([check, section]) => [...(section ?? [])].map(([key]) => `${check}.${key}`));

function expectPlain(report: Report): void {
  const { plots, ...rest } = report;
  expect(JSON.parse(JSON.stringify(rest))).toEqual(rest);
  const isPlain = (value: number | null): boolean => value === null || Number.isFinite(value);
  for (const { lines } of plots) {
    for (const { times, values } of lines) {
      expect(times).toHaveLength(values.length);
      expect(times.every(isPlain) && values.every(isPlain)).toBe(true);
    }
  }
  for (const finding of report.findings) {
    expect(SEVERITIES).toContain(finding.severity);
    expect(finding.title).not.toBe('');
    expect(finding.text.replace('Motor outputs unknown', '')).not.toMatch(/undefined|NaN|unknown|null|\[object/);
    expect(finding.text).not.toBe('');
    if (finding.from !== null && finding.to !== null) expect(finding.from).toBeLessThanOrEqual(finding.to);
    if (finding.severity === 'fail' || finding.severity === 'warn') expect(finding.text.length).toBeGreaterThan(10);
  }
}

needShared(describe, 'dataflash')('every log', () => {
  const asked = new Set<string>();
  const rules = new Map(
    [...DEFAULT_RULES].map(([check, section]) => [check, section && new Watched(check, section, asked)]),
  );
  // of hundreds of receivers and many captures a few are enough
  const folders = {
    dataflash: 1,
    'dataflash/corrupt': 4,
    mavlink: 2,
    pcap: 8,
    'nmea/gpsd': 40,
    'xbus/1': 1,
    '../field/faults': 1,
    '../field/ulog': 1,
  };
  for (const [folder, every] of Object.entries(folders)) {
    const names = readdirSync(sharedData(folder)).filter((name) => LOGS.test(name));
    const chosen = names.filter((_, i) => i % every === 0);
    test.each(chosen.filter((name) => name !== 'outputconfig.bin'))(`${folder}/%s`, async (name) => {
      const report = await makeReport(await openLog(join(sharedData(folder), name)), rules, { plots: true });
      expect(report.findings.length).toBeGreaterThan(0);
      expectPlain(report);
    });
  }

  afterAll(() => {
    for (const name of asked) expect(known).toContain(name);
    const never = known.filter((name) => !asked.has(name));
    // no log here has cells of their own, a measured strength of its remote control, speeds of ESCs, or a drive that fails
    expect(never.filter((name) => !/^(battery\.spread|radio\.signal|esc\.|drive\.fail)/.test(name))).toEqual([]);
  });

  test.each(['erle-copter_27-9-2014_70.BIN', 'pbarker-5.BIN', 'pbarker-6.BIN'])('damage to %s', async (name) => {
    const bytes = readFileSync(sharedData('dataflash', name));
    const random = new Random(name.length);
    for (let round = 0; round < 5; round++) {
      const damaged = Uint8Array.from(bytes);
      for (let k = 0; k < 40; k++) damaged[random.below(damaged.length)] = random.below(256);
      const report = await makeReport(await openInput(damaged), DEFAULT_RULES, { plots: true });
      expectPlain(report);
      expect(reportPage(name, report)).not.toMatch(/NaN|Infinity|undefined/);
    }
  });
});
