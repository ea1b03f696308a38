/** Longitude and latitude, and further values of a file. */
type Place = number[];

/** A box of places; east may be beyond 180 degrees where it spans the antimeridian. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

const RADIAN = Math.PI / 180;
/** Metres of a degree of latitude, and of longitude at the equator, on the mean sphere. */
const DEGREE = 111_195;

/** A circle on the ground as a polygon; the radius in metres. */
export function circleAround(lon: number, lat: number, metres: number, corners = 96): [number, number][] {
  const across = Math.max(1e-6, Math.cos(lat * RADIAN));
  return Array.from({ length: corners + 1 }, (_, i) => {
    const angle = (i / corners) * 2 * Math.PI;
    return [lon + (metres * Math.sin(angle)) / (DEGREE * across), lat + (metres * Math.cos(angle)) / DEGREE];
  });
}

/** The largest 1, 2 or 5 times a power of ten that is not above a number. */
export function roundBelow(number: number): number {
  const power = 10 ** Math.floor(Math.log10(number));
  const digit = number / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

/** Metres as people write them. */
export function metresText(metres: number): string {
  if (metres >= 1000) return `${Number((metres / 1000).toPrecision(3))} km`;
  return metres >= 1 ? `${Number(metres.toPrecision(3))} m` : `${Number((metres * 100).toPrecision(2))} cm`;
}

const LEAST_STEP = 0.00001;
const MOST_STEP = 30;

/** Degrees between the lines of a grid with about `lines` of them in a span of degrees. */
export function gridStep(span: number, lines: number): number {
  return Math.max(LEAST_STEP, Math.min(MOST_STEP, roundBelow(span / lines)));
}

export function gridLines(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step);
  const count = Math.max(0, Math.min(200, Math.floor(to / step) - first + 1));
  // a product, not a sum: so that 0.3 is not 0.30000000000000004
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toFixed(6)));
}

/** A degree with its side of the globe: 47.3977° N. */
export function degreeText(degree: number, step: number, sides: readonly [string, string]): string {
  const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  const within = sides[0] === 'E' ? ((((degree + 180) % 360) + 360) % 360) - 180 : degree;
  const side = within === 0 ? '' : ` ${within < 0 ? sides[1] : sides[0]}`;
  return `${Math.abs(within).toFixed(digits)}°${side}`;
}

export function boxOf(places: Iterable<readonly [number, number]>): Box | undefined {
  let [west, south] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let [east, north] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [lon, lat] of places) {
    west = Math.min(west, lon);
    south = Math.min(south, lat);
    east = Math.max(east, lon);
    north = Math.max(north, lat);
  }
  return west <= east ? { west, south, east, north } : undefined;
}

/** A ring with longitudes beyond 180 degrees instead of jumps; one around the globe is closed along its pole. */
export function unrolled(ring: readonly Place[]): Place[] {
  let turned = 0;
  const places = ring.map(([lon, lat], i): Place => {
    const step = i > 0 ? lon - ring[i - 1][0] : 0;
    if (Math.abs(step) > 180) turned += step > 0 ? -360 : 360;
    return [lon + turned, lat];
  });
  if (turned === 0) return places;
  const [first, last] = [places[0], places[places.length - 1]];
  const pole = first[1] < 0 ? -90 : 90;
  return [...places, [last[0], pole], [first[0], pole], first];
}
