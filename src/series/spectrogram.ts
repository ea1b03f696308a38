import { evenRuns } from './even-runs.ts';
import { SPECTRUM_LIMITS } from './limits.ts';
import type { Series } from './series.ts';
import { SegmentPower, type SpectrumOptions, segmentSize } from './spectrum.ts';

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

/** Samples of a segment unless told otherwise: half a second of a fast sensor. */
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
