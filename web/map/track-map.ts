import { errorText } from '../../src/entry/pages.ts';
import './track-map.css';
import type { Map as LibreMap, MapMouseEvent } from 'maplibre-gl';
import { type Palette, prefersStill, readPalette, watchTheme } from '../shared/palette.ts';
import { baseLayers, baseStyle, HIGHLIGHT, LAND, TRACKS } from './base-style.ts';
import { parseGeoJson } from './geo-json.ts';
import { type Box, boxOf } from './geometry.ts';
import { parseKml } from './kml.ts';
import { type LandDetail, loadLand } from './land.ts';
import { fillLegend } from './legend.ts';
import { isDrawnInSoftware, loadMapLibre } from './load-maplibre.ts';
import { MapCanvas } from './map-canvas.ts';
import type { MapPin, MapPlace, MapPlan, MapVehicle } from './map-state.ts';
import { mapTools } from './map-tools.ts';
import { type ColoredLine, coloredLinesOf, isPlace, legendOf, type MapTrack } from './map-track.ts';
import { TrackIndex, type TrackPoint } from './nearest-point.ts';
import { openTiles } from './tiles.ts';
import { UserLayers } from './user-layers.ts';
import { mercatorX, mercatorY } from './view.ts';
import { type Corners, cornersByWorldFile } from './world-file.ts';

export interface TrackMapOptions {
  /** A point of a path, or an event, was clicked. */
  readonly picked?: ((time: number, point: TrackPoint | undefined) => void) | undefined;
  /** The pointer is near a point of a path; undefined when it left. */
  readonly hovered?: ((time: number | undefined, point: TrackPoint | undefined) => void) | undefined;
  /** The map shows another part of the world. */
  readonly moved?: ((box: Box) => void) | undefined;
  /** The person moved the map, so it does not follow any more. */
  readonly released?: (() => void) | undefined;
  /** Something of the user's cannot be shown. */
  readonly failed?: ((message: string) => void) | undefined;
  readonly pickedVehicle?: ((id: string) => void) | undefined;
  /** The zoom that a single place is shown at; by default 19. */
  readonly closest?: number | undefined;
  /** Whether a followed vehicle may leave the middle before the map moves: slow without a graphics card. */
  readonly isThrifty?: boolean | undefined;
  /** Whether vehicles leave a trail. */
  readonly hasTrails?: boolean | undefined;
  /** Whether there are many paths of few points: each begins with a dot, and is meant wherever its line is near. */
  readonly isOverview?: boolean | undefined;
}

/** How much is seen of a path beside the part that is meant. */
const DIMMED = 0.3;
/** Pixels from the pointer within which a path is meant, an event, and one of many paths. */
const NEAR_TRACK = 24;
const NEAR_PIN = 12;
const NEAR_LINE = 10;
/** From here on the coarse outlines look wrong, and up to there the fine ones are of use. */
const FINE_ZOOM = 3.5;
const MOST_ZOOM = 22;
/** The part of the map that a vehicle may be off the middle where moving the map is slow. */
const SLACK = 0.3;

/** A map of paths, vehicles and events that asks no server for anything. What is set before it is there waits. */
export class TrackMap {
  readonly element: HTMLElement = document.createElement('div');
  /** Whether there is a map: false where the browser cannot draw one. */
  readonly ready: Promise<boolean>;
  private readonly options: TrackMapOptions;
  private readonly canvas: MapCanvas;
  private readonly legend = document.createElement('div');
  private readonly unwatch: () => void;
  private palette: Palette = readPalette();
  private map: LibreMap | undefined;
  private layers: UserLayers | undefined;
  private tracks: readonly MapTrack[] = [];
  private stretches: readonly ColoredLine[] = [];
  private highlighted: MapTrack | undefined;
  private parts: readonly MapTrack[] | undefined;
  private index: TrackIndex = new TrackIndex([]);
  private landDetail: LandDetail | undefined;
  private tileArchives = 0;
  /** How to forget each archive of tiles, by its name. */
  private readonly archives = new Map<string, () => void>();
  private isDestroyed = false;
  private isSlow = false;
  private markDestroyed: () => void = () => {};
  private readonly destroyed = new Promise<void>((resolve) => {
    this.markDestroyed = resolve;
  });

