import { Series, spectrumOf } from '../../../../src/entry/pages.ts';
import type { FigureLine } from '../../../shared/plot/figure-plot.ts';
import { type Figure, figureLine, type PlacedSeries, rangeOf, samplesIn } from './figure.ts';

/** Below this part of the greatest power there is only noise of the arithmetic. */
const FLOOR = 1e-12;
/** Peaks that get a label, and their least prominence: 10 dB. */
const PEAKS = 3;
const PROMINENCE = 10;
/** Places that are looked at: noise has a peak at every third frequency. */
const ASKED = 300;

/** Power by frequency of each field over the window. */
export function spectrumFigure(wanted: readonly (PlacedSeries | null)[], from: number, to: number): Figure {
  const lines = wanted.map((placed) => placed && spectrumLine(placed, from, to));
  const known = lines.filter((line) => line !== null);
  const x = rangeOf(known.map((line) => line.x));
  const y = rangeOf(known.map((line) => line.y.filter((power) => power > 0)));
  return { lines, x, y: { low: Math.max(y.low, y.high * FLOOR), high: y.high } };
}

function spectrumLine(placed: PlacedSeries, from: number, to: number): FigureLine | null {
  const { times, values } = samplesIn(placed, from, to);
  const { frequencies, power } = spectrumOf(new Series(times, values));
  // the mean was taken away, so there is nothing at 0 Hz
  if (power.length < 3) return null;
  const [x, y] = [frequencies.slice(1), power.slice(1)];
  return figureLine(x, y, true, peaksOf(x, y));
}

/** The highest peaks of enough prominence. */
export function peaksOf(x: Float64Array, y: Float64Array): { x: number; y: number }[] {
  const places: number[] = [];
  for (let i = 0; i < y.length; i++) {
    const isTop = y[i] > 0 && !(y[i - 1] > y[i]) && !(y[i + 1] >= y[i]);
    if (isTop) places.push(i);
  }
  places.sort((a, b) => y[b] - y[a]);
  const found: number[] = [];
  for (const place of places.slice(0, ASKED)) {
    if (found.length === PEAKS) break;
    if (prominence(y, place) >= PROMINENCE) found.push(place);
  }
  return found.map((i) => ({ x: x[i], y: y[i] }));
}

/** How many times higher a place is than the higher of the two valleys towards what is higher still. */
function prominence(y: Float64Array, place: number): number {
  const valley = (step: 1 | -1): number => {
    let least = y[place];
    for (let i = place + step; i >= 0 && i < y.length; i += step) {
      if (y[i] > y[place]) return least;
      least = Math.min(least, y[i]);
    }
    return least;
  };
  return y[place] / Math.max(valley(1), valley(-1));
}
