// The colours of the themes by the rules of WCAG 2.2, level AA: 4.5 for texts, 3 for what is drawn.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { modeColor, placeColor, traceColor } from './colors.ts';
import { contrast, SEEN, seenOn } from './contrast.ts';

const css = readFileSync(fileURLToPath(new URL('theme.css', import.meta.url)), 'utf8');

/** Colours by name, of each block of the style sheet whose selector names a theme. */
const themes = new Map<string, Map<string, string>>();
for (const [, selector, body] of css.matchAll(/(:root[^{]*)\{([^}]*)\}/g)) {
  const theme = /data-theme="(\w+)"/.exec(selector)?.[1] ?? '';
  const isSafe = selector.includes('data-colors="safe"');
  const tokens = new Map(isSafe ? themes.get(theme) : []);
  for (const [, name, color] of body.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})\b/gi)) tokens.set(name, color);
  themes.set(isSafe ? `${theme}, safe colours` : theme, tokens);
}

const GROUNDS = ['back', 'panel', 'raised'];
const TEXTS = ['text', 'dim', 'accent', 'good', 'warn', 'bad', 'note', 'armed'];
/** What is written on colours. */
const ON_COLORS: readonly (readonly [text: string, ground: string])[] = [
  ['on-accent', 'accent'],
  ['back', 'bad'],
];

test('there are three themes, each with all colours', () => {
  expect([...themes.keys()].filter((name) => !name.includes('safe'))).toEqual(['dark', 'light', 'contrast']);
  for (const tokens of themes.values())
    expect([...tokens.keys()]).toEqual(expect.arrayContaining([...GROUNDS, ...TEXTS]));
});

describe.each([...themes])('%s', (_, tokens) => {
  const color = (name: string): string => tokens.get(name) ?? '';

  test('texts can be read', () => {
    const pairs = [...TEXTS.flatMap((text) => GROUNDS.map((ground) => [text, ground] as const)), ...ON_COLORS];
    const poor = pairs.filter(([text, ground]) => contrast(color(text), color(ground)) < 4.5);
    expect(
      poor.map(([text, ground]) => `${text} on ${ground}: ${contrast(color(text), color(ground)).toFixed(2)}`),
    ).toEqual([]);
  });

  test.each(['usual', 'safe'] as const)('lines of the %s colours are seen, and differ', (colors) => {
    const taken: string[] = [];
    for (const field of ['Roll', 'Pitch', 'Yaw', 'Volt', 'Curr', 'a', 'b'])
      taken.push(traceColor(field, taken, { colors, ground: color('panel') }));
    for (const line of taken) expect(contrast(line, color('panel')), line).toBeGreaterThanOrEqual(SEEN);
    expect(new Set(taken).size).toBe(taken.length);
    const places = [0, 1, 2, 3, 4, 5].map((place) => placeColor(place, { colors, ground: color('panel') }));
    for (const place of places) expect(contrast(place, color('panel')), place).toBeGreaterThanOrEqual(SEEN);
    expect(new Set(places).size).toBe(places.length);
  });

  test('the focus and the strips are seen', () => {
    for (const name of ['accent', 'armed', 'in-air'])
      for (const ground of ['back', 'panel']) expect(contrast(color(name), color(ground)), name).toBeGreaterThan(SEEN);
  });
});

test('on dark grounds the safe colours are those of Okabe and Ito; every class of modes has its own', () => {
  const look = { colors: 'safe', ground: '#141a22' } as const;
  expect(['Roll', 'Pitch', 'Yaw'].map((field) => traceColor(field, [], look))).toEqual([
    '#d55e00',
    '#009e73',
    '#56b4e9',
  ]);
  const modes = ['RTL', 'AUTO', 'GUIDED', 'LOITER', 'ALT_HOLD', 'STABILIZE', 'ACRO'];
  expect(new Set(modes.map((mode) => modeColor(mode, 'safe'))).size).toBe(modes.length);
});

test('contrast is that of the standard', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 10);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrast('#ffffff', '#ff0000')).toBeCloseTo(4.0, 1);
  expect(contrast('#fff', '#3c7')).toBe(contrast('#ffffff', '#33cc77'));
});

test('a colour stays as it is where it is seen, and is changed no more than it must be', () => {
  expect(seenOn('#000000', '#ffb224')).toBe('#ffb224');
  expect(seenOn('#fff', '#e5484d')).toBe('#e5484d');
  const darker = seenOn('#ffffff', '#f0e442');
  expect(contrast(darker, '#ffffff')).toBeGreaterThanOrEqual(SEEN);
  expect(contrast(darker, '#ffffff')).toBeLessThan(SEEN + 0.4);
});
