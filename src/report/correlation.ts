import { fft, inverseFft } from '../series/spectrum.ts';

/** Values at even steps of time, of one or several components; NaN where none is known in all of them. */
export interface Signal {
  /** Seconds of the first value, and between two. */
  readonly start: number;
  readonly step: number;
  readonly components: readonly Float64Array[];
}

/** Where two signals are alike. */
export interface Likeness {
  /** Seconds by which the second one comes later than the first. */
  readonly lag: number;
  /** 1 for signals that differ in nothing but their size and mean. */
  readonly correlation: number;
  /** Seconds for which both are known. */
  readonly overlap: number;
  /** How far apart their values are there: the root of the mean square. */
  readonly distance: number;
}

export interface LikenessOptions {
  /** Seconds for which both must be known at least. */
  readonly overlap: number;
  /** How much each must vary there: the root of the mean square around the mean. */
  readonly variation: number;
  /** The least correlation that counts. */
  readonly correlation: number;
  /** The longest lag that is looked for, either way. */
  readonly lag: number;
}

/** The part of the shorter signal that must be in both: by chance any two are alike somewhere for a short while. */
const PART = 0.5;
/** Another place at which they are nearly as alike, so far from the best one, makes it a guess. */
const APART_SECONDS = 5;
const NEARLY = 0.01;

/** The lag of the highest normalised correlation of two signals; undefined if they are not alike, or at several. */
export function findLikeness(a: Signal, b: Signal, options: LikenessOptions): Likeness | undefined {
  const { step } = a;
  const correlations = correlationsOf(a, b, options);
  const best = correlations.reduce((top, each, i) => (each > (correlations[top] ?? -1) ? i : top), -1);
  if (!(correlations[best] >= options.correlation)) return undefined;
  const apart = Math.ceil(APART_SECONDS / step);
  for (let i = 0; i < correlations.length; i++) {
    const isPeak = correlations[i] > correlations[best] - NEARLY && Math.abs(i - best) > apart;
    if (isPeak && isTop(correlations, i)) return undefined;
  }
  const shift = best - (a.components[0].length - 1);
  return {
    lag: lagOf(a, b, shift + summit(correlations, best)),
    correlation: Math.min(1, correlations[best]),
    ...commonPart(a, b, shift),
  };
}

/** Seconds by which b lags after a shift by `shift` values. */
function lagOf(a: Signal, b: Signal, shift: number): number {
  return b.start - a.start + shift * a.step;
}

function isTop(values: Float64Array, i: number): boolean {
  return !(values[i - 1] > values[i]) && !(values[i + 1] > values[i]);
}

/** How far the summit of the parabola through a value and its neighbours is from the value. */
function summit(values: Float64Array, i: number): number {
  const [before, here, behind] = [values[i - 1], values[i], values[i + 1]];
  const bend = before - 2 * here + behind;
  return bend < 0 ? Math.max(-0.5, Math.min(0.5, (before - behind) / (2 * bend))) : 0;
}

function countOf({ components: [values] }: Signal): number {
  return values.reduce((sum, each) => sum + isKnown(each), 0);
}

function commonPart(a: Signal, b: Signal, shift: number): Pick<Likeness, 'overlap' | 'distance'> {
  let [count, squares] = [0, 0];
  for (let i = Math.max(0, -shift); i < a.components[0].length && i + shift < b.components[0].length; i++) {
    let here = 0;
    for (const [c, values] of a.components.entries()) here += (values[i] - b.components[c][i + shift]) ** 2;
    if (Number.isNaN(here)) continue;
    count++;
    squares += here;
  }
  return { overlap: count * a.step, distance: Math.sqrt(squares / count) };
}

/** Normalised correlation by shift of b against a, from their first overlap on; NaN if too little is known. */
function correlationsOf(a: Signal, b: Signal, { overlap, variation, lag }: LikenessOptions): Float64Array {
  const [m, n] = [a.components[0].length, b.components[0].length];
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, m + n)));
  const sums = (x: Transform, y: Transform): Float64Array => crossSums(x, y, m, n);
  const knownA = transform(a.components[0], size, isKnown);
  const knownB = transform(b.components[0], size, isKnown);
  const counts = sums(knownA, knownB);
  const together = new Float64Array(counts.length);
  const powerA = new Float64Array(counts.length);
  const powerB = new Float64Array(counts.length);
  for (const [c, values] of a.components.entries()) {
    const [x, y] = [centred(values), centred(b.components[c])];
    const [valueA, valueB] = [transform(x, size, value), transform(y, size, value)];
    const sumA = sums(valueA, knownB);
    const sumB = sums(knownA, valueB);
    const product = sums(valueA, valueB);
    const squareA = sums(transform(x, size, square), knownB);
    const squareB = sums(knownA, transform(y, size, square));
    for (let i = 0; i < counts.length; i++) {
      together[i] += product[i] - (sumA[i] * sumB[i]) / counts[i];
      powerA[i] += squareA[i] - sumA[i] ** 2 / counts[i];
      powerB[i] += squareB[i] - sumB[i] ** 2 / counts[i];
    }
  }
  const least = Math.max(2, overlap / a.step, PART * Math.min(countOf(a), countOf(b)));
  return counts.map((count, i) => {
    const needed = variation ** 2 * count;
    if (!(count >= least - 0.5 && powerA[i] >= needed && powerB[i] >= needed)) return Number.NaN;
    if (!(Math.abs(lagOf(a, b, i - (m - 1))) <= lag)) return Number.NaN;
    return together[i] / Math.sqrt(powerA[i] * powerB[i]);
  });
}

/** The values around their mean: sums of large numbers that nearly cancel out would have no digits left. */
function centred(values: Float64Array): Float64Array {
  const mean =
    values.reduce((sum, each) => sum + value(each), 0) / values.reduce((sum, each) => sum + isKnown(each), 0);
  return values.map((each) => each - mean);
}

type Transform = readonly [re: Float64Array, im: Float64Array];

const isKnown = (each: number): number => (Number.isNaN(each) ? 0 : 1);
const value = (each: number): number => (Number.isNaN(each) ? 0 : each);
const square = (each: number): number => (Number.isNaN(each) ? 0 : each * each);

function transform(values: Float64Array, size: number, map: (value: number) => number): Transform {
  const re = new Float64Array(size);
  for (let i = 0; i < values.length; i++) re[i] = map(values[i]);
  const im = new Float64Array(size);
  fft(re, im);
  return [re, im];
}

/** For each shift from -(m - 1) to n - 1 the sum of a[i] * b[i + shift]. */
function crossSums([ar, ai]: Transform, [br, bi]: Transform, m: number, n: number): Float64Array {
  const size = ar.length;
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    re[i] = ar[i] * br[i] + ai[i] * bi[i];
    im[i] = ar[i] * bi[i] - ai[i] * br[i];
  }
  inverseFft(re, im);
  return Float64Array.from({ length: m + n - 1 }, (_, i) => re[(i - (m - 1) + size) % size]);
}
