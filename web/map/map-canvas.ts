import type { Map as LibreMap } from 'maplibre-gl';
import { CrispCanvas } from '../shared/crisp-canvas.ts';
import type { Palette } from '../shared/palette.ts';
import { drawScene, type Scene } from './map-drawing.ts';
import type { MapPin, MapPlace, MapVehicle } from './map-state.ts';
import { isPlace } from './map-track.ts';
import { Trail } from './trail.ts';
import { View } from './view.ts';

const NOWHERE = new View({ lon: 0, lat: 0, zoom: 0, bearing: 0, width: 1, height: 1 });

/** What is over the map, as far as it does not follow from the map itself. */
type Shown = Omit<Scene, 'view' | 'bounds' | 'trails'>;
const NOTHING: Omit<Shown, 'palette'> = {
  ...{ home: undefined, plan: undefined, pins: [], pinned: undefined },
  ...{ labels: [], vehicles: [], followed: undefined },
};

/** The layer over the map for what moves, redrawn at most once a frame. */
export class MapCanvas {
  readonly element: HTMLCanvasElement;
  view: View = NOWHERE;
  shown: Shown;
  private readonly hasTrails: boolean;
  private readonly canvas: CrispCanvas;
  private readonly trails = new Map<string, Trail>();
  private map: LibreMap | undefined;

  /** @param hasTrails whether vehicles leave a trail */
  constructor(palette: Palette, hasTrails: boolean) {
    this.shown = { ...NOTHING, palette };
    this.hasTrails = hasTrails;
    this.canvas = new CrispCanvas((context, width, height) => this.paint(context, width, height));
    this.element = this.canvas.element;
    this.element.className = 'map-over';
    this.element.ariaHidden = 'true';
  }

  attach(map: LibreMap): void {
    this.map = map;
    // in the same frame as the map itself: a frame later, and vehicles would swim while it moves
    map.on('render', () => this.canvas.paintNow());
    this.canvas.request();
  }

  /** Draws something else of what is over the map. */
  show(change: Partial<Shown>): void {
    this.shown = { ...this.shown, ...change };
    this.canvas.request();
  }

  setVehicles(vehicles: readonly MapVehicle[]): void {
    this.show({ vehicles });
    if (this.hasTrails) this.extendTrails();
  }

  private extendTrails(): void {
    const present = new Set(this.shown.vehicles.map(({ id }) => id));
    for (const id of this.trails.keys()) if (!present.has(id)) this.trails.delete(id);
    for (const { id, lon, lat } of this.shown.vehicles) this.extendTrail(id, [[lon, lat]]);
  }

  extendTrail(id: string, places: Iterable<readonly [lon: number, lat: number]>): void {
    const trail = this.trails.get(id) ?? new Trail();
    for (const [lon, lat] of places) if (isPlace(lon, lat)) trail.add(lon, lat);
    this.trails.set(id, trail);
  }

  /** The corners of what a vehicle has flown. */
  trailBox(id: string): Iterable<readonly [number, number]> {
    return this.trails.get(id)?.box() ?? [];
  }

  pinAt(x: number, y: number, pixels: number): MapPin | undefined {
    return this.nearest(this.shown.pins, x, y, pixels);
  }

  vehicleAt(x: number, y: number, pixels: number): MapVehicle | undefined {
    return this.nearest(this.shown.vehicles, x, y, pixels);
  }

  private nearest<T extends MapPlace>(places: readonly T[], x: number, y: number, pixels: number): T | undefined {
    let best = pixels;
    let found: T | undefined;
    for (const place of places) {
      const [px, py] = this.view.at(place.lon, place.lat);
      const away = Math.hypot(px - x, py - y);
      if (away > best) continue;
      best = away;
      found = place;
    }
    return found;
  }

  private paint(context: CanvasRenderingContext2D, width: number, height: number): void {
    if (!this.map) return;
    const { lng: lon, lat } = this.map.getCenter();
    this.view = new View({ lon, lat, zoom: this.map.getZoom(), bearing: this.map.getBearing(), width, height });
    const bounds = this.map.getBounds();
    drawScene(context, {
      ...this.shown,
      view: this.view,
      bounds: { west: bounds.getWest(), south: bounds.getSouth(), east: bounds.getEast(), north: bounds.getNorth() },
      trails: this.trails,
    });
  }

  destroy(): void {
    this.canvas.destroy();
  }
}
