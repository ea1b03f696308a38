import { RADIAN } from '../shared/drawing.ts';

/** East, north and up in metres. */
export type Point3 = readonly [east: number, north: number, up: number];

/** Nearer than this part of the distance nothing is drawn: it would be behind the eye, or all over the screen. */
const NEAR = 0.02;

/** An eye that looks at a point from around it. */
export class OrbitCamera {
  target: Point3 = [0, 0, 0];
  /** Degrees from north that it looks to, and how far down. */
  azimuth = 35;
  elevation = 28;
  distance = 100;
  private eye: Point3 = [0, 0, 0];
  private right: Point3 = [1, 0, 0];
  private up: Point3 = [0, 0, 1];
  private forward: Point3 = [0, 1, 0];
  private width = 1;
  private height = 1;

  turn(azimuth: number, elevation: number): void {
    this.azimuth = (this.azimuth + azimuth) % 360;
    this.elevation = Math.max(-5, Math.min(89, this.elevation + elevation));
  }

  zoom(factor: number): void {
    this.distance = Math.max(2, Math.min(200_000, this.distance * factor));
  }

  /** Prepares for a frame of this size. */
  aim(width: number, height: number): void {
    const [a, e] = [this.azimuth * RADIAN, this.elevation * RADIAN];
    this.width = width;
    this.height = height;
    this.forward = [Math.sin(a) * Math.cos(e), Math.cos(a) * Math.cos(e), -Math.sin(e)];
    this.right = [Math.cos(a), -Math.sin(a), 0];
    this.up = [Math.sin(a) * Math.sin(e), Math.cos(a) * Math.sin(e), Math.cos(e)];
    this.eye = this.target.map((each, i) => each - this.forward[i] * this.distance) as unknown as Point3;
  }

  /** Metres from the eye, straight ahead. */
  depth(point: Point3): number {
    return this.along(this.forward, point);
  }

  private along(axis: Point3, point: Point3): number {
    const { eye } = this;
    return axis[0] * (point[0] - eye[0]) + axis[1] * (point[1] - eye[1]) + axis[2] * (point[2] - eye[2]);
  }

  /** The pixel of a point; undefined for one that is too near or behind. */
  pixel(point: Point3): readonly [x: number, y: number] | undefined {
    const depth = this.depth(point);
    if (!(depth >= this.distance * NEAR)) return undefined;
    const scale = Math.min(this.width, this.height) / depth;
    return [
      this.width / 2 + this.along(this.right, point) * scale,
      this.height / 2 - this.along(this.up, point) * scale,
    ];
  }

  /** The pixels of a line, cut where it is too near; undefined if it is not visible. */
  segment(a: Point3, b: Point3): readonly [x1: number, y1: number, x2: number, y2: number] | undefined {
    const near = this.distance * NEAR;
    const [da, db] = [this.depth(a), this.depth(b)];
    if (!(da >= near || db >= near)) return undefined;
    const from = this.pixel(da >= near ? a : between(a, b, (near * 1.001 - da) / (db - da)));
    const to = this.pixel(db >= near ? b : between(b, a, (near * 1.001 - db) / (da - db)));
    return from && to && [from[0], from[1], to[0], to[1]];
  }
}

function between(a: Point3, b: Point3, part: number): Point3 {
  return [a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part, a[2] + (b[2] - a[2]) * part];
}

/** WGS 84: the greater half axis in metres, and the square of the eccentricity. */
const RADIUS = 6_378_137;
const ECCENTRICITY = 6.69437999014e-3;

/** From places to metres around one of them: good to a millimetre in a kilometre, which is more than can be seen. */
export function metresAround(lon: number, lat: number, alt: number): ToMetres {
  const root = 1 - ECCENTRICITY * Math.sin(lat * RADIAN) ** 2;
  const east = (RADIUS / Math.sqrt(root)) * Math.cos(lat * RADIAN) * RADIAN;
  const north = ((RADIUS * (1 - ECCENTRICITY)) / root ** 1.5) * RADIAN;
  return (toLon, toLat, toAlt) => {
    const turn = Math.round((toLon - lon) / 360) * 360;
    return [(toLon - lon - turn) * east, (toLat - lat) * north, toAlt - alt];
  };
}

export type ToMetres = (lon: number, lat: number, alt: number) => Point3;
