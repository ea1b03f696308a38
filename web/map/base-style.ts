import type { LayerSpecification, LineLayerSpecification, StyleSpecification } from 'maplibre-gl';
import type { Palette } from '../shared/palette.ts';

/*
 * The map without a server: no tiles, no fonts, no pictures. Land and borders are coarse (Natural Earth), so they fade
 * where a flight is larger than their mistakes; there the grid and the user's own layers take over.
 */

/** Sources by their names in the style. */
export const LAND = 'land';
export const TRACKS = 'tracks';
export const HIGHLIGHT = 'highlight';
/** What users bring goes below this layer. */
export const FIRST_TRACK_LAYER = 'tracks-edge';

const EMPTY = { type: 'FeatureCollection' as const, features: [] };

interface MapColors {
  readonly paper: string;
  readonly land: string;
  readonly coast: string;
}

function mapColors({ isDark, back, line }: Palette): MapColors {
  if (isDark) return { paper: back, land: '#19222d', coast: '#3a4a5d' };
  // sunlight: white paper, black coasts
  if (line === '#000000') return { paper: '#ffffff', land: '#ededed', coast: '#000000' };
  return { paper: '#eef2f6', land: '#fbfbf8', coast: '#a9b5c3' };
}

export function baseStyle(palette: Palette): StyleSpecification {
  return {
    version: 8,
    sources: {
      [LAND]: { type: 'geojson', data: EMPTY },
      [TRACKS]: { type: 'geojson', data: EMPTY, maxzoom: 20, tolerance: 0.25 },
      [HIGHLIGHT]: { type: 'geojson', data: EMPTY, maxzoom: 20, tolerance: 0.25 },
    },
    layers: baseLayers(palette),
  };
}

/** All layers in the colours of the theme. */
export function baseLayers(palette: Palette): LayerSpecification[] {
  const colors = mapColors(palette);
  const fading = (most: number) => ['interpolate' as const, ['linear' as const], ['zoom' as const], 7, most, 10, 0];
  return [
    { id: 'paper', type: 'background', paint: { 'background-color': colors.paper } },
    {
      id: 'land',
      type: 'fill',
      source: LAND,
      paint: {
        'fill-color': ['case', ['get', 'isWater'], colors.paper, colors.land],
        'fill-opacity': fading(1) as never,
        'fill-antialias': false,
      },
    },
    line('coast', LAND, { 'line-color': colors.coast, 'line-width': 0.8, 'line-opacity': fading(0.9) as never }),
    round(FIRST_TRACK_LAYER, TRACKS, { 'line-color': colors.paper, 'line-width': 6, 'line-opacity': 0.8 }),
    round('tracks-line', TRACKS, { 'line-color': ['get', 'color'], 'line-width': 3 }),
    dots('tracks-dot', TRACKS, 4, colors.paper),
    round('highlight-edge', HIGHLIGHT, { 'line-color': palette.text, 'line-width': 9 }),
    round('highlight-line', HIGHLIGHT, { 'line-color': ['get', 'color'], 'line-width': 5 }),
    dots('highlight-dot', HIGHLIGHT, 7, palette.text),
  ];
}

type LinePaint = NonNullable<LineLayerSpecification['paint']>;

const line = (id: string, source: string, paint: LinePaint): LineLayerSpecification => ({
  id,
  type: 'line',
  source,
  paint,
});

const round = (id: string, source: string, paint: LinePaint): LineLayerSpecification => ({
  ...line(id, source, paint),
  layout: { 'line-join': 'round', 'line-cap': 'round' },
});

/** The starts of paths: on an overview, a line shorter than a pixel is not visible. */
function dots(id: string, source: string, radius: number, edge: string): LayerSpecification {
  return {
    id,
    type: 'circle',
    source,
    filter: ['==', ['geometry-type'], 'Point'],
    paint: {
      'circle-color': ['get', 'color'],
      'circle-radius': ['interpolate', ['linear'], ['zoom'], 9, radius, 15, radius / 2],
      'circle-stroke-color': edge,
      'circle-stroke-width': 1,
    },
  };
}
