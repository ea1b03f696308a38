import { describe, expect, test } from 'vitest';
import { Series } from '../../../../src/entry/browser.ts';
import type { PlacedSeries } from './figure.ts';
import { binsFor, histogramFigure } from './histogram.ts';
import { spectrogramImage } from './spectrogram.ts';
import { peaksOf, spectrumFigure } from './spectrum.ts';
import { pairOf, thinned, xyFigure } from './xy.ts';

/** A series of so many samples a second, from a function of seconds. */
function placed(rate: number, seconds: number, of: (time: number) => number, offset = 0): PlacedSeries {
  const times = Float64Array.from({ length: Math.round(rate * seconds) }, (_, row) => (row / rate) * 1e6);
  return {
    series: new Series(
      times,
      times.map((time) => of(time / 1e6)),
    ),
    offset,
  };
}

const wave =
  (hertz: number, height = 1) =>
  (time: number) =>
    height * Math.sin(2 * Math.PI * hertz * time);

describe('x over y', () => {
  test('takes both to the times of the one that has more samples', () => {
    const [slow, fast] = [placed(10, 10, (time) => time), placed(50, 10, (time) => 2 * time)];
    const { x, y } = pairOf(slow, fast, 1e6, 2e6);
    expect(x).toHaveLength(51);
    x.forEach((value, i) => {
      expect(value).toBeCloseTo(1 + i / 50, 9);
      expect(y[i]).toBeCloseTo(2 * value, 9);
    });
    expect(pairOf(fast, slow, 1e6, 2e6).y[7]).toBeCloseTo(1.14, 9);
  });

  test('knows that files lie upon each other with an offset, and that some values hold', () => {
    const early = placed(10, 10, (time) => time);
    const late = placed(10, 10, (time) => time, 3e6);
    const { x, y } = pairOf(early, late, 5e6, 6e6);
    expect([x[0], y[0]].map((value) => Number(value.toFixed(9)))).toEqual([5, 2]);
    const { times } = placed(1, 4, () => 0).series;
    const held = { series: new Series(times, Float64Array.from([0, 1, 0, 1]), true), offset: 0 };
    expect(new Set(pairOf(early, held, 0, 3e6).y)).toEqual(new Set([0, 1]));
  });

  test('has no line where one of the two has no value', () => {
    const gaps = placed(10, 10, (time) => (time > 4 && time < 6 ? Number.NaN : time));
    const { lines, x, y } = xyFigure([placed(10, 10, (time) => -time), gaps], 0, 1e7, 500, 300);
    expect(lines[0]).toBeNull();
    expect(lines[1]?.x.some(Number.isNaN)).toBe(true);
    expect([x.high, y.low].map(Math.abs)).toEqual([0, 0]);
    expect(xyFigure([gaps, null], 0, 1e7, 10, 10).lines).toEqual([null, null]);
    expect(xyFigure([gaps], 0, 1e7, 10, 10).lines).toEqual([null]);
  });

  test('draws every pixel that a sample lies on, however many there are', () => {
    const count = 60_000;
    const x = Float64Array.from({ length: count }, (_, i) => Math.sin(i * 12.9898) * Math.cos(i));
    const y = Float64Array.from({ length: count }, (_, i) => Math.cos(i * 78.233));
    const range = { low: -1, high: 1 };
    const pixels = (xs: Float64Array, ys: Float64Array): Set<number> =>
      new Set(
        Array.from(
          xs,
          (value, i) => Math.min(99, Math.floor((value + 1) * 50)) + 1000 * Math.min(79, Math.floor((ys[i] + 1) * 40)),
        ),
      );
    const line = thinned(x, y, { x: range, y: range, width: 100, height: 80 });
    expect(line.joined).toBe(false);
    expect(line.x.length).toBeLessThanOrEqual(8000);
    expect(pixels(line.x, line.y)).toEqual(pixels(x, y));
    expect(thinned(x.fill(0.5), y.fill(0.5), { x: range, y: range, width: 100, height: 80 }).x).toHaveLength(1);
  });
});

