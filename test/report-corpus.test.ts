// Every log that there is, whole and damaged: the report never fails, is plain data, and asks for no rule that there
// is not.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { SEVERITIES } from '../src/analyze/finding.ts';
import { makeReport, type Report } from '../src/analyze/report.ts';
import type { Rule } from '../src/analyze/rule-list.ts';
import { DEFAULT_RULES } from '../src/analyze/rules.ts';
import { reportPage } from '../src/export/report-page.ts';
import { openLog } from '../src/node/open.ts';
import { openInput } from '../src/open.ts';
import { needShared, sharedData } from './need.ts';
import { Random } from './suite/random.ts';

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

const known = [...DEFAULT_RULES].flatMap(([check, section]) => [...(section ?? [])].map(([key]) => `${check}.${key}`));

function expectPlain(report: Report): void {
  expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  for (const finding of report.findings) {
    expect(SEVERITIES).toContain(finding.severity);
    expect(finding.title).not.toBe('');
    expect(finding.text).not.toMatch(/undefined|NaN|unknown|null|\[object/);
    expect(finding.text).not.toBe('');
    if (finding.from !== null && finding.to !== null) expect(finding.from).toBeLessThanOrEqual(finding.to);
    if (finding.severity === 'fail' || finding.severity === 'warn') expect(finding.text.length).toBeGreaterThan(10);
  }
  for (const { lines } of report.plots) for (const { times, values } of lines) expect(times).toHaveLength(values.length);
}

needShared(describe, 'dataflash')('every log', () => {
  const asked = new Set<string>();
  const rules = new Map(
    [...DEFAULT_RULES].map(([check, section]) => [check, section && new Watched(check, section, asked)]),
  );
  const folders = ['dataflash', 'dataflash/corrupt', 'mavlink', 'flight', 'pcap', 'nmea/gpsd', 'xbus/1'];
  for (const folder of folders) {
    // of hundreds of receivers a few are enough
    const names = readdirSync(sharedData(folder)).filter((name) => !/\.(json|chk|md|golden|jsonl|ulg)$/.test(name));
    const chosen = folder === 'nmea/gpsd' ? names.filter((_, i) => i % 20 === 0) : names;
    test.each(chosen.filter((name) => statSync(join(sharedData(folder), name)).isFile()))(`${folder}/%s`, async (name) => {
      const report = await makeReport(await openLog(join(sharedData(folder), name)), rules, { plots: true });
      expect(report.findings.length).toBeGreaterThan(0);
      expectPlain(report);
    });
  }

  afterAll(() => {
    for (const name of asked) expect(known).toContain(name);
    const never = known.filter((name) => !asked.has(name));
    // no log here has cells of their own, or a measured strength of its remote control
    expect(never.filter((name) => !/^(battery\.spread|radio\.signal)/.test(name))).toEqual([]);
  });

  test.each(['erle-copter_27-9-2014_70.BIN', 'pbarker-5.BIN', 'pbarker-6.BIN'])('damage to %s', async (name) => {
    const bytes = readFileSync(sharedData('dataflash', name));
    const random = new Random(name.length);
    for (let round = 0; round < 15; round++) {
      const damaged = Uint8Array.from(bytes);
      for (let k = 0; k < 40; k++) damaged[random.below(damaged.length)] = random.below(256);
      const report = await makeReport(await openInput(damaged), DEFAULT_RULES, { plots: true });
      expectPlain(report);
      expect(reportPage(name, report)).not.toMatch(/NaN|Infinity|undefined/);
    }
  });
});
