import type { Track } from './track.ts';

/** The ellipsoid of GPS, WGS 84: its greater half axis in metres, and how flat it is. */
const RADIUS = 6_378_137;
const FLATTENING = 1 / 298.257223563;
const RADIAN = Math.PI / 180;

/** A box of longitudes and latitudes. Where it spans the antimeridian west is greater than east, as in RFC 7946. */
export interface Box {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

export interface Bounds extends Box {
  /** Lowest and highest altitude in metres; NaN where no point has one. */
  readonly low: number;
  readonly high: number;
}

/**
 * Metres between two places given in degrees, along the ellipsoid: Lambert's formula, the great circle between the
 * reduced latitudes with a correction for the flattening. Off by 11 mm in a kilometre (a sphere: 5 m), except near
 * antipodes.
 */
export function distance(lat1: number, lon1: number, lat2: number, lon2: number): number {
  const reduced1 = Math.atan((1 - FLATTENING) * Math.tan(lat1 * RADIAN));
  const reduced2 = Math.atan((1 - FLATTENING) * Math.tan(lat2 * RADIAN));
  const mean = (reduced1 + reduced2) / 2;
  const half = (reduced2 - reduced1) / 2;
  const sinLon = Math.sin(((lon2 - lon1) * RADIAN) / 2);
  const haversine = Math.sin(half) ** 2 + Math.cos(reduced1) * Math.cos(reduced2) * sinLon ** 2;
  if (!(haversine > 0)) return haversine === 0 ? 0 : Number.NaN;
  const angle = 2 * Math.asin(Math.min(1, Math.sqrt(haversine)));
  const across = (Math.sin(mean) * Math.cos(half)) ** 2 / Math.max(1 - haversine, Number.EPSILON);
  const along = (Math.cos(mean) * Math.sin(half)) ** 2 / haversine;
  const correction = (angle - Math.sin(angle)) * across + (angle + Math.sin(angle)) * along;
  return RADIUS * (angle - (FLATTENING / 2) * correction);
}

/** Metres over ground from point to point of a track. The noise of a vehicle at rest adds up, too. */
export function trackLength({ lat, lon, points }: Track): number {
  let sum = 0;
  for (let i = 1; i < points; i++) sum += distance(lat[i - 1], lon[i - 1], lat[i], lon[i]);
  return sum;
}

export function trackBounds({ lat, lon, alt, points }: Track): Bounds | undefined {
  if (points === 0) return undefined;
  let [south, north] = [lat[0], lat[0]];
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  // longitudes are followed past the antimeridian, so that the box is on the side where the track is
  let [west, east, turned] = [lon[0], lon[0], 0];
  for (let i = 0; i < points; i++) {
    south = Math.min(south, lat[i]);
    north = Math.max(north, lat[i]);
    if (alt[i] < low) low = alt[i];
    if (alt[i] > high) high = alt[i];
    const step = i > 0 ? lon[i] - lon[i - 1] : 0;
    if (step > 180) turned -= 360;
    else if (step < -180) turned += 360;
    west = Math.min(west, lon[i] + turned);
    east = Math.max(east, lon[i] + turned);
  }
  const isRound = east - west >= 360;
  const box = { south, north, low: low <= high ? low : Number.NaN, high: low <= high ? high : Number.NaN };
  return { ...box, west: isRound ? -180 : wrapped(west), east: isRound ? 180 : wrapped(east) };
}

/** A longitude from -180 to 180. Those in it stay as they are, to the last digit. */
function wrapped(lon: number): number {
  let within = lon;
  while (within > 180) within -= 360;
  while (within < -180) within += 360;
  return within;
}
