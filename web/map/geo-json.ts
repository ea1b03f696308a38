const GEOMETRIES: ReadonlySet<unknown> = new Set([
  'Point',
  'MultiPoint',
  'LineString',
  'MultiLineString',
  'Polygon',
  'MultiPolygon',
  'GeometryCollection',
]);

/** Any GeoJSON text as a collection of features: https://www.rfc-editor.org/rfc/rfc7946 */
export function parseGeoJson(text: string): GeoJSON.FeatureCollection {
  const data: unknown = JSON.parse(text);
  if (!isObject(data)) throw new SyntaxError('no GeoJSON: an object with a type is needed');
  const { type, features } = data as { type?: unknown; features?: unknown };
  if (type === 'FeatureCollection' && Array.isArray(features)) {
    return { type, features: features.filter(isFeature) };
  }
  if (isFeature(data)) return { type: 'FeatureCollection', features: [data] };
  if (isGeometry(data)) {
    return { type: 'FeatureCollection', features: [{ type: 'Feature', geometry: data, properties: {} }] };
  }
  throw new SyntaxError(`no GeoJSON: type ${String(type).slice(0, 40)}`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isFeature(value: unknown): value is GeoJSON.Feature {
  const { type, geometry } = (isObject(value) ? value : {}) as { type?: unknown; geometry?: unknown };
  return type === 'Feature' && isGeometry(geometry);
}

function isGeometry(value: unknown): value is GeoJSON.Geometry {
  return isObject(value) && GEOMETRIES.has((value as { type?: unknown }).type);
}
