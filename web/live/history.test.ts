import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { History } from './history.ts';
import { stripOf } from './strip.ts';

const rowsOf = (history: History, field: string): [number, number][] =>
  Array.from({ length: history.length }, (_, i) => [history.timeAt(i), history.valueAt(field, i)]);

describe('history of a message', () => {
  test('has the same rows as a list that forgets what is too old', () => {
    const steps = fc.array(fc.record({ step: fc.integer({ min: 1, max: 40 }), value: fc.integer() }), {
      maxLength: 400,
    });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 300 }), (given, keep) => {
        const history = new History();
        let list: [number, number][] = [];
        let time = 1000;
        for (const { step, value } of given) {
          time += step / 8;
          history.add(time, { value }, keep);
          list = [...list.filter(([each]) => each >= time - keep), [time, value]];
        }
        expect(rowsOf(history, 'value')).toEqual(list);
        const middle = list[Math.floor(list.length / 2)]?.[0] ?? 0;
        expect(history.rowFrom(middle)).toBe(
          list.findIndex(([each]) => each >= middle) < 0 ? 0 : list.findIndex(([each]) => each >= middle),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('leaves out what it was told before, and begins anew when the clock was set back', () => {
    const history = new History();
    for (const time of [10, 11, 12, 11, 12, 13]) history.add(time, { a: time }, 600);
    expect(rowsOf(history, 'a')).toEqual([10, 11, 12, 13].map((each) => [each, each]));
    history.add(13 - 3600, { a: 1 }, 600);
    expect(rowsOf(history, 'a')).toEqual([[13 - 3600, 1]]);
  });

  test('elements of arrays are fields; what is missing or text is no number', () => {
    const history = new History();
    history.add(1, { volts: [3, null], name: 'x', ['__proto__']: 5 }, 600);
    history.add(2, { volts: [4, 5], late: 7 }, 600);
    expect([...history.fields].sort()).toEqual(['__proto__', 'late', 'volts[0]', 'volts[1]']);
    expect(rowsOf(history, 'volts[1]')).toEqual([
      [1, Number.NaN],
      [2, 5],
    ]);
    expect(rowsOf(history, '__proto__').map(([, value]) => value)).toEqual([5, Number.NaN]);
    expect(history.valueAt('late', 0)).toBeNaN();
    expect(history.valueAt('name', 0)).toBeNaN();
  });

  test('is bounded, however many come', () => {
    const history = new History();
    for (let i = 1; i <= 40_000; i++) history.add(i / 1000, { a: i }, 600);
    expect(history.length).toBe(32_768);
    expect(history.valueAt('a', 0)).toBe(40_000 - 32_768 + 1);
    expect(history.valueAt('a', history.length - 1)).toBe(40_000);
  });

  test('a voltage of 0 is unknown; a current of 0 is not', () => {
    const history = new History();
    history.add(1, { voltage_battery: 0, voltages: [0, 4100], current_battery: 0 }, 100);
    history.add(2, { voltage_battery: 12_400, voltages: [4050, 4100], current_battery: 5 }, 100);
    const { low, high } = stripOf(history, 'voltage_battery', 1e-3, 0, 3, 100);
    expect([low, high]).toEqual([12.4, 12.4]);
    expect(history.valueAt('voltages[0]', 0)).toBeNaN();
    expect(history.valueAt('current_battery', 0)).toBe(0);
  });
});
