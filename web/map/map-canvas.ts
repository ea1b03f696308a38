import type { Map as LibreMap } from 'maplibre-gl';
import { CrispCanvas } from '../shared/crisp-canvas.ts';
import type { Palette } from '../shared/palette.ts';
import { drawScene, type Scene } from './map-drawing.ts';
import type { MapPin, MapPlace, MapPlan, MapVehicle } from './map-state.ts';
import { isPlace } from './map-track.ts';
import { Trail } from './trail.ts';
import { View } from './view.ts';

const NOWHERE = new View({ lon: 0, lat: 0, zoom: 0, bearing: 0, width: 1, height: 1 });

/** The layer over the map for what moves, redrawn at most once a frame. */
export class MapCanvas {
  readonly element: HTMLCanvasElement;
  view: View = NOWHERE;
  vehicles: readonly MapVehicle[] = [];
  home: MapPlace | undefined;
  followed: string | undefined;
  private readonly options: { readonly hasTrails: boolean; readonly hasRings: boolean };
  private readonly canvas: CrispCanvas;
  private readonly trails = new Map<string, Trail>();
  private map: LibreMap | undefined;
  private palette: Palette;
  private pins: readonly MapPin[] = [];
  private pinned: MapPin | undefined;
  private plan: MapPlan | undefined;
  private labels: Scene['labels'] = [];

  constructor(palette: Palette, options: { readonly hasTrails: boolean; readonly hasRings: boolean }) {
    this.palette = palette;
    this.options = options;
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

  setPalette(palette: Palette): void {
    this.palette = palette;
    this.canvas.request();
  }

  setHome(home: MapPlace | undefined): void {
    this.home = home && isPlace(home.lon, home.lat) ? home : undefined;
    this.canvas.request();
  }

  setPlan(plan: MapPlan | undefined): void {
    this.plan = plan;
    this.canvas.request();
  }

  setPins(pins: readonly MapPin[]): void {
    this.pins = pins.filter(({ lon, lat }) => isPlace(lon, lat));
    this.pinned = undefined;
    this.canvas.request();
  }

  setLabels(labels: Scene['labels']): void {
    this.labels = labels;
    this.canvas.request();
  }

  setVehicles(vehicles: readonly MapVehicle[]): void {
    this.vehicles = vehicles;
    if (this.options.hasTrails) this.extendTrails();
    this.canvas.request();
  }

  private extendTrails(): void {
    const present = new Set(this.vehicles.map(({ id }) => id));
    for (const id of this.trails.keys()) if (!present.has(id)) this.trails.delete(id);
    for (const { id, lon, lat } of this.vehicles) this.extendTrail(id, [[lon, lat]]);
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

  follow(id: string | undefined): void {
    this.followed = id;
    this.canvas.request();
  }

  pinAt(x: number, y: number, pixels: number): MapPin | undefined {
    return this.nearest(this.pins, x, y, pixels);
  }

  vehicleAt(x: number, y: number, pixels: number): MapVehicle | undefined {
    return this.nearest(this.vehicles, x, y, pixels);
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

  pointAt(pin: MapPin | undefined): void {
    if (pin === this.pinned) return;
    this.pinned = pin;
    this.canvas.request();
  }

  private paint(context: CanvasRenderingContext2D, width: number, height: number): void {
    if (!this.map) return;
    const { lng: lon, lat } = this.map.getCenter();
    this.view = new View({ lon, lat, zoom: this.map.getZoom(), bearing: this.map.getBearing(), width, height });
    const bounds = this.map.getBounds();
    drawScene(context, {
      view: this.view,
      palette: this.palette,
      bounds: { west: bounds.getWest(), south: bounds.getSouth(), east: bounds.getEast(), north: bounds.getNorth() },
      home: this.home,
      hasRings: this.options.hasRings,
      plan: this.plan,
      pins: this.pins,
      pinned: this.pinned,
      labels: this.labels,
      vehicles: this.vehicles,
      trails: this.trails,
      followed: this.followed,
    });
  }

  destroy(): void {
    this.canvas.destroy();
  }
}
