import { disc, fill, shape, stroke } from '../shared/drawing.ts';
import { FONT, faded, type Palette } from '../shared/palette.ts';
import { type Box, circleAround, degreeText, gridLines, gridStep, metresText, roundBelow } from './geometry.ts';
import type { MapPin, MapPlace, MapPlan, MapVehicle } from './map-state.ts';
import type { Trail } from './trail.ts';
import { mercatorX, type View } from './view.ts';

/** Everything over the map. */
export interface Scene {
  readonly view: View;
  readonly palette: Palette;
  readonly bounds: Box;
  readonly home: MapPlace | undefined;
  readonly plan: MapPlan | undefined;
  readonly pins: readonly MapPin[];
  /** The pin that the pointer is at. */
  readonly pinned: MapPin | undefined;
  readonly labels: readonly (MapPlace & { readonly text: string })[];
  readonly vehicles: readonly MapVehicle[];
  readonly trails: ReadonlyMap<string, Trail>;
  readonly followed: string | undefined;
}

type Context = CanvasRenderingContext2D;

/** Names of vehicles are left out where there are more of them: they would hide each other. */
const MOST_NAMES = 60;
/** Pixels that a letter of a name takes, about, and a line of it. */
const NAME_LETTER = 6.5;
const NAME_HEIGHT = 12;
/** Pixels that two corners of a trail are apart at least. */
const NEXT_PIXEL = 2;
/** Parts of the globe between two places of a trail with no flight between them: about 5 km. */
const LEAP = 1.25e-4;
/** Degrees of a parallel that are drawn as one line. */
const MOST_PART = 90;

/** Draws what moves, and all text: the map itself would need fonts from a server for that. */
export function drawScene(context: Context, scene: Scene): void {
  const { width, height } = scene.view.camera;
  context.clearRect(0, 0, width, height);
  context.lineJoin = 'round';
  context.lineCap = 'round';
  drawGrid(context, scene);
  if (scene.home) drawRings(context, scene, scene.home);
  if (scene.plan) drawPlan(context, scene, scene.plan);
  for (const label of scene.labels) {
    const [x, y] = scene.view.at(label.lon, label.lat);
    drawText(context, scene.palette, label.text, x + 8, y, 'left');
  }
  drawTrails(context, scene);
  for (const pin of scene.pins) drawPin(context, scene, pin, pin === scene.pinned);
  if (scene.home) drawHome(context, scene, scene.home);
  for (const vehicle of scene.vehicles) drawVehicle(context, scene, vehicle);
  drawNames(context, scene);
  if (scene.pinned) drawPinLabel(context, scene, scene.pinned);
  drawScale(context, scene);
  drawNorth(context, scene);
}

function drawGrid(context: Context, { view, palette, bounds }: Scene): void {
  const { width, height } = view.camera;
  const step = gridStep(bounds.east - bounds.west, Math.max(2, width / 160));
  const lons = gridLines(bounds.west, bounds.east, step);
  const lats = gridLines(Math.max(-85, bounds.south), Math.min(85, bounds.north), step);
  context.strokeStyle = faded(palette.dim, palette.isDark ? 0.22 : 0.28);
  context.lineWidth = 1;
  context.beginPath();
  const line = (from: readonly [number, number], to: readonly [number, number]): void => {
    context.moveTo(from[0], from[1]);
    context.lineTo(to[0], to[1]);
  };
  for (const lon of lons) line(beside(view, lon, bounds.south), beside(view, lon, bounds.north));
  // in parts: a line around half of the globe has no nearer side
  const parts = Math.max(2, Math.ceil((bounds.east - bounds.west) / MOST_PART));
  const at = (part: number): number => bounds.west + ((bounds.east - bounds.west) * part) / parts;
  for (const lat of lats)
    for (let part = 0; part < parts; part++) line(beside(view, at(part), lat), beside(view, at(part + 1), lat));
  context.stroke();
  // degrees are at the edges only while these are meridians and parallels
  if (Math.abs(view.camera.bearing) > 0.5) return;
  for (const lon of lons) {
    const [x] = beside(view, lon, view.camera.lat);
    if (x > 60 && x < width - 90) drawText(context, palette, degreeText(lon, step, ['E', 'W']), x + 4, 10, 'left', 10);
  }
  for (const lat of lats) {
    const [, y] = view.at(view.camera.lon, lat);
    if (y > 24 && y < height - 60) drawText(context, palette, degreeText(lat, step, ['N', 'S']), 6, y - 7, 'left', 10);
  }
}

/** The pixel of a place that is not on the nearest side of the globe but where its longitude says: the world may be there twice. */
function beside(view: View, lon: number, lat: number): readonly [number, number] {
  const [x, y] = view.at(view.camera.lon, lat);
  const angle = (view.camera.bearing * Math.PI) / 180;
  const away = mercatorX(lon) - mercatorX(view.camera.lon);
  return [x + away * view.scale * Math.cos(angle), y - away * view.scale * Math.sin(angle)];
}

