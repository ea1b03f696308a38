import type { LayerSpecification, SourceSpecification } from 'maplibre-gl';
import type { PMTiles } from 'pmtiles';
import type { Palette } from '../shared/palette.ts';

/** An archive of map tiles that a user has as a file: https://docs.protomaps.com/pmtiles/ */
export interface Tiles {
  readonly scheme: string;
  readonly isVector: boolean;
  readonly minZoom: number;
  readonly maxZoom: number;
  readonly bounds: [number, number, number, number];
  /** Names of the layers of vector tiles. */
  readonly layers: readonly string[];
  /** The bytes of a tile; a missing one is empty. */
  tile(url: string): Promise<ArrayBuffer>;
}

/** The first bytes of an archive say what its tiles are; 1 means vector tiles, the others are kinds of images. */
const VECTOR = 1;
/** Layers of vector tiles that are drawn. */
const MOST_LAYERS = 64;

/** @param scheme the name under which the map asks for tiles; one for each archive */
export async function openTiles(file: File, scheme: string): Promise<Tiles> {
  const { FileSource, PMTiles } = await import('pmtiles');
  const archive = new PMTiles(new FileSource(file));
  const { tileType, minZoom, maxZoom, minLon, minLat, maxLon, maxLat } = await archive.getHeader();
  const isVector = tileType === VECTOR;
  return {
    scheme,
    isVector,
    minZoom,
    maxZoom,
    bounds: [minLon, minLat, maxLon, maxLat],
    layers: isVector ? await layerNames(archive) : [],
    tile: (url) => readTile(archive, url, isVector),
  };
}

async function layerNames(archive: PMTiles): Promise<string[]> {
  const metadata = (await archive.getMetadata()) as { vector_layers?: unknown };
  const layers = Array.isArray(metadata?.vector_layers) ? metadata.vector_layers.slice(0, MOST_LAYERS) : [];
  return layers.flatMap((layer: { id?: unknown } | null) => (typeof layer?.id === 'string' ? [layer.id] : []));
}

async function readTile(archive: PMTiles, url: string, isVector: boolean): Promise<ArrayBuffer> {
  const [z, x, y] = url.split('/').slice(-3).map(Number);
  const found = await archive.getZxy(z, x, y);
  if (found) return found.data;
  return isVector ? new ArrayBuffer(0) : emptyImage();
}

/** A transparent pixel: the map takes an image without bytes for an error. */
async function emptyImage(): Promise<ArrayBuffer> {
  const canvas = new OffscreenCanvas(1, 1);
  canvas.getContext('2d');
  return (await canvas.convertToBlob()).arrayBuffer();
}

export function tileSource({ scheme, isVector, minZoom, maxZoom, bounds }: Tiles): SourceSpecification {
  const tiles = [`${scheme}://tile/{z}/{x}/{y}`];
  const common = { tiles, minzoom: minZoom, maxzoom: maxZoom, bounds };
  return isVector ? { type: 'vector', ...common } : { type: 'raster', tileSize: 256, ...common };
}

/** Vector tiles of any kind: areas faint, lines thin. What they mean only their maker knows. */
export function tileLayers({ isVector, layers }: Tiles, source: string, palette: Palette): LayerSpecification[] {
  if (!isVector) return [{ id: `${source}-raster`, type: 'raster', source }];
  return layers.flatMap((name, i): LayerSpecification[] => [
    {
      id: `${source}-${i}-fill`,
      type: 'fill',
      source,
      'source-layer': name,
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'fill-color': palette.dim, 'fill-opacity': 0.08 },
    },
    {
      id: `${source}-${i}-line`,
      type: 'line',
      source,
      'source-layer': name,
      filter: ['==', ['geometry-type'], 'LineString'],
      paint: { 'line-color': palette.dim, 'line-width': 0.8, 'line-opacity': 0.6 },
    },
  ]);
}
