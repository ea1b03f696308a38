import type { LayerSpecification, Map as LibreMap, SourceSpecification } from 'maplibre-gl';
import type { Palette } from '../shared/palette.ts';
import { FIRST_TRACK_LAYER } from './base-style.ts';
import type { MapPlace } from './map-state.ts';
import { isPlace } from './map-track.ts';
import { type Tiles, tileLayers, tileSource } from './tiles.ts';
import { type Corners, checkedCorners } from './world-file.ts';

/** Pixels of a side of an image that is kept: more is beyond what graphics cards take. */
const IMAGE_SIDE = 4096;
/** Names of points that are shown. */
const MOST_LABELS = 500;

interface UserLayer {
  readonly source: string;
  readonly layers: readonly string[];
  readonly labels: readonly (MapPlace & { readonly text: string })[];
}

/** What users bring: plans and fences, images, tiles. Each has a name by which it goes again. */
export class UserLayers {
  private readonly map: LibreMap;
  private readonly known = new Map<string, UserLayer>();
  private count = 0;

  constructor(map: LibreMap) {
    this.map = map;
  }

  get labels(): readonly (MapPlace & { readonly text: string })[] {
    return [...this.known.values()].flatMap((layer) => layer.labels).slice(0, MOST_LABELS);
  }

  addGeoJson(name: string, data: GeoJSON.FeatureCollection, { accent }: Palette): void {
    const color = ['to-color', ['get', 'color'], ['get', 'stroke'], accent] as never;
    this.add(name, { type: 'geojson', data }, labelsOf(data), (source) => [
      {
        id: `${source}-fill`,
        type: 'fill',
        source,
        filter: ['==', ['geometry-type'], 'Polygon'],
        paint: { 'fill-color': color, 'fill-opacity': 0.12 },
      },
      {
        id: `${source}-line`,
        type: 'line',
        source,
        filter: ['!=', ['geometry-type'], 'Point'],
        paint: { 'line-color': color, 'line-width': 2 },
      },
      {
        id: `${source}-point`,
        type: 'circle',
        source,
        filter: ['==', ['geometry-type'], 'Point'],
        paint: { 'circle-color': color, 'circle-radius': 4 },
      },
    ]);
  }

  /** A photo or a plan whose corners are known. It is drawn from a canvas, so that the map requests nothing. */
  addImage(name: string, image: ImageBitmap, corners: Corners): void {
    const scale = Math.min(1, IMAGE_SIDE / Math.max(image.width, image.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(image.width * scale));
    canvas.height = Math.max(1, Math.round(image.height * scale));
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const coordinates = checkedCorners(corners).map(([lon, lat]) => [lon, lat]) as never;
    const source = { type: 'canvas', canvas, coordinates, animate: false } as never;
    this.add(name, source, [], (id) => [{ id: `${id}-image`, type: 'raster', source: id }]);
  }

  addTiles(name: string, tiles: Tiles, palette: Palette): void {
    this.add(name, tileSource(tiles), [], (source) => tileLayers(tiles, source, palette));
  }

  private add(
    name: string,
    source: SourceSpecification,
    labels: UserLayer['labels'],
    layersOf: (source: string) => LayerSpecification[],
  ): void {
    this.remove(name);
    const id = `user-${++this.count}`;
    this.map.addSource(id, source);
    const layers = layersOf(id);
    for (const layer of layers) this.map.addLayer(layer, FIRST_TRACK_LAYER);
    this.known.set(name, { source: id, layers: layers.map((layer) => layer.id), labels });
  }

  remove(name: string): void {
    const found = this.known.get(name);
    if (!found) return;
    for (const layer of found.layers) this.map.removeLayer(layer);
    this.map.removeSource(found.source);
    this.known.delete(name);
  }
}

function labelsOf({ features }: GeoJSON.FeatureCollection): UserLayer['labels'] {
  const labels: (MapPlace & { text: string })[] = [];
  for (const { geometry, properties } of features) {
    if (labels.length === MOST_LABELS) break;
    const text: unknown = properties?.name;
    if (geometry?.type !== 'Point' || !Array.isArray(geometry.coordinates)) continue;
    const [lon, lat] = geometry.coordinates;
    if (typeof text !== 'string' || text === '') continue;
    if (isPlace(lon, lat)) labels.push({ lon, lat, text: text.slice(0, 60) });
  }
  return labels;
}
