import { cutAtAntimeridian, type SidePoint } from '../geo/antimeridian.ts';
import type { Track } from '../geo/track.ts';
import { rounded } from './decimal.ts';
import { DEGREE_DIGITS, listOf, METRE_DIGITS, pieces, type TrackFormat } from './track-format.ts';

/*
 * A track a line: LINESTRING Z (lon lat alt, ...), cut at the antimeridian into a MULTILINESTRING, a POINT where there
 * is one point, LINESTRING EMPTY if none. In WKT either all positions have an altitude or none has: the Z
 * is there if no altitude is missing.
 * https://www.ogc.org/standard/sfa/
 */
export const wkt: TrackFormat = {
  name: 'wkt',
  title: 'Well-known text',
  extension: 'wkt',
  *write(tracks) {
    for (const track of listOf(tracks)) {
      yield* geometry(track);
      yield '\n';
    }
  },
};

function* geometry(track: Track): Generator<string> {
  if (track.points === 0) {
    yield 'LINESTRING EMPTY';
    return;
  }
  const hasAltitudes = track.alt.every(Number.isFinite);
  const place = (position: SidePoint): string => coordinates(position, hasAltitudes);
  const parts = cutAtAntimeridian(track);
  const isMany = parts.length > 1;
  const type = track.points === 1 ? 'POINT' : isMany ? 'MULTILINESTRING' : 'LINESTRING';
  yield `${type}${hasAltitudes ? ' Z' : ''} ${isMany ? '(' : ''}`;
  for (const [i, part] of parts.entries()) {
    yield i > 0 ? ', (' : '(';
    yield* pieces(part.length, (index) => place(part.at(index)), ', ');
    yield ')';
  }
  if (isMany) yield ')';
}

function coordinates({ lon, lat, alt }: SidePoint, hasAltitudes: boolean): string {
  const place = `${rounded(lon, DEGREE_DIGITS)} ${rounded(lat, DEGREE_DIGITS)}`;
  return hasAltitudes ? `${place} ${rounded(alt, METRE_DIGITS)}` : place;
}
