import { mercatorX, mercatorY, placeOf } from './view.ts';

/** Places that a trail keeps. */
const PLACES = 512;
/** What a vehicle must move until the next place is kept, in parts of the globe: about 40 cm. */
const STEP = 1e-8;

/** The latest places of a vehicle, in Mercator's coordinates, one after the other in a ring. */
export class Trail {
  readonly x: Float64Array = new Float64Array(PLACES);
  readonly y: Float64Array = new Float64Array(PLACES);
  private first = 0;
  private count = 0;

  add(lon: number, lat: number): void {
    const [x, y] = [mercatorX(lon), mercatorY(lat)];
    const last = this.place(this.count - 1);
    if (this.count > 0 && Math.hypot(x - this.x[last], y - this.y[last]) < STEP) return;
    const next = this.place(this.count);
    this.x[next] = x;
    this.y[next] = y;
    if (this.count < PLACES) this.count++;
    else this.first = (this.first + 1) % PLACES;
  }

  get length(): number {
    return this.count;
  }

  /** Two corners of the box around it: longitude, latitude. */
  *box(): Generator<readonly [number, number]> {
    if (this.count === 0) return;
    const [xs, ys] = [this.x.subarray(0, this.count), this.y.subarray(0, this.count)];
    yield placeOf(Math.min(...xs), Math.min(...ys));
    yield placeOf(Math.max(...xs), Math.max(...ys));
  }

  /** The index of the n-th place in the arrays, the oldest being 0. */
  place(n: number): number {
    return (this.first + n + PLACES) % PLACES;
  }
}
