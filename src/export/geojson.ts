import { cutAtAntimeridian, type SidePoint, type TrackSide } from '../geo/antimeridian.ts';
import type { Track } from '../geo/track.ts';
import { isoTime, rounded } from './decimal.ts';
import { DEGREE_DIGITS, listOf, METRE_DIGITS, pieces, type TrackFormat, type Tracks } from './track-format.ts';

/*
 * One track is a Feature, a list of tracks a FeatureCollection.
 * https://www.rfc-editor.org/rfc/rfc7946
 *
 *     {"type":"Feature",
 *      "geometry":{"type":"LineString","coordinates":[[lon,lat,alt],...]},
 *      "properties":{"name":"...","source":"GPS","coordinateProperties":{"times":["2024-01-31T12:00:00.000Z",...]}}}
 *
 * A line needs two positions, so a track of one point is a Point; a track without points is a LineString without
 * coordinates; one that crosses the antimeridian is cut there into a MultiLineString. An altitude that is missing is
 * left out of its position. `times` has the shape that the coordinates of lines have (for a Point it holds one time),
 * null if a point has none, and is absent where the log never learned UTC.
 * https://github.com/mapbox/geojson-coordinate-properties
 */
export const geojson: TrackFormat = {
  name: 'geojson',
  title: 'GeoJSON (RFC 7946)',
  extension: 'geojson',
  *write(tracks: Tracks) {
    if ('points' in tracks) {
      yield* feature(tracks);
    } else {
      yield '{"type":"FeatureCollection","features":[';
      for (const [i, track] of listOf(tracks).entries()) {
        if (i > 0) yield ',\n';
        yield* feature(track);
      }
      yield ']}';
    }
    yield '\n';
  },
};

function* feature(track: Track): Generator<string> {
  const parts = cutAtAntimeridian(track);
  const type = track.points === 1 ? 'Point' : parts.length > 1 ? 'MultiLineString' : 'LineString';
  yield `{"type":"Feature","geometry":{"type":"${type}","coordinates":`;
  if (type === 'Point') yield coordinates(parts[0].at(0));
  else yield* nested(parts, coordinates);
  yield `},"properties":{"name":${JSON.stringify(track.name)},"source":${JSON.stringify(track.source)}`;
  if (track.utc) {
    yield ',"coordinateProperties":{"times":';
    yield* nested(parts, timeText);
    yield '}';
  }
  yield '}}';
}

/** An array of what each position gives; an array of such arrays where there are several parts. */
function* nested(parts: readonly TrackSide[], textOf: (position: SidePoint) => string): Generator<string> {
  if (parts.length > 1) yield '[';
  for (const [i, part] of parts.entries()) {
    yield i > 0 ? ',[' : '[';
    yield* pieces(part.length, (index) => textOf(part.at(index)), ',');
    yield ']';
  }
  if (parts.length > 1) yield ']';
}

function coordinates({ lon, lat, alt }: SidePoint): string {
  const place = `${rounded(lon, DEGREE_DIGITS)},${rounded(lat, DEGREE_DIGITS)}`;
  return Number.isFinite(alt) ? `[${place},${rounded(alt, METRE_DIGITS)}]` : `[${place}]`;
}

function timeText({ time }: SidePoint): string {
  const text = isoTime(time);
  return text === undefined ? 'null' : `"${text}"`;
}
