import {
  Map as Chart,
  type GeoJSONSource,
  LngLatBounds,
  Marker,
  NavigationControl,
  ScaleControl,
  setWorkerUrl,
} from 'maplibre-gl';
import 'maplibre-gl/dist/maplibre-gl.css';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import { feature } from 'topojson-client';
import world from 'world-atlas/land-110m.json';
import { themeColor } from '../theme.ts';
import { gridLines, gridStep, gridText } from './graticule.ts';
import type { TrackLine } from './track-lines.ts';

/** Something at a place. */
export interface MapPoint {
  readonly lon: number;
  readonly lat: number;
  readonly color: string;
}

const NOTHING: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };
/** A few metres fill the map at this. */
const CLOSEST = 21;

/** A map without a tile server: coast lines, a grid, a scale, and what is laid on it. */
export class TrackMap {
  private readonly chart: Chart;
  private readonly grid: HTMLElement;
  private readonly vehicle: Marker;
  private readonly home: Marker;
  private readonly ready: Promise<void>;

  constructor(host: HTMLElement) {
    setWorkerUrl(workerUrl);
    this.chart = new Chart({
      container: host,
      attributionControl: false,
      maxZoom: CLOSEST,
      center: [8, 20],
      zoom: 1,
      dragRotate: false,
      fadeDuration: 0,
      style: { version: 8, sources: sources(), layers: layers() },
    });
    this.chart.touchZoomRotate.disableRotation();
    this.chart.addControl(new NavigationControl({ showCompass: false }), 'top-right');
    this.chart.addControl(new ScaleControl({}), 'bottom-left');
    this.grid = document.createElement('span');
    this.grid.className = 'map-grid';
    host.append(this.grid);
    this.vehicle = new Marker({ element: named('map-vehicle', '▲'), rotationAlignment: 'map' });
    this.home = new Marker({ element: named('map-home', 'H') });
    this.ready = new Promise((resolve) => this.chart.once('load', () => resolve()));
    this.chart.on('moveend', () => this.drawGrid());
    void this.ready.then(() => this.drawGrid());
  }

  async showTracks(lines: readonly TrackLine[], fit: boolean): Promise<void> {
    await this.ready;
    this.set(
      'track',
      lines.map(({ color, points }) =>
        shape({ type: 'LineString', coordinates: points.map((point) => [...point]) }, color),
      ),
    );
    const first = lines[0]?.points[0];
    if (first) this.home.setLngLat([first[0], first[1]]).addTo(this.chart);
    else this.home.remove();
    if (fit && first) this.fit(lines);
  }

  async showEvents(points: readonly MapPoint[]): Promise<void> {
    await this.ready;
    this.set(
      'events',
      points.map(({ lon, lat, color }) => shape({ type: 'Point', coordinates: [lon, lat] }, color)),
    );
  }

  /** Puts the vehicle somewhere, or takes it away; `follow` keeps it in sight. */
  showVehicle(place: { lon: number; lat: number; course: number } | undefined, follow: boolean): void {
    if (!place) {
      this.vehicle.remove();
      return;
    }
    this.vehicle.setLngLat([place.lon, place.lat]).setRotation(place.course).addTo(this.chart);
    if (follow && !this.chart.getBounds().contains([place.lon, place.lat]))
      this.chart.jumpTo({ center: [place.lon, place.lat] });
  }

  /** Colours are those of the theme. */
  async recolor(): Promise<void> {
    await this.ready;
    for (const layer of layers()) {
      for (const [name, value] of Object.entries(layer.paint ?? {})) {
        if (typeof value === 'string') this.chart.setPaintProperty(layer.id, name as never, value as never);
      }
    }
  }

  resize(): void {
    this.chart.resize();
  }

  close(): void {
    this.chart.remove();
  }

  private fit(lines: readonly TrackLine[]): void {
    const bounds = new LngLatBounds();
    for (const { points } of lines) for (const [lon, lat] of points) bounds.extend([lon, lat]);
    this.chart.fitBounds(bounds, { padding: 44, animate: false, maxZoom: 19 });
  }

  private drawGrid(): void {
    const bounds = this.chart.getBounds();
    const [west, south, east, north] = [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()];
    const step = gridStep(north - south, 5);
    this.grid.textContent = gridText(step);
    const lines = gridLines(west, south, east, north, step);
    this.set('grid', [shape({ type: 'MultiLineString', coordinates: lines }, '')]);
  }

  private set(id: string, features: GeoJSON.Feature[]): void {
    this.chart.getSource<GeoJSONSource>(id)?.setData({ type: 'FeatureCollection', features });
  }
}

function shape(geometry: GeoJSON.Geometry, color: string): GeoJSON.Feature {
  return { type: 'Feature', geometry, properties: { color } };
}

function named(name: string, text: string): HTMLElement {
  const element = document.createElement('div');
  element.className = name;
  element.textContent = text;
  return element;
}

function sources() {
  const topology = world as unknown as Parameters<typeof feature>[0];
  const land = feature(topology, topology.objects.land) as GeoJSON.FeatureCollection;
  const of = (data: GeoJSON.FeatureCollection) => ({ type: 'geojson' as const, data });
  return { land: of(land), grid: of(NOTHING), track: of(NOTHING), events: of(NOTHING) };
}

function layers() {
  const [sea, land, line] = [themeColor('--back'), themeColor('--panel'), themeColor('--line')];
  return [
    { id: 'sea', type: 'background' as const, paint: { 'background-color': sea } },
    { id: 'land', type: 'fill' as const, source: 'land', paint: { 'fill-color': land, 'fill-outline-color': line } },
    {
      id: 'grid',
      type: 'line' as const,
      source: 'grid',
      paint: { 'line-color': themeColor('--grid'), 'line-width': 1 },
    },
    {
      id: 'track',
      type: 'line' as const,
      source: 'track',
      layout: { 'line-join': 'round' as const, 'line-cap': 'round' as const },
      paint: { 'line-color': ['get', 'color'] as ['get', string], 'line-width': 3 },
    },
    {
      id: 'events',
      type: 'circle' as const,
      source: 'events',
      paint: {
        'circle-color': ['get', 'color'] as ['get', string],
        'circle-radius': 4,
        'circle-stroke-color': sea,
        'circle-stroke-width': 1,
      },
    },
  ];
}