function drawRings(context: Context, { view, palette }: Scene, home: MapPlace): void {
  const { width, height } = view.camera;
  const step = roundBelow((view.metresPerPixel * Math.min(width, height)) / 4);
  if (!(step > 0) || step > 50_000) return;
  context.strokeStyle = faded(palette.accent, 0.45);
  context.lineWidth = 1;
  context.setLineDash([3, 5]);
  for (let n = 1; n <= 4; n++) {
    context.beginPath();
    for (const [lon, lat] of circleAround(home.lon, home.lat, step * n)) {
      const [x, y] = view.at(lon, lat);
      context.lineTo(x, y);
    }
    context.stroke();
  }
  context.setLineDash([]);
  for (let n = 1; n <= 4; n++) {
    const [lon, lat] = circleAround(home.lon, home.lat, step * n, 8)[1];
    const [x, y] = view.at(lon, lat);
    drawText(context, palette, metresText(step * n), x, y, 'center', 10, palette.accent);
  }
}

/** The mission as a dashed way with numbers, fences as closed lines, rally points as flags with an R. */
function drawPlan(context: Context, { view, palette }: Scene, { mission, fences, circles, rally }: MapPlan): void {
  const path = (places: readonly MapPlace[], isClosed: boolean): void => {
    context.beginPath();
    for (const { lon, lat } of places) context.lineTo(...view.at(lon, lat));
    if (isClosed) context.closePath();
    context.stroke();
  };
  context.lineWidth = 2;
  context.strokeStyle = palette.bad;
  context.setLineDash([9, 5]);
  for (const fence of fences) path(fence, true);
  for (const { lon, lat, radius } of circles)
    path(
      circleAround(lon, lat, radius).map(([x, y]) => ({ lon: x, lat: y })),
      true,
    );
  context.lineWidth = 1.5;
  context.strokeStyle = palette.text;
  context.setLineDash([3, 4]);
  path(mission, false);
  context.setLineDash([]);
  for (const { lon, lat, label } of mission) sign(context, palette, view.at(lon, lat), label, palette.text);
  for (const { lon, lat } of rally) sign(context, palette, view.at(lon, lat), 'R', palette.good);
}

function sign(
  context: Context,
  palette: Palette,
  [x, y]: readonly [number, number],
  text: string,
  color: string,
): void {
  disc(context, x, y, 8);
  fill(context, palette.panel);
  stroke(context, color, 1.5);
  drawText(context, palette, text, x, y + 0.5, 'center', text.length > 2 ? 8 : 10, color);
}

function drawTrails(context: Context, { view, vehicles, trails }: Scene): void {
  context.lineWidth = 2;
  for (const { id, color } of vehicles) {
    const trail = trails.get(id);
    if (!trail) continue;
    context.strokeStyle = faded(color, 0.6);
    context.beginPath();
    let [lastX, lastY] = [Number.NaN, Number.NaN];
    for (let n = 0; n < trail.length; n++) {
      const i = trail.place(n);
      const [x, y] = [view.x(trail.x[i], trail.y[i]), view.y(trail.x[i], trail.y[i])];
      // most places of a trail fall on a pixel that is drawn already
      if (n < trail.length - 1 && Math.abs(x - lastX) < NEXT_PIXEL && Math.abs(y - lastY) < NEXT_PIXEL) continue;
      const before = trail.place(n - 1);
      const isLeap = n > 0 && Math.hypot(trail.x[i] - trail.x[before], trail.y[i] - trail.y[before]) > LEAP;
      if (isLeap) context.moveTo(x, y);
      else context.lineTo(x, y);
      [lastX, lastY] = [x, y];
    }
    context.stroke();
  }
}

function drawPin(context: Context, { view, palette }: Scene, pin: MapPin, isPointed: boolean): void {
  const [x, y] = view.at(pin.lon, pin.lat);
  const size = isPointed ? 7 : 5;
  context.beginPath();
  switch (pin.shape) {
    case 'circle':
      context.arc(x, y, size, 0, 2 * Math.PI);
      break;
    case 'square':
      context.rect(x - size * 0.9, y - size * 0.9, size * 1.8, size * 1.8);
      break;
    case 'diamond':
      shape(context, [x, y - size * 1.25, x + size * 1.25, y, x, y + size * 1.25, x - size * 1.25, y]);
      break;
    case 'triangle':
      shape(context, [x, y - size * 1.2, x + size * 1.15, y + size * 0.8, x - size * 1.15, y + size * 0.8]);
      break;
  }
  stroke(context, palette.back, 2);
  fill(context, pin.color);
}

