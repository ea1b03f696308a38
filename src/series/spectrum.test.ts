import { describe, expect, test } from 'vitest';
import { Series } from './series.ts';
import { spectrogramOf, spectrumOf } from './spectrum.ts';

/** Samples of a function of seconds; `jitter` moves each stamp by so much of a step, and the sample with it. */
function sampled(rate: number, length: number, of: (t: number) => number, jitter = 0): Series {
  const times = Float64Array.from({ length }, (_, i) => ((i + jitter * Math.sin(i * 12.9898)) / rate) * 1e6);
  return new Series(
    times,
    times.map((t) => of(t / 1e6)),
  );
}

const sine = (amplitude: number, hertz: number) => (t: number) => amplitude * Math.sin(2 * Math.PI * hertz * t);

function peakOf(frequencies: Float64Array, power: Float64Array | Float32Array): number {
  return frequencies[power.indexOf(Math.max(...power))];
}

const variance = (frequencies: Float64Array, power: Float64Array): number =>
  power.reduce((sum, each) => sum + each, 0) * frequencies[1];

describe('the spectrum of a sine', () => {
  test('has its peak there, and the variance as its sum', () => {
    const { frequencies, power, rate, segments } = spectrumOf(sampled(400, 8192, sine(3, 50)), { size: 1024 });
    expect(rate).toBe(400);
    expect(segments).toBe(15);
    expect(frequencies).toHaveLength(513);
    expect(frequencies[512]).toBe(200);
    expect(peakOf(frequencies, power)).toBe(50);
    expect(variance(frequencies, power)).toBeCloseTo(4.5, 9);
    // under a Hann window a line is 1.5 steps wide: its height is A^2 / 2 / (1.5 df)
    expect(Math.max(...power)).toBeCloseTo(4.5 / (1.5 * frequencies[1]), 9);
  });

  test('does not see a constant beside it', () => {
    const { power } = spectrumOf(sampled(100, 1024, () => 1e6));
    expect(Math.max(...power)).toBeLessThan(1e-12);
  });

  test('is found with stamps that jitter', () => {
    const { frequencies, power } = spectrumOf(sampled(400, 8192, sine(3, 20), 0.2), { size: 1024 });
    expect(Math.abs(peakOf(frequencies, power) - 20)).toBeLessThan(1);
    expect(Math.abs(variance(frequencies, power) / 4.5 - 1)).toBeLessThan(0.03);
  });

  test('does not reach over a gap or a missing value', () => {
    const series = sampled(400, 8192, sine(3, 50));
    const later = series.times.map((t, i) => (i < 4096 ? t : t + 10.00123e6));
    const torn = new Series(later, series.values);
    const { frequencies, power, segments } = spectrumOf(torn, { size: 1024 });
    expect(segments).toBe(14);
    expect(variance(frequencies, power)).toBeCloseTo(4.5, 9);
    series.values[4096] = Number.NaN;
    expect(spectrumOf(series, { size: 1024 }).segments).toBe(13);
  });
});

/** As the definition says, without a fast transform: https://en.wikipedia.org/wiki/Welch%27s_method */
function plainWelch(values: Float64Array, size: number, rate: number): number[] {
  const window = Array.from({ length: size }, (_, i) => Math.sin((Math.PI * i) / size) ** 2);
  const squares = window.reduce((sum, each) => sum + each ** 2, 0);
  const segments: number[][] = [];
  for (let from = 0; from + size <= values.length; from += size / 2) {
    const part = [...values.slice(from, from + size)];
    const mean = part.reduce((sum, each) => sum + each, 0) / size;
    segments.push(
      Array.from({ length: size / 2 + 1 }, (_, k) => {
        let [re, im] = [0, 0];
        for (const [i, each] of part.entries()) {
          re += (each - mean) * window[i] * Math.cos((2 * Math.PI * k * i) / size);
          im -= (each - mean) * window[i] * Math.sin((2 * Math.PI * k * i) / size);
        }
        return ((re * re + im * im) / squares / rate) * (k === 0 || k === size / 2 ? 1 : 2);
      }),
    );
  }
  return segments[0].map((_, k) => segments.reduce((sum, segment) => sum + segment[k], 0) / segments.length);
}

test('it is what the definition says', () => {
  const noise = sampled(50, 300, (t) => Math.sin(t * 1234.5) * 7 + Math.cos(t * t * 99) + t);
  const { power } = spectrumOf(noise, { size: 64 });
  const expected = plainWelch(noise.values, 64, 50);
  for (const [k, each] of power.entries()) expect(each).toBeCloseTo(expected[k], 6);
});

describe('too little, or odd, is no trouble', () => {
  test.each([
    ['nothing', []],
    ['one sample', [1]],
    ['one time', [1, 1, 1, 1]],
    ['no times', [Number.NaN, Number.NaN]],
    ['seven samples', [1, 2, 3, 4, 5, 6, 7]],
  ])('%s', (_, times) => {
    const series = new Series(Float64Array.from(times), new Float64Array(times.length));
    expect(spectrumOf(series)).toMatchObject({ segments: 0, power: new Float64Array() });
    expect(spectrogramOf(series).times).toHaveLength(0);
  });

  test('a few samples close together do not ask for millions between the others', () => {
    const times = Float64Array.from({ length: 300 }, (_, i) => (i < 200 ? i : 200 + (i - 200) * 1e9));
    const { segments } = spectrumOf(new Series(times, times), { size: 16 });
    expect(segments).toBeLessThan(300);
  });

  test('a size that is no power of two is refused', () => {
    expect(() => spectrumOf(sampled(10, 100, sine(1, 1)), { size: 100 })).toThrow('segments of 100 samples');
  });
});

test('a spectrogram shows when the frequency changes', () => {
  const chirp = sampled(400, 8000, (t) => Math.sin(2 * Math.PI * (t < 10 ? 40 : 90) * t));
  const { times, frequencies, power, size } = spectrogramOf(chirp);
  expect(size).toBe(256);
  expect(times[0]).toBe(0.32e6);
  const peaks = [...times].map((time, i) => ({
    time: time / 1e6,
    hertz: peakOf(frequencies, power.subarray(i * frequencies.length, (i + 1) * frequencies.length)),
  }));
  for (const { time, hertz } of peaks) {
    if (Math.abs(time - 10) > 0.4) expect(Math.abs(hertz - (time < 10 ? 40 : 90))).toBeLessThan(400 / 256);
  }
  expect(peaks.length).toBe(61);
});

test('a spectrogram has an end', () => {
  expect(spectrogramOf(sampled(1000, 100_000, sine(1, 5)), { size: 8 }).times.length).toBeLessThanOrEqual(2000);
});
