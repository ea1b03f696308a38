import { metresText, roundBelow } from '../map/geometry.ts';
import { figures, fill, line, noData, shape, stroke } from '../shared/drawing.ts';
import { faded } from '../shared/palette.ts';
import { Instrument } from './instrument.ts';
import { metresAround, OrbitCamera, type Point3, type ToMetres } from './orbit-camera.ts';
import { type Attitude, AXES, bodyToWorld, MODEL } from './vehicle-model.ts';

/** Position in degrees and metres, and attitude. NaN if unknown. */
export interface ReplayState extends Attitude {
  readonly lon: number;
  readonly lat: number;
  readonly alt: number;
}

export interface ReplayTrack {
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly alt: Float64Array;
  /** The colour of each leg by the point where it begins. */
  colorOf(index: number): string;
}

const UNKNOWN: ReplayState = { lon: NaN, lat: NaN, alt: NaN, roll: NaN, pitch: NaN, yaw: NaN };
/** Legs of a path that are drawn at most. */
const MOST_LEGS = 2500;
/** How large the vehicle is drawn, as a part of the distance to it. */
const SIZE = 0.12;

/** The flight in space: the path over a grid, and the vehicle as it flew. Turned with the pointer or the arrow keys. */
export class FlightReplay extends Instrument<ReplayState> {
  private readonly camera = new OrbitCamera();
  private frame: ToMetres | undefined;
  private path: readonly { readonly at: Point3; readonly color: string; readonly isJoined: boolean }[] = [];
  private isFollowing = false;

  constructor() {
    super('replay', UNKNOWN);
    this.element.tabIndex = 0;
    this.element.addEventListener('pointerdown', (event) => this.grab(event));
    this.element.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    this.element.addEventListener('keydown', (event) => this.key(event));
    this.set(UNKNOWN);
  }

  /** The path; the ground is where it is lowest. */
  setTrack({ lon, lat, alt, colorOf }: ReplayTrack): void {
    const known: number[] = [];
    for (let i = 0; i < lon.length; i++) if (Number.isFinite(lon[i] + lat[i] + alt[i])) known.push(i);
    const ground = known.reduce((least, i) => Math.min(least, alt[i]), Number.POSITIVE_INFINITY);
    const frame = known.length > 0 ? metresAround(lon[known[0]], lat[known[0]], ground) : undefined;
    this.frame = frame;
    const every = Math.ceil(known.length / MOST_LEGS);
    this.path = known
      .filter((_, k) => k % every === 0 || k === known.length - 1)
      .map((i, k, kept) => ({
        at: (frame as ToMetres)(lon[i], lat[i], alt[i]),
        color: colorOf(i),
        isJoined: k > 0 && known.length > 1 && isWhole(lon, lat, alt, kept[k - 1], i),
      }));
    this.fit();
  }

  /** Shows all of the path. */
  fit(): void {
    const [east, north, up] = [0, 1, 2].map((axis) => {
      const all = this.path.map(({ at }) => at[axis]);
      return all.reduce((range, each) => [Math.min(range[0], each), Math.max(range[1], each)], [0, 0]);
    });
    const size = Math.hypot(east[1] - east[0], north[1] - north[0], up[1] - up[0]);
    this.camera.target = [(east[0] + east[1]) / 2, (north[0] + north[1]) / 2, up[1] / 2];
    this.camera.distance = Math.max(10, size * 1.15);
    this.redraw();
  }

  /** Keeps the vehicle in the middle. */
  follow(isFollowing: boolean): void {
    this.isFollowing = isFollowing;
    if (isFollowing) this.camera.distance = Math.min(this.camera.distance, 60);
    else this.fit();
    this.redraw();
  }

  protected override text(): string {
    const { alt, yaw } = this.state;
    const where = this.vehicle();
    if (!where) return 'flight in space: the vehicle is nowhere. Arrow keys turn, plus and minus zoom.';
    const heading = Number.isFinite(yaw) ? `, heading ${Math.round(((yaw % 360) + 360) % 360)} degrees` : '';
    return `flight in space: altitude ${Math.round(alt)} metres${heading}. Arrow keys turn, plus and minus zoom.`;
  }

  private vehicle(): Point3 | undefined {
    const { lon, lat, alt } = this.state;
    return this.frame && Number.isFinite(lon + lat + alt) ? this.frame(lon, lat, alt) : undefined;
  }

  protected override paint(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { palette, camera } = this;
    context.fillStyle = palette.back;
    context.fillRect(0, 0, width, height);
    if (!this.frame) {
      noData(context, palette, 'no path', width, height);
      return;
    }
    const vehicle = this.vehicle();
    if (this.isFollowing && vehicle) camera.target = vehicle;
    camera.aim(width, height);
    context.lineJoin = 'round';
    context.lineCap = 'round';
    this.paintGround(context, height);
    this.paintPath(context);
    if (vehicle) this.paintVehicle(context, vehicle);
  }

  private stroke(context: CanvasRenderingContext2D, a: Point3, b: Point3): void {
    const found = this.camera.segment(a, b);
    if (found) line(context, ...found);
  }

