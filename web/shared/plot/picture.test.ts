import { expect, test } from 'vitest';
import { svgOf } from './picture.ts';

const trace = {
  ...{ color: '#e5484d', dashed: false, axis: 'left' as const, marked: false, low: 0, high: 10 },
  ...{ x: Float64Array.of(0, 5, 7, 10), y: Float64Array.of(0, 10, Number.NaN, 5) },
};

test('a plot as SVG has its lines, broken where they are, and hostile names as text', () => {
  const svg = svgOf([{ ...trace, text: '"/><script>alert(1)</script>' }], { from: 0, to: 10 }, String);
  expect(svg).toContain('d="M64.00 314.00L500.00 34.00M936.00 174.00"');
  expect(svg).not.toContain('<script');
  expect(svg).toContain('&lt;script&gt;');
});

test('a plot without samples is a picture too', () => {
  const empty = { ...trace, x: new Float64Array(0), y: new Float64Array(0), low: Number.NaN, high: Number.NaN };
  expect(svgOf([{ ...empty, text: 'A.b' }], { from: 0, to: 1 }, String)).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
});