  constructor(options: TrackMapOptions = {}) {
    this.options = options;
    this.element.className = 'track-map';
    this.legend.className = 'map-legend';
    // many names are scrolled
    this.legend.tabIndex = 0;
    this.legend.role = 'group';
    this.legend.ariaLabel = 'Colours of the track';
    this.legend.hidden = true;
    const ground = document.createElement('div');
    ground.className = 'map-ground';
    this.canvas = new MapCanvas(this.palette, options.hasTrails === true);
    const tools = mapTools({
      closer: () => this.map?.zoomIn(),
      farther: () => this.map?.zoomOut(),
      fit: () => this.fit(),
      north: () => this.map?.resetNorth(),
    });
    this.element.append(ground, this.canvas.element, this.legend, tools);
    this.unwatch = watchTheme(() => this.retheme());
    this.ready = this.start(ground);
  }

  private async start(ground: HTMLElement): Promise<boolean> {
    try {
      const { Map: LibreMap } = await loadMapLibre();
      if (this.isDestroyed) return false;
      const map = new LibreMap({
        container: ground,
        style: baseStyle(this.palette),
        center: [10, 25],
        zoom: 0.8,
        maxZoom: MOST_ZOOM,
        maxPitch: 0,
        pitchWithRotate: false,
        attributionControl: false,
        fadeDuration: 0,
        // the page keeps its own view in the address
        hash: false,
      });
      this.map = map;
      // an error of a tile or an overlay must not end in the console of the page
      map.on('error', ({ error }) => this.options.failed?.(error?.message ?? 'the map cannot show something'));
      await Promise.race([map.once('load'), this.destroyed]);
      if (this.isDestroyed) return false;
    } catch (error) {
      this.showProblem(error);
      return false;
    }
    this.isSlow = this.options.isThrifty === true && isDrawnInSoftware(this.map.getCanvas());
    this.layers = new UserLayers(this.map);
    this.listen(this.map);
    this.canvas.attach(this.map);
    this.showTracks();
    await this.showLand('coarse');
    this.fit(false);
    this.element.dataset.state = 'ready';
    return true;
  }

  private showProblem(error: unknown): void {
    const message = document.createElement('div');
    message.className = 'map-message';
    message.textContent = 'This browser cannot draw the map: it needs WebGL.';
    this.element.append(message);
    this.options.failed?.(errorText(error));
  }

  private listen(map: LibreMap): void {
    map.on('mousemove', (event) => this.hover(event));
    map.on('mouseout', () => this.point(undefined, undefined));
    map.on('moveend', () => this.options.moved?.(this.box));
    map.on('click', (event) => this.pick(event));
    map.on('dragstart', () => {
      if (this.canvas.shown.followed === undefined) return;
      this.follow(undefined);
      this.options.released?.();
    });
    map.on('zoomend', () => {
      if (map.getZoom() >= FINE_ZOOM) void this.showLand('fine');
    });
  }

  private async showLand(detail: LandDetail): Promise<void> {
    if (this.landDetail === detail || this.landDetail === 'fine') return;
    this.landDetail = detail;
    try {
      const land = await loadLand(detail);
      if (!this.isDestroyed && this.landDetail === detail) this.setData(LAND, land);
    } catch {
      // a server that has ended has no outlines any more: the map is of use without them, and may try again later
      this.landDetail = undefined;
      this.options.failed?.('the outlines of land cannot be loaded');
    }
  }

  private setData(source: string, data: GeoJSON.FeatureCollection): void {
    const found = this.map?.getSource(source);
    if (found && 'setData' in found) (found as { setData(data: GeoJSON.FeatureCollection): void }).setData(data);
  }

  /** The paths; the legend is that of the first one that has a meaning in its colours. */
  setTracks(tracks: readonly MapTrack[]): void {
    this.tracks = tracks;
    this.index = new TrackIndex(tracks);
    this.showTracks();
  }

  private showTracks(): void {
    const legends = this.tracks.map(({ coloring }) => legendOf(coloring, this.palette.isDark));
    fillLegend(
      this.legend,
      legends.find((each) => each !== undefined),
    );
    this.stretches = this.tracks.flatMap((track) => coloredLinesOf(track, this.palette.isDark));
    this.setData(TRACKS, this.features(this.stretches));
    if (this.parts) this.showParts(this.parts);
    else this.highlight(this.highlighted);
  }

