import type { Point3 } from './orbit-camera.ts';

const RADIAN = Math.PI / 180;
/** WGS 84: the greater half axis in metres, and the square of the eccentricity. */
const RADIUS = 6_378_137;
const ECCENTRICITY = 6.69437999014e-3;

/** Metres around a place: good to a millimetre in a kilometre, which is more than can be seen. */
export class LocalFrame {
  private readonly lon: number;
  private readonly lat: number;
  private readonly alt: number;
  private readonly east: number;
  private readonly north: number;

  constructor(lon: number, lat: number, alt: number) {
    const root = 1 - ECCENTRICITY * Math.sin(lat * RADIAN) ** 2;
    this.lon = lon;
    this.lat = lat;
    this.alt = alt;
    this.east = (RADIUS / Math.sqrt(root)) * Math.cos(lat * RADIAN) * RADIAN;
    this.north = ((RADIUS * (1 - ECCENTRICITY)) / root ** 1.5) * RADIAN;
  }

  at(lon: number, lat: number, alt: number): Point3 {
    const turn = Math.round((lon - this.lon) / 360) * 360;
    return [(lon - this.lon - turn) * this.east, (lat - this.lat) * this.north, alt - this.alt];
  }
}
