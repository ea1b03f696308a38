import { describe, expect, test } from 'vitest';
import { clockText, svgPlot } from './svg-plot.ts';

const plot = (values: (number | null)[], more: Partial<Parameters<typeof svgPlot>[0]> = {}): string =>
  svgPlot({
    title: 'T',
    unit: 'm',
    lines: [{ name: 'a', times: values.map((_, k) => k * 1e6), values }],
    from: 0,
    to: (values.length - 1) * 1e6,
    ...more,
  });

describe('a plot', () => {
  test('goes from corner to corner, and breaks where a value is missing', () => {
    const [, path] = /d="([^"]+)"/.exec(plot([0, 10, null, 10, 0])) ?? [];
    expect(path).toBe('M56 186L279 20M725 20L948 186');
  });

  test('keeps limits that are near, and leaves out those that are far', () => {
    const limits = [
      { value: 12, severity: 'warn' },
      { value: 500, severity: 'fail' },
    ];
    const drawn = plot([0, 10], { limits });
    expect(drawn).toContain('class="limit warn"');
    expect(drawn).not.toContain('class="limit fail"');
  });

  test.each([[[]], [[null]], [[5, 5, 5]], [[0, 0]], [[1e300, -1e300]]])(
    'of %j has no number that is none',
    (values) => {
      expect(plot(values)).not.toMatch(/NaN|Infinity/);
    },
  );

  test('bands stay inside', () => {
    const drawn = plot([0, 1, 2], { bands: [{ from: -9e9, to: 9e9, kind: 'flight' }] });
    expect(drawn).toContain('<rect class="band flight" x="56" y="10" width="892"');
  });
});

test('times on the axis', () => {
  expect([0, 45, 750, 3725, 0.5, -5].map(clockText)).toEqual(['0:00', '0:45', '12:30', '1:02:05', '0:00.5', '-0:05']);
});
