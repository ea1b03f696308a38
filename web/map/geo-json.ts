const GEOMETRIES: ReadonlySet<unknown> = new Set([
  'Point',
  'MultiPoint',
  'LineString',
  'MultiLineString',
  'Polygon',
  'MultiPolygon',
  'GeometryCollection',
]);

/** Coordinates of one file at most: more would stop the page. */
const MOST_PLACES = 1_000_000;

export class PlaceCount {
  private left = MOST_PLACES;

  add(): void {
    if (--this.left < 0) throw new RangeError(`more than ${MOST_PLACES} places in one file`);
  }
}

/** Any GeoJSON text as a collection of features: https://www.rfc-editor.org/rfc/rfc7946 */
export function parseGeoJson(text: string): GeoJSON.FeatureCollection {
  const data: unknown = JSON.parse(text);
  countPlaces(data);
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

/** A place is an array that begins with a number, however deep. */
function countPlaces(data: unknown): void {
  const count = new PlaceCount();
  for (const left = [data]; left.length > 0; ) {
    const value = left.pop();
    if (!isObject(value)) continue;
    if (Array.isArray(value) && typeof value[0] === 'number') count.add();
    else for (const each of Object.values(value)) left.push(each);
  }
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
