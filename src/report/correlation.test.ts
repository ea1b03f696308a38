import { describe, expect, test } from 'vitest';
import { Random } from '../../test/suite/random.ts';
import { findLikeness, type LikenessOptions, type Signal } from './correlation.ts';

const STEP = 0.1;
const OPTIONS: LikenessOptions = { overlap: 5, variation: 0.01, correlation: 0.8, lag: Number.POSITIVE_INFINITY };

/** A smooth walk that never repeats. */
function walk(length: number, seed: number): Float64Array {
  const random = new Random(seed);
  const values = new Float64Array(length);
  for (let i = 1, speed = 0; i < length; i++) {
    speed = 0.9 * speed + random.between(-100, 100) / 100;
    values[i] = values[i - 1] * 0.99 + speed;
  }
  return values;
}

const signal = (start: number, ...components: Float64Array[]): Signal => ({ start, step: STEP, components });

/** The normalised correlation at one shift, by its definition. */
function correlationAt(a: Float64Array, b: Float64Array, shift: number): number {
  const pairs = [...a].flatMap((x, i): [number, number][] => {
    const y = b[i + shift];
    return y === undefined || Number.isNaN(x + y) ? [] : [[x, y]];
  });
  const mean = (k: 0 | 1): number => pairs.reduce((sum, each) => sum + each[k], 0) / pairs.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const sum = (of: (x: number, y: number) => number): number =>
    pairs.reduce((all, [x, y]) => all + of(x - meanX, y - meanY), 0);
  return sum((x, y) => x * y) / Math.sqrt(sum((x) => x * x) * sum((_, y) => y * y));
}

describe('signals that are alike', () => {
  const all = walk(1500, 1);

  test.each([
    [100, 0, 1000],
    [0, 250, 700],
    [37, 400, 1000],
    [900, 100, 600],
  ])('one from value %i, the other from value %i on', (from, otherFrom, length) => {
    const a = all.slice(from, from + length);
    const b = all.slice(otherFrom, otherFrom + length).map((each) => 3 * each + 7);
    // the same moment has the place i - from in one and i - otherFrom in the other
    const found = findLikeness(signal(1000, a), signal(2000, b), OPTIONS);
    if (length - Math.abs(from - otherFrom) < OPTIONS.overlap / STEP) {
      expect(found).toBeUndefined();
      return;
    }
    expect(found?.lag).toBeCloseTo(1000 + (from - otherFrom) * STEP, 2);
    expect(found?.correlation).toBeCloseTo(1, 6);
    expect(found?.overlap).toBeCloseTo((length - Math.abs(from - otherFrom)) * STEP, 6);
  });

  test('holes, noise and a lag between two values', () => {
    const random = new Random(5);
    const a = all.slice(0, 1000);
    const b = all
      .slice(20, 1020)
      .map((each, i, values) => (each + (values[i + 1] ?? each)) / 2 + random.between(-9, 9) / 50);
    a.fill(Number.NaN, 200, 260);
    b.fill(Number.NaN, 600, 640);
    const found = findLikeness(signal(0, a), signal(0, b), OPTIONS);
    expect(found?.lag).toBeCloseTo(-2.05, 1);
    expect(found?.correlation).toBeCloseTo(correlationAt(a, b, -20), 2);
  });

  test('several components count together', () => {
    const [x, y] = [walk(800, 7), walk(800, 8)];
    const found = findLikeness(signal(0, x, y), signal(0, x.slice(50), y.slice(50)), OPTIONS);
    expect(found).toMatchObject({ lag: expect.closeTo(-5, 2), distance: expect.closeTo(0, 6) });
  });
});

describe('nothing is found', () => {
  test.each<[string, Signal, Signal, Partial<LikenessOptions>]>([
    ['in signals that are not alike', signal(0, walk(1000, 1)), signal(0, walk(1000, 2)), {}],
    ['in too little', signal(0, walk(40, 1)), signal(0, walk(40, 1)), {}],
    ['in what does not vary', signal(0, new Float64Array(500).fill(3)), signal(0, new Float64Array(500).fill(3)), {}],
    ['where nothing is known', signal(0, new Float64Array(99).fill(Number.NaN)), signal(0, walk(99, 1)), {}],
    ['farther than is looked', signal(0, walk(500, 1)), signal(20, walk(500, 1)), { lag: 10 }],
    ['in what repeats', signal(0, sine()), signal(0, sine()), {}],
  ])('%s', (_, a, b, options) => expect(findLikeness(a, b, { ...OPTIONS, ...options })).toBeUndefined());
});

/** Of a period of 20 seconds. */
function sine(): Float64Array {
  return Float64Array.from({ length: 1000 }, (_, i) => Math.sin((i / 100) * Math.PI));
}
