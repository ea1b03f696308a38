import { csvTrack } from './csv-track.ts';
import { geojson } from './geojson.ts';
import { gpx } from './gpx.ts';
import { kml } from './kml.ts';
import type { TrackFormat } from './track-format.ts';
import { wkt } from './wkt.ts';

export type { TrackFormat, Tracks, TrackWriteOptions } from './track-format.ts';

/** Every way to write the flown path down, one line each. */
export const TRACK_FORMATS: readonly TrackFormat[] = [geojson, kml, gpx, wkt, csvTrack];
