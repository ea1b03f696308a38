import { Series as CoreSeries } from '../../../src/entry/pages.ts';
import { Pyramid } from './pyramid.ts';

/** One quantity over time as the page shows it: samples in the order of time, all of them with a time. */
export class Series extends CoreSeries {
  readonly unit: string;
  private made: Pyramid | undefined;
  private converted: Series | undefined;

  constructor(times: Float64Array, values: Float64Array, unit: string, isHeld = false) {
    const ordered = new CoreSeries(times, values, isHeld).ordered();
    super(ordered.times, ordered.values, isHeld);
    this.unit = unit;
  }

  get pyramid(): Pyramid {
    this.made ??= new Pyramid(this.values);
    return this.made;
  }

  /** The same in another unit: shown value = value * factor. Only one is kept, since all are shown in the same units. */
  scaled(factor: number, unit: string): Series {
    if (factor === 1 && unit === this.unit) return this;
    if (this.converted?.unit !== unit) {
      const values = this.values.map((value) => value * factor);
      this.converted = new Series(this.times, values, unit, this.isHeld);
    }
    return this.converted;
  }
}