describe('the spectrum', () => {
  test('has its peaks where the waves are, the strongest first, and the power of each', () => {
    const both = placed(200, 60, (time) => 5 + wave(12)(time) + wave(40, 3)(time));
    const { lines, x } = spectrumFigure([both, null], 0, 6e7);
    const line = lines[0];
    if (!line) throw new Error('there is no spectrum');
    expect(line.peaks.map((peak) => Math.round(peak.x))).toEqual([40, 12]);
    const step = line.x[1] - line.x[0];
    expect(line.y.reduce((sum, power) => sum + power * step, 0)).toBeCloseTo(0.5 + 4.5, 1);
    expect([x.low, x.high]).toEqual([step, 100]);
    expect(lines[1]).toBeNull();
  });

  test('of a window is that of the window, and of a few samples none', () => {
    const change = placed(100, 40, (time) => (time < 20 ? wave(5)(time) : wave(20)(time)));
    const peakIn = (from: number, to: number) => spectrumFigure([change], from, to).lines[0]?.peaks[0].x;
    expect(peakIn(0, 19e6)).toBeCloseTo(5, 0);
    expect(peakIn(21e6, 40e6)).toBeCloseTo(20, 0);
    expect(peakIn(0, 50_000)).toBeUndefined();
    expect(spectrumFigure([change], 0, 50_000).lines).toEqual([null]);
  });

  test('what only shakes a little on a slope is no peak', () => {
    const y = Float64Array.from({ length: 50 }, (_, i) => 1 / (i + 1) + (i % 3 === 0 ? 0.001 : 0));
    expect(peaksOf(y, y)).toEqual([]);
  });
});

describe('the spectrogram', () => {
  test('is bright where and when the wave is', () => {
    const change = placed(100, 40, (time) => (time < 20 ? wave(10)(time) : wave(30)(time)));
    const image = spectrogramImage(change, 0, 4e7, 80);
    if (!image) throw new Error('there is no spectrogram');
    const { width, height, levels, top } = image;
    expect([width, top]).toEqual([80, 50]);
    const loudest = (column: number): number => {
      const own = Array.from({ length: height }, (_, row) => levels[row * width + column]);
      return ((height - 1 - own.indexOf(Math.max(...own))) / (height - 1)) * top;
    };
    expect(Math.abs(loudest(20) - 10)).toBeLessThan(1);
    expect(Math.abs(loudest(60) - 30)).toBeLessThan(1);
  });

  test('is empty in gaps, and there is none of too few samples', () => {
    const { series } = placed(100, 40, wave(10));
    const times = series.times.map((time) => (time > 2e7 ? time + 4e7 : time));
    const image = spectrogramImage({ series: new Series(times, series.values), offset: 0 }, 0, 8e7, 80);
    const column = (at: number): number[] =>
      Array.from({ length: image?.height ?? 0 }, (_, row) => image?.levels[row * 80 + at] ?? -1);
    expect(column(40).every((level) => level === 0)).toBe(true);
    expect(column(10).every((level) => level > 0)).toBe(true);
    expect(spectrogramImage({ series, offset: 0 }, 0, 1e4, 80)).toBeNull();
  });
});

describe('the histogram', () => {
  test('gives whole numbers a bin each', () => {
    const counts = Float64Array.from([3, 3, 4, 6]);
    expect(binsFor([counts], 3, 6)).toEqual({ start: 2.5, width: 1, count: 4 });
    const { series } = placed(1, 4, () => 0);
    const { lines, x, y } = histogramFigure([{ series: new Series(series.times, counts), offset: 0 }], 0, 1e9);
    expect([...(lines[0]?.y ?? [])]).toEqual([0, 50, 50, 25, 25, 0, 0, 25, 25, 0]);
    expect([x, y]).toEqual([
      { low: 2.5, high: 6.5 },
      { low: 0, high: 50 },
    ]);
  });

  test('counts every sample once, with the greatest in the last bin', () => {
    const { lines } = histogramFigure([placed(100, 50, wave(0.37)), placed(10, 50, (time) => time / 50)], 0, 5e7);
    for (const line of lines) {
      const shares = [...(line?.y ?? [])].filter((_, i) => i % 2 === 1).slice(0, -1);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 9);
    }
  });

  test('of nothing is nothing, and of one value one bin', () => {
    expect(histogramFigure([placed(1, 3, () => Number.NaN), null], 0, 1e9).lines).toEqual([null, null]);
    expect(binsFor([Float64Array.from([0.3, 0.3])], 0.3, 0.3)).toMatchObject({ count: 1, width: 1 });
  });
});
