import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SAMPLE } from '../../test/helpers/cli.ts';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { openLog } from '../node/open.ts';
import { makeReport, type Report } from './report.ts';
import { reportPage } from './report-page.ts';
import { DEFAULT_RULES } from './rules.ts';

const EVIL = '<img src=x onerror=alert(1)>"\'&\u202e</style><script>';

/** A flight whose texts are hostile: an error of an armed vehicle, a firmware and a mode with markup in their names. */
async function hostile(): Promise<Report> {
  const made = new MadeLog()
    .define('MSG', 'QZ', 'TimeUS,Message')
    .define('EV', 'QB', 'TimeUS,Id')
    .define('MODE', 'QN', 'TimeUS,Mode')
    .define('VIBE', 'Qfff', 'TimeUS,VibeX,VibeY,VibeZ')
    .define('ERR', 'QBB', 'TimeUS,Subsys,ECode')
    .add('MSG', 1, `ArduCopter V4.5.7 ${EVIL.slice(0, 40)}`)
    .add('MODE', 1, '<b onclick=x>')
    .add('EV', 1_000_000, 10)
    .add('EV', 2_000_000, 28);
  for (let k = 0; k < 100; k++) made.add('VIBE', 2_000_000 + k * 100_000, 5, 70, k);
  made.add('ERR', 6_000_000, 12, 1).add('EV', 12_000_000, 18).add('EV', 12_100_000, 11);
  return makeReport(await made.open(), DEFAULT_RULES, { plots: true });
}

describe('the page of a report', () => {
  test('shows texts of logs and names of files as texts', async () => {
    const report = await hostile();
    expect(report.findings.find(({ title }) => title === 'Vibration')).toMatchObject({ severity: 'fail', value: 99 });
    const page = reportPage(EVIL, report);
    // its own elements only
    const tags = new Set([...page.matchAll(/<([a-z][a-z0-9]*)/g)].map(([, tag]) => tag));
    expect(tags.has('img')).toBe(false);
    expect(tags.has('script')).toBe(false);
    expect(page).not.toContain('onclick=x>');
    expect(page).not.toContain('\u202e');
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&apos;&amp;');
    expect(page.match(/<\/style>/g)).toHaveLength(1);
    for (const [, name] of page.matchAll(/ ([a-z-]+)="/g)) expect(name).not.toMatch(/^on|^style$|^src$/);
  });

  test('allows its own style by its hash, and loads nothing', async () => {
    const page = reportPage('a.BIN', await makeReport(await openLog(SAMPLE), DEFAULT_RULES, { plots: true }));
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page).toContain(
      `content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'"`,
    );
    expect(page).not.toMatch(/https?:|url\(|@import|<link|<iframe/);
    for (const [, target] of page.matchAll(/href="([^"]*)"/g)) expect(target).toMatch(/^#/);
  });

  test('draws a line for each that was looked at, from left to right', async () => {
    const report = await makeReport(await openLog(SAMPLE), DEFAULT_RULES, { plots: true });
    const page = reportPage('a.BIN', report);
    expect(page.match(/<figure/g)).toHaveLength(report.plots.filter(({ lines }) => lines.length > 0).length);
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
    for (const { lines } of report.plots) for (const { name } of lines) expect(page).toContain(`</svg>${name}</li>`);
    const [, first] = /<path class="line c0" d="M([\d.]+) /.exec(page) ?? [];
    expect(Number(first)).toBeGreaterThanOrEqual(56);
  });

  test('a log of nothing has a page, too', async () => {
    const page = reportPage('empty', await makeReport(await new MadeLog().open(), DEFAULT_RULES, { plots: true }));
    expect(page).toContain('</html>');
    expect(page).not.toMatch(/NaN|undefined/);
  });
});
