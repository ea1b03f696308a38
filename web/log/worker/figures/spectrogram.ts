import { Series, type Spectrogram, spectrogramOf } from '../../../../src/entry/pages.ts';
import { transfer } from '../../../shared/rpc.ts';
import { type PlacedSeries, samplesIn } from './figure.ts';

/** Power over time and frequency as a picture, for the page to give it colours. */
export interface SpectrogramImage {
  /** Microseconds of the page at its left and right edge. */
  readonly from: number;
  readonly to: number;
  /** Hertz at its upper edge; the lower one is 0. */
  readonly top: number;
  /** The greatest power by hertz; the least that is shown is a millionth of it. */
  readonly strongest: number;
  readonly width: number;
  readonly height: number;
  /** Row by row from the top: 0 where nothing is known, else from 1 for the least power to 255 for the greatest. */
  readonly levels: Uint8Array;
}

/** The range of powers that is shown, as a ratio: 60 dB. */
const DEPTH = 1e6;
const [LEAST_SIZE, MOST_SIZE] = [32, 1024];

/** The picture of a window; null if there are too few samples. */
export function spectrogramImage(
  placed: PlacedSeries,
  from: number,
  to: number,
  pixels: number,
): SpectrogramImage | null {
  const { times, values } = samplesIn(placed, from, to);
  const found = spectrogramOf(new Series(times, values), { size: sizeFor(times.length) });
  const height = found.frequencies.length;
  if (found.times.length === 0 || height < 2) return null;
  const width = Math.max(1, Math.round(pixels));
  const { loud, strongest } = levelsOf(found);
  const levels = new Uint8Array(width * height);
  const columns = columnsAt(found, from - placed.offset, to - placed.offset, width);
  for (let column = 0; column < width; column++) {
    if (columns[column] < 0) continue;
    for (let row = 0; row < height; row++)
      levels[row * width + column] = loud[columns[column] * height + height - 1 - row];
  }
  return { from, to, top: found.rate / 2, strongest, width, height, levels: transfer(levels) };
}

/** About as many segments as frequencies, so that neither is coarse. */
function sizeFor(samples: number): number {
  const size = 2 ** Math.round(Math.log2(Math.sqrt(2 * Math.max(1, samples))));
  return Math.max(LEAST_SIZE, Math.min(MOST_SIZE, size));
}

/** On a scale of decibels; the lowest frequency is left out of what is strongest, since drifts would outshine the rest. */
function levelsOf({ power, frequencies }: Spectrogram): { readonly loud: Uint8Array; readonly strongest: number } {
  const count = frequencies.length;
  let strongest = 0;
  for (let i = 0; i < power.length; i++) if (i % count > 1 && power[i] > strongest) strongest = power[i];
  const weakest = strongest / DEPTH;
  const loud = Uint8Array.from(power, (each) => {
    const part = strongest > 0 ? Math.log(Math.max(each, weakest) / weakest) / Math.log(DEPTH) : 0;
    return 1 + Math.round(Math.min(1, part) * 254);
  });
  return { loud, strongest };
}

/** The segment in each column of pixels: the nearest, if it reaches there; -1 for none. */
function columnsAt({ times, size, rate }: Spectrogram, from: number, to: number, width: number): Int32Array {
  const usual = times.length > 1 ? (times[times.length - 1] - times[0]) / (times.length - 1) : 0;
  const reach = Math.max((size / rate) * 1e6, usual) / 2;
  const columns = new Int32Array(width).fill(-1);
  let near = 0;
  for (let column = 0; column < width; column++) {
    const time = from + ((column + 0.5) / width) * (to - from);
    while (near + 1 < times.length && Math.abs(times[near + 1] - time) <= Math.abs(times[near] - time)) near++;
    if (Math.abs(times[near] - time) <= reach) columns[column] = near;
  }
  return columns;
}
