import { feature } from 'topojson-client';
import { unrolled } from './geometry.ts';

/** How fine the outlines are: a file of 55 kB that comes with the map, and one of ten times that for closer looks. */
export type LandDetail = 'coarse' | 'fine';

/** The outlines of all land: Natural Earth through world-atlas, both in the public domain. */
export async function loadLand(detail: LandDetail): Promise<GeoJSON.FeatureCollection> {
  const { default: atlas } =
    detail === 'coarse' ? await import('world-atlas/land-110m.json') : await import('world-atlas/land-50m.json');
  const topology = atlas as unknown as Parameters<typeof feature>[0];
  const land = feature(topology, topology.objects.land);
  const features = land.type === 'FeatureCollection' ? land.features : [land];
  return { type: 'FeatureCollection', features: features.flatMap(({ geometry }) => polygonsOf(geometry)) };
}

/** Each ring as one area: holes are water over the land, as those in an area beyond 180 degrees are cut wrongly. */
function polygonsOf(geometry: GeoJSON.Geometry): GeoJSON.Feature[] {
  const polygons =
    geometry.type === 'MultiPolygon' ? geometry.coordinates : geometry.type === 'Polygon' ? [geometry.coordinates] : [];
  return polygons.flatMap((rings) =>
    rings.map(
      (ring, i): GeoJSON.Feature => ({
        type: 'Feature',
        properties: { isWater: i > 0 },
        geometry: { type: 'Polygon', coordinates: [unrolled(ring)] },
      }),
    ),
  );
}