function drawPinLabel(context: Context, { view, palette }: Scene, pin: MapPin): void {
  const [x, y] = view.at(pin.lon, pin.lat);
  context.font = `600 12px ${FONT}`;
  const text = pin.label.length > 60 ? `${pin.label.slice(0, 59)}…` : pin.label;
  const width = context.measureText(text).width + 16;
  const left = Math.max(4, Math.min(view.camera.width - width - 4, x - width / 2));
  const top = y > 44 ? y - 38 : y + 14;
  context.beginPath();
  context.roundRect(left, top, width, 24, 6);
  fill(context, palette.panel);
  stroke(context, palette.line, 1);
  context.fillStyle = palette.text;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillText(text, left + 8, top + 12.5);
}

function drawHome(context: Context, { view, palette }: Scene, home: MapPlace): void {
  const [x, y] = view.at(home.lon, home.lat);
  disc(context, x, y, 9);
  fill(context, palette.panel);
  stroke(context, palette.accent, 2);
  const corners = [0, -5, 5, -0.5, 3.2, -0.5, 3.2, 4, -3.2, 4, -3.2, -0.5, -5, -0.5];
  shape(
    context,
    corners.map((each, i) => each + (i % 2 === 0 ? x : y)),
  );
  fill(context, palette.accent);
}

function drawVehicle(context: Context, scene: Scene, vehicle: MapVehicle): void {
  const { view, palette, followed } = scene;
  const [x, y] = view.at(vehicle.lon, vehicle.lat);
  const { width, height, bearing } = view.camera;
  if (!(x > -50 && x < width + 50 && y > -50 && y < height + 50)) return;
  context.save();
  context.translate(x, y);
  if (vehicle.id === followed) {
    disc(context, 0, 0, 17);
    fill(context, faded(vehicle.color, 0.18));
  }
  if (Number.isFinite(vehicle.heading)) {
    context.rotate(((vehicle.heading - bearing) * Math.PI) / 180);
    shape(context, [0, -12, 8.5, 10, 0, 5.5, -8.5, 10]);
  } else disc(context, 0, 0, 7);
  stroke(context, palette.back, 4);
  fill(context, vehicle.isStale ? palette.dim : vehicle.color);
  stroke(context, vehicle.isStale ? palette.panel : palette.text, 1.5);
  context.restore();
}

/** Names of vehicles that do not overlap, that of the followed one first. */
function drawNames(context: Context, { view, palette, vehicles, followed }: Scene): void {
  if (vehicles.length > MOST_NAMES) return;
  const taken: { readonly x: number; readonly y: number; readonly width: number }[] = [];
  const first = vehicles.filter(({ id }) => id === followed);
  for (const { label, lon, lat } of [...first, ...vehicles.filter(({ id }) => id !== followed)]) {
    if (label === '') continue;
    const text = label.slice(0, 24);
    const [x, y] = view.at(lon, lat);
    const width = text.length * NAME_LETTER;
    if (taken.some((other) => Math.abs(other.y - y) < NAME_HEIGHT && x < other.x + other.width && other.x < x + width))
      continue;
    taken.push({ x, y, width });
    drawText(context, palette, text, x + 14, y, 'left', 11);
  }
}

function drawScale(context: Context, { view, palette }: Scene): void {
  const metres = roundBelow(view.metresPerPixel * 120);
  if (!(metres > 0)) return;
  const length = metres / view.metresPerPixel;
  const [x, y] = [14, view.camera.height - 16];
  for (const [color, width] of [
    [palette.back, 4],
    [palette.text, 1.5],
  ] as const) {
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x, y - 5);
    context.lineTo(x, y);
    context.lineTo(x + length, y);
    context.lineTo(x + length, y - 5);
    context.stroke();
  }
  drawText(context, palette, metresText(metres), x + length / 2, y - 9, 'center', 11, palette.text);
}

function drawNorth(context: Context, { view, palette }: Scene): void {
  context.save();
  context.translate(view.camera.width - 24, 30);
  context.rotate((-view.camera.bearing * Math.PI) / 180);
  shape(context, [0, -14, 5, 3, 0, 0, -5, 3]);
  stroke(context, palette.back, 3);
  fill(context, palette.bad);
  drawText(context, palette, 'N', 0, 11, 'center', 11, palette.text);
  context.restore();
}

function drawText(
  context: Context,
  palette: Palette,
  text: string,
  x: number,
  y: number,
  align: CanvasTextAlign,
  size = 11,
  color = palette.dim,
): void {
  context.font = `500 ${size}px ${FONT}`;
  context.textAlign = align;
  context.textBaseline = 'middle';
  context.lineWidth = 3;
  context.strokeStyle = faded(palette.back, 0.85);
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}
