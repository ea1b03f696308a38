import type { FigureLine } from '../../../shared/plot/figure-plot.ts';
import { type Figure, figureLine, type PlacedSeries, rangeOf, samplesIn } from './figure.ts';

const FEWEST = 10;
const MOST = 120;

/** The percentage of the samples of each field in each bin. All fields share the bins. */
export function histogramFigure(wanted: readonly (PlacedSeries | null)[], from: number, to: number): Figure {
  const samples = wanted.map((placed) => placed && samplesIn(placed, from, to).values.filter(Number.isFinite));
  const known = samples.filter((values) => values !== null && values.length > 0) as Float64Array[];
  const { low, high } = rangeOf(known);
  const bins = binsFor(known, low, high);
  const lines = samples.map((values) => (values && values.length > 0 ? stepsOf(values, bins) : null));
  const top = rangeOf(lines.flatMap((line) => (line ? [line.y] : []))).high;
  return { lines, x: { low: bins.start, high: bins.start + bins.width * bins.count }, y: { low: 0, high: top } };
}

interface Bins {
  readonly start: number;
  readonly width: number;
  readonly count: number;
}

/** A bin for each of few whole numbers, centred on it; else sqrt(samples) bins. */
export function binsFor(samples: readonly Float64Array[], low: number, high: number): Bins {
  if (!(low <= high)) return { start: Number.NaN, width: Number.NaN, count: 0 };
  const isWhole = high - low < MOST && samples.every((values) => values.every(Number.isInteger));
  if (isWhole) return { start: low - 0.5, width: 1, count: high - low + 1 };
  if (low === high) return { start: low - 0.5, width: 1, count: 1 };
  const most = Math.max(...samples.map(({ length }) => length));
  const count = Math.max(FEWEST, Math.min(MOST, Math.ceil(Math.sqrt(most))));
  return { start: low, width: (high - low) / count, count };
}

/*
 * The outline of the bars:     ┌──┐
 *                           ┌──┘  │   two points a bin, at its edges, and both ends at 0
 *                           │     └──
 */
function stepsOf(values: Float64Array, { start, width, count }: Bins): FigureLine {
  const counts = new Uint32Array(count);
  for (const value of values) counts[Math.max(0, Math.min(count - 1, Math.floor((value - start) / width)))]++;
  const [x, y] = [new Float64Array(count * 2 + 2), new Float64Array(count * 2 + 2)];
  for (let bin = 0; bin < count; bin++) {
    const share = (counts[bin] / values.length) * 100;
    x[bin * 2 + 1] = start + bin * width;
    x[bin * 2 + 2] = start + (bin + 1) * width;
    y[bin * 2 + 1] = share;
    y[bin * 2 + 2] = share;
  }
  x[0] = start;
  x[count * 2 + 1] = start + count * width;
  return figureLine(x, y);
}
