import { describe, expect, test } from 'vitest';
import { referencedLog, references } from '../../test/formats/dataflash/references.ts';
import { MadeLog } from '../../test/helpers/made-log.ts';
import { needShared } from '../../test/helpers/need.ts';
import { openLog } from '../node/open.ts';
import { factsOf } from './facts.ts';

function made(): MadeLog {
  return new MadeLog().define('PARM', 'QNff', 'TimeUS,Name,Value,Default');
}

describe('parameters', () => {
  test('have their last value, and every value that differs from the one before', async () => {
    const log = await made()
      .add('PARM', 1, 'B', 1.5, 1)
      .add('PARM', 2, 'A', 7, 7)
      .add('PARM', 3, 'B', 1.5, 1)
      .add('PARM', 4, 'B', 2, 1)
      .add('PARM', 5, 'B', 1.5, 1)
      .open();
    const found = await factsOf(log).parameters();
    expect([...found.keys()]).toEqual(['B', 'A']);
    expect(found.get('A')).toEqual({ name: 'A', value: 7, default: 7, changes: [{ time: 2, value: 7 }] });
    expect(found.get('B')).toEqual({
      name: 'B',
      value: 1.5,
      default: 1,
      changes: [
        { time: 1, value: 1.5 },
        { time: 4, value: 2 },
        { time: 5, value: 1.5 },
      ],
    });
  });

  test('are the same at each boot, or in another order, or with one more between', async () => {
    const boots = ['AB AC B ü', 'AB AC B ü', 'B AB AC ü', 'AB AD AC B ü ü'];
    const log = made();
    const names = boots.flatMap((boot) => boot.split(' '));
    for (const [i, name] of names.entries()) log.add('PARM', i + 1, name, i, 0);
    const found = await factsOf(await log.open()).parameters();
    for (const name of new Set(names)) {
      const times = names.flatMap((each, i) => (each === name ? [i + 1] : []));
      expect(found.get(name)?.changes.map(({ time }) => time)).toEqual(times);
      expect(found.get(name)?.value).toBe(names.lastIndexOf(name));
    }
    expect(found.size).toBe(5);
  });

  test('a default that is not a number is none, and one that is known stays known', async () => {
    const log = await made()
      .add('PARM', 1, 'A', 1, Number.NaN)
      .add('PARM', 2, 'B', 1, 3)
      .add('PARM', 3, 'B', 2, Number.NaN)
      .open();
    const found = await factsOf(log).parameters();
    expect(found.get('A')?.default).toBe(null);
    expect(found.get('B')).toMatchObject({ value: 2, default: 3 });
  });

  test('a value that is not a number twice has not changed', async () => {
    const log = await made().add('PARM', 1, 'A', Number.NaN, 0).add('PARM', 2, 'A', Number.NaN, 0).open();
    expect((await factsOf(log).parameters()).get('A')?.changes).toHaveLength(1);
  });

  test('may have any name', async () => {
    const names = ['__proto__', 'constructor', '', '../a', '<b>', 'ünïcödé'];
    const log = made();
    names.forEach((name, i) => {
      log.add('PARM', i, name, i, 0);
    });
    const found = await factsOf(await log.open()).parameters();
    expect([...found.values()].map(({ name, value }) => [name, value])).toEqual(names.map((name, i) => [name, i]));
  });

  test('firmwares of two kinds in one file: the later value counts', async () => {
    const log = await new MadeLog()
      .define('PARM', 'QNf', 'TimeUS,Name,Value')
      .add('PARM', 1, 'A', 1)
      .define('PARM', 'QNff', 'TimeUS,Name,Value,Default')
      .add('PARM', 2, 'A', 5, 4)
      .open();
    const found = (await factsOf(log).parameters()).get('A');
    expect(found).toMatchObject({ value: 5, default: 4 });
    expect(found?.changes.map(({ value }) => value)).toEqual([1, 5]);
  });
});

needShared(describe, 'dataflash/ref')('parameters as pymavlink gives them', () => {
  test.each(references().map((reference) => [reference.file, reference] as const))('%s', async (file, reference) => {
    const found = await factsOf(await openLog(referencedLog(file))).parameters();
    expect(found.size).toBe(reference.nparams);
    for (const { fields } of reference.samples.PARM ?? []) {
      const values = found.get(String(fields.Name))?.changes.map(({ value }) => value);
      expect(values, String(fields.Name)).toContain(Number(fields.Value));
      if (typeof fields.Default === 'number') {
        expect(found.get(String(fields.Name))?.default).toBe(fields.Default);
      }
    }
  });
});
