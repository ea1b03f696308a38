import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldText, parseField } from './fields/field-name.ts';
import { PANE_KINDS } from './plots/pane-kinds.ts';
import { moved, within, zoomed } from './plots/window.ts';
import { hashOf, NO_VIEW, viewOf } from './view-hash.ts';

describe('the address of a view', () => {
  test('is read as it is meant', () => {
    const view = viewOf(
      '#panes=ATT.Roll,1!GPS%5B0%5D.Alt@right;xy+:BARO.Alt&window=1.5,20&at=3.5&shift=0,-2.5&compare=1&base=utc&units=si&tab=file&color=ATT.Roll&video=-1.25&columns=2',
    );
    expect(view).toEqual({
      panes: [
        {
          ...{ kind: 'time', isOther: false },
          traces: [
            { file: 0, text: 'ATT.Roll', axis: 'left' },
            { file: 1, text: 'GPS[0].Alt', axis: 'right' },
          ],
        },
        { kind: 'xy', isOther: true, traces: [{ file: 0, text: 'BARO.Alt', axis: 'left' }] },
      ],
      window: [1.5, 20],
      at: 3.5,
      shifts: [0, -2.5],
      compare: true,
      base: 'utc',
      units: 'si',
      tab: 'file',
      coloring: 'ATT.Roll',
      video: -1.25,
      columns: 2,
    });
  });

  test('gives the same view again, whatever names hold', () => {
    const plain = {
      file: fc.nat(50),
      text: fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
      axis: fc.constantFrom('left' as const, 'right' as const),
    };
    const trace = fc.oneof(fc.record(plain), fc.record({ ...plain, minus: fc.nat(50) }));
    const pane = fc.record({
      kind: fc.constantFrom(...PANE_KINDS),
      isOther: fc.boolean(),
      traces: fc.array(trace, { minLength: 1, maxLength: 5 }),
    });
    const limits = { limits: { left: [-1.5, 2e10] as const, right: [3, 4.25] as const } };
    const panes = fc.array(pane, { maxLength: 5 });
    fc.assert(
      fc.property(panes, (all) => {
        expect(viewOf(hashOf({ ...NO_VIEW, panes: all })).panes).toEqual(all);
        const limited = all.map((each) => ({ ...each, ...limits }));
        expect(viewOf(hashOf({ ...NO_VIEW, panes: limited })).panes).toEqual(limited);
      }),
    );
  });

  test.each([
    '',
    '#',
    '#panes',
    '#panes=;;,,',
    '#window=5,1',
    '#at=x&shift=1,y&compare=yes',
    '#window=NaN,Infinity',
    '#base=moon',
    '#panes=%ff',
    '#panes=xy:',
    '#panes=+:,',
    '#=',
  ])('%j, which says nothing, is no view and no error', (hash) => {
    expect(viewOf(hash)).toEqual(NO_VIEW);
  });

  test('can be made of half a character', () => {
    const traces = [{ file: 0, text: 'a\ud800', axis: 'left' as const }];
    const pane = { kind: 'time' as const, isOther: false, traces };
    expect(viewOf(hashOf({ ...NO_VIEW, panes: [pane] })).panes[0].traces[0].text).toBe('a\ufffd');
    expect(hashOf(viewOf('#tab=\ud800'))).toBe('#tab=%EF%BF%BD');
  });

  test('cannot ask for more than a page can show', () => {
    const hash = `#panes=${`${'A.b,'.repeat(1000)};`.repeat(1000)}`;
    const { panes } = viewOf(hash);
    expect(panes.length).toBeLessThanOrEqual(16);
    expect(Math.max(...panes.map(({ traces }) => traces.length))).toBeLessThanOrEqual(24);
  });
});

describe('names of fields', () => {
  test.each([
    ['ATT.Roll', { table: 'ATT', stream: '', field: 'Roll', element: -1 }],
    ['ATTITUDE[1:1].roll', { table: 'ATTITUDE', stream: '1:1', field: 'roll', element: -1 }],
    ['BAT[0].cells{3}', { table: 'BAT', stream: '0', field: 'cells', element: 3 }],
    ['"a.b"["]"]."c d"', { table: 'a.b', stream: ']', field: 'c d', element: -1 }],
  ])('%s', (text, name) => {
    expect(parseField(text)).toEqual(name);
    expect(fieldText(name)).toBe(text);
  });

  test('any name is read back', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 });
    fc.assert(
      fc.property(text, text, text, fc.integer({ min: -1, max: 99_999 }), (table, stream, field, element) => {
        expect(parseField(fieldText({ table, stream, field, element }))).toEqual({ table, stream, field, element });
      }),
      { numRuns: 50 },
    );
  });

  test.each(['', 'ATT', 'ATT.', '.Roll', 'ATT.Roll+1', '"ATT.Roll', 'ATT[.Roll'])('%j names none', (text) => {
    expect(parseField(text)).toBeUndefined();
  });
});

describe('windows', () => {
  const all = { from: 1000, to: 2000 };

  test('stay where there is something', () => {
    expect(within({ from: 1100, to: 1300 }, all)).toEqual({ from: 1100, to: 1300 });
    expect(within({ from: 5000, to: 5200 }, all)).toEqual({ from: 1820, to: 2020 });
    expect(within({ from: 0, to: 9000 }, all)).toEqual(all);
  });

  test('are zoomed about a place and moved', () => {
    expect(zoomed(all, 1500, 0.5, all)).toEqual({ from: 1250, to: 1750 });
    expect(moved({ from: 1250, to: 1750 }, 100, all)).toEqual({ from: 1350, to: 1850 });
    const least = zoomed({ from: 1500, to: 1520 }, 1510, 1e-9, all);
    expect(least.to - least.from).toBe(20);
  });
});
