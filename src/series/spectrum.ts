import { SPECTRUM_LIMITS } from './limits.ts';
import { type Series, usualInterval } from './series.ts';

/** In-place radix-2 FFT: https://en.wikipedia.org/wiki/Cooley%E2%80%93Tukey_FFT_algorithm. Length: a power of two. */
export function fft(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  if (n === 0 || (n & (n - 1)) !== 0 || im.length !== n) {
    throw new RangeError(`fft of ${n} and ${im.length} numbers: both must be one power of two`);
  }
  reorder(re, im);
  for (let half = 1; half < n; half *= 2) {
    const angle = -Math.PI / half;
    for (let k = 0; k < half; k++) {
      // each angle from scratch, so that errors do not add up
      const [cos, sin] = [Math.cos(angle * k), Math.sin(angle * k)];
      for (let at = k; at < n; at += 2 * half) {
        const other = at + half;
        const x = re[other] * cos - im[other] * sin;
        const y = re[other] * sin + im[other] * cos;
        re[other] = re[at] - x;
        im[other] = im[at] - y;
        re[at] += x;
        im[at] += y;
      }
    }
  }
}

/** The inverse of it: that of the numbers with real and imaginary parts exchanged, divided by how many there are. */
export function inverseFft(re: Float64Array, im: Float64Array): void {
  fft(im, re);
  for (let i = 0; i < re.length; i++) {
    re[i] /= re.length;
    im[i] /= re.length;
  }
}

/** Moves each number to the index with its bits reversed. */
function reorder(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; (j & bit) !== 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    [re[i], re[j]] = [re[j], re[i]];
    [im[i], im[j]] = [im[j], im[i]];
  }
}

/** Samples at equal steps of time. */
interface EvenRun {
  /** Microseconds of the first one. */
  readonly start: number;
  readonly values: Float64Array;
}

interface EvenRuns {
  /** Samples a second; 0 where there are no two times. */
  readonly rate: number;
  /** Stretches without a gap or a missing value, in the order of time. */
  readonly runs: readonly EvenRun[];
}

/** Runs of a series at equal steps of its usual rate, interpolated, since timestamps jitter; gaps are not filled. */
function evenRuns(series: Series): EvenRuns {
  const { times, values, gap } = series.ordered();
  const usual = usualInterval(times);
  if (!(usual > 0)) return { rate: 0, runs: [] };
  const known = (i: number): boolean => Number.isFinite(values[i]);
  const runs: EvenRun[] = [];
  // a few samples close together, among many far apart, must not ask for millions between those
  let left = Math.min(times.length * SPECTRUM_LIMITS.samplesEach, SPECTRUM_LIMITS.samples);
  for (let from = 0; from < times.length; ) {
    if (!known(from)) {
      from++;
      continue;
    }
    let to = from + 1;
    while (to < times.length && known(to) && times[to] - times[to - 1] <= gap) to++;
    const count = Math.min(left, Math.floor((times[to - 1] - times[from]) / usual + 1e-6) + 1);
    left -= count;
    if (count > 1) runs.push({ start: times[from], values: evenValues(times, values, from, to, usual, count) });
    from = to;
  }
  return { rate: 1e6 / usual, runs };
}

function evenValues(
  times: Float64Array,
  values: Float64Array,
  from: number,
  to: number,
  step: number,
  count: number,
): Float64Array {
  const even = new Float64Array(count);
  let next = from + 1;
  for (let i = 0; i < count; i++) {
    const time = times[from] + i * step;
    while (next < to - 1 && times[next] <= time) next++;
    const [before, after] = [times[next - 1], times[next]];
    const part = after > before ? Math.min(1, (time - before) / (after - before)) : 0;
    even[i] = values[next - 1] + (values[next] - values[next - 1]) * part;
  }
  return even;
}

export interface SpectrumOptions {
  /** Samples of a segment, a power of two: more separate frequencies better, fewer give a smoother curve. */
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
function segmentSize({ runs }: EvenRuns, wanted: number | undefined): number {
  if (wanted !== undefined && !(wanted >= SPECTRUM_LIMITS.leastSize && Number.isInteger(Math.log2(wanted)))) {
    throw new RangeError(`segments of ${wanted} samples: must be a power of two, ${SPECTRUM_LIMITS.leastSize} or more`);
  }
  const longest = runs.reduce((most, { values }) => Math.max(most, values.length), 0);
  const suited = wanted ?? (2 * longest) / (SEGMENTS + 1);
  const most = Math.min(longest, SPECTRUM_LIMITS.mostSize);
  if (most < SPECTRUM_LIMITS.leastSize) return 0;
  return 2 ** Math.floor(Math.log2(Math.min(most, Math.max(suited, SPECTRUM_LIMITS.leastSize))));
}

class SegmentPower {
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
    // each frequency but the first and the last counts for its negative, too
    for (let i = 0; i < power.length; i++) {
      power[i] = (re[i] * re[i] + im[i] * im[i]) * scale * (i === 0 || i === size / 2 ? 1 : 2);
    }
    return power;
  }
}

/** How the power spreads over frequencies as time goes on. */
export interface Spectrogram {
  /** Microseconds of the middle of each segment. */
  readonly times: Float64Array;
  readonly frequencies: Float64Array;
  /** For each time the power at each frequency: `power[time * frequencies.length + frequency]`. */
  readonly power: Float32Array;
  readonly rate: number;
  /** Samples of a segment. */
  readonly size: number;
}

/** Samples of a segment by default: half a second of a fast sensor. */
const SIZE = 256;

/** The power of segments one after the other, as of `spectrumOf`. Where there are too many, every n-th is taken. */
export function spectrogramOf(series: Series, options: SpectrumOptions = {}): Spectrogram {
  const even = evenRuns(series);
  const { rate, runs } = even;
  const size = segmentSize(even, options.size ?? SIZE);
  if (size === 0) {
    const none = new Float64Array();
    return { times: none, frequencies: none, power: new Float32Array(), rate, size };
  }
  const samples = runs.reduce((sum, { values }) => sum + values.length, 0);
  const step = Math.max(size / 2, Math.ceil(samples / SPECTRUM_LIMITS.columns));
  const places = runs.flatMap((run) => {
    const count = Math.max(0, Math.floor((run.values.length - size) / step) + 1);
    return Array.from({ length: count }, (_, i) => ({ run, from: i * step }));
  });
  const transform = new SegmentPower(size, rate);
  const { frequencies } = transform;
  const power = new Float32Array(places.length * frequencies.length);
  for (const [i, { run, from }] of places.entries()) power.set(transform.of(run.values, from), i * frequencies.length);
  const times = Float64Array.from(places, ({ run, from }) => run.start + ((from + size / 2) / rate) * 1e6);
  return { times, frequencies, power, rate, size };
}