  /** The parts of the paths that are meant, over all of them, which are dimmed; none where all is meant. */
  showParts(parts: readonly MapTrack[] | undefined): void {
    this.parts = parts;
    // a map that is still loading shows them when it has the paths
    if (!this.layers) return;
    const lines = parts?.flatMap((track) => coloredLinesOf(track, this.palette.isDark)) ?? [];
    this.setData(HIGHLIGHT, this.features(lines));
    this.map?.setPaintProperty('tracks-line', 'line-opacity', parts ? DIMMED : 1);
    this.map?.setPaintProperty('highlight-edge', 'line-width', parts ? 6 : 9);
  }

  /** A path that is drawn over all others, larger than they are. */
  highlight(track: MapTrack | undefined): void {
    this.highlighted = track;
    this.setData(HIGHLIGHT, this.features(track ? coloredLinesOf(track, this.palette.isDark) : []));
  }

  private features(stretches: readonly ColoredLine[]): GeoJSON.FeatureCollection {
    const features = stretches.flatMap(({ color, places }): GeoJSON.Feature[] => {
      const coordinates = places as unknown as GeoJSON.Position[];
      const line = { type: 'LineString' as const, coordinates };
      const dot = { type: 'Point' as const, coordinates: coordinates[0] };
      const geometries = this.options.isOverview ? [line, dot] : [line];
      return geometries.map((geometry) => ({ type: 'Feature', properties: { color }, geometry }));
    });
    return { type: 'FeatureCollection', features };
  }

  /** What the map shows. */
  private get box(): Box {
    const bounds = this.map?.getBounds();
    if (!bounds) return { west: -180, south: -90, east: 180, north: 90 };
    return { west: bounds.getWest(), south: bounds.getSouth(), east: bounds.getEast(), north: bounds.getNorth() };
  }

  setHome(home: MapPlace | undefined): void {
    this.canvas.show({ home: home && isPlace(home.lon, home.lat) ? home : undefined });
  }

  setPlan(plan: MapPlan | undefined): void {
    this.canvas.show({ plan });
  }

  setPins(pins: readonly MapPin[]): void {
    this.canvas.show({ pins: pins.filter(({ lon, lat }) => isPlace(lon, lat)), pinned: undefined });
  }

  /** Where vehicles are now. It costs no more than drawing them, so it may be called for every message. */
  setVehicles(vehicles: readonly MapVehicle[]): void {
    this.canvas.setVehicles(vehicles);
    const followed =
      this.canvas.shown.followed !== undefined && vehicles.find(({ id }) => id === this.canvas.shown.followed);
    if (followed && isPlace(followed.lon, followed.lat)) this.center(followed);
  }

  /** A shift of less than a pixel is not drawn. */
  private center({ lon, lat }: MapPlace, slack = this.slack): void {
    if (!this.map) return;
    const { lng, lat: middle } = this.map.getCenter();
    const pixels = 512 * 2 ** this.map.getZoom();
    const [x, y] = [mercatorX(lon) - mercatorX(lng), mercatorY(lat) - mercatorY(middle)];
    if (Math.hypot(x, y) * pixels >= slack) this.map.setCenter([lon, lat]);
  }

  /** Pixels that a vehicle that is followed may be off the middle. */
  private get slack(): number {
    return this.isSlow ? Math.max(1, Math.min(this.element.clientWidth, this.element.clientHeight) * SLACK) : 1;
  }

  /** Where a vehicle was since it was shown last, the oldest place first. */
  extendTrail(id: string, places: Iterable<readonly [lon: number, lat: number]>): void {
    this.canvas.extendTrail(id, places);
  }

  /** Keeps a vehicle in the middle, until the person moves the map. */
  follow(id: string | undefined): void {
    this.canvas.show({ followed: id });
    const followed = this.canvas.shown.vehicles.find((vehicle) => vehicle.id === id);
    if (followed && isPlace(followed.lon, followed.lat)) this.center(followed, 1);
  }

  /** Shows all paths and vehicles, or one vehicle, its trail and its home. */
  fit(isAnimated = true, vehicle?: string): void {
    const box = boxOf(this.places(vehicle));
    if (!this.map || !box) return;
    const side = Math.min(this.element.clientWidth, this.element.clientHeight);
    this.map.fitBounds([box.west, box.south, box.east, box.north], {
      padding: Math.min(60, side / 6),
      maxZoom: this.options.closest ?? 19,
      animate: isAnimated && !prefersStill(),
      duration: 400,
    });
  }

