import { xmlText } from '../core/names.ts';
import type { ModeInterval } from '../facts/modes.ts';
import { fixColumns } from '../geo/fixes.ts';
import type { Track } from '../geo/track.ts';
import { isoTime, rounded } from './decimal.ts';
import { DEGREE_DIGITS, listOf, METRE_DIGITS, pieces, type TrackFormat } from './track-format.ts';

/*
 * A Placemark a track. Where every point has a UTC time it is a gx:Track, which viewers can play; otherwise a
 * LineString, or a Point where there is only one; without points it has no geometry. Altitudes are above sea level,
 * and where one is missing the track is laid on the ground instead, for nothing says how high it was.
 * https://developers.google.com/kml/documentation/kmlreference
 */
export const kml: TrackFormat = {
  name: 'kml',
  title: 'KML 2.2 (Google Earth)',
  extension: 'kml',
  *write(tracks, { modes = [] } = {}) {
    yield HEAD;
    const names = [...new Set(modes.map(({ mode }) => mode))];
    for (const i of names.keys()) yield style(`mode-${i}`, COLORS[i % COLORS.length]);
    for (const track of listOf(tracks)) {
      for (const { mode, track: stretch } of modeTracks(track, modes)) {
        const index = names.indexOf(mode);
        if (index < 0) yield* placemark(stretch, track.name, 'track');
        else yield* placemark(stretch, `${track.name}: ${mode}`, `mode-${index}`);
      }
    }
    yield '</Document>\n</kml>\n';
  },
};

/** Colours of modes in the order in which these come: alpha, blue, green, red. */
const COLORS = ['ff00a5ff', 'ffff7f00', 'ff32cd32', 'ff3c14dc', 'ffcc3299', 'ffd0e040', 'ff00d7ff', 'ff9314ff'];

/** A line that is seen on forest, sand and sea, and an icon for where the vehicle is while the track is played. */
const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
<Document>
${style('track', 'ff00a5ff')}`;

function style(id: string, color: string): string {
  return `<Style id="${id}">
<IconStyle><scale>0.8</scale><Icon><href>https://maps.google.com/mapfiles/kml/shapes/track.png</href></Icon></IconStyle>
<LineStyle><color>${color}</color><width>3</width></LineStyle>
</Style>
`;
}

function* placemark(track: Track, name: string, styleId: string): Generator<string> {
  yield `<Placemark>\n<name>${xmlText(name)}</name>\n`;
  if (track.source !== '') yield `<description>source ${xmlText(track.source)}</description>\n`;
  yield `<styleUrl>#${styleId}</styleUrl>\n`;
  if (track.points > 0) yield* geometry(track);
  yield '</Placemark>\n';
}

function* geometry(track: Track): Generator<string> {
  const { time, points, utc } = track;
  const altitudeMode = track.alt.every(Number.isFinite) ? 'absolute' : 'clampToGround';
  const mode = `<altitudeMode>${altitudeMode}</altitudeMode>`;
  if (utc && time.every((micros) => isoTime(micros) !== undefined)) {
    yield `<gx:Track>\n${mode}\n`;
    yield* pieces(points, (i) => `<when>${isoTime(time[i])}</when>\n`);
    yield* pieces(points, (i) => `<gx:coord>${coordinates(track, i, ' ')}</gx:coord>\n`);
    yield '</gx:Track>\n';
  } else {
    const type = points === 1 ? 'Point' : 'LineString';
    const tessellate = type === 'LineString' && altitudeMode === 'clampToGround' ? '<tessellate>1</tessellate>' : '';
    yield `<${type}>\n${tessellate}${mode}\n<coordinates>\n`;
    yield* pieces(points, (i) => `${coordinates(track, i, ',')}\n`);
    yield `</coordinates>\n</${type}>\n`;
  }
}

function coordinates({ lon, lat, alt }: Track, i: number, separator: string): string {
  const place = `${rounded(lon[i], DEGREE_DIGITS)}${separator}${rounded(lat[i], DEGREE_DIGITS)}`;
  return Number.isFinite(alt[i]) ? `${place}${separator}${rounded(alt[i], METRE_DIGITS)}` : place;
}

/** A stretch of a track in one mode; '' before the first. */
interface ModeTrack {
  readonly mode: string;
  readonly track: Track;
}

/** Cuts a track where the mode changes. Each stretch goes on to the first point of the next, so that no gap is seen. */
function modeTracks(track: Track, modes: readonly ModeInterval[]): ModeTrack[] {
  const stretches: ModeTrack[] = [];
  let next = 0;
  let mode = '';
  let from = 0;
  for (let i = 0; i < track.points; i++) {
    let now = mode;
    while (next < modes.length && modes[next].start <= track.time[i]) now = modes[next++].mode;
    if (now !== mode && i > from) {
      stretches.push({ mode, track: part(track, from, i + 1) });
      from = i;
    }
    mode = now;
  }
  return [...stretches, { mode, track: part(track, from, track.points) }];
}

function part(track: Track, from: number, to: number): Track {
  return { ...track, ...fixColumns((name) => track[name].subarray(from, to)), points: to - from };
}
