import type { FigureLine, Range } from '../../../shared/plot/figure-plot.ts';
import { type Figure, figureLine, type PlacedSeries, rangeOf, samplesIn } from './figure.ts';

/** Points that are joined by lines; of more, only their pixels are drawn. */
const MOST_JOINED = 30_000;

/** The first field along the x axis, all others over it, on one time: that of whichever of the two has more samples. */
export function xyFigure(
  wanted: readonly (PlacedSeries | null)[],
  from: number,
  to: number,
  width: number,
  height: number,
): Figure {
  const [along, ...others] = wanted;
  const pairs = others.map((other) => (along && other ? pairOf(along, other, from, to) : null));
  const x = rangeOf(pairs.flatMap((pair) => (pair ? [pair.x] : [])));
  const y = rangeOf(pairs.flatMap((pair) => (pair ? [pair.y] : [])));
  const lines = pairs.map((pair) => pair && thinned(pair.x, pair.y, { x, y, width, height }));
  return { lines: [null, ...lines], x, y };
}

/** The values of two fields at the same times; missing where one of them is. */
export function pairOf(a: PlacedSeries, b: PlacedSeries, from: number, to: number) {
  const [inA, inB] = [samplesIn(a, from, to), samplesIn(b, from, to)];
  if (inA.times.length >= inB.times.length) return missingTogether(inA.values, valuesOf(b, inA.times, a.offset));
  return missingTogether(valuesOf(a, inB.times, b.offset), inB.values);
}

/** The values of a field at times on the clock of another. */
function valuesOf({ series, offset }: PlacedSeries, times: Float64Array, theirs: number): Float64Array {
  const shift = theirs - offset;
  const at = shift === 0 ? times : times.map((time) => time + shift);
  return series.resample(at);
}

function missingTogether(x: Float64Array, y: Float64Array): { x: Float64Array; y: Float64Array } {
  const isKnown = (i: number): boolean => Number.isFinite(x[i]) && Number.isFinite(y[i]);
  return {
    x: x.map((value, i) => (isKnown(i) ? value : Number.NaN)),
    y: y.map((value, i) => (isKnown(i) ? value : Number.NaN)),
  };
}

interface PlotScreen {
  readonly x: Range;
  readonly y: Range;
  readonly width: number;
  readonly height: number;
}

/** Leaves out what falls on the pixel of the point before; where that is not enough, each pixel is taken once. */
export function thinned(x: Float64Array, y: Float64Array, screen: PlotScreen): FigureLine {
  const columns = Math.max(1, Math.ceil(screen.width));
  const rows = Math.max(1, Math.ceil(screen.height));
  const pixel = (i: number): number => placeIn(x[i], screen.x, columns) + placeIn(y[i], screen.y, rows) * columns;
  const kept = new Uint32Array(x.length);
  let count = 0;
  let before = -1;
  for (let i = 0; i < x.length; i++) {
    const own = Number.isNaN(x[i]) ? -1 : pixel(i);
    if (own === before) continue;
    before = own;
    kept[count++] = i;
  }
  const isJoined = count <= MOST_JOINED;
  if (!isJoined) {
    const seen = new Uint8Array(columns * rows);
    let places = 0;
    for (const i of kept.subarray(0, count)) {
      if (Number.isNaN(x[i])) continue;
      const own = pixel(i);
      if (seen[own] === 1) continue;
      seen[own] = 1;
      kept[places++] = i;
    }
    count = places;
  }
  const chosen = kept.subarray(0, count);
  return figureLine(
    Float64Array.from(chosen, (i) => x[i]),
    Float64Array.from(chosen, (i) => y[i]),
    isJoined,
  );
}

function placeIn(value: number, { low, high }: Range, count: number): number {
  const part = high > low ? (value - low) / (high - low) : 0;
  return Math.max(0, Math.min(count - 1, Math.floor(part * count)));
}
