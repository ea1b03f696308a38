import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { openLog, readExpression } from '../../../src/entry/browser.ts';
import { SAMPLE } from '../../../test/helpers/cli.ts';
import { catalogueOf, suggest } from '../fields/expression-help.ts';
import type { FileSummary } from './answers.ts';
import { workspace } from './workspace.ts';

describe('expressions in the worker', () => {
  const logs = workspace(() => {});
  const log = new Uint8Array(readFileSync(SAMPLE));
  let summary: FileSummary;

  beforeAll(async () => {
    summary = await logs.open(1, new Blob([log]));
  });

  test('are drawn like fields, and a field may be written without its stream', async () => {
    const { start, end } = await logs.open(2, new Blob([log]));
    const texts = ['lowpass(ATT.Roll, 1) * 2', 'BAT.Volt', 'sqrt(ATT.Roll)'];
    const wanted = texts.map((text) => ({ file: 2, text, offset: 0 }));
    const answers = await logs.statistics(wanted, start ?? 0, end ?? 0);
    const opened = await openLog(log);
    for (const [i, text] of texts.entries()) {
      const known = (await readExpression(opened, text)).values.filter(Number.isFinite);
      expect(answers[i]).toMatchObject({ value: { count: known.length, low: Math.min(...known) } });
    }
    expect(logs.close(2)).toBe(true);
  });

  test('that are wrong say where, and what was meant', async () => {
    expect(await logs.problem(1, 'wrap180(ATT.Yow)')).toEqual({
      message: 'no field in ATT is named Yow at 12: did you mean Yaw?',
      ...{ position: 12, length: 3, suggestion: 'Yaw' },
    });
    // what only shows when it is computed
    expect(await logs.problem(1, 'lowpass(ATT.Roll, 0)')).toMatchObject({ position: 18, length: 1 });
    expect(await logs.problem(1, 'ATT.Roll')).toBeNull();
    expect(await logs.problem(1, '')).toMatchObject({ message: expect.stringContaining('empty') });
    const [answer] = await logs.draw([{ file: 1, text: 'NOPE.x{1}', offset: 0 }], 0, 1, 10);
    expect(answer).toEqual({ problem: 'the log has no numbers NOPE.x' });
  });

  test('are completed from what the page knows of the log', () => {
    const tables = catalogueOf(summary.tables);
    const { from, to, options, problem } = suggest(tables, '2 * ATT.Ya + 1', 10);
    expect([from, to, options[0].text]).toEqual([8, 10, 'Yaw']);
    expect(problem?.position).toBe(8);
    expect(suggest(tables, 'ATT.Yaw', 7).problem).toBeNull();
    expect(suggest(tables, 'MSG.Message', 0).problem?.message).toContain('not a number');
  });
});
