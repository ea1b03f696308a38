import { xmlText } from '../core/names.ts';
import { segmentsOf } from '../geo/segments.ts';
import type { Track } from '../geo/track.ts';
import { isoTime, rounded } from './decimal.ts';
import { DEGREE_DIGITS, listOf, METRE_DIGITS, pieces, type TrackFormat } from './track-format.ts';

/*
 * A trk a track, and in it a trkseg a stretch without a gap. What a point does not have, altitude or UTC time, is left
 * out. GPX has no place for speed and course.
 * https://www.topografix.com/GPX/1/1/
 */
export const gpx: TrackFormat = {
  name: 'gpx',
  title: 'GPX 1.1',
  extension: 'gpx',
  *write(tracks, { gap } = {}) {
    yield '<?xml version="1.0" encoding="UTF-8"?>\n';
    yield '<gpx version="1.1" creator="Skein" xmlns="http://www.topografix.com/GPX/1/1">\n';
    for (const track of listOf(tracks)) yield* trk(track, gap);
    yield '</gpx>\n';
  },
};

function* trk(track: Track, gap: number | undefined): Generator<string> {
  yield `<trk>\n<name>${xmlText(track.name)}</name>\n`;
  if (track.source !== '') yield `<src>${xmlText(track.source)}</src>\n`;
  for (const { from, to } of segmentsOf(track, gap)) {
    yield '<trkseg>\n';
    yield* pieces(to - from, (i) => trkpt(track, from + i));
    yield '</trkseg>\n';
  }
  yield '</trk>\n';
}

function trkpt({ lat, lon, alt, time, utc }: Track, i: number): string {
  const longitude = rounded(lon[i], DEGREE_DIGITS);
  // longitudes of GPX end before 180
  const place = `lat="${rounded(lat[i], DEGREE_DIGITS)}" lon="${longitude === '180' ? '-180' : longitude}"`;
  const ele = Number.isFinite(alt[i]) ? `<ele>${rounded(alt[i], METRE_DIGITS)}</ele>` : '';
  const stamp = utc ? isoTime(time[i]) : undefined;
  return `<trkpt ${place}>${ele}${stamp === undefined ? '' : `<time>${stamp}</time>`}</trkpt>\n`;
}
