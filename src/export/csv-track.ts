import { csvText } from '../core/names.ts';
import { exact } from '../core/text.ts';
import { seconds } from './decimal.ts';
import { listOf, pieces, type TrackFormat } from './track-format.ts';

/*
 * A point a line: time in seconds (UTC, or since boot where the log never learned it), degrees, metres, metres a
 * second, degrees. Numbers read as the same numbers again; a cell without a value is empty. Several tracks have
 * a first column with their names.
 */
export const csvTrack: TrackFormat = {
  name: 'csv',
  title: 'Comma-separated values',
  extension: 'csv',
  *write(tracks, { raw = false } = {}) {
    const isOne = 'points' in tracks;
    yield isOne ? 'time,lat,lon,alt,speed,course\n' : 'track,time,lat,lon,alt,speed,course\n';
    for (const { name, time, lat, lon, alt, speed, course, points } of listOf(tracks)) {
      const start = isOne ? '' : `${csvText(name, raw)},`;
      const numbers = [lat, lon, alt, speed, course];
      const line = (i: number): string =>
        `${start}${seconds(time[i])},${numbers.map((column) => exact(column[i])).join(',')}\n`;
      yield* pieces(points, line);
    }
  },
};
