import { type EvenRuns, evenRuns } from './even-runs.ts';
import { fft } from './fft.ts';
import { SPECTRUM_LIMITS } from './limits.ts';
import type { Series } from './series.ts';

export interface SpectrumOptions {
  /** Samples of a segment, a power of two: more tell frequencies better apart, fewer give a smoother curve. */
  readonly size?: number | undefined;
}

/** How the power of a series spreads over frequencies. */
export interface Spectrum {
  /** Hertz, from 0 to half the rate. */
  readonly frequencies: Float64Array;
  /** The square of the unit for each hertz; empty where there are too few samples. */
  readonly power: Float64Array;
  /** Samples a second that were taken. */
  readonly rate: number;
  /** Segments that the power is the mean of. */
  readonly segments: number;
}

/** Segments that there should be, so that their mean is smooth. */
const SEGMENTS = 8;

/**
 * The power spectral density after Welch (https://en.wikipedia.org/wiki/Welch%27s_method): segments that overlap by half,
 * their mean taken away, under a Hann window. No segment reaches over a gap. The sum of power times the step of the
 * frequencies is the variance.
 */
export function spectrumOf(series: Series, options: SpectrumOptions = {}): Spectrum {
  const even = evenRuns(series);
  const size = segmentSize(even, options.size);
  if (size === 0) return { frequencies: new Float64Array(), power: new Float64Array(), rate: even.rate, segments: 0 };
  const transform = new SegmentPower(size, even.rate);
  const power = new Float64Array(size / 2 + 1);
  let segments = 0;
  for (const { values } of even.runs) {
    for (let from = 0; from + size <= values.length; from += size / 2) {
      const own = transform.of(values, from);
      for (let i = 0; i < power.length; i++) power[i] += own[i];
      segments++;
    }
  }
  return { frequencies: transform.frequencies, power: power.map((sum) => sum / segments), rate: even.rate, segments };
}

/** The samples of a segment that suit the runs: as wanted, but no more than the longest run has; 0 for too few. */
export function segmentSize({ runs }: EvenRuns, wanted: number | undefined): number {
  if (wanted !== undefined && !(wanted >= SPECTRUM_LIMITS.leastSize && Number.isInteger(Math.log2(wanted)))) {
    throw new RangeError(
      `segments of ${wanted} samples: a power of two from ${SPECTRUM_LIMITS.leastSize} on is needed`,
    );
  }
  const longest = runs.reduce((most, { values }) => Math.max(most, values.length), 0);
  const suited = wanted ?? (2 * longest) / (SEGMENTS + 1);
  const most = Math.min(longest, SPECTRUM_LIMITS.mostSize);
  if (most < SPECTRUM_LIMITS.leastSize) return 0;
  return 2 ** Math.floor(Math.log2(Math.min(most, Math.max(suited, SPECTRUM_LIMITS.leastSize))));
}

/** The power of one segment after the other. */
export class SegmentPower {
  readonly frequencies: Float64Array;
  private readonly window: Float64Array;
  private readonly re: Float64Array;
  private readonly im: Float64Array;
  private readonly power: Float64Array;
  private readonly scale: number;

  constructor(size: number, rate: number) {
    this.window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size));
    this.re = new Float64Array(size);
    this.im = new Float64Array(size);
    this.power = new Float64Array(size / 2 + 1);
    this.frequencies = Float64Array.from({ length: size / 2 + 1 }, (_, i) => (i * rate) / size);
    this.scale = 1 / (rate * this.window.reduce((sum, each) => sum + each * each, 0));
  }

  /** Of the samples from a place on; what it gives holds until it is asked again. */
  of(values: Float64Array, from: number): Float64Array {
    const { re, im, window, power, scale } = this;
    const size = window.length;
    let sum = 0;
    for (let i = 0; i < size; i++) sum += values[from + i];
    const mean = sum / size;
    for (let i = 0; i < size; i++) re[i] = (values[from + i] - mean) * window[i];
    im.fill(0);
    fft(re, im);
    // each frequency but the first and the last stands for its negative too
    for (let i = 0; i < power.length; i++) {
      power[i] = (re[i] * re[i] + im[i] * im[i]) * scale * (i === 0 || i === size / 2 ? 1 : 2);
    }
    return power;
  }
}