  private *places(vehicle?: string): Generator<readonly [number, number]> {
    if (vehicle === undefined) for (const { places } of this.stretches) yield* places;
    for (const { id, lon, lat } of this.canvas.shown.vehicles) {
      if (vehicle !== undefined && id !== vehicle) continue;
      if (isPlace(lon, lat)) yield [lon, lat];
      yield* this.canvas.trailBox(id);
    }
    const { home } = this.canvas.shown;
    if (home) yield [home.lon, home.lat];
  }

  private hover(event: MapMouseEvent): void {
    const { x, y } = event.point;
    const pin = this.canvas.pinAt(x, y, NEAR_PIN);
    this.point(pin, pin ? undefined : this.trackAt(x, y));
  }

  private trackAt(x: number, y: number): TrackPoint | undefined {
    const { canvas, index } = this;
    return this.options.isOverview
      ? index.nearestLine(canvas.view, x, y, NEAR_LINE)
      : index.nearest(canvas.view, x, y, NEAR_TRACK);
  }

  private point(pin: MapPin | undefined, point: TrackPoint | undefined): void {
    const time = pin?.time ?? point?.time;
    if (pin !== this.canvas.shown.pinned) this.canvas.show({ pinned: pin });
    this.element.classList.toggle('is-pointing', time !== undefined);
    this.options.hovered?.(time, point);
  }

  private pick(event: MapMouseEvent): void {
    const { x, y } = event.point;
    const vehicle = this.options.pickedVehicle && this.canvas.vehicleAt(x, y, NEAR_TRACK);
    if (vehicle) {
      this.options.pickedVehicle?.(vehicle.id);
      return;
    }
    const pin = this.canvas.pinAt(x, y, NEAR_PIN);
    const point = this.trackAt(x, y);
    const time = pin?.time ?? point?.time;
    if (time !== undefined) this.options.picked?.(time, pin ? undefined : point);
  }

  /** A plan of the user: GeoJSON or KML, detected by content. */
  async addOverlay(name: string, text: string): Promise<void> {
    const data = /^\s*\ufeff?</.test(text) ? parseKml(text) : parseGeoJson(text);
    if (!(await this.ready)) return;
    this.layers?.addGeoJson(name, data, this.palette);
    this.canvas.show({ labels: this.layers?.labels ?? [] });
  }

  /** A picture of the ground, with its corners or its world file. */
  async addImage(name: string, image: Blob, where: Corners | string): Promise<void> {
    const bitmap = await createImageBitmap(image);
    const corners = typeof where === 'string' ? cornersByWorldFile(where, bitmap.width, bitmap.height) : where;
    if (await this.ready) this.layers?.addImage(name, bitmap, corners);
    bitmap.close();
  }

  /** An archive of tiles (PMTiles). */
  async addTiles(name: string, file: File): Promise<void> {
    const tiles = await openTiles(
      file,
      `tiles-${performance.now().toString(36).replace('.', '')}-${++this.tileArchives}`,
    );
    if (!(await this.ready)) return;
    const { addProtocol, removeProtocol } = await loadMapLibre();
    this.removeOverlay(name);
    addProtocol(tiles.scheme, async ({ url }) => ({ data: await tiles.tile(url) }));
    this.archives.set(name, () => removeProtocol(tiles.scheme));
    this.layers?.addTiles(name, tiles, this.palette);
  }

  removeOverlay(name: string): void {
    this.layers?.remove(name);
    this.archives.get(name)?.();
    this.archives.delete(name);
    this.canvas.show({ labels: this.layers?.labels ?? [] });
  }

  private retheme(): void {
    this.palette = readPalette();
    this.canvas.show({ palette: this.palette });
    for (const { id, paint } of baseLayers(this.palette)) {
      for (const [name, value] of Object.entries(paint ?? {}))
        this.map?.setPaintProperty(id, name as 'line-color', value as never);
    }
    this.showTracks();
  }

  destroy(): void {
    this.isDestroyed = true;
    this.markDestroyed();
    for (const close of this.archives.values()) close();
    this.unwatch();
    this.canvas.destroy();
    this.map?.remove();
    this.element.remove();
  }
}
