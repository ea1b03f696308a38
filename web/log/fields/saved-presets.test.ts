import { describe, expect, test } from 'vitest';
import { mergedPresets, presetsText, readPresets, type SavedPreset } from './saved-presets.ts';

const preset: SavedPreset = {
  name: 'Mine',
  panes: [
    { kind: 'xy', isOther: true, traces: [{ text: 'ATT.Roll', axis: 'left' }] },
    { kind: 'time', isOther: false, traces: [{ text: 'deriv(BARO.Alt)', axis: 'right' }] },
  ],
};

describe('presets of the user', () => {
  test('are read as they were written', () => {
    expect(readPresets(presetsText([preset]))).toEqual([preset]);
  });

  test('take the place of those with their name', () => {
    const other = { ...preset, panes: preset.panes.slice(1) };
    expect(mergedPresets([preset, { ...preset, name: 'B' }], [other]).map(({ panes }) => panes.length)).toEqual([1, 2]);
  });

  test.each(['', '{}', 'null', '"x"', '['])('%j is no file of presets', (text) => {
    expect(() => readPresets(text)).toThrow(/not a file of presets/);
  });

  test('what is no preset in a file is left out', () => {
    const trace = { text: 'A.b', axis: 'up' };
    const data = [1, null, { name: '' }, { name: 'x', panes: [] }, { name: 'y', panes: [{ traces: [trace, 5, {}] }] }];
    expect(readPresets(JSON.stringify(data))).toEqual([
      { name: 'y', panes: [{ kind: 'time', isOther: false, traces: [{ text: 'A.b', axis: 'left' }] }] },
    ]);
    const many = Array.from({ length: 999 }, () => trace);
    const [{ panes }] = readPresets(JSON.stringify([{ name: 'z', panes: [{ traces: many }] }]));
    expect(panes[0].traces).toHaveLength(24);
    const named = readPresets(JSON.stringify([{ name: `${'n'.repeat(79)} end`, panes: [{ traces: [trace] }] }]));
    expect(readPresets(presetsText(named))).toEqual(named);
  });
});
