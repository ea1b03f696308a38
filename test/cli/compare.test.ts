import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { SAMPLE, skeinHere } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { needShared, sharedData } from '../helpers/need.ts';

const folder = temporaryFolder();
const sample = (name: string): string => fileURLToPath(new URL(`../../sample/${name}`, import.meta.url));

describe('compare', () => {
  test('of two recordings of one flight finds its fields alike', async () => {
    const run = await skeinHere('compare', '--json', sample('copter-square.tlog'), sample('copter-square.pcap'));
    const found = JSON.parse(run.stdout) as {
      alignment: string;
      fields: { table: string; measure: number | null }[];
      parameters: { noise: boolean }[];
      a: { report: { findings: unknown[] } };
    };
    expect(found.alignment).toBe('aligned at take-off');
    expect(found.fields.length).toBeGreaterThan(100);
    for (const { measure } of found.fields) expect(measure).toBeLessThan(0.01);
    expect(found.parameters).toEqual([]);
    expect(found.a.report.findings.length).toBeGreaterThan(5);
  });

  test('is a page of one file, with plots and nothing from elsewhere', async () => {
    const page = join(folder, 'compare.html');
    const tlog = sample('copter-square.tlog');
    const run = await skeinHere('compare', tlog, tlog, '--align', 'arm', '--to', 'html', '-o', page);
    expect(run).toMatchObject({ code: 0, stdout: '' });
    const html = readFileSync(page, 'utf8');
    expect(html.match(/<figure class="plot">/g)).toHaveLength(12);
    expect(html).not.toMatch(/<script|<img|<link|https?:/);
    expect(html).toContain('aligned at arming');
  });

  test('of a log and a telemetry log of one flight compares what both measured, under one name', async () => {
    const run = await skeinHere('compare', '--json', SAMPLE, sample('copter-square.tlog'));
    const { fields } = JSON.parse(run.stdout) as { fields: { table: string; field: string; measure: number | null }[] };
    const measures = new Map(fields.map(({ table, field, measure }) => [`${table}.${field}`, measure]));
    for (const name of ['attitude.roll', 'attitude.pitch', 'gps.speed', 'gps.sats', 'control.climb'])
      expect([name, measures.get(name)]).toEqual([name, expect.closeTo(0, 1)]);
  });

  test('says why fields or parameters are not compared', async () => {
    const receiver = sample('copter-square.nmea');
    const run = await skeinHere('compare', SAMPLE, receiver);
    expect(run.stdout).toContain('parameters: not compared, none in B\n');
    const nothing = join(folder, 'still.nmea');
    writeFileSync(
      nothing,
      readFileSync(receiver, 'latin1')
        .split('\n')
        .filter((line) => line.includes('PASHR'))
        .join('\n'),
    );
    expect((await skeinHere('compare', SAMPLE, nothing)).stdout).toContain(
      'fields: none is in both, since dataflash and nmea name theirs differently\n',
    );
  });

  test('refuses what it cannot align', async () => {
    for (const args of [
      ['--align', 'noon'],
      ['--flight-a', '9'],
      ['--flight-b', 'x'],
      ['--limit', '-1'],
    ]) {
      expect([
        args,
        (await skeinHere('compare', sample('copter-square.tlog'), sample('copter-square.tlog'), ...args)).code,
      ]).toEqual([args, 2]);
    }
  });
});

needShared(describe, 'dataflash')('compare of different vehicles', () => {
  test('puts what differs most first', async () => {
    const run = await skeinHere('compare', SAMPLE, sharedData('dataflash', 'macs-214.BIN'), '--limit', '8');
    const lines = run.stdout.split('\n');
    expect(lines[0]).toBe(`A  ${SAMPLE}`);
    expect(lines).toContain('aligned at take-off, over 56.5 s');
    const start = lines.findIndex((line) => line.startsWith('fields by difference'));
    const rows = lines.slice(start + 2, start + 18).map((line) => line.trim().split(/ {2,}/));
    const measures = rows.filter((_, i) => i % 2 === 0).map(([, measure]) => Number(measure));
    expect(rows.filter((_, i) => i % 2).map(([side]) => side)).toEqual(Array(8).fill('B'));
    expect(measures).toEqual(measures.toSorted((a, b) => b - a));
    expect(measures).toHaveLength(8);
    expect(run.stdout).toMatch(/parameters: \d+ differences, \d+ calibrations and counters hidden: see --all/);
  });
});