  private paintGround(context: CanvasRenderingContext2D, height: number): void {
    const { palette, camera } = this;
    const step = roundBelow(camera.distance / 5);
    const count = 12;
    const [east, north] = [0, 1].map((axis) => Math.round(camera.target[axis] / step) * step);
    context.lineWidth = 1;
    for (let i = -count; i <= count; i++) {
      context.strokeStyle = faded(palette.dim, 0.34 * (1 - Math.abs(i) / (count + 1)));
      const [from, to] = [-count * step, count * step];
      this.stroke(context, [east + i * step, north + from, 0], [east + i * step, north + to, 0]);
      this.stroke(context, [east + from, north + i * step, 0], [east + to, north + i * step, 0]);
    }
    figures(context, 11, 600);
    context.textAlign = 'center';
    for (const [name, de, dn] of [
      ['N', 0, 1],
      ['E', 1, 0],
      ['S', 0, -1],
      ['W', -1, 0],
    ] as const) {
      const pixel = camera.pixel([east + de * step * 4, north + dn * step * 4, 0]);
      context.fillStyle = name === 'N' ? palette.bad : palette.dim;
      if (pixel) context.fillText(name, pixel[0], pixel[1]);
    }
    context.textAlign = 'left';
    context.fillStyle = palette.dim;
    context.fillText(`grid ${metresText(step)}`, 12, height - 14);
  }

  private paintPath(context: CanvasRenderingContext2D): void {
    const { path, camera } = this;
    // the curtain first, so that the path is in front of it
    for (let i = 1; i < path.length; i++) {
      if (!path[i].isJoined) continue;
      const [a, b] = [path[i - 1].at, path[i].at];
      const corners = [a, b, below(b), below(a)].map((each) => camera.pixel(each));
      if (!corners.every((each) => each !== undefined)) continue;
      context.fillStyle = faded(path[i - 1].color, 0.1);
      shape(context, corners.flat());
      context.fill();
    }
    context.lineWidth = 2.5;
    for (let i = 1; i < path.length; i++) {
      context.strokeStyle = path[i - 1].color;
      if (path[i].isJoined) this.stroke(context, path[i - 1].at, path[i].at);
    }
  }

  private paintVehicle(context: CanvasRenderingContext2D, where: Point3): void {
    const { palette, camera, state } = this;
    context.strokeStyle = faded(palette.text, 0.5);
    context.lineWidth = 1;
    context.setLineDash([3, 4]);
    this.stroke(context, where, below(where));
    context.setLineDash([]);
    const isKnown = Number.isFinite(state.roll + state.pitch + state.yaw);
    const turn = bodyToWorld(isKnown ? state : { roll: 0, pitch: 0, yaw: 0 });
    const size = Math.max(0.4, camera.depth(where) * SIZE);
    const place = (point: Point3): Point3 => {
      const [east, north, up] = turn(point);
      return [where[0] + east * size, where[1] + north * size, where[2] + up * size];
    };
    const fills = { body: palette.text, arm: palette.dim, rotor: palette.dim, nose: '#f28c28' };
    const faces = MODEL.map(({ corners, kind }) => {
      const placed = corners.map(place);
      const depth = placed.reduce((sum, each) => sum + camera.depth(each), 0) / placed.length;
      return { kind, depth, pixels: placed.map((each) => camera.pixel(each)) };
    }).sort((a, b) => b.depth - a.depth);
    for (const { kind, pixels } of faces) {
      if (!pixels.every((pixel) => pixel !== undefined)) continue;
      shape(context, pixels.flat());
      fill(context, kind === 'body' || kind === 'arm' ? fills[kind] : faded(fills[kind], 0.75));
      stroke(context, palette.back, 1);
    }
    if (!isKnown) return;
    context.lineWidth = 2.5;
    for (const { to, color } of AXES) {
      context.strokeStyle = color;
      this.stroke(context, place([0, 0, 0]), place(to));
    }
  }

  private grab(start: PointerEvent): void {
    let [x, y] = [start.clientX, start.clientY];
    this.element.setPointerCapture(start.pointerId);
    const move = (event: PointerEvent): void => {
      this.camera.turn((x - event.clientX) * -0.35, (event.clientY - y) * 0.25);
      [x, y] = [event.clientX, event.clientY];
      this.redraw();
    };
    const held = new AbortController();
    this.element.addEventListener('pointermove', move, { signal: held.signal });
    for (const end of ['pointerup', 'pointercancel'])
      this.element.addEventListener(end, () => held.abort(), { signal: held.signal });
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    this.camera.zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) * 0.0015));
    this.redraw();
  }

  private key(event: KeyboardEvent): void {
    const act = {
      ArrowLeft: () => this.camera.turn(-5, 0),
      ArrowRight: () => this.camera.turn(5, 0),
      ArrowUp: () => this.camera.turn(0, 4),
      ArrowDown: () => this.camera.turn(0, -4),
      '+': () => this.camera.zoom(0.85),
      '-': () => this.camera.zoom(1 / 0.85),
    }[event.key];
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation();
    this.redraw();
  }
}

function below([east, north]: Point3): Point3 {
  return [east, north, 0];
}

/** Whether a path goes from one point to another without a point that is missing. */
function isWhole(lon: Float64Array, lat: Float64Array, alt: Float64Array, from: number, to: number): boolean {
  for (let i = from; i <= to; i++) if (!Number.isFinite(lon[i] + lat[i] + alt[i])) return false;
  return true;
}
