/** Pixels of the whole world at zoom 0, as the map counts. */
const WORLD = 512;
const RADIAN = Math.PI / 180;
/** Metres around the equator. */
const EQUATOR = 40_075_016.686;

/** A longitude from west (0) to east (1). */
export function mercatorX(lon: number): number {
  return (lon + 180) / 360;
}

/** A latitude from north (0) to south (1): https://en.wikipedia.org/wiki/Web_Mercator_projection */
export function mercatorY(lat: number): number {
  return (1 - Math.asinh(Math.tan(Math.max(-85.06, Math.min(85.06, lat)) * RADIAN)) / Math.PI) / 2;
}

/** The longitude and the latitude of Mercator's coordinates. */
export function placeOf(x: number, y: number): readonly [lon: number, lat: number] {
  return [x * 360 - 180, Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) / RADIAN];
}

export interface Camera {
  readonly lon: number;
  readonly lat: number;
  readonly zoom: number;
  /** Degrees clockwise that the top of the map points to. */
  readonly bearing: number;
  readonly width: number;
  readonly height: number;
}

/** From places to pixels without an object each: turn, scale and shift in Mercator; the map is never tilted. */
export class View {
  readonly camera: Camera;
  /** Pixels of the whole world. */
  readonly scale: number;
  private readonly centerX: number;
  private readonly centerY: number;
  private readonly cos: number;
  private readonly sin: number;

  constructor(camera: Camera) {
    this.camera = camera;
    this.centerX = mercatorX(camera.lon);
    this.centerY = mercatorY(camera.lat);
    this.scale = WORLD * 2 ** camera.zoom;
    this.cos = Math.cos(camera.bearing * RADIAN) * this.scale;
    this.sin = Math.sin(camera.bearing * RADIAN) * this.scale;
  }

  /** The pixel of a place in Mercator's coordinates, on the side of the globe that is nearest to the middle. */
  x(mx: number, my: number): number {
    return this.camera.width / 2 + this.near(mx) * this.cos + (my - this.centerY) * this.sin;
  }

  y(mx: number, my: number): number {
    return this.camera.height / 2 - this.near(mx) * this.sin + (my - this.centerY) * this.cos;
  }

  private near(mx: number): number {
    const away = mx - this.centerX;
    return away - Math.round(away);
  }

  at(lon: number, lat: number): readonly [x: number, y: number] {
    const [mx, my] = [mercatorX(lon), mercatorY(lat)];
    return [this.x(mx, my), this.y(mx, my)];
  }

  /** What is at a pixel, in Mercator's coordinates. */
  mercatorAt(x: number, y: number): readonly [mx: number, my: number] {
    const { width, height } = this.camera;
    const [right, down] = [(x - width / 2) / this.scale ** 2, (y - height / 2) / this.scale ** 2];
    return [this.centerX + right * this.cos - down * this.sin, this.centerY + right * this.sin + down * this.cos];
  }

  /** Metres of a pixel in the middle. */
  get metresPerPixel(): number {
    return (EQUATOR * Math.cos(this.camera.lat * RADIAN)) / this.scale;
  }
}
